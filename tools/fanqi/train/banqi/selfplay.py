"""Games of the engine with itself, kept as positions with what the search and the game said about them."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi import GAME, Position
from fanqi.banqi.board import PIECE_ORDER, SQUARE_NAMES
from fanqi.banqi.engine import BanqiEngine
from fanqi.banqi.state import STATE_WORDS
from fanqi.banqi.weights import evaluation_digest
from fanqi.files import write_whole
from fanqi.search import Control, Info, Limits, Settings

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Samples", "deal", "load_samples", "play_files", "play_games"]

PART = 100
"""Games in a file."""

FULL = "".join(letter * (1, 2, 2, 2, 2, 2, 5)[i % 7] for i, letter in enumerate(PIECE_ORDER))


@dataclass(frozen=True, slots=True)
class Samples:
    """Positions to fit to, all with the side to move in possession of a colour.

    Attributes:
        states: the words of the positions, shape (n, `STATE_WORDS`).
        scores: utility by the search, from the view of the side to move.
        results: 1, 0 or -1 at the end of the game, from the same view.
    """

    states: NDArray[np.int64]
    scores: NDArray[np.int64]
    results: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.results)

    def take(self, rows: NDArray[np.int64]) -> Samples:
        """The rows of these numbers."""
        return Samples(self.states[rows], self.scores[rows], self.results[rows])

    @classmethod
    def join(cls, parts: list[Samples]) -> Samples:
        """All samples of several lots."""
        return cls(
            np.concatenate([part.states for part in parts]),
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.results for part in parts]),
        )


def deal(chooser: random.Random) -> dict[str, str]:
    """What lies on each square."""
    letters = list(FULL)
    chooser.shuffle(letters)
    return dict(zip(SQUARE_NAMES, letters, strict=True))


def play_games(
    numbers: Iterable[int], nodes: int, seed: int, *, random_plies: int = 8, noise: float = 0.05
) -> Iterator[Samples]:
    """Play games and yield the samples of each.

    Quiet positions only: those where the search wants no capture. A game depends on its number, the seed and the
    settings alone.

    Args:
        numbers: of the games.
        nodes: searched for each move.
        seed: of the deals and of all that is random.
        random_plies: most random plies at the start of a game, so that all kinds of positions come up.
        noise: share of later moves that are random.
    """
    engine = BanqiEngine()
    engine.configure(Settings(hash_mib=16))
    for number in numbers:
        chooser = random.Random(f"{seed}/{number}")
        yield _play(engine, nodes, chooser, chooser.randint(0, random_plies), noise)


def play_files(
    directory: Path, games: int, nodes: int, seed: int, progress: Callable[[int], None] | None = None
) -> None:
    """Play games into ``directory``, `PART` to a file; files that are there are not played again.

    Args:
        progress: called with the number of games done.

    Raises:
        ValueError: a file in the directory was made with other settings.
        OSError: a file cannot be read or written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    settings = f"{nodes} nodes, seed {seed}, weights {evaluation_digest()}"
    for first in range(0, games, PART):
        last = min(first + PART, games)
        path = directory / f"{first:06}.npz"
        there = _read(path) if path.exists() else None
        if there and there.settings != settings:
            raise ValueError(f"{path}: made with {there.settings}; this run has {settings}")
        if there is None or there.games != last - first:  # the last file of a shorter run is played anew
            samples = Samples.join(list(play_games(range(first, last), nodes, seed)))
            write_whole(path, _Part(samples, settings, last - first).content())
        if progress is not None:
            progress(last)


def load_samples(directory: Path) -> tuple[Samples, Samples]:
    """The samples of `play_files`: those to fit to, and those of every tenth file, held out.

    With a single file, that is both.

    Raises:
        ValueError: the directory has no such files, or one of them is something else.
        OSError: a file cannot be read.
    """
    paths = sorted(directory.glob("*.npz"))
    if not paths:
        raise ValueError(f"{directory}: no samples; `fanqi train banqi play` makes them")
    parts = [_read(path).samples for path in paths]
    held = parts[9::10] or parts[-1:]
    fitted = [part for number, part in enumerate(parts) if number % 10 != 9][: len(parts) - 1 or 1]
    return Samples.join(fitted), Samples.join(held)


@dataclass(frozen=True, slots=True)
class _Part:
    """One file: samples of ``games`` games, and the settings they were played with, in words."""

    samples: Samples
    settings: str
    games: int

    def content(self) -> bytes:
        file = io.BytesIO()
        np.savez_compressed(
            file,
            states=self.samples.states,
            scores=self.samples.scores,
            results=self.samples.results,
            settings=np.array(self.settings),
            games=np.array(self.games),
        )
        return file.getvalue()


def _read(path: Path) -> _Part:
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            samples = Samples(file["states"], file["scores"], file["results"])
            part = _Part(samples, str(file["settings"]), int(file["games"]))
    except (KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile):
        raise ValueError(f"{path}: not a file of banqi samples") from None
    rows = len(samples.results)
    if samples.states.shape != (rows, STATE_WORDS) or samples.scores.shape != (rows,):
        raise ValueError(f"{path}: not a file of banqi samples")
    return part


def _play(engine: BanqiEngine, nodes: int, chooser: random.Random, random_plies: int, noise: float) -> Samples:
    layout = deal(chooser)
    position: Position = GAME.start()
    engine.new_game()
    states, scores, movers = [], [], []
    while (outcome := position.outcome()) is None:
        legal = position.legal_moves()
        reports: list[Info] = []
        result = engine.search(position, Limits(nodes=nodes), Control(), reports.append)
        move = result.move
        assert move is not None
        if position.ply > 0 and not (len(move) == 4 and position.piece(move[2:]) != "."):
            states.append(position.state)
            scores.append(engine.last_utility)
            movers.append(position.turn)
        if position.ply < random_plies or chooser.random() < noise:
            move = chooser.choice(legal)
        position = position.play(f"{move}={layout[move]}" if position.needs_reveal(move) else move)
    winner = outcome.winner
    results = [0 if winner is None else 1 if mover is winner else -1 for mover in movers]
    words = np.array(states, np.int64).reshape(len(states), STATE_WORDS)
    return Samples(words, np.array(scores, np.int64), np.array(results, np.int64))
