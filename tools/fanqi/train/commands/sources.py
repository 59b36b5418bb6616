"""Commands that make positions: from recorded games, and by self-play."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fanqi.files import require_place
from fanqi.train.commands.failure import failing
from fanqi.train.commands.options import DataOption, WeightsOption, finite, span
from fanqi.train.commands.progress import progress_bar

__all__ = ["games", "play", "records"]


def games(
    sources: Annotated[
        list[Path] | None, typer.Argument(help="WTHOR directories, and files of any record format")
    ] = None,
    out: Annotated[Path, typer.Option(help="positions to write (.npz)")] = Path("games.npz"),
    empties: Annotated[str, typer.Option(help="numbers of empty squares, as 24-60")] = "1-60",
    data: DataOption = None,
) -> None:
    """Positions from recorded games.

    Those of a directory of WTHOR files carry the theoretical score from 24 empty squares up, and the result of the
    game below that; those of a file (GGF, SGF, PGN, WTHOR, transcripts, JSON lines) carry the result.

    \b
    Example: fanqi train games --data DIR --empties 24-60 --out games.npz
    Example: fanqi train games DIR ggs.ggf --out games.npz
    """
    from fanqi.train.positions import concatenate, save_positions
    from fanqi.train.recorded import recorded_positions
    from fanqi.train.wthor import wthor_positions

    low, high = span(empties)
    chosen = sources or ([data] if data is not None else [])
    if not chosen:
        raise typer.BadParameter("no games: name directories or files, or set --data or FANQI_DATA")
    with failing():
        require_place(out)
        rows = concatenate(
            [
                wthor_positions(path, number << 32) if path.is_dir() else recorded_positions(path, number << 32)
                for number, path in enumerate(chosen)
            ]
        )
        rows = rows.between(low, high)
        save_positions(out, rows)
    typer.echo(f"{len(rows):,} positions in {out}")


def play(
    directory: Annotated[Path, typer.Argument(help="where the records go")],
    number: Annotated[int, typer.Option("--games", min=1, help="games in all files together")],
    seed: Annotated[int, typer.Option(min=0, help="another seed plays other games, into other files")] = 1,
    depth: Annotated[int, typer.Option(min=1, max=12, help="plies searched")] = 5,
    exact: Annotated[int, typer.Option(min=1, max=20, help="empty squares from which play is perfect")] = 14,
    workers: Annotated[int, typer.Option(min=1, help="threads, each with its own file")] = 2,
    weights: WeightsOption = None,
    data: DataOption = None,
) -> None:
    """Self-play from varied openings, half of them from the WTHOR games if there are any.

    Goes on where it was interrupted.

    \b
    Example: fanqi train play selfplay --games 100000 --depth 5 --exact 14
    """
    from fanqi.train.selfplay import PlaySettings, play_files
    from fanqi.train.wthor import wthor_games

    with failing(), progress_bar("games", number) as step:
        books = None if data is None else wthor_games(data)
        settings = PlaySettings(depth, exact)
        paths = play_files(directory, seed, number, settings, workers, weights, books, step)
    for path in paths:
        typer.echo(str(path))


def records(
    sources: Annotated[list[Path], typer.Argument(help="self-play records (.msgpack)")],
    out: Annotated[Path, typer.Option(help="positions to write (.npz)")],
    blend: Annotated[
        float, typer.Option(min=0, max=1, callback=finite, help="share of the search's score in a label")
    ] = 0.5,
) -> None:
    """Positions from self-play records, labelled by result and search, exactly near the end.

    \b
    Example: fanqi train records selfplay/*.msgpack --out play.npz
    """
    from fanqi.train.positions import concatenate, save_positions
    from fanqi.train.selfplay import selfplay_positions

    with failing():
        rows = concatenate(
            [selfplay_positions(path, blend, (number + 1000) << 32) for number, path in enumerate(sources)]
        )
        save_positions(out, rows)
    typer.echo(f"{len(rows):,} positions in {out}")
