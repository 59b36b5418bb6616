"""The result of a match in words and figures, as people know it from fastchess, and as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from fanqi.match.ratings import best_first, rate
from fanqi.match.statistics import (
    Estimate,
    draw_ratio,
    elo_estimate,
    likelihood_of_superiority,
    mean_estimate,
    normalized_elo,
    pair_ratio,
)

if TYPE_CHECKING:
    from fanqi.match.config import MatchConfig
    from fanqi.match.sprt import SprtState
    from fanqi.match.standings import PairingTotals, Standings
    from fanqi.match.swiss_course import SwissCourse

__all__ = [
    "encode_summary",
    "estimate_data",
    "pairing_data",
    "pairing_lines",
    "rating_rows",
    "round_lines",
    "sprt_data",
    "sprt_state",
    "summary_lines",
    "swiss_data",
    "table_lines",
    "table_parts",
]

NOT_ENOUGH = "not enough games"


@dataclass(frozen=True, slots=True)
class RatingRow:
    """A line of the table of engines.

    Attributes:
        points: in a Swiss tournament those of byes too.
        buchholz: of a Swiss tournament only.
        share: of the points of the games it has played.
    """

    name: str
    rating: Estimate | None
    points: float
    buchholz: float | None
    games: int
    share: float | None


def sprt_state(config: MatchConfig, standings: Standings) -> SprtState | None:
    """Where the sequential test of a match stands, which is on pairs; None where there is none."""
    if config.sprt is None:
        return None
    (totals,) = standings.pairings.values()
    return config.sprt.state(totals.pairs if any(totals.pairs) else [0, 0, 0])


def summary_lines(config: MatchConfig, standings: Standings) -> list[str]:
    """Everything about a match that fits into a terminal."""
    lines: list[str] = []
    if standings.course is not None:
        lines += round_lines(standings.course)
    else:
        for (first, second), totals in standings.pairings.items():
            lines += pairing_lines(config, first, second, totals)
    if (state := sprt_state(config, standings)) is not None and config.sprt is not None:
        test = config.sprt
        lines.append(
            f"SPRT   LLR {state.llr:+.2f} ({state.lower:.2f}, {state.upper:.2f}) "
            f"[{test.elo0:g}, {test.elo1:g}] {test.model.value}: {decision_text(state.decision.value)}"
        )
    lines += [*table_lines(standings), *engine_lines(standings), endings_line(standings)]
    return lines


def decision_text(decision: str) -> str:
    return {"H0": "H0 accepted", "H1": "H1 accepted", "continue": "undecided"}[decision]


def pairing_lines(config: MatchConfig, first: str, second: str, totals: PairingTotals) -> list[str]:
    """The figures of two engines against each other, from the view of the first."""
    losses, draws, wins = totals.counts
    games, counts = totals.games, totals.sample
    share = f"{100 * totals.score / games:.2f} %" if games else NOT_ENOUGH
    lines = [
        f"{first} vs {second}",
        f"Games  {games}: {wins} wins, {losses} losses, {draws} draws, {totals.score:g} points ({share})",
        f"Elo    {estimate_text(elo_estimate(counts))}   nElo {estimate_text(normalized_elo(counts))}",
        f"LOS    {percent(likelihood_of_superiority(counts))}   draws {percent(draw_ratio(totals.counts))}",
    ]
    if any(totals.pairs):
        lines[-1] += f"   pairs won/lost {ratio_text(pair_ratio(totals.pairs))}"
        lines.append(f"Pairs  {sum(totals.pairs)}: Ptnml(0-2) {totals.pairs}")
    count, total, squares = totals.margins
    if (margin := mean_estimate(int(count), total, squares)) is not None:
        unit = "discs" if config.game == "othello" else "stake points"
        lines.append(f"Margin {estimate_text(margin, digits=2)} {unit} a game")
    return lines


def table_lines(standings: Standings) -> list[str]:
    """The ratings of everybody, best first, where there are more than two; in a Swiss tournament the table of that."""
    if len(standings.names) < 3:
        return []
    header, rows, note = table_parts(standings)
    return ["", header, *rows, *([note] if note else []), ""]


def table_parts(standings: Standings) -> tuple[str, list[str], str]:
    """The same in parts: a header, a line an engine, and a note on what cannot be compared, if there is anything."""
    found, note = rating_rows(standings)
    width = max(len(name) for name in standings.names)
    extra = f" {'Buchholz':>8}" if standings.course is not None else ""
    header = f"{'':3} {'name':{width}}  {'rating':>16} {'points':>8}{extra} {'games':>6} {'score':>8}"
    rows = []
    for place, row in enumerate(found, 1):
        extra = "" if row.buchholz is None else f" {row.buchholz:8g}"
        figures = f"{estimate_text(row.rating):>16} {row.points:8g}{extra} {row.games:6d} {percent(row.share):>8}"
        rows.append(f"{place:3} {row.name:{width}}  {figures}")
    return header, rows, note


def rating_rows(standings: Standings) -> tuple[list[RatingRow], str]:
    """The engines, best first, and a note on what cannot be compared, if there is anything."""
    found = rate(standings.names, standings.results)
    swiss = {} if standings.course is None else {standings.names[p.player]: p for p in standings.course.table()}
    rows = []
    for name in swiss or best_first(found):
        points, games = standings.points(name)
        place = swiss.get(name)
        rows.append(
            RatingRow(
                name,
                found.ratings[name],
                points if place is None else place.points,
                None if place is None else place.buchholz,
                games,
                points / games if games else None,
            )
        )
    groups = "; ".join(", ".join(group) for group in found.groups)
    return rows, "" if found.connected else f"These groups have not met and cannot be compared: {groups}"


def round_lines(course: SwissCourse) -> list[str]:
    """Who met whom in each round of a Swiss tournament, and with what result."""
    lines = []
    for number, one in enumerate(course.rounds, 1):
        met = [
            f"{course.names[m.first]} {m.points[0]:g}:{m.points[1]:g} {course.names[m.second]}" for m in one.meetings
        ]
        met += [] if one.bye is None else [f"{course.names[one.bye]} has a bye"]
        lines.append(f"Round {number}: {', '.join(met)}")
    return lines


def engine_lines(standings: Standings) -> list[str]:
    """Time, depth and speed of each engine, and what it did wrong."""
    lines = []
    for name, totals in standings.engines.items():
        parts = [f"{totals.moves} moves"]
        if totals.ms_a_move is not None:
            parts.append(f"{totals.ms_a_move:.1f} ms a move")
        if totals.mean_depth is not None:
            parts.append(f"depth {totals.mean_depth:.1f}")
        if totals.nodes_a_second is not None:
            parts.append(f"{totals.nodes_a_second:,.0f} nodes/s")
        if totals.restarts:
            parts.append("started again once" if totals.restarts == 1 else f"started again {totals.restarts} times")
        if totals.banned:
            parts.append(f"{totals.banned} banned answers")
        parts += [f"{count} × {fault.replace('_', ' ')}" for fault, count in sorted(totals.faults.items())]
        lines.append(f"{name}: {', '.join(parts)}")
    return lines


def endings_line(standings: Standings) -> str:
    """How games ended, most frequent first."""
    endings = ", ".join(f"{ending.replace('_', ' ')} {count}" for ending, count in standings.terminations.most_common())
    return f"Ends   {endings or 'none yet'}"


def estimate_text(estimate: Estimate | None, digits: int = 1) -> str:
    if estimate is None:
        return NOT_ENOUGH
    error = "" if estimate.error is None else f" ± {estimate.error:.{digits}f}"
    return f"{estimate.value:+.{digits}f}{error}"


def percent(value: float | None) -> str:
    return NOT_ENOUGH if value is None else f"{100 * value:.1f} %"


def ratio_text(value: float | None) -> str:
    return NOT_ENOUGH if value is None else f"{value:.2f}"


def encode_summary(config: MatchConfig, standings: Standings, status: str) -> bytes:
    """The same as `summary_lines` as JSON; what cannot be told is null."""
    data: dict[str, Any] = {
        "format": "fanqi-match-summary-1",
        "status": status,
        "game": config.game,
        "games": standings.games,
        "void": standings.void,
        "plies": standings.plies,
        "terminations": dict(standings.terminations),
        "pairings": [pairing_data(*item) for item in standings.pairings.items()],
        "engines": {
            name: {
                "label": totals.label,
                "points": standings.points(name)[0],
                "games": standings.points(name)[1],
                "moves": totals.moves,
                "time_s": round(totals.time_s, 3),
                "nodes": totals.nodes,
                "mean_depth": totals.mean_depth,
                "starts": totals.starts,
                "restarts": totals.restarts,
                "faults": dict(totals.faults),
                "banned": totals.banned,
            }
            for name, totals in standings.engines.items()
        },
    }
    if standings.course is not None:
        data["swiss"] = swiss_data(standings.course)
    if (sprt := sprt_data(config, standings)) is not None:
        data["sprt"] = sprt
    return msgspec.json.format(msgspec.json.encode(data), indent=2) + b"\n"


def swiss_data(course: SwissCourse) -> dict[str, Any]:
    """Rounds and table of a Swiss tournament."""
    names = course.names
    return {
        "rounds": [
            {
                "meetings": [{"players": [names[p] for p in m.players], "points": m.points} for m in one.meetings],
                "bye": None if one.bye is None else names[one.bye],
            }
            for one in course.rounds
        ],
        "table": [
            {"name": names[place.player], "points": place.points, "buchholz": place.buchholz, "byes": place.byes}
            for place in course.table()
        ],
    }


def sprt_data(config: MatchConfig, standings: Standings) -> dict[str, Any] | None:
    """The sequential test of a match, None where there is none."""
    state = sprt_state(config, standings)
    if state is None or config.sprt is None:
        return None
    return {
        "elo0": config.sprt.elo0,
        "elo1": config.sprt.elo1,
        "llr": state.llr,
        "lower": state.lower,
        "upper": state.upper,
        "decision": state.decision.value,
    }


def pairing_data(names: tuple[str, str], totals: PairingTotals) -> dict[str, Any]:
    """The figures of two engines, from the view of the first."""
    counts = totals.sample
    count, total, squares = totals.margins
    return {
        "players": names,
        "wins": totals.wins,
        "draws": totals.draws,
        "losses": totals.losses,
        "ptnml": totals.pairs,
        "elo": estimate_data(elo_estimate(counts)),
        "nelo": estimate_data(normalized_elo(counts)),
        "los": likelihood_of_superiority(counts),
        "draw_ratio": draw_ratio(totals.counts),
        "margin": estimate_data(mean_estimate(int(count), total, squares)),
    }


def estimate_data(estimate: Estimate | None) -> dict[str, float | None] | None:
    """A figure and its error at 95 %; both of a page and of a summary."""
    return None if estimate is None else {"value": estimate.value, "error95": estimate.error}
