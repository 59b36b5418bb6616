"""Programs of other people, where they are installed: Fairy-Stockfish, a host made for it, and XBoard.

``FANQI_THIRD_PARTY`` names a folder with ``node_modules/fairy-stockfish-nnue.wasm`` (npm) and, for the host,
``variantfishtest`` (https://github.com/ianfab/variantfishtest). What is not there is skipped; once continuous
integration names the folder, Fairy-Stockfish has to be in it. XBoard and Xvfb are Debian packages.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fanqi.dialects.flipello import format_flipello_moves
from fanqi.othello import Position
from fanqi.records import parse_transcript

try:
    import pyffish
except ImportError:
    pyffish = None

FOLDER = os.environ.get("FANQI_THIRD_PARTY")
FAIRY = Path(FOLDER or "/nonexistent") / "node_modules" / "fairy-stockfish-nnue.wasm" / "uci.js"
HOST = Path(FOLDER or "/nonexistent") / "variantfishtest" / "variantfishtest.py"
XBOARD = shutil.which("xboard") or shutil.which("xboard", path="/usr/games")
FANQI = [sys.executable, "-m", "fanqi.cli"]

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("third-parties"), pytest.mark.timeout(600)]

needs_fairy = pytest.mark.skipif(
    not (FAIRY.exists() and shutil.which("node")) and not (os.environ.get("CI") == "true" and FOLDER),
    reason="Fairy-Stockfish (npm) and node are not installed",
)
needs_host = pytest.mark.skipif(not HOST.exists(), reason="variantfishtest is not installed")
needs_xboard = pytest.mark.skipif(not (XBOARD and shutil.which("Xvfb")), reason="XBoard and Xvfb are not installed")
needs_pyffish = pytest.mark.skipif(pyffish is None, reason="pyffish is not installed")


def fairy_command() -> str:
    return shlex.join(["node", "--no-experimental-fetch", str(FAIRY)])


def check_with_pyffish(moves):
    """Every move of a line in Fairy-Stockfish's notation is legal to Fairy-Stockfish, and the game is over."""
    start = pyffish.start_fen("flipello")
    for ply, move in enumerate(moves):
        assert move in pyffish.legal_moves("flipello", start, moves[:ply]), (ply, move)
    passes: list[str] = []  # where nobody can move and squares are empty, Fairy-Stockfish has both sides pass
    while left := pyffish.legal_moves("flipello", start, [*moves, *passes]):
        assert not [move for move in left if move.startswith("P@")], left
        assert len(passes) < 2
        passes.append(left[0])


@needs_fairy
@needs_pyffish
@pytest.mark.parametrize("dialect", ["flipello", "xboard"])
def test_fairy_stockfish_plays_in_our_match_runner_and_agrees_with_every_position(dialect, tmp_path):
    command = [
        *FANQI, "match", "--game", "othello", "--games", "2", "--tc", "4+0.05", "--timemargin", "3000", "--seed", "1",
        "--out", str(tmp_path / "match"), "--openings", "start",
        "--engine", f"fish={dialect}:{fairy_command()}",
        "--engine", f"ours=flipello:{shlex.join(FANQI)} engine --dialect flipello",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    games = [json.loads(line) for line in (tmp_path / "match" / "games.jsonl").read_text("utf-8").splitlines()]
    assert [game["termination"] for game in games] == ["discs", "discs"]
    for game in games:
        check_with_pyffish(format_flipello_moves(Position(), game["moves"]))


@needs_fairy
@needs_host
@needs_pyffish
def test_a_host_made_for_fairy_stockfish_plays_us_against_it(tmp_path):
    scripts = []
    for name, command in (("fish", fairy_command()), ("ours", f"{shlex.join(FANQI)} engine")):
        script = tmp_path / name
        script.write_text(f"#!/bin/sh\nexec {command}\n", encoding="utf-8")
        script.chmod(0o755)
        scripts.append(str(script))
    done = subprocess.run(
        [sys.executable, str(HOST), *scripts, "-v", "flipello", "-t", "3000", "-i", "50", "-n", "2",
         "--verbosity", "2"],
        cwd=HOST.parent, capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Total: 2" in done.stdout
    games = re.findall(r"^startpos\n(.*)$", done.stdout, re.MULTILINE)
    assert len(games) == 2
    for game in games:
        moves = [move for move in game.split() if move != "(none)"]
        start = pyffish.start_fen("flipello")
        assert all(move in pyffish.legal_moves("flipello", start, moves[:ply]) for ply, move in enumerate(moves))


@needs_xboard
def test_xboard_plays_a_whole_game_between_two_of_us(tmp_path):
    display = f":{90 + os.getpid() % 100}"
    server = subprocess.Popen(["Xvfb", display, "-screen", "0", "1000x800x24"], stderr=subprocess.DEVNULL)
    engine = shlex.join([*FANQI, "engine", "--dialect", "xboard"])
    saved = tmp_path / "game.pgn"
    caches = {name: value for name, value in os.environ.items() if name in ("FANQI_CACHE_DIR", "NUMBA_CACHE_DIR")}
    if not caches:
        from fanqi.kernels import cache_root

        caches = {"FANQI_CACHE_DIR": str(cache_root())}
    try:
        time.sleep(2)
        command = [XBOARD, "-fcp", engine, "-scp", engine, "-fd", str(tmp_path), "-sd", str(tmp_path)]
        command += ["-variant", "flipello", "-testLegality", "false", "-tc", "0:10", "-inc", "0"]
        command += ["-mode", "TwoMachines", "-matchGames", "1", "-sgf", str(saved)]
        board = subprocess.Popen(
            command,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "DISPLAY": display, **caches},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            end = time.monotonic() + 300
            while not (saved.exists() and re.search(r"(1-0|0-1|1/2-1/2)\s*$", saved.read_text("utf-8"))):
                assert time.monotonic() < end, "the game does not end"
                time.sleep(1)
        finally:
            board.terminate()
            board.wait(20)
    finally:
        server.terminate()
        server.wait(20)
    text = re.sub(r"\{[^}]*\}", "", saved.read_text("utf-8").split("]\n")[-1])
    found = re.findall(r"P@([a-h])([1-8])|(--)", text)
    moves = "".join("pass" if passed else f"{file}{9 - int(rank)}" for file, rank, passed in found)
    record = parse_transcript(moves)
    assert record.result is not None, "both sides can still move"
    said = re.search(r"\{(White|Black) wins (\d+)-(\d+)\}", saved.read_text("utf-8"))
    assert said is None or (said[1] == "White") == (record.result.margin > 0)
