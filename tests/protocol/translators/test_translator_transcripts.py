"""Conversations in every dialect, line by line: ``>`` is the host, ``<`` the engine, ``#`` a remark.

``{lowest}`` and ``{highest}`` stand for the ends of the scale of ratings.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fanqi.strength import load_calibration

TRANSCRIPTS = sorted((Path(__file__).parents[2] / "data" / "dialects").glob("*.txt"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_every_line_of_the_transcript_is_answered_as_written(path, host):
    dialect = path.stem.partition("_")[0]
    sgf = Path(__file__).parents[2] / "data" / "dialects" / "game.sgf"
    talk = host(dialect, {"game.sgf": sgf.read_bytes(), "broken.sgf": b"(;GM[2];B[a1])"})
    said = ""
    lowest, highest = load_calibration("othello").range
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith(">"):
            said = line[1:].strip()
            talk.say(said)
        elif line.startswith("<"):
            expected = line[1:].removeprefix(" ").replace("{lowest}", str(lowest)).replace("{highest}", str(highest))
            assert talk.hear().rstrip() == expected, f"line {number}"
        else:
            assert not line or line.startswith("#"), f"line {number}"
    if said.endswith("quit"):
        assert talk.rest() == []
    else:
        assert talk.silent()
