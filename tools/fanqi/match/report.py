"""The report of a match: one page that needs nothing but itself.

Page, style and script are files beside this module; building puts them together with the data of the match.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

import msgspec

from fanqi.about import VERSION
from fanqi.drawing import ENDINGS, board_script, board_symbols, expected_score, page_style
from fanqi.match.schedule import Form
from fanqi.match.standings import Standings
from fanqi.match.statistics import elo_estimate
from fanqi.match.summary import estimate_data, pairing_data, rating_rows, sprt_data, sprt_state, swiss_data

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fanqi.match.config import MatchConfig
    from fanqi.match.record import GameRecord
    from fanqi.match.swiss_course import SwissCourse

__all__ = ["MAX_SHOWN", "build_report"]

MAX_SHOWN = 2000
"""Games that can be replayed in the page; the figures are of all of them."""
MAX_POINTS = 400
MOST_NAMED = 4
"""More engines than these are not all named in the title."""


def build_report(config: MatchConfig, records: Iterable[GameRecord]) -> str:
    """The page of a match.

    Args:
        config: of the match.
        records: its published games in the order in which they ended.
    """
    standings = Standings.of(config)
    is_swiss = config.form is Form.SWISS and len(config.engines) > 2
    games: list[dict[str, Any]] = []
    curve: list[list[float | None]] = []
    times: dict[str, dict[int, list[float]]] = {engine.name: {} for engine in config.engines}
    dates = ["", ""]
    for record in records:
        standings.add(record)
        games.append(game_data(record))
        if len(games) > 2 * MAX_SHOWN:
            del games[:MAX_SHOWN]
        if not is_swiss:  # there nobody meets anybody often enough
            curve.append(curve_point(config, standings))
        if len(curve) == 2 * MAX_POINTS:
            del curve[::2]  # thinned out as it grows: a picture has no more points than that
        add_times(times, record)
        dates = [dates[0] or record.date, record.ended]
    data = {
        "title": title_of(config),
        "game": config.game,
        "unit": "discs" if config.game == "othello" else "points",
        "facts": facts(config, standings, dates),
        "pairings": [] if is_swiss else [pairing_data(*item) for item in standings.pairings.items()],
        "sprt": sprt_data(config, standings),
        "swiss": rounds_data(standings.course) if is_swiss and standings.course is not None else None,
        **ratings_data(standings),
        "engines": [engine_data(config, standings, name) for name in standings.names],
        "words": ENDINGS,
        "endings": standings.terminations.most_common(),
        "curve": curve,
        "times": [{"name": name, "points": time_points(by_ply)} for name, by_ply in times.items()],
        "games": sorted(games[-MAX_SHOWN:], key=lambda game: game["number"]),
        "shown": min(len(games), MAX_SHOWN),
        "total": standings.games,
        "foot": f"Made by Fanqi {VERSION}.",
    }
    encoded = msgspec.json.encode(data).decode().replace("<", "\\u003c")  # no text can end the script element
    title = data["title"].replace("&", "&amp;").replace("<", "&lt;")
    page = part("report.html")
    for name, text in (
        ("title", title),
        ("style", page_style(boards=True) + part("report.css")),
        ("symbols", board_symbols({config.game})),
        ("script", board_script() + part("report.js") + part("swiss.js")),
    ):
        page = page.replace("{{" + name + "}}", text)
    return page.replace("{{data}}", encoded)


def part(name: str) -> str:
    """A file that the page is made of."""
    return (resources.files("fanqi.match") / "page" / name).read_text(encoding="utf-8")


def title_of(config: MatchConfig) -> str:
    """Who plays, or how many."""
    if len(config.engines) <= MOST_NAMED:
        return " – ".join(engine.name for engine in config.engines)
    form = f"Swiss tournament of {config.rounds} rounds" if config.form is Form.SWISS else config.form.value
    return f"{len(config.engines)} engines, {form}"


def rounds_data(course: SwissCourse) -> dict[str, Any]:
    """Who met whom in each round of a Swiss tournament, with points and the number of the first game."""
    data = swiss_data(course)
    for number, one in enumerate(data["rounds"]):
        for table, meeting in enumerate(one["meetings"]):
            meeting["game"] = course.first_game(number, table)
    return {"rounds": data["rounds"]}


def game_data(record: GameRecord) -> dict[str, Any]:
    """What the page knows of a game."""
    winner = None if record.result is None else record.result.winner or "draw"
    return {
        "number": record.number,
        "players": record.players,
        "winner": winner,
        "margin": None if record.result is None else record.result.margin,
        "ending": record.termination,
        "detail": record.detail,
        "start": record.start,
        "p2Begins": record.plies_of(0).start == 1,
        "opening": record.opening if len(record.opening) <= 60 else record.opening[:60] + "…",
        "openingPlies": record.opening_plies,
        "date": record.date[:19].replace("T", " "),
        "moves": record.moves,
        "evals": evaluations(record),
        "times": record.times,
        "deal": None if record.deal is None else msgspec.to_builtins(record.deal),
        "notes": record.notes,
    }


def evaluations(record: GameRecord) -> list[float | None]:
    """What the mover thought at each ply: discs, or in banqi the expected score in per cent."""
    if record.game != "banqi":
        return record.evals
    return [None if value is None else round(expected_score(value), 1) for value in record.evals]


def facts(config: MatchConfig, standings: Standings, dates: list[str]) -> list[tuple[str, str]]:
    """The line under the title."""
    limits = sorted({str(engine.limit) for engine in config.engines})
    found = [
        ("game", config.game),
        ("limit", ", ".join(limits)),
        ("games", str(standings.games)),
        ("openings", config.openings),
        ("seed", config.seed),
    ]
    if config.rules:
        found.append(("rules", config.rules))
    if config.scoring:
        found.append(("scoring", config.scoring))
    if dates[0]:
        found.append(("played", f"{dates[0][:16]} to {dates[1][:16]}".replace("T", " ") + " UTC"))
    return found


def ratings_data(standings: Standings) -> dict[str, Any]:
    """The rating table, empty for two engines."""
    if len(standings.names) < 3:
        return {"ratings": [], "ratingsNote": ""}
    rows, note = rating_rows(standings)
    ratings = [
        {
            "name": row.name,
            "rating": estimate_data(row.rating),
            "points": row.points,
            "buchholz": row.buchholz,
            "games": row.games,
            "score": row.share,
        }
        for row in rows
    ]
    return {"ratings": ratings, "ratingsNote": note}


def engine_data(config: MatchConfig, standings: Standings, name: str) -> dict[str, Any]:
    """A line of the table of engines."""
    totals = standings.engines[name]
    limit = next(engine.limit for engine in config.engines if engine.name == name)
    faults = [f"{count} × {fault.replace('_', ' ')}" for fault, count in sorted(totals.faults.items())]
    if totals.banned:
        faults.append(f"{totals.banned} × banned answer")
    return {
        "name": name,
        "label": totals.label,
        "limit": str(limit),
        "moves": totals.moves,
        "ms": None if totals.ms_a_move is None else f"{totals.ms_a_move:.1f}",
        "depth": None if totals.mean_depth is None else f"{totals.mean_depth:.1f}",
        "nps": None if totals.nodes_a_second is None else f"{totals.nodes_a_second:,.0f}",
        "faults": ", ".join(faults) or "none",
    }


def curve_point(config: MatchConfig, standings: Standings) -> list[float | None]:
    """Number of games, Elo of the first pairing, its error, log-likelihood ratio."""
    totals = next(iter(standings.pairings.values()))
    estimate = elo_estimate(totals.sample)
    state = sprt_state(config, standings)
    return [
        standings.games,
        None if estimate is None else round(estimate.value, 2),
        None if estimate is None or estimate.error is None else round(estimate.error, 2),
        None if state is None else round(state.llr, 4),
    ]


def add_times(times: dict[str, dict[int, list[float]]], record: GameRecord) -> None:
    """Sum up the time of each ply: by engine and ply, number and sum."""
    if not record.times:
        return
    for seat, name in enumerate(record.players):
        by_ply = times[name]
        for ply in record.plies_of(seat):
            seconds = record.times[ply]
            if seconds is not None:
                entry = by_ply.setdefault(ply, [0, 0.0])
                entry[0] += 1
                entry[1] += seconds


def time_points(by_ply: dict[int, list[float]]) -> list[tuple[int, float]]:
    """Mean time by ply, as far as a tenth of the games go."""
    most = max((count for count, _ in by_ply.values()), default=0)
    return [(ply, round(total / count, 4)) for ply, (count, total) in sorted(by_ply.items()) if count * 10 >= most]
