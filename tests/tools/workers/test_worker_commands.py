"""The commands as people use them: processes, signals, files, exit codes; and a small soak of a whole fleet."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
import urllib.request

import pytest
import soak
from mosquitto import Mosquitto, free_port, mosquitto_binary
from waiting import until

FANQI = [sys.executable, "-m", "fanqi.cli"]


def fanqi(*arguments, timeout=300, **rest):
    return subprocess.run([*FANQI, *arguments], capture_output=True, text=True, timeout=timeout, **rest)


@pytest.fixture
def broker(tmp_path):
    broker = Mosquitto(tmp_path)
    yield broker
    broker.kill()


@contextlib.contextmanager
def background(*arguments, log):
    with log.open("ab") as stream:
        process = subprocess.Popen([*FANQI, *arguments], stdout=stream, stderr=stream)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def workers(broker):
    listed = fanqi("worker", "list", "--broker", broker.address, "--json")
    return json.loads(listed.stdout) if listed.returncode == 0 else {}


def test_positions_are_worked_out_without_any_broker(tmp_path):
    (tmp_path / "in.txt").write_text("startpos moves f5\nno position\nbanqi\n")
    done = fanqi("submit", "in.txt", "startpos", "--depth", "2", "--local", "2", "--out", "out.jsonl", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "4 jobs: 3 done, 1 failed" in done.stderr
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["from"] for row in rows] == ["in.txt:1", "in.txt:2", "in.txt:3", "argument:2"]
    assert "not a move" in rows[1]["error"]
    assert rows[2]["work"]["position"]["game"] == "banqi"
    again = fanqi("submit", "in.txt", "startpos", "--depth", "2", "--local", "2", "--out", "out.jsonl", cwd=tmp_path)
    assert "4 jobs: 3 done, 1 failed; 0 of them now" in again.stderr
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 4


def test_results_go_to_stdout_and_nothing_else_does(tmp_path):
    done = fanqi("submit", "startpos", "--depth", "1", "--local", "1", "--out", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["move"]
    assert list(tmp_path.iterdir()) == []


def test_self_play_leaves_its_games_beside_the_results(tmp_path):
    options = ("--game", "banqi", "--depth", "1", "--games", "2", "--games-per-job", "1", "--local", "1", "--seed", "5")
    done = fanqi("submit", "--kind", "selfplay", *options, "--out", "play.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    files = sorted((tmp_path / "play.jsonl.games").iterdir())
    assert [file.name for file in files] == ["play-5.jsonl", "play-6.jsonl"]
    assert json.loads(files[0].read_text())["game"] == "banqi"


def test_a_submission_that_is_killed_goes_on_where_it_was(tmp_path):
    (tmp_path / "in.txt").write_text("".join(f"text {number}\n" for number in range(3000)))
    command = ["submit", "in.txt", "--kind", "ping", "--local", "1", "--out", "out.jsonl"]
    for _ in range(3):
        process = subprocess.Popen([*FANQI, *command], cwd=tmp_path, stderr=subprocess.DEVNULL)
        until(grown(process, tmp_path / "out.jsonl"), 60.0)
        process.kill()
        process.wait()
    done = fanqi(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["result"]["text"] for row in rows] == [f"text {number}" for number in range(3000)]


def grown(process, path):
    """Whether a file is larger than now, or the process has ended."""

    def size():
        return path.stat().st_size if path.exists() else 0

    before = size()
    return lambda: process.poll() is not None or size() > before


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["startpos", "--depth", "1", "--local", "1"], "no --out"),
        (["startpos", "--depth", "1", "--out", "o"], "either --broker or --local"),
        (["startpos", "--local", "1", "--out", "o"], "no limit"),
        (["startpos", "--depth", "1", "--broker", "host", "--out", "o"], "begins with mqtt://"),
        (["startpos", "--depth", "1", "--broker", "mqtt://a:b@host", "--out", "o"], "a password does not belong there"),
        (["nowhere", "--depth", "1", "--local", "1", "--out", "o"], "'nowhere' is neither a file nor a position"),
        (["x", "--kind", "dance", "--local", "1", "--out", "o"], "--kind 'dance'"),
        (["--kind", "selfplay", "--local", "1", "--out", "o"], "self-play needs --game and --depth"),
        (["--depth", "1", "--local", "1", "--out", "o"], "nothing to work on"),
        (["startpos", "--depth", "1", "--local", "1", "--out", "no/such/o"], "no/such/o"),
    ],
)
def test_wrong_usage_is_one_line_that_names_it(tmp_path, arguments, reason):
    done = fanqi("submit", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("fanqi submit: error: ")
    assert len(done.stderr.splitlines()) == 1
    assert reason in done.stderr


def test_a_results_file_that_is_not_ours_is_left_alone(tmp_path):
    (tmp_path / "out.jsonl").write_text("precious\n")
    done = fanqi("submit", "startpos", "--depth", "1", "--local", "1", "--out", "out.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert "is there already" in done.stderr
    assert (tmp_path / "out.jsonl").read_text() == "precious\n"


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        ([], 2, "no broker"),
        (["--broker", "mqtt://h", "--config", "none.toml"], 2, "none.toml: "),
        (["--broker", "mqtt://h", "--hours", "sometimes"], 2, "working hours 'sometimes'"),
        (["list"], 2, "no broker"),
        (["list", "--broker", "mqtt://127.0.0.1:1"], 1, ""),
    ],
)
def test_a_worker_that_cannot_begin_says_why(tmp_path, arguments, code, reason):
    done = fanqi("worker", *arguments, cwd=tmp_path)
    assert done.returncode == code
    assert reason in done.stderr
    assert "Traceback" not in done.stderr


def test_the_first_interrupt_finishes_the_job_in_hand_and_the_second_hands_it_back(tmp_path, broker):
    worker = ("worker", "--broker", broker.address, "--threads", "1", "--name")
    (tmp_path / "in.txt").write_text("startpos\nstartpos moves f5\n")
    submit = ("submit", str(tmp_path / "in.txt"), "--movetime", "4000", "--broker", broker.address)
    with (
        background(*worker, "first", log=tmp_path / "w.log") as first,
        background(*submit, "--out", str(tmp_path / "out.jsonl"), log=tmp_path / "d.log") as dispatcher,
    ):
        until(lambda: workers(broker).get("first", {}).get("running"), 60.0)
        first.send_signal(signal.SIGINT)
        assert first.wait(30) == 0
        assert '"finished": 1' in (tmp_path / "w.log").read_text()
        with background(*worker, "second", log=tmp_path / "v.log") as second:
            until(lambda: workers(broker).get("second", {}).get("running"), 60.0)
            second.send_signal(signal.SIGINT)
            time.sleep(0.3)
            second.send_signal(signal.SIGINT)
            assert second.wait(3) == 0
            assert '"finished": 0' in (tmp_path / "v.log").read_text()
        with background(*worker, "third", "--max-jobs", "1", log=tmp_path / "x.log") as third:
            assert dispatcher.wait(60) == 0
            assert third.wait(30) == 0
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["worker"] for row in rows] == ["first", "third"]
    assert workers(broker) == {}


def test_figures_are_served_while_it_works(tmp_path, broker):
    port = free_port()
    with background(
        "worker", "--broker", broker.address, "--metrics-port", str(port), "--threads", "1", log=tmp_path / "w.log"
    ):

        def health():
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz") as answer:
                return answer.read() == b"ok\n"
            return False

        until(health, 60.0)
        broker.kill()
        until(lambda: not health(), 60.0)
        broker.start()
        until(health, 60.0)


def test_the_small_broker_serves_a_worker(tmp_path):
    port = free_port()
    address = f"mqtt://127.0.0.1:{port}"
    with (
        background("broker", "--port", str(port), log=tmp_path / "b.log") as broker,
        background("worker", "--broker", address, "--threads", "1", log=tmp_path / "w.log"),
    ):
        out = str(tmp_path / "out.jsonl")
        done = fanqi("submit", "startpos", "--depth", "3", "--broker", address, "--out", out)
        assert done.returncode == 0, done.stderr
        broker.send_signal(signal.SIGTERM)
        assert broker.wait(20) == 0


@pytest.mark.slow
def test_a_fleet_in_chaos_gives_every_job_exactly_one_right_result(tmp_path):
    mosquitto_binary()
    done = soak.run_soak(soak.SMALL, tmp_path)
    assert done == {"worker": 4, "dispatcher": 1, "broker": 1, "stop": 1}
