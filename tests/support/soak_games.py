"""Games against the random and the greedy mover, at node limits spread at random, and every position of `wipeouts`.

``make soak-games`` runs this file: ``python tests/support/soak_games.py FOLDER [--games N] [--only othello]``. The
folder has a line for each game and each position that is done, so an interrupted run goes on where it was. ``--only
report`` prints the figures of what is there. It ends with 1 if a game of Othello was lost, a search was wrong or a game
failed.

Everything depends on the seed and the number of the game alone: its opponent, the engine's seat, its node limit, the
opponent's moves and the men that flips show.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import wipeouts

from fanqi.banqi import GAME as BANQI
from fanqi.game import Player
from fanqi.match.builtin.simple import greedy_banqi, greedy_othello, random_move
from fanqi.othello import GAME as OTHELLO
from fanqi.search import Control, Limits, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fanqi.search import Engine

GAMES = {"othello": OTHELLO, "banqi": BANQI}
GREEDY = {"othello": greedy_othello, "banqi": greedy_banqi}
WIPEOUT_LIMITS = 30
MOST_PLIES = 2000


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one game: ``result`` is "win", "draw", "loss" (the engine's) or "error"."""

    game: str
    number: int
    opponent: str
    nodes: int
    seat: int
    result: str
    moves: str


def engine_of(game: str) -> Engine:
    """An engine at full strength with a small table."""
    engine = GAMES[game].engine()
    engine.configure(Settings(hash_mib=16))
    return engine


def log_uniform(dice: random.Random, least: int, most: int) -> int:
    """A number between two others, every order of magnitude equally likely."""
    return round(least * (most / least) ** dice.random())


def play(game: str, number: int, engine: Engine, seed: int, least: int, most: int) -> Row:
    """Play game ``number``."""
    dice = random.Random(f"{seed} {game} {number}")
    opponent, seat = ("random", "greedy")[number % 2], number // 2 % 2
    nodes = log_uniform(dice, least, most)
    choose = random_move if opponent == "random" else GREEDY[game]
    position: Any = GAMES[game].start()
    engine.new_game()
    moves: list[str] = []
    try:
        while (outcome := position.outcome()) is None:
            if len(moves) == MOST_PLIES:
                raise RuntimeError(f"no end after {MOST_PLIES} plies")
            if len(moves) % 2 == seat:
                move = engine.search(position, Limits(nodes=nodes), Control(), lambda info: None).move
                if move not in position.legal_moves():
                    raise RuntimeError(f"illegal move {move}")
            else:
                move = choose(position, dice)
            if position.needs_reveal(move):
                move += "=" + dice.choice(position.covered())
            moves.append(move)
            position = position.play(move)
    except Exception as error:
        return Row(game, number, opponent, nodes, seat, "error", f"{' '.join(moves)}: {error!r}")
    mine = Player.P1 if seat == 0 else Player.P2
    result = "draw" if outcome.winner is None else "win" if outcome.winner is mine else "loss"
    return Row(game, number, opponent, nodes, seat, result, " ".join(moves))


def rows(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a file; what an interruption left half is cut off."""
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if whole != data:
        path.write_bytes(whole)
    return [json.loads(line) for line in whole.splitlines()]


def append(path: Path, row: dict[str, Any]) -> None:
    """Add a line."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def run_games(folder: Path, game: str, count: int, seed: int, least: int, most: int) -> None:
    """Play those of ``count`` games that are not in the folder yet."""
    path = folder / f"{game}.jsonl"
    done = len(rows(path))
    engine = engine_of(game)
    for number in range(done, count):
        append(path, asdict(play(game, number, engine, seed, least, most)))
        if (number + 1) % 100 == 0:
            print(f"{game}: {number + 1} of {count}", flush=True)


def run_wipeouts(folder: Path, least: int, most: int) -> None:
    """Search every position of the file at every node limit, those left out that are in the folder."""
    path = folder / "wipeouts.jsonl"
    limits = [round(least * (most / least) ** (k / (WIPEOUT_LIMITS - 1))) for k in range(WIPEOUT_LIMITS)]
    engine = engine_of("othello")
    lines = wipeouts.read()
    for moves, lost in lines[len(rows(path)) :]:
        found = [fault for nodes in limits for fault in wipeouts.faults(engine, moves, lost, nodes)]
        append(path, {"moves": moves, "searches": len(limits), "faults": found})


def summary(folder: Path) -> Iterator[str]:
    """The figures, a line each."""
    for game in GAMES:
        counts = Counter((row["opponent"], row["result"]) for row in rows(folder / f"{game}.jsonl"))
        for opponent in ("random", "greedy"):
            parts = [f"{counts[opponent, result]} {result}" for result in ("win", "draw", "loss", "error")]
            yield f"{game} against {opponent}: {', '.join(parts)}"
    searched = rows(folder / "wipeouts.jsonl")
    faults = sum(len(row["faults"]) for row in searched)
    yield f"wipeouts: {len(searched)} positions, {sum(row['searches'] for row in searched)} searches, {faults} wrong"


def failures(folder: Path) -> list[str]:
    """What must not be: a lost game of Othello, an error in either game, a wrong search."""
    bad = [
        f"{game} {row['number']}, {row['nodes']} nodes, {row['result']}: {row['moves']}"
        for game in GAMES
        for row in rows(folder / f"{game}.jsonl")
        if row["result"] == "error" or (game == "othello" and row["result"] == "loss")
    ]
    return bad + [fault for row in rows(folder / "wipeouts.jsonl") for fault in row["faults"]]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=10_000, help="of Othello and of banqi, each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=int, default=1_000, help="nodes")
    parser.add_argument("--most", type=int, default=1_000_000, help="nodes")
    parser.add_argument("--only", choices=("othello", "banqi", "wipeouts", "report"), default=None)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.only in (None, "wipeouts"):
        run_wipeouts(arguments.folder, arguments.least, arguments.most)
    for game in GAMES:
        if arguments.only in (None, game):
            run_games(arguments.folder, game, arguments.games, arguments.seed, arguments.least, arguments.most)
    for line in (*summary(arguments.folder), *failures(arguments.folder)):
        print(line)
    return 1 if failures(arguments.folder) else 0


if __name__ == "__main__":
    sys.exit(main())
