"""Whether a result can be that of its job, for every kind: what a dispatcher asks before it believes a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.jobs.search_check import WrongResultError, check_analysis, check_review
from fanqi.mqtt.work import (
    Analyse,
    AnalyseResult,
    Game,
    GameResult,
    Ping,
    PingResult,
    Play,
    PlayResult,
    Selfplay,
    SelfplayResult,
)

if TYPE_CHECKING:
    from fanqi.mqtt.work import Result, Work

__all__ = ["objection_to_result"]


def objection_to_result(work: Work, result: Result) -> str | None:
    """Why a result cannot be that of a job, as one clause; None when it can.

    What can be worked out without a search is: legal moves, lines, scores in range, depths, games and their results.
    A move that is legal and not the best is not found; see `fanqi.dispatch.verification` for that.
    """
    try:
        match work, result:
            case Analyse(), AnalyseResult():
                check_analysis(work, result)
            case Game(), GameResult():
                check_review(work, result)
            case Selfplay(), SelfplayResult():
                from fanqi.jobs.selfplay_check import check_selfplay  # brings the training tool with it

                check_selfplay(work, result)
            case Play(), PlayResult():
                from fanqi.match.pair_check import objection_to_pair  # brings the match runner with it

                return objection_to_pair(work, result)
            case Ping(), PingResult():
                if work.text != result.text:
                    return "another text than was sent"
            case _:
                return "a result of another kind"
    except WrongResultError as error:
        return str(error)
    return None
