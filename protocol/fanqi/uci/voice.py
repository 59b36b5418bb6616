"""How a session speaks: answers, errors, thinking aloud, until it has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.about import AUTHOR, NAME, VERSION
from fanqi.uci.answers import HandshakeDone, Identity, Said, format_answer
from fanqi.uci.errors import ProtocolError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from fanqi.uci.answers import Answer, OptionDeclaration
    from fanqi.uci.services import Output

__all__ = ["Voice"]


class Voice:
    """Used with the session's lock held, so that lines come in order. After `end` nothing is said any more.

    Attributes:
        explains: whether ``debug on`` was said.
        ended: whether everything has been said.
    """

    def __init__(self, output: Output) -> None:
        self._output = output
        self.explains = False
        self.ended = False

    def say(self, answer: Answer) -> None:
        self.print((format_answer(answer),))

    def print(self, lines: Iterable[str]) -> None:
        """Lines that must arrive."""
        if not self.ended:
            for line in lines:
                self._output.answer(line)

    def think(self, line: str) -> None:
        """A line that may be left out when the reader is slow."""
        if not self.ended:
            self._output.thought(line)

    def introduce(self, protocol: Literal["uci", "ugi"], options: Iterable[OptionDeclaration]) -> None:
        """The answer to ``uci``."""
        self.say(Identity("name", f"{NAME} {VERSION}"))
        self.say(Identity("author", AUTHOR))
        for option in options:
            self.say(option)
        self.say(HandshakeDone(protocol))

    def refuse(self, error: ProtocolError) -> None:
        self.say(Said(f"error: {error}"))

    def confess(self, error: BaseException, word: str, what: str = "this") -> None:
        """A bug has shown while the command that begins with ``word`` was carried out."""
        self.say(Said(f"error: {what} failed inside ({shown(repr(error))}) at token 1: {word}"))

    def tell_trouble(self, error: Exception, word: str, what: str = "this") -> None:
        """`refuse` or `confess`, as ``error`` is one of the protocol's or shows a bug."""
        if isinstance(error, ProtocolError):
            self.refuse(error)
        else:
            self.confess(error, word, what)

    def explain(self, text: str) -> None:
        """Something for those who asked for ``debug on``."""
        if self.explains:
            self.say(Said(f"debug: {text}"))

    def end(self) -> None:
        """Everything has been said."""
        if not self.ended:
            self.ended = True
            self._output.ended()

    def fall_silent(self) -> None:
        """Nobody listens any more."""
        self.ended = True
