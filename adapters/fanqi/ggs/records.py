"""Finished games on disk: GGF for other programs, JSON lines for statistics.

Both files are only ever appended to, one whole line at a time. What is in them already is known again after a restart,
so that no match is written twice and none that ended while we were away is forgotten.

`fanqi.records` is imported when a game is written: it knows Othello, which takes a second to load, and the command
line reads this package for its configuration first.
"""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from fanqi.files import append_line, reason_of, require_regular
from fanqi.ggs.errors import ConfigError
from fanqi.ggs_wire import GameType, WireError, is_pass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fanqi.ggs.game import GameState
    from fanqi.ggs_wire import RatingChange
    from fanqi.records.game import GameRecord

__all__ = ["Archived", "MatchResult", "RecordBook", "archived_games", "game_entry"]


@dataclass(slots=True)
class MatchResult:
    """How a match ended.

    Attributes:
        names: first who asked; ``result`` is from his view, None when aborted.
        archive: the service's id of it, for rated matches.
        results: of the two games of a synchro match, by the number of the game.
        changes: rating changes by player.
    """

    match: str
    names: tuple[str, str]
    type: GameType
    rated: bool
    result: float | None = None
    archive: str | None = None
    aborted: bool = False
    results: dict[int, float] = field(default_factory=dict)
    changes: dict[str, RatingChange] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Archived:
    """A game as the service's archive has it."""

    record: GameRecord
    type: GameType


def game_entry(match: MatchResult, state: GameState, used_s: float, server: str) -> tuple[dict[str, Any], str | None]:
    """The JSON object of a game, and its GGF line; no GGF where the game was not seen from its start."""
    from fanqi.records.errors import RecordError
    from fanqi.records.ggf import format_ggf

    number = state.id.game
    result = match.results.get(number) if number is not None else match.result
    colours = {line.colour: line for line in state.players or ()}
    black, white = colours.get("*"), colours.get("O")
    first_is_black = black is not None and black.name == match.names[0]
    black_result = seen_from(first_is_black, result)
    moves = [state.moves[number] for number in sorted(state.moves)]
    record = record_of(match, state, black_result, how_it_ended(match, state, result))
    thoughts = [
        {"ply": ply, "move": thought.move, "eval": thought.score, "depth": thought.depth, "nodes": thought.nodes}
        for ply, thought in sorted(state.thoughts.items())
        if ply in state.moves and same_move(state.moves[ply].square, thought.move)
    ]
    ours = state.line(state.me)
    change = match.changes.get(state.me)
    entry = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "server": server,
        "match": match.match,
        "game": str(state.id),
        "archive": match.archive,
        "type": str(match.type),
        "komi": state.komi,
        "rated": match.rated,
        "black": None if black is None else black.name,
        "white": None if white is None else white.name,
        "ratings": [None if black is None else black.rating, None if white is None else white.rating],
        "colour": {"*": "black", "O": "white"}.get("?" if ours is None else ours.colour),
        "opponent": next((name for name in match.names if name != state.me), state.me),
        "result": black_result,
        "our_result": seen_from(match.names[0] == state.me, result),
        "match_result": seen_from(match.names[0] == state.me, match.result),
        "ended": how_it_ended(match, state, result),
        "rating_change": None if change is None else round(change.change, 2),
        "rating_after": None if change is None else round(change.after, 2),
        "clocks": state.clocks,
        "clocks_left": {line.name: str(line.clock) for line in state.players or ()},
        "our_time": round(used_s, 2),
        "moves": " ".join(map(str, moves)),
        "thoughts": thoughts,
        "source": "game",
    }
    if record is None:
        return entry, None
    try:
        return entry, format_ggf(record)
    except RecordError:
        return entry, None


def seen_from(same_side: bool, result: float | None) -> float | None:
    """A result from the same side or from the other one; a draw is 0 from both, not -0."""
    return None if result is None else result + 0.0 if same_side else 0.0 - result


def same_move(square: str, move: str) -> bool:
    return square.lower() == move or (is_pass(square) and move == "pass")


def how_it_ended(match: MatchResult, state: GameState, result: float | None) -> str:
    """Why a game ended: ``board``, ``time``, ``resigned``, ``agreed``, ``aborted`` or ``lost`` with the connection."""
    if match.aborted:
        return "aborted"
    if result is None:
        return "lost"
    if state.lost_on_time or state.flagged:
        return "time"
    board = state.board
    if board is not None and finished(board.cells, board.turn):
        return "board"
    komi = state.komi or 0.0
    return "resigned" if {64.0 - komi, 64.0 + komi} & {abs(result)} else "agreed"


def finished(cells: str, turn: str) -> bool:
    """Whether neither side can move."""
    from fanqi.othello import Position

    return not Position.from_fen(f"{cells} {turn}").legal_moves()


def record_of(match: MatchResult, state: GameState, result: float | None, reason: str) -> GameRecord | None:
    """A game as a record; None where its start was not seen."""
    from fanqi.records.game import GameRecord, PlayedMove, Result

    start, players = state.start, state.players
    if start is None or players is None or start.width != 8:
        return None
    moves = tuple(
        PlayedMove(
            "pass" if is_pass(move.square) else move.square.lower(), move.evaluation or None, move.seconds or None
        )
        for _, move in sorted(state.moves.items())
    )
    black, white = sorted(players, key=lambda line: line.colour != "*")
    clocks = state.clocks.get(black.name), state.clocks.get(white.name)
    tags = [("TY", str(match.type))]
    if clocks[0] is not None and clocks[0] == clocks[1]:
        tags.insert(0, ("TI", clocks[0]))
    elif clocks[0] is not None and clocks[1] is not None:
        tags[:0] = [("TB", clocks[0]), ("TW", clocks[1])]
    if state.komi is not None:
        tags.append(("KM", f"{state.komi:z.3f}"))
    ended = {"time": "time", "resigned": "resigned", "agreed": "agreed"}.get(reason, "")
    return GameRecord(
        "othello",
        moves,
        f"{start.cells.replace('*', 'X')} {start.turn.replace('*', 'X')}",
        (black.name, white.name),
        (black.rating, white.rating),
        f"{datetime.now(UTC):%Y.%m.%d_%H:%M:%S}.UTC",
        "GGS/os",
        None if result is None else Result.of_margin(result, ended),
        tags=tuple(tags),
    )


def archived_games(lines: Iterable[str]) -> list[Archived]:
    """The games in an answer to ``look``; those that are no 8x8 Othello are left out."""
    from fanqi.records import FORMATS, RecordError, read_records

    games = []
    data = io.BytesIO("\n".join(lines).encode("utf-8", "replace"))
    for record in read_records(data, FORMATS["ggf"]):
        if not isinstance(record, RecordError):
            with contextlib.suppress(WireError):
                games.append(Archived(record, GameType.parse(record.tag("TY") or "8")))
    return games


class RecordBook:
    """The two files.

    Attributes:
        known: archive ids that are in them.

    Raises:
        ConfigError: the folder cannot be used.
    """

    def __init__(self, folder: Path, server: str) -> None:
        self.folder, self.server = folder, server
        self.known: set[str] = set()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            require_regular(self.games, self.ggf)
            self._read_known()
        except OSError as error:
            where = f", {Path(error.filename).name}" if error.filename else ""
            raise ConfigError(f"records.folder {str(folder)!r}{where}: {reason_of(error)}") from None

    @property
    def games(self) -> Path:
        return self.folder / "games.jsonl"

    @property
    def ggf(self) -> Path:
        return self.folder / "games.ggf"

    def _read_known(self) -> None:
        if not self.games.exists():
            return
        with self.games.open("rb") as file:
            for line in file:
                try:
                    entry = msgspec.json.decode(line)
                except msgspec.DecodeError:
                    continue  # a line that was cut when the machine went down
                if isinstance(entry, dict) and entry.get("server") == self.server and entry.get("archive"):
                    self.known.add(str(entry["archive"]))

    def write(self, match: MatchResult, games: Iterable[tuple[GameState, float]]) -> list[dict[str, Any]]:
        """Write the games of a match, unless its archive id is known; gives the JSON objects."""
        if match.archive is not None and match.archive in self.known:
            return []
        entries = []
        for state, used_s in games:
            entry, ggf = game_entry(match, state, used_s, self.server)
            entries.append(entry)
            self._append(entry, ggf)
        if match.archive is not None:
            self.known.add(match.archive)
        return entries

    def write_archived(self, archive: str, me: str, games: Iterable[Archived]) -> list[dict[str, Any]]:
        """Write a match that ended while we were away, as the service's archive has it."""
        from fanqi.records.ggf import format_ggf, number

        if archive in self.known:
            return []
        entries = []
        for game in games:
            record = game.record
            black, white = record.players
            margin = None if record.result is None else record.result.margin
            entry = {
                "time": datetime.now(UTC).isoformat(timespec="seconds"),
                "server": self.server,
                "archive": archive,
                "type": str(game.type),
                "komi": number(record.tag("KM") or ""),
                "rated": True,
                "black": black,
                "white": white,
                "ratings": list(record.ratings),
                "colour": "black" if black == me else "white",
                "opponent": white if black == me else black,
                "result": margin,
                "our_result": seen_from(black == me, margin),
                "ended": (record.result.reason if record.result else "") or "board",
                "moves": " ".join(ggf_moves(record)),
                "source": "archive",
            }
            entries.append(entry)
            self._append(entry, format_ggf(record))
        self.known.add(archive)
        return entries

    def _append(self, entry: dict[str, Any], ggf: str | None) -> None:
        if ggf is not None:
            append_line(self.ggf, b"1 " + ggf.encode("latin-1", "replace"))
        append_line(self.games, msgspec.json.encode(entry))


def ggf_moves(record: GameRecord) -> list[str]:
    """The moves of a record as the service writes them."""
    from fanqi.ggs_wire import Move

    return [
        str(Move("pa" if move.move == "pass" else move.move, move.evaluation or 0.0, move.seconds or 0.0))
        for move in record.moves
    ]
