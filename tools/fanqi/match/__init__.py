"""Matches between engines: referee, clocks, pairings, statistics, records."""

from fanqi.match.api import begin_match, check_players, resume_match, run_runner, write_report
from fanqi.match.config import MatchConfig
from fanqi.match.errors import ConfigurationError, EngineError, Fault, MatchError, StoreError
from fanqi.match.limit import Limit, TimeControl
from fanqi.match.record import GameRecord
from fanqi.match.runner import MatchRunner, Status
from fanqi.match.specification import EngineSpec, parse_engine
from fanqi.match.sprt import EloModel, Sprt

__all__ = [
    "ConfigurationError",
    "EloModel",
    "EngineError",
    "EngineSpec",
    "Fault",
    "GameRecord",
    "Limit",
    "MatchConfig",
    "MatchError",
    "MatchRunner",
    "Sprt",
    "Status",
    "StoreError",
    "TimeControl",
    "begin_match",
    "check_players",
    "parse_engine",
    "resume_match",
    "run_runner",
    "write_report",
]
