"""A journal with lines that are no games of its match: what is good is kept, and the rest is put aside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.files import require_regular
from fanqi.match.errors import StoreError
from fanqi.match.ledger import Ledger
from fanqi.match.record import decode_record
from fanqi.match.store import JOURNAL, beside_of, failure, open_locked, read_config

if TYPE_CHECKING:
    from pathlib import Path

    from fanqi.match.config import MatchConfig

__all__ = ["REJECTED", "Repair", "repair_match"]

REJECTED = "journal-rejected.jsonl"
"""Where the lines go that are taken out; they are appended."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair did.

    Attributes:
        kept: how many games are left in the journal.
        rejected: the number of each line that was taken out, from 1, and why.
    """

    kept: int
    rejected: dict[int, str]


def repair_match(directory: Path) -> Repair:
    """Take out of a journal what is no game of the match, and what is there twice; the match can go on then.

    In a Swiss tournament the rounds after one that lost a game go as well, since they follow from its results.

    Raises:
        StoreError: there is no match, it is being played, or a file cannot be read or written.
    """
    config = read_config(directory)
    journal = directory / JOURNAL
    try:
        require_regular(journal, directory / REJECTED)
        with open_locked(journal):
            kept, rejected = sort_lines(journal, config)
            if rejected:
                write_sorted(journal, rejected)
    except OSError as error:
        raise failure(journal, error) from None
    return Repair(kept, rejected)


def sort_lines(journal: Path, config: MatchConfig) -> tuple[int, dict[int, str]]:
    """How many lines are good, and why each of the others is not."""
    ledger = Ledger(config)
    rejected: dict[int, str] = {}
    pairs: dict[int, int] = {}
    with journal.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                if not line.endswith(b"\n"):
                    raise StoreError("it was cut off")
                record = decode_record(line)
                ledger.record(record)
            except StoreError as error:
                rejected[number] = str(error)
            else:
                pairs[number] = record.pair
    if rejected and config.course() is not None:
        rejected |= later_rounds(config, pairs)
    return len(pairs.keys() - rejected.keys()), dict(sorted(rejected.items()))


def later_rounds(config: MatchConfig, pairs: dict[int, int]) -> dict[int, str]:
    """The lines of games in rounds of a Swiss tournament after the first that is not complete."""
    assert config.games is not None
    size = config.tables * ((config.games + 1) // 2)
    played: dict[int, int] = {}
    for pair in pairs.values():
        played[(pair - 1) // size] = played.get((pair - 1) // size, 0) + 1
    first = next(number for number in range(len(pairs) + 1) if played.get(number) != config.tables * config.games)
    why = f"its round follows from round {first + 1}, which lost a game"
    return {number: why for number, pair in pairs.items() if (pair - 1) // size > first}


def write_sorted(journal: Path, rejected: dict[int, str]) -> None:
    """Put the rejected lines aside, then replace the journal in one step."""
    with (
        journal.open("rb") as lines,
        journal.with_name(REJECTED).open("ab") as aside,
        beside_of(journal).open("wb") as good,
    ):
        for number, line in enumerate(lines, 1):
            (aside if number in rejected else good).write(line)
    beside_of(journal).replace(journal)
