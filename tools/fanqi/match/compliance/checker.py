"""Runs the steps against an engine, one after the other, and says of each whether it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.match.compliance.game_steps import BANQI_STEPS, OTHELLO_STEPS
from fanqi.match.compliance.probe import NoAnswer, Probe, Violation
from fanqi.match.compliance.search_steps import SEARCH_STEPS
from fanqi.match.compliance.session_steps import FIRST_STEPS, LAST_STEPS, SESSION_STEPS, gets_ready
from fanqi.match.errors import EngineError, Fault
from fanqi.match.process import Launcher
from fanqi.match.specification import command_words
from fanqi.match.tcp import connect, parse_address

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from fanqi.match.process import ProcessLink
    from fanqi.match.tcp import TcpLink

__all__ = ["Outcome", "Step", "Violation", "check_engine"]

GAME_STEPS = {"othello": OTHELLO_STEPS, "banqi": BANQI_STEPS}


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to check.

    Attributes:
        number: from 1.
        game: in which it is checked, empty where that does not matter.
        claim: what is promised.
        run: checks it.
    """

    number: int
    game: str
    claim: str
    run: Callable[[Probe], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A step that was checked: what was wrong, or None."""

    step: Step
    problem: str | None


async def check_engine(
    command: str, on_outcome: Callable[[Outcome], None], game: str | None = None, patience_s: float = 120.0
) -> list[Outcome]:
    """Check an engine against docs/protocol.md.

    A broken promise does not end the check, unless the engine is gone or does not answer any more: then it is started
    again for the rest.

    Args:
        command: command line or ``tcp://host:port``.
        on_outcome: told of each step as it is done.
        game: check only this one; None for all that the engine offers.
        patience_s: for what may take long, such as compiling.

    Raises:
        EngineError: it cannot be started at all, or does not answer ``uci``.
    """
    launcher = Launcher()
    outcomes: list[Outcome] = []
    conversation = Conversation(command, launcher, patience_s)
    try:
        await conversation.begin()
        for step in steps(conversation, game):
            outcome = Outcome(step, await conversation.check(step))
            outcomes.append(outcome)
            on_outcome(outcome)
    finally:
        await conversation.end()
        launcher.close()
    return outcomes


def steps(conversation: Conversation, wanted: str | None) -> Iterator[Step]:
    """All steps in order; which games there are is known after the first ones."""
    number = 0

    def numbered(game: str, runs: list[Callable[[Probe], Awaitable[None]]]) -> Iterator[Step]:
        nonlocal number
        for run in runs:
            number += 1
            yield Step(number, game, (run.__doc__ or run.__name__).strip(), run)

    yield from numbered("", FIRST_STEPS)
    yield from numbered("", [gets_ready])
    for game in offered_games(conversation.probe) if wanted is None else [wanted]:
        conversation.game = game
        yield from numbered(game, [plays(game)])
        if game == "othello" or wanted is not None:
            yield from numbered("", SESSION_STEPS)
        yield from numbered(game, SEARCH_STEPS)
        yield from numbered(game, GAME_STEPS[game])
    yield from numbered("", LAST_STEPS)


def plays(game: str) -> Callable[[Probe], Awaitable[None]]:
    """The step that chooses a game."""

    async def run(probe: Probe) -> None:
        probe.game = game
        said = await probe.ask(f"setoption name UCI_Variant value {game}", "ucinewgame", "position startpos")
        if said:
            raise Violation(f"choosing {game} is answered by {said[0]!r}")

    run.__doc__ = f"`UCI_Variant` {game} can be chosen"
    return run


def offered_games(probe: Probe) -> list[str]:
    """The games in the engine's ``UCI_Variant``; Othello if it has no such option."""
    words = probe.options.get("UCI_Variant", "var othello").split()
    offered = {words[place + 1] for place, word in enumerate(words[:-1]) if word == "var"}
    return [game for game in GAME_STEPS if game in offered]


class Conversation:
    """An engine that is started again when it is gone."""

    def __init__(self, command: str, launcher: Launcher, patience_s: float) -> None:
        self._command = command
        self._launcher = launcher
        self._link: ProcessLink | TcpLink | None = None
        self._patience_s = patience_s
        self.probe = Probe(patience_s)
        self.game = ""

    async def begin(self) -> None:
        """Start the engine."""
        options = self.probe.options
        self.probe = Probe(self._patience_s, options=options, game=self.game or "othello")
        if self._command.startswith("tcp://"):
            self._link = await connect(*parse_address(self._command), self.probe, self._patience_s)
        else:
            self._link = await self._launcher.start(command_words(self._command), self.probe)

    async def check(self, step: Step) -> str | None:
        """Run one step; what is wrong, or None.

        Raises:
            EngineError: nothing answers in the first step.
        """
        try:
            await step.run(self.probe)
        except Violation as violation:
            if isinstance(violation, NoAnswer) and step.number == 1:
                raise EngineError(Fault.START, f"no engine that speaks this protocol: {violation}") from None
            if step.run not in LAST_STEPS:
                await self._recover()
            return str(violation)
        return None

    async def _recover(self) -> None:
        """Have a clean conversation for the next step, by a new process: who knows what the old one still says."""
        await self.end()
        try:
            await self.begin()
            if self.game:
                self.probe.send("uci")
                await self.probe.until("uciok")
                await self.probe.ask(f"setoption name UCI_Variant value {self.game}")
        except (Violation, EngineError):
            pass  # the next step will say so

    async def end(self) -> None:
        """End the engine."""
        if self._link is not None:
            self._link.kill()
            await self._link.close(0.0)
            self._link = None
