"""The error model of ProbCut: how far a shallow search is from a deep one, as fitted by ``fanqi train probcut``.

ProbCut (Buro 1995) replaces a deep search by a shallow one whose score is so far outside the window that the deep score
is likely outside too. How likely depends on the spread of deep less shallow scores, which this model gives for every
depth and number of empty squares; it belongs to one set of weights, is data (``data/probcut.json``), and looks so::

    ln sigma = c0 + c1 d + c2 s + c3 e + c4 e**2        d, s: deep and shallow depth in plies; e: empty squares
    mean     = m0 + m1 d + m2 s + m3 e                  both in hundredths of a disc, deep less shallow

with one set of coefficients for searches that end in evaluations (``midgame``) and one for searches to the end of the
game (``exact``: d = e, so c3, c4 and m3 are 0), whose scores are exact. `fanqi.othello.certainty` chooses the shallow
depths and makes of this the table that kernels read.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from fanqi.game.errors import DataError

__all__ = [
    "ErrorModel",
    "Fit",
    "ModelError",
    "format_model",
    "load_model",
    "parse_model",
]

FORMAT = 2  # 1 had a list of shallow depths beside each fit, which the search never read


class ModelError(DataError):
    """A file that holds no error model; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Fit:
    """One kind of search: how far any shallow depth of it is off.

    Attributes:
        ln_sigma: c0 to c4.
        mean: m0 to m3.
        depth: shallowest and deepest search measured.
        empties: fewest and most empty squares measured.
    """

    ln_sigma: tuple[float, ...]
    mean: tuple[float, ...]
    depth: tuple[int, int]
    empties: tuple[int, int]

    def sigma(self, depth: int, shallow: int, empties: int) -> float:
        """The spread in hundredths of a disc; numbers of empty squares beyond the measured count as the nearest."""
        e = min(max(empties, self.empties[0]), self.empties[1])
        terms = (1.0, depth, shallow, e, e * e)
        return math.exp(sum(c * term for c, term in zip(self.ln_sigma, terms, strict=True)))

    def bias(self, depth: int, shallow: int, empties: int) -> float:
        """The mean in hundredths of a disc, held at what it was at the deepest search and the last empties measured."""
        e = min(max(empties, self.empties[0]), self.empties[1])
        d = min(depth, self.depth[1])
        terms = (1.0, d, min(shallow, d), e)
        return sum(c * term for c, term in zip(self.mean, terms, strict=True))


@dataclass(frozen=True, slots=True)
class ErrorModel:
    """See the module.

    Attributes:
        midgame, exact: the two kinds of search.
        provenance: the weights it belongs to, and what was measured.
    """

    midgame: Fit
    exact: Fit
    provenance: dict[str, Any]


def format_model(model: ErrorModel) -> str:
    """The text of a model file; `parse_model` reads it back."""
    content = {
        "format": FORMAT,
        "midgame": asdict(model.midgame),
        "exact": asdict(model.exact),
        "provenance": model.provenance,
    }
    lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in content.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def parse_fit(content: Any) -> Fit:
    ln_sigma, mean = tuple(map(float, content["ln_sigma"])), tuple(map(float, content["mean"]))
    if len(ln_sigma) != 5 or len(mean) != 4 or not all(map(math.isfinite, ln_sigma + mean)):
        raise ModelError(f"coefficients {ln_sigma} and {mean}: expected five and four finite numbers")
    depth, empties = tuple(map(int, content["depth"])), tuple(map(int, content["empties"]))
    return Fit(ln_sigma, mean, (depth[0], depth[1]), (empties[0], empties[1]))


def parse_model(text: str) -> ErrorModel:
    """Read a model file.

    Raises:
        ModelError: it is damaged or of another format.
    """
    try:
        content = json.loads(text)
        if content["format"] != FORMAT:
            raise ModelError(f"format {content['format']}; this version reads {FORMAT}")
        return ErrorModel(parse_fit(content["midgame"]), parse_fit(content["exact"]), dict(content["provenance"]))
    except (KeyError, TypeError, IndexError, OverflowError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"damaged: {error!r}") from error


def load_model(path: Path | None = None) -> ErrorModel:
    """The model at ``path``; if None, at ``FANQI_PROBCUT``; if that is not set either, the one of the package.

    Raises:
        ModelError: the file is missing or cannot be used.
    """
    chosen = path or (Path(os.environ["FANQI_PROBCUT"]) if os.environ.get("FANQI_PROBCUT") else None)
    source = chosen or resources.files("fanqi.othello").joinpath("data", "probcut.json")
    try:
        return parse_model(source.read_text(encoding="utf-8"))
    except (OSError, ModelError, UnicodeDecodeError) as error:
        raise ModelError(f"ProbCut parameters {source}: {getattr(error, 'strerror', None) or error}") from error
