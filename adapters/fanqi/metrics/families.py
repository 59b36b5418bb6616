"""Metrics as values, and their text form for Prometheus (exposition format 0.0.4). Pure, no registry, no globals.

Whoever has something to show keeps its own counts and turns them into families when asked.
"""

from __future__ import annotations

import bisect
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["LATENCY_BUCKETS", "Family", "Histogram", "counter", "gauge", "render"]

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
LATENCY_BUCKETS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)

Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Family:
    """One metric: its name, what it says, and its samples as (suffix of the name, labels, value).

    Raises:
        ValueError: a name or a label that Prometheus would not take.
    """

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    meaning: str
    samples: tuple[tuple[str, Labels, float], ...] = ()

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ValueError(f"metric name {self.name!r}")
        for _, labels, _ in self.samples:
            for label in labels:
                if not LABEL.fullmatch(label):
                    raise ValueError(f"label {label!r} of metric {self.name}")


def counter(name: str, meaning: str, values: float | Mapping[str, float], label: str = "") -> Family:
    """Something that only grows; one value, or one for each value of a label."""
    return Family(name, "counter", meaning, samples_of(values, label))


def gauge(name: str, meaning: str, values: float | Mapping[str, float], label: str = "") -> Family:
    """Something that goes up and down; one value, or one for each value of a label."""
    return Family(name, "gauge", meaning, samples_of(values, label))


def samples_of(values: float | Mapping[str, float], label: str) -> tuple[tuple[str, Labels, float], ...]:
    if isinstance(values, Mapping):
        return tuple(("", {label: key}, value) for key, value in values.items())
    return (("", {}, values),)


@dataclass(slots=True)
class Histogram:
    """Counts observations in buckets by their upper bounds."""

    bounds: tuple[float, ...] = LATENCY_BUCKETS
    counts: list[int] = field(default_factory=list)
    total: float = 0.0

    def __post_init__(self) -> None:
        self.counts = [0] * (len(self.bounds) + 1)

    def observe(self, value: float) -> None:
        """Count one value."""
        self.counts[bisect.bisect_left(self.bounds, value)] += 1
        self.total += value

    def family(self, name: str, meaning: str) -> Family:
        """The histogram as a metric."""
        samples: list[tuple[str, Labels, float]] = []
        running = 0
        for bound, count in zip((*self.bounds, math.inf), self.counts, strict=True):
            running += count
            samples.append(("_bucket", {"le": number_text(bound)}, running))
        samples += [("_sum", {}, self.total), ("_count", {}, running)]
        return Family(name, "histogram", meaning, tuple(samples))


def render(families: Iterable[Family]) -> str:
    """The text that Prometheus reads."""
    lines: list[str] = []
    for family in families:
        lines.append(f"# HELP {family.name} {escape(family.meaning)}")
        lines.append(f"# TYPE {family.name} {family.kind}")
        for suffix, labels, value in family.samples:
            inner = ",".join(f'{name}="{escape(text, quote=True)}"' for name, text in labels.items())
            lines.append(f"{family.name}{suffix}{'{' + inner + '}' if inner else ''} {number_text(value)}")
    return "".join(line + "\n" for line in lines)


def escape(text: str, *, quote: bool = False) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quote else text


def number_text(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(float(value))
