"""Kind ``selfplay``: games of the engine against itself, as records for training.

Othello games come in the layout of `fanqi.train.selfplay`, banqi games as JSON lines of `fanqi.records`.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from fanqi.arbiter import Arbiter
from fanqi.game import Position, load_game
from fanqi.jobs.context import Context, JobError
from fanqi.mqtt.work import SearchLimits, Selfplay, SelfplayResult
from fanqi.records import GameRecord, PlayedMove, Result, format_json

__all__ = ["selfplay"]

RANDOM_PLIES = 4  # at the start of a banqi game, beside the deal, so that a seed's games differ from each other's
MOST_PLIES = 1000


def selfplay(work: Selfplay, context: Context) -> SelfplayResult:
    """Play so many games.

    Raises:
        JobError: there is no such game, or its rules cannot be.
        Stopped: the job was told to end.
    """
    if work.game == "othello":
        return othello_games(work, context)
    context.game(work.game)
    return banqi_games(work, context)


def othello_games(work: Selfplay, context: Context) -> SelfplayResult:
    from fanqi.train.selfplay import PlaySettings, play_file, read_games  # numba functions of its own

    if work.rules:  # what learns from the games could not tell which rules they follow
        raise JobError(f"rules {work.rules!r}: self-play of Othello is by its usual rules only")
    settings = PlaySettings(depth=work.depth, exact=work.exact)
    with tempfile.TemporaryDirectory(prefix="fanqi-") as folder:
        path = Path(folder) / "games.msgpack"
        play_file(path, work.seed, work.games, settings, progress=lambda done: context.step(done, work.games))
        _, games, _ = read_games(path)
        positions = sum(len(game.moves) - game.opening for game in games)
        return SelfplayResult(games=len(games), positions=positions, records=path.read_bytes())


def banqi_games(work: Selfplay, context: Context) -> SelfplayResult:
    lines: list[str] = []
    positions = 0
    for index in range(work.games):
        context.step(index, work.games)
        record = banqi_game(work, context, f"{work.seed}.{index}")
        positions += len(record.moves)
        lines.append(format_json(record) + "\n")
    context.step(work.games, work.games)
    return SelfplayResult(games=len(lines), positions=positions, records="".join(lines).encode())


def banqi_game(work: Selfplay, context: Context, name: str) -> GameRecord:
    """One game; everything in it follows from its name and the depth."""
    dice = random.Random(name)
    arbiter = Arbiter.new(dice.getrandbits(64))
    position: Position = load_game(work.game).start(work.rules)
    limits = SearchLimits(depth=work.depth)
    moves: list[PlayedMove] = []
    while (outcome := position.outcome()) is None and len(moves) < MOST_PLIES:
        evaluation = None
        if len(moves) < RANDOM_PLIES:
            move = dice.choice(position.legal_moves())
        else:
            result = context.search(position, work.game, limits, fresh=len(moves) == RANDOM_PLIES)
            if result.move is None:
                raise JobError(f"the engine has no move in {position.fen()}")
            move = result.move
            score = result.infos[0].score_cp if result.infos else None
            evaluation = None if score is None else score / 100
        if position.needs_reveal(move):
            move = f"{move}={arbiter.flip(move)}"
        moves.append(PlayedMove(position.canonical(move), evaluation))
        position = position.play(move)
    ended = None if outcome is None else Result(outcome.winner, outcome.margin, outcome.reason)
    return GameRecord(game=work.game, moves=tuple(moves), rules=work.rules, result=ended, tags=(("seed", name),))
