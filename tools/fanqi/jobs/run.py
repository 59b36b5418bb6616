"""From the kind of a job to the function that does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from fanqi.jobs.analyse import analyse, review_game
from fanqi.jobs.selfplay import selfplay
from fanqi.mqtt.work import Analyse, Game, Ping, PingResult, Play, Result, Selfplay, Work

if TYPE_CHECKING:
    from fanqi.jobs.context import Context

__all__ = ["run_job"]


def run_job(work: Work, context: Context, engines: dict[str, str]) -> Result:
    """Do a job. ``engines``: what a `Play` may start, by name.

    Raises:
        JobError: it cannot be done.
        Stopped: it was told to end.
    """
    match work:
        case Analyse():
            return analyse(work, context)
        case Game():
            return review_game(work, context)
        case Play():
            from fanqi.jobs.play import play  # brings the whole match runner with it

            return play(work, context, engines)
        case Selfplay():
            return selfplay(work, context)
        case Ping():
            return PingResult(text=work.text)
        case _:
            assert_never(work)
