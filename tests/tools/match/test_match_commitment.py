"""A deal is committed to where everybody can see it, before anybody moves."""

from __future__ import annotations

import json
import subprocess
import sys


def test_each_deal_is_committed_to_before_its_game_and_opened_as_told(tmp_path):
    folder = tmp_path / "match"
    engines = ["--engine", "a=builtin:random", "--engine", "b=builtin:greedy"]
    words = [
        "--plain",
        "--game",
        "banqi",
        "--games",
        "2",
        "--nodes",
        "1",
        "--seed",
        "5",
        "--out",
        str(folder),
        *engines,
    ]
    command = [sys.executable, "-m", "fanqi.cli", "match", *words]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.splitlines()
    told = dict(line.split() for line in (folder / "commitments.txt").read_text().splitlines())
    records = [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]
    assert told == {str(record["number"]): record["deal"]["commitment"] for record in records}
    for record in records:
        number, commitment = record["number"], record["deal"]["commitment"]
        announced = said.index(f"game {number}: the deal is committed to {commitment}")
        finished = next(at for at, line in enumerate(said) if f" game {number}: " in line and "plies" in line)
        assert announced < finished
