"""A conversation with an engine in which every line is kept and no line is taken for granted."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fanqi.game import Game, MoveError, Position, load_game
from fanqi.match.lines import LineBuffer

if TYPE_CHECKING:
    from fanqi.match.channel import Link
    from fanqi.match.errors import EngineError

__all__ = ["Heard", "NoAnswer", "Probe", "Search", "Violation"]


class Violation(Exception):  # noqa: N818  a finding, not a failure of ours
    """The engine breaks the protocol; the message says what was expected and what came."""


class NoAnswer(Violation):
    """The engine says nothing, or is gone."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A line and when it came, in `time.monotonic`."""

    text: str
    at: float


@dataclass(slots=True)
class Search:
    """What came between a ``go`` and its ``bestmove``.

    Attributes:
        infos: the ``info`` lines.
        best: the words of the ``bestmove`` line.
        seconds: from the question to the answer.
    """

    infos: list[str]
    best: list[str]
    seconds: float

    @property
    def move(self) -> str:
        return self.best[1] if len(self.best) > 1 else ""

    def scored(self) -> list[str]:
        """The ``info`` lines that are not for people."""
        return [line for line in self.infos if not line.startswith("info string")]


@dataclass(slots=True)
class Probe:
    """The host's end. Implements `fanqi.match.channel.Listener`.

    Attributes:
        patience_s: for answers that may take long.
        options: name -> the rest of the ``option`` line.
        name: of the engine.
        game: being checked.
    """

    patience_s: float
    options: dict[str, str] = field(default_factory=dict)
    name: str = ""
    game: str = "othello"
    gone: EngineError | None = None
    _lines: deque[Heard] = field(default_factory=deque)
    _buffer: LineBuffer = field(default_factory=LineBuffer)
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)
    _link: Link | None = None

    # --- as a listener ----------------------------------------------------------------------------------------

    def attach(self, link: Link) -> None:
        self._link = link

    def feed(self, data: bytes) -> None:
        now = time.monotonic()
        for line in self._buffer.feed(data):
            self._lines.append(Heard(line.decode("utf-8", "replace"), now))
        self._arrived.set()

    def lose(self, error: EngineError) -> None:
        self.gone = error
        self._arrived.set()

    # --- as a host --------------------------------------------------------------------------------------------

    @property
    def rules(self) -> Game:
        return load_game(self.game)

    def send(self, *lines: str) -> float:
        """Send lines; returns the time after they were written."""
        return self.send_bytes("".join(f"{line}\n" for line in lines).encode())

    def send_bytes(self, data: bytes) -> float:
        """Send bytes as they are."""
        if self.gone is not None:
            raise NoAnswer(f"the engine is gone: {self.gone.detail}")
        assert self._link is not None
        self._link.write(data)
        return time.monotonic()

    async def hear(self, timeout_s: float, what: str) -> Heard:
        """The next line, whatever it is.

        Raises:
            NoAnswer: none comes in time, or the engine is gone.
        """
        end = time.monotonic() + timeout_s
        while not self._lines:
            if self.gone is not None:
                raise NoAnswer(f"the engine is gone while {what} was waited for: {self.gone.detail}")
            self._arrived.clear()
            try:
                await asyncio.wait_for(self._arrived.wait(), max(0.0, end - time.monotonic()))
            except TimeoutError:
                raise NoAnswer(f"no {what} within {timeout_s:g} s") from None
        return self._lines.popleft()

    async def until(self, first_word: str, timeout_s: float | None = None) -> tuple[list[str], Heard]:
        """The lines before one that begins with ``first_word``, and that one."""
        end = time.monotonic() + (timeout_s or self.patience_s)
        before: list[str] = []
        while True:
            heard = await self.hear(max(0.0, end - time.monotonic()), first_word)
            if heard.text.split()[:1] == [first_word]:
                return before, heard
            before.append(heard.text)

    async def ask(self, *lines: str) -> list[str]:
        """Send lines and ``isready``; everything said before ``readyok``, but what is for people."""
        self.send(*lines, "isready")
        return chatter_removed((await self.until("readyok"))[0])

    async def answer(self, line: str) -> str:
        """The one line that answers a line.

        Raises:
            Violation: it is not exactly one.
        """
        said = await self.ask(line)
        if len(said) != 1:
            raise Violation(f"{line!r} is answered by {len(said)} lines, expected one: {said[:3]}")
        return said[0]

    async def answer_after(self, first: str, line: str) -> str:
        """The one line that answers the second of two lines, the first of which says nothing.

        Raises:
            Violation: it is not exactly one.
        """
        said = await self.ask(first, line)
        if len(said) != 1:
            raise Violation(f"{first[:60]!r} and {line!r} are answered by {len(said)} lines, expected one: {said[:3]}")
        return said[0]

    async def refusal(self, line: str, token: int) -> None:
        """Send a line that has to be refused, with the word that was wrong.

        Raises:
            Violation: it is not refused by exactly one well-formed error line, or another word is named.
        """
        said = [text for text in await self._errors(line) if text]
        if len(said) != 1:
            raise Violation(f"{line[:60]!r} has to be refused by one error line, there are {len(said)}: {said[:3]}")
        marked = f" at token {token}: "
        if marked not in said[0]:
            raise Violation(f"{line[:60]!r}: the error does not name token {token}: {said[0]!r}")

    async def _errors(self, line: str) -> list[str]:
        self.send(line, "isready")
        before, _ = await self.until("readyok")
        if any(text.startswith("bestmove") for text in before):
            raise Violation(f"{line[:60]!r} is answered by a bestmove")
        return [text for text in before if text.startswith("info string error: ")]

    async def search(self, go: str, timeout_s: float | None = None) -> Search:
        """Send ``go …`` and wait for its answer."""
        asked = self.send(go)
        return await self.search_end(asked, timeout_s)

    async def search_end(self, asked: float, timeout_s: float | None = None) -> Search:
        """Wait for the ``bestmove`` of a search that was asked for before."""
        before, heard = await self.until("bestmove", timeout_s)
        return Search([line for line in before if line.startswith("info")], heard.text.split(), heard.at - asked)

    async def silence(self, seconds: float, why: str) -> None:
        """Nothing but ``info`` may come for a while.

        Raises:
            Violation: something else comes.
        """
        await asyncio.sleep(seconds)
        while self._lines:
            heard = self._lines.popleft()
            if not heard.text.startswith("info"):
                raise Violation(f"{why}: {heard.text!r} comes all the same")

    async def legal(self, search: Search, moves: str = "", fen: str = "") -> Position:
        """Check that an answer is legal after ``moves`` (from ``fen`` or the start); returns that position.

        Raises:
            Violation: it is not.
        """
        position = self.rules.parse(fen) if fen else self.rules.start()
        for move in moves.split():
            position = position.play(move)
        if search.move not in position.legal_moves():
            raise Violation(
                f"bestmove {search.move!r} is not a legal move in canonical notation; position {position.fen()}"
            )
        return position

    def has(self, option: str) -> bool:
        return any(name.lower() == option.lower() for name in self.options)


def chatter_removed(lines: list[str]) -> list[str]:
    """Lines without those for people; errors are not chatter."""
    return [line for line in lines if not line.startswith("info string") or line.startswith("info string error")]


def playable(position: Position, line: list[str]) -> str | None:
    """The first move of a line that cannot be played, None if all can. In banqi a line ends at its first flip."""
    for place, move in enumerate(line):
        try:
            canonical = position.canonical(move)
        except MoveError as error:
            return f"{move!r} ({error.reason})"
        if canonical != move:
            return f"{move!r} (canonical is {canonical!r})"
        if position.needs_reveal(move):
            return None if place == len(line) - 1 else f"{line[place + 1]!r} (after a flip)"
        position = position.play(move)
    return None
