"""The two commands from the shell: help, example, wrong use, and one match between processes of their own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fanqi.cli.main import main


def test_the_example_passes_its_own_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["ggs", "--example-config"]) == 0
    path = tmp_path / "ggs.toml"
    path.write_text(capsys.readouterr().out)
    monkeypatch.setenv("FANQI_GGS_PASSWORD", "secret")
    assert main(["ggs", "--config", str(path), "--check"]) == 0
    assert capsys.readouterr().out == f"{path}: good\n"


@pytest.mark.parametrize("command", ["ggs", "ggs-server"])
def test_help_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert f"Example: fanqi {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ggs"], "no --config"),
        (["ggs", "--config", "nowhere.toml"], "nowhere.toml"),
        (["ggs-server", "--admin", "root"], "no password for root"),
        (["ggs-server", "--admin", "administrator"], "--admin 'administrator': not a name"),
        (["ggs-server", "--tls-cert", "x"], "go together"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_two(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FANQI_GGS_ADMIN_PASSWORD", raising=False)
    assert main(arguments) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert said in lines[0]


def test_an_administrator_has_a_password_that_every_client_can_send(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FANQI_GGS_ADMIN_PASSWORD", "geheimnisträger")
    assert main(["ggs-server", "--admin", "root"]) == 2
    said = capsys.readouterr().err
    assert "printable ASCII" in said
    assert "geheim" not in said


def start(*arguments: str, log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "fanqi.cli", *arguments],
            stderr=file,
            stdout=file,
            env={**os.environ, "FANQI_GGS_PASSWORD": "secret"},
        )


def port_of(log: Path) -> int:
    """The port that a server has said it listens on."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for line in log.read_text().splitlines():
            if line.startswith("listening on"):
                return int(line.rpartition(":")[2])
        time.sleep(0.05)
    raise AssertionError(log.read_text())


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are of POSIX")
def test_two_clients_play_a_match_on_a_server_and_all_three_end_well(tmp_path: Path) -> None:
    processes = [start("ggs-server", "--port", "0", "--register", "open", log=tmp_path / "server.log")]
    try:
        port = port_of(tmp_path / "server.log")
        for name in ("bert", "anna"):
            text = f'[server]\nname = "{name}"\nhost = "127.0.0.1"\nport = {port}\n[stop]\nmatches = 1\n'
            text += f'[engine]\nmove_time_s = 0.02\nhash_mib = 1\n[records]\nfolder = "{tmp_path / name}"\n'
            if name == "anna":
                text += '[[ask]]\ntype = "8"\nclock = "1:00"\nopponent = "bert"\ngive_up_s = 1\npause_s = 0\n'
            (tmp_path / f"{name}.toml").write_text(text)
            processes.append(start("ggs", "--config", str(tmp_path / f"{name}.toml"), log=tmp_path / f"{name}.log"))
        for process, name in zip(processes[1:], ("bert", "anna"), strict=True):
            assert process.wait(300) == 0, (tmp_path / f"{name}.log").read_text()
        processes[0].send_signal(signal.SIGINT)
        assert processes[0].wait(30) == 0, (tmp_path / "server.log").read_text()
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()
    entries = [json.loads((tmp_path / name / "games.jsonl").read_text()) for name in ("anna", "bert")]
    assert entries[0]["our_result"] == -entries[1]["our_result"]
    assert entries[0]["moves"] == entries[1]["moves"]
    assert entries[0]["ended"] == "board"
