"""An arbiter as session commands: the words after ``arbiter``, and the one line that answers them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.arbiter.arbiter import Arbiter
from fanqi.arbiter.deal import DRAW_PIECES, parse_seed
from fanqi.arbiter.errors import ArbiterError, CommandError, NoDealError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fanqi.arbiter.commitment import Opening

__all__ = ["Desk", "format_opening"]

FORMS = {
    "new": ("new [seed N]", (1, 3)),
    "draw": ("draw I J", (3, 3)),
    "flip": ("flip SQUARE", (2, 2)),
    "finish": ("finish", (1, 1)),
    "open": ("open", (1, 1)),
}


class Desk:
    """Holds at most one deal at a time; ``new`` replaces it.

    Every refusal is an `ArbiterError` and leaves the deal as it was.

    Args:
        arbiter: of a deal that has been made already.
    """

    def __init__(self, arbiter: Arbiter | None = None) -> None:
        self._arbiter = arbiter

    @property
    def arbiter(self) -> Arbiter:
        """The current deal.

        Raises:
            NoDealError: there is none.
        """
        if self._arbiter is None:
            raise NoDealError("arbiter", "nothing has been dealt, begin with `arbiter new`")
        return self._arbiter

    def answer(self, words: Sequence[str]) -> str:
        """Carry out one command.

        Args:
            words: what stands after ``arbiter``.

        Returns:
            The whole answer, with ``arbiter`` in front.

        Raises:
            CommandError: the command cannot be read; it says which word.
            ArbiterError: it cannot be done.
        """
        check_form(words)
        match words:
            case ["new"]:
                return self._new(None)
            case ["new", "seed", text]:
                return self._new(seed_at(text, 2))
            case ["draw", first, second]:
                return self._draw(place(first, 1), place(second, 2))
            case ["flip", square]:
                return f"arbiter reveal {square}={self.arbiter.flip(square)}"
            case ["finish"]:
                self.arbiter.finish()
                return "arbiter finished"
            case ["open"]:
                return f"arbiter opened {format_opening(self.arbiter.open())}"
            case _:
                raise CommandError(words[1], "expected seed", 1)

    def _new(self, seed: int | None) -> str:
        self._arbiter = Arbiter.new(seed)
        return f"arbiter commit {self._arbiter.commitment}"

    def _draw(self, first: int, second: int) -> str:
        one, other = self.arbiter.draw(first, second)
        winner = "first" if DRAW_PIECES.index(one) < DRAW_PIECES.index(other) else "second"
        return f"arbiter drawn {first}={one} {second}={other} {winner}"


def check_form(words: Sequence[str]) -> None:
    """Refuse what is no command, or has too many or too few words."""
    if not words:
        raise CommandError("", f"expected one of {', '.join(FORMS)}", 0)
    if words[0] not in FORMS:
        raise CommandError(words[0], f"expected one of {', '.join(FORMS)}", 0)
    form, lengths = FORMS[words[0]]
    if len(words) > max(lengths):
        raise CommandError(words[max(lengths)], f"unexpected word, the command is `arbiter {form}`", max(lengths))
    if len(words) not in lengths:
        raise CommandError("", f"expected `arbiter {form}`", len(words))


def place(text: str, index: int) -> int:
    """A place of the five-piece draw."""
    if text not in ("1", "2", "3", "4", "5"):
        raise CommandError(text, "expected a place from 1 to 5", index)
    return int(text)


def seed_at(text: str, index: int) -> int:
    """A seed, with the place of the word in its error."""
    try:
        return parse_seed(text)
    except ArbiterError as error:
        raise CommandError(text, error.reason, index) from None


def format_opening(opening: Opening) -> str:
    """``seed N layout L draw D salt S``."""
    secret = opening.deal
    return f"seed {secret.seed} layout {secret.layout} draw {secret.draw} salt {opening.salt.hex()}"
