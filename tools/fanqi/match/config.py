"""The whole description of a match, as it is kept in its folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from fanqi.game import GAME_NAMES, GameError, load_game, quoted
from fanqi.match.dialects import Timeouts, dialect_class
from fanqi.match.errors import ConfigurationError, StoreError
from fanqi.match.schedule import Form, pairings
from fanqi.match.specification import EngineSpec  # noqa: TC001  msgspec reads the annotations when it decodes
from fanqi.match.sprt import Sprt  # noqa: TC001
from fanqi.match.swiss import most_rounds
from fanqi.match.swiss_course import SwissCourse
from fanqi.othello.scoring import SCORINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fanqi.match.record import GameRecord

__all__ = [
    "BANNED_REPLIES",
    "CONFIG_FORMAT",
    "Adjudication",
    "MatchConfig",
    "check_frame",
    "decode_config",
    "encode_config",
]

CONFIG_FORMAT = "fanqi-match-1"
BANNED_REPLIES = ("ask-again", "replace", "forfeit")


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When a game is ended before the rules end it.

    Attributes:
        resign_cp, resign_moves: lost when the own score was at most minus this in so many moves in a row.
        resign_two_sided: the opponent has to see it the same way.
        draw_cp, draw_moves, draw_from: drawn when both scores were within this for so many moves of each,
            from ply ``draw_from`` on.
        max_plies: drawn then.
        solve_empties: Othello is decided by an exact solver from so many empty squares on.
        tables: banqi is decided by the endgame tables as soon as one knows the position.
    """

    resign_cp: int | None = None
    resign_moves: int = 3
    resign_two_sided: bool = False
    draw_cp: int | None = None
    draw_moves: int = 4
    draw_from: int = 0
    max_plies: int | None = None
    solve_empties: int | None = None
    tables: bool = False

    @property
    def active(self) -> bool:
        """Whether anything is adjudicated at all."""
        settings = (self.resign_cp, self.draw_cp, self.max_plies, self.solve_empties)
        return self.tables or any(value is not None for value in settings)


@dataclass(frozen=True, slots=True)
class MatchConfig:
    """Everything that decides which games are played, and how.

    Attributes:
        format: `CONFIG_FORMAT`.
        game: ``othello`` or ``banqi``.
        engines: two or more, with distinct names.
        games: of each pairing; None until the sequential test decides.
        form: who meets whom.
        rounds: of a Swiss tournament.
        seed: of openings, deals, dice and lots, as decimal digits: it may have more bits than JSON numbers.
        rules: rule parameters of the game.
        scoring: convention of the margin (Othello).
        openings: what the user asked for: ``start``, ``balanced``, ``random:N`` or a file name.
        opening_order: ``sequential`` or ``random``.
        opening_first: place in the list to begin at, from 1.
        concurrency: games at once.
        stall_s: how long a move may take where no time limit says so.
        timeouts: for everything but moves.
        sprt: ends the match when it has decided.
        adjudication: ends games early.
        banned_reply: see `fanqi.match.referee.GamePlan`.
        start_tries: after so many failures to start in a row an engine plays no more, and the match ends.
        affinity: give each game processors of its own.
        log_io: keep every line to and from the engines.
    """

    game: str
    engines: tuple[EngineSpec, ...]
    games: int | None
    seed: str
    form: Form = Form.ROUND_ROBIN
    rounds: int | None = None
    rules: str = ""
    scoring: str = ""
    openings: str = "start"
    opening_order: str = "random"
    opening_first: int = 1
    concurrency: int = 1
    stall_s: float = 300.0
    timeouts: Timeouts = field(default_factory=Timeouts)
    sprt: Sprt | None = None
    adjudication: Adjudication = field(default_factory=Adjudication)
    banned_reply: str = "forfeit"
    start_tries: int = 5
    affinity: bool = False
    log_io: bool = False
    format: str = CONFIG_FORMAT

    @property
    def pairings(self) -> Sequence[tuple[int, int]]:
        return pairings(len(self.engines), self.form)

    @property
    def total_games(self) -> int | None:
        """How many games there are to play, None when only the sequential test knows."""
        if self.games is None:
            return None
        if self.rounds is not None:
            return self.games * self.rounds * self.tables
        return self.games * len(self.pairings)

    @property
    def tables(self) -> int:
        """How many pairings play before any of them plays again."""
        return len(self.pairings) if self.form is not Form.SWISS else len(self.engines) // 2

    def check_game(self, record: GameRecord) -> None:
        """Refuse a game that is none of this match.

        Raises:
            StoreError: other engines played it, or no pair of games has its number.
        """
        names = [engine.name for engine in self.engines]
        for name in record.players:
            if name not in names:
                raise StoreError(f"game {record.number}: no engine of this match is called {quoted(name)}")
        pairs = None if self.games is None else (self.games + 1) // 2 * self.tables * (self.rounds or 1)
        if record.pair != (record.number + 1) // 2 or record.pair < 1 or (pairs is not None and record.pair > pairs):
            raise StoreError(f"game {record.number} of pair {record.pair}: this match has none of that number")

    def course(self) -> SwissCourse | None:
        """A Swiss tournament of which nothing has been played; None for other forms."""
        if self.form is not Form.SWISS:
            return None
        assert self.games is not None and self.rounds is not None  # see `check`
        return SwissCourse([engine.name for engine in self.engines], self.games, self.rounds, int(self.seed))

    def check(self) -> None:
        """Refuse what cannot be played.

        Raises:
            ConfigurationError: the first thing that is wrong.
        """
        try:
            encode_config(self)
        except UnicodeEncodeError as error:
            raise ConfigurationError(
                f"{quoted(str(error.object))}: not Unicode, so match.json cannot keep it"
            ) from None
        check_frame(self.game, len(self.engines), self.games)
        names = [engine.name for engine in self.engines]
        for name in names:
            if names.count(name) > 1:
                raise ConfigurationError(f"two engines are called {quoted(name)}")
        for engine in self.engines:
            if engine.builtin is None and self.game not in dialect_class(engine.dialect).games:
                raise ConfigurationError(f"engine {engine.name}: {self.game} is not played in {engine.dialect}")
            if engine.builtin is None and self.rules and not dialect_class(engine.dialect).knows_rules:
                reason = f"{engine.dialect} cannot say that the rules are {self.rules}"
                raise ConfigurationError(f"engine {engine.name}: {reason}")
        if self.games is None and self.sprt is None:
            raise ConfigurationError("without a number of games the match needs a sequential test to end it")
        if self.sprt is not None and (len(self.engines) != 2 or self.form is Form.SWISS):
            raise ConfigurationError("a sequential test takes exactly two engines, and no Swiss tournament")
        self._check_rounds()
        if self.concurrency < 1:
            raise ConfigurationError(f"concurrency {self.concurrency}: expected at least 1")
        if self.banned_reply not in BANNED_REPLIES:
            raise ConfigurationError(f"banned reply {quoted(self.banned_reply)}: expected {', '.join(BANNED_REPLIES)}")
        if self.opening_order not in ("sequential", "random"):
            raise ConfigurationError(f"order {quoted(self.opening_order)}: expected sequential or random")
        if self.adjudication.solve_empties is not None and self.game != "othello":
            raise ConfigurationError("only Othello is adjudicated by a solver")
        if self.adjudication.tables and self.game != "banqi":
            raise ConfigurationError("only banqi is adjudicated by endgame tables")
        scorings = SCORINGS if self.game == "othello" else ()
        if self.scoring and self.scoring not in scorings:
            raise ConfigurationError(f"scoring {quoted(self.scoring)}: expected {' or '.join(scorings) or 'none'}")
        try:
            load_game(self.game).start(self.rules)
        except GameError as error:
            raise ConfigurationError(f"{self.game}: {error}") from None

    def _check_rounds(self) -> None:
        if self.form is not Form.SWISS:
            if self.rounds is not None:
                raise ConfigurationError(f"{self.rounds} rounds: only a Swiss tournament has a number of rounds")
            return
        most = most_rounds(len(self.engines))
        if self.rounds is None or not 1 <= self.rounds <= most:
            given = "no number of" if self.rounds is None else self.rounds
            raise ConfigurationError(
                f"{given} rounds: expected 1 to {most} with {len(self.engines)} engines, after which all have met"
            )


def check_frame(game: str, engines: int, games: int | None) -> None:
    """Refuse what no match can be, whoever plays it and how.

    Args:
        game: its name.
        engines: how many play.
        games: of each pairing; None if there is no such number.

    Raises:
        ConfigurationError: the first thing that is wrong.
    """
    if game not in GAME_NAMES:
        raise ConfigurationError(f"game {quoted(game)}: expected {' or '.join(GAME_NAMES)}")
    if engines < 2:
        raise ConfigurationError(f"a match takes two engines or more, not {engines}")
    if games is not None and games < 1:
        raise ConfigurationError(f"{games} games: expected at least 1")


def encode_config(config: MatchConfig) -> bytes:
    """JSON for people, with a line feed at the end."""
    return msgspec.json.format(msgspec.json.encode(config), indent=2) + b"\n"


def decode_config(data: bytes) -> MatchConfig:
    """The description in a file.

    Raises:
        StoreError: it is none, or of another format.
    """
    try:
        config = msgspec.json.decode(data, type=MatchConfig)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StoreError(f"not the description of a match: {error}") from None
    if config.format != CONFIG_FORMAT:
        raise StoreError(f"a match of format {quoted(config.format)}, not {CONFIG_FORMAT!r}")
    return config
