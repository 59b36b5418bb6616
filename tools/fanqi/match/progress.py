"""A match while it is played: a live table on a terminal, one line a game elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from typing import TYPE_CHECKING, TextIO

from fanqi.match.statistics import elo_estimate
from fanqi.match.summary import estimate_text, pairing_lines, round_lines, sprt_state, summary_lines, table_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, RenderableType
    from rich.live import Live
    from rich.text import Text

    from fanqi.match.config import MatchConfig
    from fanqi.match.record import GameRecord
    from fanqi.match.referee import GamePlan
    from fanqi.match.runner import Status
    from fanqi.match.standings import Standings

__all__ = ["LiveProgress", "PlainProgress", "game_line"]

REDRAW_S = 0.25


def game_line(config: MatchConfig, record: GameRecord, played: int) -> str:
    """One finished game in a line."""
    total = "" if config.total_games is None else f"/{config.total_games}"
    first, second = record.players
    if record.result is None:
        score = "void"
    elif record.result.winner is None:
        score = "1/2-1/2"
    else:
        score = "1-0" if record.result.winner == "p1" else "0-1"
    why = record.termination.replace("_", " ")
    margin = ""
    if record.result is not None and record.result.margin:
        margin = f" {record.result.margin:+g}"
    detail = f" ({record.detail})" if record.detail else ""
    game = f"game {record.number}: {first} - {second} {score}{margin}"
    return f"{played}{total} {game}, {why}, {len(record.moves)} plies{detail}"


def deal_line(number: int, commitment: str, replaced: str | None) -> str:
    """A commitment to a deal, and which earlier one it replaces."""
    again = "" if replaced is None else f"; the game is begun again, and {replaced} counts no more"
    return f"game {number}: the deal is committed to {commitment}{again}"


class PlainProgress:
    """Writes a line for each game, and the figures now and then. Every line is flushed."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._next_figures = 10

    def began(self, config: MatchConfig, standings: Standings) -> None:
        self._config, self._standings = config, standings
        if standings.games:
            self._say(f"{standings.games} games have been played")

    def game_began(self, slot: int, plan: GamePlan, p1: str, p2: str) -> None:
        pass

    def dealt(self, number: int, commitment: str, replaced: str | None) -> None:
        self._say(deal_line(number, commitment, replaced))

    def move_played(self, slot: int) -> None:
        pass

    def game_over(self, slot: int, record: GameRecord) -> None:
        self._say(game_line(self._config, record, self._standings.games))
        if self._standings.games >= self._next_figures and len(self._standings.pairings) == 1:
            self._next_figures = self._standings.games * 3 // 2
            ((first, second), totals) = next(iter(self._standings.pairings.items()))
            for line in pairing_lines(self._config, first, second, totals)[1:3]:
                self._say(f"  {line}")

    def ended(self, status: Status, reason: str) -> None:
        self._say("")
        for line in summary_lines(self._config, self._standings):
            self._say(line)
        if reason:
            self._say(f"The match is {status.value.replace('_', ' ')}: {reason}")

    def _say(self, text: str) -> None:
        print(text, file=self._out, flush=True)


class LiveProgress:
    """A table that is redrawn when something has happened, at most four times a second, and never otherwise.

    It is never taller than the terminal: of what is too long the first lines are shown, and how many more there are. A
    terminal that changes its size is something that has happened. One that gets narrower folds the rows that do not
    fit any more, as nearly all do, and these are erased with the others.
    """

    def __init__(self, console: Console) -> None:
        from rich.live import Live

        self._console = console
        self._live: Live = Live(console=console, auto_refresh=False)
        self._timer: asyncio.TimerHandle | None = None
        self._drawn = 0.0
        self._width = console.width
        self._began = time.monotonic()
        self._games_before = 0

    def began(self, config: MatchConfig, standings: Standings) -> None:
        self._config, self._standings = config, standings
        self._games_before = standings.games
        self._boards: list[tuple[int, str, str] | None] = [None] * config.concurrency
        self._plies = [0] * config.concurrency
        self._last = ""
        self._live.start()
        self._redraw()
        if hasattr(signal, "SIGWINCH"):
            with contextlib.suppress(RuntimeError, ValueError):  # a thread that is not the main one gets no signals
                asyncio.get_running_loop().add_signal_handler(signal.SIGWINCH, self._changed)

    def game_began(self, slot: int, plan: GamePlan, p1: str, p2: str) -> None:
        self._boards[slot] = (plan.number, p1, p2)
        self._plies[slot] = len(plan.opening.moves)
        self._changed()

    def dealt(self, number: int, commitment: str, replaced: str | None) -> None:
        self._say(deal_line(number, commitment, replaced))

    def move_played(self, slot: int) -> None:
        self._plies[slot] += 1
        self._changed()

    def game_over(self, slot: int, record: GameRecord) -> None:
        self._boards[slot] = None
        self._last = game_line(self._config, record, self._standings.games)
        if record.detail and record.termination not in ("adjudicated_loss", "adjudicated_draw", "resigned"):
            self._say(self._last)
        self._changed()

    def ended(self, status: Status, reason: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if hasattr(signal, "SIGWINCH"):
            with contextlib.suppress(RuntimeError, ValueError):
                asyncio.get_running_loop().remove_signal_handler(signal.SIGWINCH)
        self._show("")
        self._live.stop()
        for line in summary_lines(self._config, self._standings):
            self._say(line)
        if reason:
            self._say(f"The match is {status.value.replace('_', ' ')}: {reason}")

    def _say(self, line: str) -> None:
        """A line that stays, above what is drawn."""
        self._unfold()
        self._console.print(line, highlight=False, markup=False)

    def _show(self, picture: RenderableType) -> None:
        self._unfold()
        self._live.update(picture, refresh=True)

    def _unfold(self) -> None:
        """Erase the rows by which a terminal that has got narrower has made taller what was drawn."""
        from rich.control import Control
        from rich.segment import ControlType, Segment

        width = self._console.width
        if width < self._width:
            drawn = self._console.options.update(width=self._width)
            rows = self._console.render_lines(self._live.renderable, drawn, pad=False)
            folds = sum(max(0, Segment.get_line_length(row) - 1) // width for row in rows)
            up = ((ControlType.ERASE_IN_LINE, 2), (ControlType.CURSOR_UP, 1))
            self._console.control(Control(*up * folds))
        self._width = width

    def _changed(self) -> None:
        if self._timer is None:
            wait = max(0.0, self._drawn + REDRAW_S - time.monotonic())
            self._timer = asyncio.get_running_loop().call_later(wait, self._redraw)

    def _redraw(self) -> None:
        self._timer = None
        self._drawn = time.monotonic()
        self._show(self._picture())

    def _picture(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        played, total = self._standings.games, self._config.total_games
        head = Table.grid(padding=(0, 2))
        head.add_row(Text(f"{self._config.game}, {self._count_text()}"), ProgressBar(total, played, width=30))
        last = Text(self._last, style="dim")
        left = self._console.height - self._rows(head) - self._rows(last)
        boards = [(board, plies) for board, plies in zip(self._boards, self._plies, strict=True) if board is not None]
        figures = self._figures(max(left // 2, left - len(boards) - 1))
        left -= len(figures)
        return Group(head, *figures, *self._games(boards, left), last)

    def _rows(self, shown: RenderableType) -> int:
        return len(self._console.render_lines(shown))

    def _games(self, boards: list[tuple[tuple[int, str, str], int]], rows: int) -> list[RenderableType]:
        """The games that are played now, as many as there is room for below a line of titles."""
        from rich.table import Table
        from rich.text import Text

        if rows < min(3, len(boards) + 1):
            return []
        fitting = len(boards) if len(boards) < rows else rows - 2
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        for title in ("game", "first", "second", "ply"):
            number = title in ("game", "ply")
            table.add_column(title, justify="right" if number else "left", no_wrap=number)
        for (game, *names), plies in boards[:fitting]:
            # it is the names that are cut where all is too wide
            cut = [Text(name, no_wrap=True, overflow="ellipsis") for name in names]
            table.add_row(str(game), *cut, str(plies))
        return [table] if fitting == len(boards) else [table, more(len(boards) - fitting, "games")]

    def _count_text(self) -> str:
        played, total = self._standings.games, self._config.total_games
        here = played - self._games_before
        rate = here / max(time.monotonic() - self._began, 1e-3)
        if total is None:
            return f"{played} games"
        if not here:
            return f"{played} of {total} games"
        left = round((total - played) / rate)
        return f"{played} of {total} games, {left // 3600}:{left // 60 % 60:02d}:{left % 60:02d} to go"

    def _figures(self, rows: int) -> list[Text]:
        """Who has won how much, in so many rows at most."""
        if self._standings.course is not None:
            header, engines, note = table_parts(self._standings)
            rounds = round_lines(self._standings.course)
            table = self._top([header], engines, "engines", rows)
            table += self._top([note] if note else [], [], "", rows - len(table))
            return table + self._top([], rounds[::-1], "rounds", rows - len(table))
        lines = []
        for (first, second), totals in self._standings.pairings.items():
            elo = estimate_text(elo_estimate(totals.sample))
            pairs = f"  Ptnml {totals.pairs}" if any(totals.pairs) else ""
            lines.append(f"{first} - {second}  +{totals.wins} -{totals.losses} ={totals.draws}  Elo {elo}{pairs}")
        state = sprt_state(self._config, self._standings)
        if state is not None:
            lines.append(f"LLR {state.llr:+.2f} ({state.lower:.2f}, {state.upper:.2f})")
        return self._top([], lines, "pairings", rows)

    def _top(self, header: list[str], lines: Sequence[str], noun: str, rows: int) -> list[Text]:
        """``header`` and as many of ``lines`` as fit into so many rows, a `Text` a row; what is cut off is counted."""
        from rich.text import Text

        def wrapped(line: str) -> list[Text]:
            return list(Text(line).wrap(self._console, self._console.width))

        shown = [row for line in header for row in wrapped(line)]
        if len(shown) > rows:
            return []
        for number, line in enumerate(lines):
            found = wrapped(line)
            waiting = number + 1 < len(lines)  # for which a row has to be left
            if len(shown) + len(found) + waiting > rows:
                return shown if len(shown) >= rows else [*shown, more(len(lines) - number, noun)]
            shown += found
        return shown


def more(count: int, noun: str) -> Text:
    """What is said of the lines for which there is no room."""
    from rich.text import Text

    return Text(f"and {count} more {noun}", style="dim")
