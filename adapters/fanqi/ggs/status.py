"""What a client has done so far: for the status line, the metrics and the summary at the end."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fanqi.ggs_wire import format_duration
from fanqi.metrics import Family, counter, gauge
from fanqi.uci.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Status"]

LONGEST_LINE = 1000


@dataclass(slots=True)
class Status:
    """Counts since the start.

    Attributes:
        connected: logged in at the moment.
        state: a few words on what the connection does.
        connections: successful logins.
        cuts: connections that were lost.
        matches: finished, by ``win``, ``draw``, ``loss``, ``aborted``, ``adjourned``, ``lost``.
        boards: games in progress, as text for people; ``playing`` matches.
        faults: failures of the engine, or of ours.
        recovered: matches recorded from the archive.
        rating: ours after the last rated match.
        moves: sent; ``thinking_s`` took them altogether.
        refused: moves that the service did not take.
        flags: times our flag fell.
        unknown: blocks that were not understood.
        declined, accepted: requests.
    """

    clock: Callable[[], float] = time.monotonic
    started: float = 0.0
    connected: bool = False
    state: str = "starting"
    connections: int = 0
    cuts: int = 0
    matches: Counter[str] = field(default_factory=Counter)
    boards: tuple[str, ...] = ()
    playing: int = 0
    moves: int = 0
    thinking_s: float = 0.0
    refused: int = 0
    flags: int = 0
    faults: int = 0
    unknown: int = 0
    accepted: int = 0
    declined: int = 0
    recovered: int = 0
    rating: float | None = None

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def finished(self) -> int:
        """Matches that were played to an end."""
        return self.matches["win"] + self.matches["draw"] + self.matches["loss"]

    def line(self) -> str:
        """One line for people, fit for a terminal: what the server said is among it."""
        up = format_duration(int(self.clock() - self.started))
        score = f"+{self.matches['win']} ={self.matches['draw']} -{self.matches['loss']}"
        parts = [self.state, up, f"{self.finished} matches {score}"]
        if self.cuts:
            parts.append(f"{self.cuts} cuts")
        if self.rating is not None:
            parts.append(f"rating {self.rating:.0f}")
        return shown("  ".join((*parts, *self.boards)), LONGEST_LINE)

    def families(self) -> Iterator[Family]:
        """The same for Prometheus."""
        yield gauge("fanqi_ggs_connected", "1 while logged in.", float(self.connected))
        yield counter("fanqi_ggs_logins_total", "Successful logins.", self.connections)
        yield counter("fanqi_ggs_cuts_total", "Connections that were lost.", self.cuts)
        ends = ("win", "draw", "loss", "aborted", "adjourned", "lost")
        values = {end: float(self.matches[end]) for end in ends}
        yield counter("fanqi_ggs_matches_total", "Matches by how they ended for us.", values, "result")
        yield gauge("fanqi_ggs_playing", "Matches in progress.", self.playing)
        yield counter("fanqi_ggs_moves_total", "Moves sent.", self.moves)
        yield counter("fanqi_ggs_thinking_seconds_total", "Time used for them.", self.thinking_s)
        yield counter("fanqi_ggs_refused_moves_total", "Moves that the service did not take.", self.refused)
        yield counter("fanqi_ggs_flags_total", "Times our flag fell.", self.flags)
        yield counter("fanqi_ggs_faults_total", "Failures of the engine.", self.faults)
        yield counter("fanqi_ggs_unknown_blocks_total", "Blocks that were not understood.", self.unknown)
        answers = {"accepted": float(self.accepted), "declined": float(self.declined)}
        yield counter("fanqi_ggs_requests_total", "Requests to us by our answer.", answers, "answer")
        yield counter("fanqi_ggs_recovered_total", "Matches recorded from the archive.", self.recovered)
        if self.rating is not None:
            yield gauge("fanqi_ggs_rating", "Our rating after the last rated match.", self.rating)
