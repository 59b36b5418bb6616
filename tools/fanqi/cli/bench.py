"""`fanqi bench`: the node-count signature, the speed, and the latency."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fanqi.command_line import die, known_game, say
from fanqi.exit_codes import FAILED

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["app"]

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="""Search fixed positions to fixed depths on one thread: a node count that is equal on every machine.

    The last line is "signature N". N changes with any change of a search, and with nothing else; the speed beside it
    depends on the machine. --expect N fails when the signature is another.

    In Othello a node is an interior node, an evaluated position or a one-empty evaluation; in banqi a position
    visited, each outcome of a flip counting as one. Seconds are processor seconds of the searching thread, or wall
    seconds with several threads.

    \b
    Example: fanqi bench
    Example: fanqi bench ffo --from 40 --to 44
    Example: fanqi bench endgames problems.obf
    Example: fanqi bench midgame --depth 16 --selectivity 73
    Example: fanqi bench accuracy problems.obf --at 15@73
    Example: fanqi bench latency
    """,
)

Threads = Annotated[int, typer.Option(min=1, help="Search threads.")]
Hash = Annotated[int, typer.Option("--hash", min=1, max=65_536, help="MiB of hash table.")]


def show(rows: Iterable[Any], first: str) -> tuple[int, float, int]:
    """Print a line a position and the totals; returns nodes, seconds, and how many answers were wrong.

    Args:
        rows: with ``move``, ``score_cp``, ``depth``, ``nodes``, ``seconds``, and ``empties`` or ``covered``; perhaps
            ``name``, ``selectivity``, ``right``.
        first: heading of the first column.
    """
    nodes, seconds, wrong, width = 0, 0.0, 0, 0
    for number, row in enumerate(rows, start=1):
        left = "empties" if hasattr(row, "empties") else "covered"
        if number == 1:
            heading = f"{first:<18} {left} {'depth':>8} {'score':>8}  {'move':<5}"
            typer.echo(f"{heading} {'nodes':>13} {'seconds':>9} {'Mn/s':>7}")
            width = len(heading)
        selectivity = getattr(row, "selectivity", 100)
        depth = f"{row.depth}" if selectivity == 100 else f"{row.depth}@{selectivity}%"
        right = getattr(row, "right", None)
        typer.echo(
            f"{getattr(row, 'name', str(number)):<18} {getattr(row, left):>7} {depth:>8} "
            f"{row.score_cp / 100:>+8.2f}  {row.move:<5} {row.nodes:>13,} {row.seconds:>9.3f} "
            f"{row.nodes / max(row.seconds, 1e-9) / 1e6:>7.1f}{'  WRONG' if right is False else ''}"
        )
        nodes, seconds, wrong = nodes + row.nodes, seconds + row.seconds, wrong + (right is False)
    speed = nodes / max(seconds, 1e-9) / 1e6
    typer.echo(f"{'total':<{width}} {nodes:>13,} {seconds:>9.3f} {speed:>7.1f}")
    return nodes, seconds, wrong


@app.callback(invoke_without_command=True)
def signature(
    context: typer.Context,
    expect: Annotated[int | None, typer.Option(help="Fail when the signature is another.")] = None,
) -> None:
    """Print the signature unless a subcommand says otherwise."""
    if context.invoked_subcommand is not None:
        return
    from fanqi.bench import banqi, othello

    typer.echo("othello")
    nodes, _, wrong = show(othello.bench(), "position")
    typer.echo("banqi")
    more, _, _ = show(banqi.bench(), "position")
    typer.echo(f"signature {nodes + more}")
    if wrong:
        die("bench", f"{wrong} wrong answers", FAILED)
    if expect is not None and expect != nodes + more:
        die("bench", f"expected signature {expect}", FAILED)


@app.command()
def ffo(
    first: Annotated[int, typer.Option("--from", min=1, max=79, help="First problem.")] = 40,
    last: Annotated[int, typer.Option("--to", min=1, max=79, help="Last problem.")] = 44,
    threads: Threads = 1,
    hash_mib: Hash = 256,
) -> None:
    """Solve problems of the FFO endgame test exactly, each with an empty table; fails when a score is wrong.

    \b
    Example: fanqi bench ffo --from 40 --to 44
    """
    from fanqi.bench import othello
    from fanqi.search import Settings

    if last < first:
        raise typer.BadParameter(f"--to {last} is before --from {first}")
    settings = Settings(hash_mib=hash_mib, threads=threads)
    _, _, wrong = show(othello.ffo(first, last, settings), "problem")
    raise typer.Exit(1 if wrong else 0)


@app.command()
def endgames(
    files: Annotated[list[Path], typer.Argument(help="OBF, or tab-separated with a heading: board, side, score.")],
    threads: Threads = 1,
    hash_mib: Hash = 16,
) -> None:
    """Solve a file of Othello endgames exactly; prints those whose score is another, and the totals.

    \b
    Example: fanqi bench endgames problems.obf
    """
    from fanqi.bench.endgames import endgames as read
    from fanqi.bench.endgames import solve_all
    from fanqi.search import Settings

    settings = Settings(hash_mib=hash_mib, threads=threads)
    count, nodes, seconds, wrong = 0, 0, 0.0, 0
    try:
        for file in files:
            for row in solve_all(read(file), settings):
                count, nodes, seconds = count + 1, nodes + row.nodes, seconds + row.seconds
                if not row.right:
                    wrong += 1
                    say(f"{file}, {row.name}: {row.score_cp / 100:+.0f} with {row.move}: WRONG", err=False)
    except (OSError, ValueError) as error:
        die("bench", error, 1)
    speed = nodes / max(seconds, 1e-9) / 1e6
    typer.echo(f"{count} solved, {wrong} wrong, {nodes:,} nodes, {seconds:.3f} s, {speed:.1f} Mn/s")
    raise typer.Exit(1 if wrong or not count else 0)


@app.command()
def midgame(
    depth: Annotated[int, typer.Option(min=1, max=52, help="Plies.")] = 16,
    selectivity: Annotated[int, typer.Option(help="Certainty in percent: 73, 87, 95, 98, 99 or 100.")] = 73,
    threads: Threads = 1,
    hash_mib: Hash = 64,
) -> None:
    """Search ten eight-ply Othello openings to a fixed depth, each with an empty table.

    \b
    Example: fanqi bench midgame --depth 16 --selectivity 73
    """
    from fanqi.bench import othello
    from fanqi.othello.levels import LEVELS
    from fanqi.search import Settings

    if selectivity not in LEVELS:
        raise typer.BadParameter(f"--selectivity {selectivity}: expected one of {', '.join(map(str, LEVELS))}")
    settings = Settings(hash_mib=hash_mib, threads=threads)
    _, seconds, _ = show(othello.midgame(depth, selectivity, settings), "opening")
    typer.echo(f"mean {seconds / len(othello.OPENINGS):.3f} s a position")


@app.command()
def accuracy(
    file: Annotated[Path, typer.Argument(help="OBF in which every legal move has a score.")],
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DEPTH@CERTAINTY", help="Plies and certainty in percent; may be repeated. 0 searches nothing."
        ),
    ] = None,
    hash_mib: Hash = 64,
) -> None:
    """Measure how well Othello searches judge positions whose scores are known, in discs, with 95 % intervals.

    \b
    Columns:
      best     positions in which the move chosen is a best one
      loss     discs that the move chosen gives away
      error    absolute difference between the score said and the right one
      bias     the same with its sign; above 0 is too hopeful
      <=3 <=6  positions with an error of at most 3 or 6 discs
      nodes    a position;  ms: processor time a position

    \b
    Example: fanqi bench accuracy problems.obf --at 0 --at 15@73 --at 16@73
    """
    from fanqi.bench.accuracy import judged_positions, measure
    from fanqi.search import Settings

    searches = [depth_and_certainty(text) for text in at or ("0", "8@73", "15@73", "16@73")]
    try:
        problems = judged_positions(file)
    except (OSError, ValueError) as error:
        die("bench", error, 1)
    counts = sorted({problem.position.empties for problem in problems})
    typer.echo(f"{len(problems)} positions with {', '.join(map(str, counts))} empty squares")
    heading = f"{'search':>8} {'best %':>11} {'loss':>12} {'error':>12} {'bias':>13} {'<=3 %':>11} {'<=6 %':>11}"
    typer.echo(f"{heading} {'nodes':>12} {'ms':>8}")
    for depth, certainty in searches:
        row = measure(problems, depth, certainty, Settings(hash_mib=hash_mib))
        name = f"{depth}@{certainty}" if depth else "static"
        typer.echo(
            f"{name:>8} {percent(row.best_move)} {discs(row.loss)} {discs(row.error)} "
            f"{row.bias.mean:>+6.2f} ± {row.bias.error:<4.2f} {percent(row.within_3)} {percent(row.within_6)} "
            f"{row.nodes:>12,.0f} {1000 * row.seconds:>8.2f}"
        )


def percent(figure: Any) -> str:
    return f"{'-':>11}" if figure is None else f"{100 * figure.mean:>5.1f} ± {100 * figure.error:<3.1f}"


def discs(figure: Any) -> str:
    return f"{'-':>12}" if figure is None else f"{figure.mean:>5.2f} ± {figure.error:<4.2f}"


def depth_and_certainty(text: str) -> tuple[int, int]:
    """Read ``15@73``; without ``@`` the certainty is 73.

    Raises:
        typer.BadParameter: it is something else.
    """
    from fanqi.othello.levels import LEVELS

    depth, at, certainty = text.partition("@")
    certainty = certainty if at else "73"
    if not (depth.isascii() and depth.isdecimal() and len(depth) < 3 and int(depth) <= 60):
        raise typer.BadParameter(f"--at {text}: expected plies from 0 to 60, as in 15@73")
    if certainty not in map(str, LEVELS):
        raise typer.BadParameter(f"--at {text}: expected a certainty of {', '.join(map(str, LEVELS))}, as in 15@73")
    return int(depth), int(certainty)


@app.command("banqi")
def banqi_command(
    deeper: Annotated[int, typer.Option(min=0, max=20, help="Plies added to every depth.")] = 0,
    hash_mib: Hash = 32,
) -> None:
    """Search ten banqi positions, from 28 covered men to four men in the open.

    \b
    Example: fanqi bench banqi --deeper 1
    """
    from fanqi.bench import banqi
    from fanqi.search import Settings

    show(banqi.bench(Settings(hash_mib=hash_mib), deeper=deeper), "position")


@app.command()
def conversion(
    positions: Annotated[int, typer.Option(min=1, help="How many proved wins.")] = 100,
    nodes: Annotated[int, typer.Option(min=1, help="Nodes a move, for both sides.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Of the positions.")] = 1,
) -> None:
    """Play out banqi positions of three to six men that a search proves won, against the engine itself.

    Fails when fewer than 97 in a hundred are won.

    \b
    Example: fanqi bench conversion --positions 20
    """
    from fanqi.banqi import GAME
    from fanqi.bench.banqi_conversion import convert, proved_wins
    from fanqi.search import Limits

    GAME.prepare()
    won = 0
    for number, position in enumerate(proved_wins(positions, seed), start=1):
        game = convert(position, Limits(nodes=nodes))
        won += game.won
        typer.echo(
            f"{number:>4} {'won' if game.won else 'NOT WON'} {game.reason} in {game.plies} plies: {game.position}"
        )
    typer.echo(f"{won} of {positions} won")
    raise typer.Exit(1 if won < 0.97 * positions else 0)


@app.command()
def latency(
    command: Annotated[list[str] | None, typer.Argument(help="An engine command; ours if left out.")] = None,
    game: Annotated[str, typer.Option(help="othello or banqi.", callback=known_game)] = "othello",
    moves: Annotated[int, typer.Option(min=1, help="Moves by movetime.")] = 1000,
    movetime: Annotated[int, typer.Option(min=1, help="Milliseconds.")] = 30,
) -> None:
    """Measure an engine over a pipe: handshake, readiness, stop, and how well it keeps a movetime.

    \b
    Example: fanqi bench latency --moves 200
    Example: fanqi bench latency -- ./other-engine --quiet
    """
    from fanqi.bench.latency import OWN_ENGINE, measure

    if command and not command[0].startswith("-") and "/" in command[0] and not Path(command[0]).exists():
        raise typer.BadParameter(f"{command[0]}: no such file")
    try:
        report = measure(tuple(command or OWN_ENGINE), game, moves=moves, movetime_ms=movetime)
    except (OSError, EOFError, TimeoutError, ValueError) as error:
        die("bench", error, 1)
    for line in report.lines():
        typer.echo(line)
