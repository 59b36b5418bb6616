"""Whether games of self-play are those of their job: from its seeds, by the rules, with results that follow."""

from __future__ import annotations

import io
import random
from typing import TYPE_CHECKING

import numpy as np

from fanqi.arbiter import Arbiter
from fanqi.game import load_game, quoted
from fanqi.jobs.search_check import LARGEST_CP, WrongResultError
from fanqi.jobs.selfplay import MOST_PLIES, RANDOM_PLIES
from fanqi.records import RecordError, Result, parse_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fanqi.game import Position
    from fanqi.mqtt.work import Selfplay, SelfplayResult
    from fanqi.records import GameRecord
    from fanqi.train.selfplay import Game

__all__ = ["check_selfplay"]

SQUARES = 64
START_EMPTIES = 60
MASK = 2**64 - 1


def check_selfplay(work: Selfplay, result: SelfplayResult) -> None:
    """Check the games of a job.

    Raises:
        WrongResultError: they cannot be those that were asked for; names the first such game.
    """
    if result.games != work.games:
        raise WrongResultError(f"{result.games} games, {work.games} were asked for")
    check = check_othello if work.game == "othello" else check_banqi
    positions = check(work, result.records)
    if result.positions != positions:
        raise WrongResultError(f"{result.positions} positions announced, there are {positions}")


def check_othello(work: Selfplay, records: bytes) -> int:
    """Check a file of `fanqi.train.selfplay`; how many positions are in it."""
    from fanqi.othello.replay import replay_rows
    from fanqi.othello.scoring import final_margin
    from fanqi.train import selfplay as files
    from fanqi.train.origin import digest
    from fanqi.train.playing import PLIES

    settings = files.PlaySettings(depth=work.depth, exact=work.exact)
    try:
        description, games, whole = files.read_stream(io.BytesIO(records))
    except files.RecordError as error:
        raise WrongResultError(str(error)) from None
    no_books = np.zeros((0, PLIES), np.uint8)
    expected = files.describe(work.seed, settings, "", digest(no_books)) | {"weights": None}
    found = description | {"weights": None}
    if found != expected or not isinstance(description.get("weights"), str):
        raise WrongResultError(f"made with {quoted(str(found))}, asked for was {expected}")
    if whole != len(records) or len(games) != work.games:
        raise WrongResultError(f"{len(games)} games in {whole} of {len(records)} bytes, {work.games} were asked for")
    seeds, _, openings, _ = files.openings(work.seed, 0, work.games, settings, no_books)
    rows = np.full((work.games, PLIES), 255, np.uint8)
    for row, game in zip(rows, games, strict=True):
        row[: len(game.moves)] = game.moves
    played = replay_rows(rows, np.array([len(game.moves) for game in games], np.int64))
    for number, game in enumerate(games):
        where = f"game {number}"
        if not len(game.moves):
            if not ends_in_opening(int(seeds[number]), int(openings[number])):
                raise WrongResultError(f"{where}: no moves, though its opening does not end it")
            continue
        if played.taken[number] != len(game.moves) or (game.moves >= SQUARES).any() or not played.over[number]:
            raise WrongResultError(f"{where}: a move is not legal, or the game is not over")
        if game.opening != openings[number]:
            raise WrongResultError(f"{where}: an opening of {game.opening} plies, its seed gives {openings[number]}")
        black, white = (int(board).bit_count() for board in played.boards[number])
        plies = played.plies[number, : played.lengths[number]]
        to_move = np.where(np.flatnonzero(plies < SQUARES) % 2 == 0, 1, -1)
        check_scores(where, game, to_move * int(final_margin(black, white)), work.exact)
    return sum(len(game.moves) - game.opening for game in games)


def check_scores(where: str, game: Game, margins: NDArray[np.int64], exact: int) -> None:
    """Check the scores of an Othello game.

    Args:
        margins: the result in discs, at each ply from the view of the side to move.
        exact: empty squares from which every score is exact.
    """
    plies = len(game.moves)
    if game.first_exact != min(plies, max(game.opening, START_EMPTIES - exact)):
        raise WrongResultError(f"{where}: exact from ply {game.first_exact} on, asked for were {exact} empty squares")
    if (abs(game.scores.astype(int)) > LARGEST_CP["othello"]).any():
        raise WrongResultError(f"{where}: a score beyond {LARGEST_CP['othello']}")
    solved = game.scores[game.first_exact - game.opening :].astype(int)
    if (solved != 100 * margins[game.first_exact :]).any():
        raise WrongResultError(f"{where}: an exact score is not the result that it was played to")


def ends_in_opening(seed: int, plies: int) -> bool:
    """Whether the random plies of an Othello game lead to its end; as `fanqi.train.playing` draws them."""
    position: Position = load_game("othello").start()
    state = seed
    while plies and (moves := position.legal_moves()):
        if moves == ("pass",):
            position = position.play("pass")
            continue
        state ^= state << 13 & MASK
        state ^= state >> 7
        state ^= state << 17 & MASK
        squares = sorted(moves, key=lambda move: (move[1], move[0]))
        position = position.play(squares[(state >> 20) % len(squares)])
        plies -= 1
    return not position.legal_moves()


def check_banqi(work: Selfplay, records: bytes) -> int:
    """Check games as JSON lines; how many positions are in them."""
    try:
        lines = records.decode().splitlines()
    except UnicodeDecodeError as error:
        raise WrongResultError(str(error)) from None
    if len(lines) != work.games:
        raise WrongResultError(f"{len(lines)} games, {work.games} were asked for")
    positions = 0
    for number, line in enumerate(lines):
        try:
            record = parse_json(line)
            check_banqi_game(work, record, f"{work.seed}.{number}")
        except (RecordError, WrongResultError, RecursionError) as error:
            raise WrongResultError(f"game {number}: {error}") from None
        positions += len(record.moves)
    return positions


def check_banqi_game(work: Selfplay, record: GameRecord, name: str) -> None:
    """Check one game; the deal and the first moves follow from its name."""
    if (record.game, record.rules, record.start, record.tags) != (work.game, work.rules, None, (("seed", name),)):
        raise WrongResultError(f"it is not the game of seed {name}")
    dice = random.Random(name)
    arbiter = Arbiter.new(dice.getrandbits(64))
    position: Position = load_game(work.game).start(work.rules)
    for ply, played in enumerate(record.moves):
        if position.outcome() is not None or ply >= MOST_PLIES:
            raise WrongResultError(f"ply {ply + 1}: the game was over")
        square, flip, piece = played.move.partition("=")
        if ply < RANDOM_PLIES and square != (drawn := dice.choice(position.legal_moves())):
            raise WrongResultError(f"ply {ply + 1}: {square}, the seed gives {drawn}")
        if flip and arbiter.flip(square) != piece:
            raise WrongResultError(f"ply {ply + 1}: {played.move}, another piece lies there")
        if played.evaluation is not None and not abs(played.evaluation) <= LARGEST_CP[work.game] / 100:
            raise WrongResultError(f"ply {ply + 1}: score {played.evaluation}")
        position = position.play(played.move)
    outcome = position.outcome()
    if outcome is None and len(record.moves) < MOST_PLIES:
        raise WrongResultError(f"it stops after {len(record.moves)} plies, and is not over")
    expected = None if outcome is None else Result(outcome.winner, outcome.margin, outcome.reason)
    if record.result != expected:
        raise WrongResultError(f"the result is {record.result}, it must be {expected}")
