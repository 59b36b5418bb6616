"""A fair dealer for banqi: deals from a seed, commits to it, answers flips, opens everything at the end."""

from fanqi.arbiter.arbiter import Arbiter
from fanqi.arbiter.check import Check, Verdict
from fanqi.arbiter.commitment import Opening, commitment
from fanqi.arbiter.deal import FULL_SET, Deal, deal, mirror_layout, new_seed, parse_seed
from fanqi.arbiter.desk import Desk, format_opening
from fanqi.arbiter.errors import (
    ArbiterError,
    CommandError,
    DealError,
    DrawError,
    FlipError,
    NoDealError,
    RecordError,
    SeedError,
    TooEarlyError,
)
from fanqi.arbiter.replay import PlayedGame
from fanqi.arbiter.verify import DealRecord, deal_record, transcript_record, verify

__all__ = [
    "FULL_SET",
    "Arbiter",
    "ArbiterError",
    "Check",
    "CommandError",
    "Deal",
    "DealError",
    "DealRecord",
    "Desk",
    "DrawError",
    "FlipError",
    "NoDealError",
    "Opening",
    "PlayedGame",
    "RecordError",
    "SeedError",
    "TooEarlyError",
    "Verdict",
    "commitment",
    "deal",
    "deal_record",
    "format_opening",
    "mirror_layout",
    "new_seed",
    "parse_seed",
    "transcript_record",
    "verify",
]
