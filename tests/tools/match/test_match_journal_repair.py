"""A journal with broken lines: the match says so, is repaired, and goes on with the games it lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from fanqi.cli.app import run
from fanqi.match.journal_repair import repair_match
from fanqi.match.store import read_journal

MOVERS = [word for name in "abcd" for word in ("--engine", f"{name}=builtin:random")]


@pytest.mark.parametrize(
    ("game", "form", "lost"),
    [("othello", "round-robin", 1), ("banqi", "round-robin", 1), ("othello", "swiss", 5)],
)
def test_a_match_with_broken_lines_goes_on_after_a_repair(
    game: str, form: str, lost: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "match"
    words = ["--game", game, "--form", form, "--games", "2", "--nodes", "1", "--seed", "3"]
    assert run(["match", "--plain", "--out", str(folder), *words, *MOVERS]) == 0
    journal = folder / "journal.jsonl"
    whole = {game.number: game.moves for game in read_journal(folder)}
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([lines[0], b"{broken\n", lines[0], *lines[2:]]))
    capfd.readouterr()
    assert run(["match", "--plain", "--resume", str(folder)]) == 1
    said = capfd.readouterr().err
    assert "line 2" in said
    assert said.count(str(folder)) == 2  # the journal, and what to type
    assert f"fanqi match repair {folder}" in said
    assert run(["match", "repair", str(folder)]) == 0
    said = capfd.readouterr().out
    assert "line 2 was taken out: not a game record" in said
    assert "line 3 was taken out: game 1 is there twice" in said
    assert len(list(read_journal(folder))) == len(whole) - lost
    assert (folder / "journal-rejected.jsonl").read_bytes().startswith(b"{broken\n" + lines[0])
    assert run(["match", "--plain", "--resume", str(folder)]) == 0
    assert {game.number: game.moves for game in read_journal(folder)} == whole


def test_a_good_journal_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "match"
    assert run(["match", "--plain", "--out", str(folder), "--games", "2", "--nodes", "1", *MOVERS[:4]]) == 0
    before = (folder / "journal.jsonl").read_bytes()
    assert repair_match(folder).rejected == {}
    assert (folder / "journal.jsonl").read_bytes() == before
    assert not (folder / "journal-rejected.jsonl").exists()


def test_a_game_that_is_begun_again_says_which_commitment_counts_no_more(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "match"
    words = ["--game", "banqi", "--games", "2", "--nodes", "1", *MOVERS[:4]]
    assert run(["match", "--plain", "--out", str(folder), *words]) == 0
    _, second = (folder / "commitments.txt").read_text().split("\n")[:2]
    (folder / "journal.jsonl").write_bytes((folder / "journal.jsonl").read_bytes().splitlines(keepends=True)[0])
    capfd.readouterr()
    assert run(["match", "--plain", "--resume", str(folder)]) == 0
    old = second.split()[1]
    number, commitment, word, replaced = (folder / "commitments.txt").read_text().splitlines()[2].split()
    assert (number, word, replaced) == ("2", "replaces", old)
    said = capfd.readouterr().out
    assert f"committed to {commitment}; the game is begun again, and {old} counts no more" in said
    assert next(game for game in read_journal(folder) if game.number == 2).deal.commitment == commitment
