"""Dialects in which one command is answered before the next is looked at."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fanqi.dialects.errors import DialectError
from fanqi.dialects.text import printable
from fanqi.game import MoveError
from fanqi.translators.base import Translator

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SerialTranslator"]

Command = TypeVar("Command")


class EndOfHost:
    """Among the commands: there will be no more."""


class SerialTranslator(Translator, Generic[Command]):
    """Keeps commands until the ones before them have been answered; the end of the input waits its turn as well.

    Attributes:
        handlers: by name; each returns the text of the answer, or None while the engine is busy with it, in which case
            `settle` has to be called once that has been answered.
    """

    handlers: dict[str, Callable[[Command], str | None]]

    def __init__(self, *args: Any, **named: Any) -> None:
        self._waiting: deque[Command | EndOfHost] = deque()
        self._in_hand: Command | None = None
        super().__init__(*args, **named)

    @abstractmethod
    def name_of(self, command: Command) -> str:
        """The key of a command's handler."""

    @abstractmethod
    def reply(self, command: Command, text: str = "", *, good: bool = True) -> None:
        """Answer a command."""

    def take(self, command: Command) -> None:
        """A command has come."""
        self._waiting.append(command)
        self._carry_on()

    def settle(self) -> None:
        """The command in hand has been answered."""
        self._in_hand = None
        self._carry_on()

    def drop_waiting(self) -> None:
        """Commands that still wait will not be answered."""
        self._waiting.clear()

    def leave(self) -> None:
        """Stop and leave; nothing that still waits will be answered."""
        self.drop_waiting()
        self.end()

    def end_of_input(self) -> None:
        self._waiting.append(EndOfHost())
        self._carry_on()

    def _carry_on(self) -> None:
        while self._waiting and self._in_hand is None:
            command = self._waiting.popleft()
            if isinstance(command, EndOfHost):
                self.leave()
                return
            self._in_hand = command
            try:
                text = self._answer(command)
            except (DialectError, MoveError) as error:
                self.reply(command, printable(str(error)), good=False)
                self._in_hand = None
            except Exception as error:  # a bug must not leave all that comes after without an answer
                self._services.fault(error)
                self.reply(command, printable(f"failed inside: {error!r}"), good=False)
                self._in_hand = None
            else:
                if text is not None:
                    self.reply(command, text)
                    self._in_hand = None

    def _answer(self, command: Command) -> str | None:
        handler = self.handlers.get(self.name_of(command))
        if handler is None:
            raise DialectError("unknown command")
        return handler(command)
