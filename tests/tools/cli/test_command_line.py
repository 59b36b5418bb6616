"""The `fanqi` command as a shell sees it: words in, text and an exit code out."""

from __future__ import annotations

import builtins
import re
import signal
import subprocess
import sys

import pytest

from fanqi.about import VERSION
from fanqi.cli import perft
from fanqi.cli.app import SUBCOMMANDS, run
from fanqi.cli.main import main
from fanqi.search import memory


def fanqi(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fanqi.cli", *words]
    return subprocess.run(command, input=given, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(
    ("variable", "what"), [("FANQI_WEIGHTS", "Othello weights"), ("FANQI_PROBCUT", "ProbCut parameters")]
)
def test_a_data_file_that_cannot_be_used_is_one_line_from_any_command(monkeypatch, tmp_path, variable, what):
    missing = tmp_path / "missing.bin"
    monkeypatch.setenv(variable, str(missing))
    done = fanqi("bench", "midgame", "--depth", "1")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"fanqi: error: {what} {missing}: No such file or directory"
    assert "Traceback" not in done.stderr


def test_version_is_one_line():
    done = fanqi("--version")
    assert (done.returncode, done.stdout) == (0, f"fanqi {VERSION}\n")


def test_help_lists_every_subcommand():
    done = fanqi("--help")
    assert done.returncode == 0
    assert [name for name in SUBCOMMANDS if not re.search(rf"^  {name} ", done.stdout, re.MULTILINE)] == []


@pytest.mark.parametrize("name", sorted(SUBCOMMANDS))
def test_help_of_each_subcommand_has_an_example(name):
    done = fanqi(name, "--help")
    assert done.returncode == 0
    assert f"fanqi {name}" in done.stdout.partition("xample")[2]


@pytest.mark.parametrize(
    "words",
    [("nonsense",), ("perft",), ("perft", "chess", "2"), ("perft", "othello", "-1"), ("warmup", "--game", "go"),
     ("perft", "othello", "1", "--position", "XO"), ("perft", "banqi", "1", "--rules", "chase=maybe"),
     ("perft", "banqi", "201")],
)  # fmt: skip
def test_wrong_usage_is_exit_code_two_and_a_message_without_a_traceback(words):
    done = fanqi(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("game", "depth", "nodes"), [("othello", 6, 8200), ("othello", 0, 1), ("banqi", 2, 992)])
def test_perft_ends_with_the_count(game, depth, nodes):
    done = fanqi("perft", game, str(depth))
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"nodes {nodes}")


def test_perft_divided_adds_up():
    done = fanqi("perft", "othello", "5", "--divide")
    *parts, total = done.stdout.splitlines()
    assert [line.split(":")[0] for line in parts] == ["c4", "d3", "e6", "f5"]
    assert total == f"nodes {sum(int(line.split()[-1]) for line in parts)}" == "nodes 1396"


TELLING = """
import sys
from fanqi.cli import perft
from fanqi.cli.main import main


class Telling:
    def __init__(self, game):
        self.game = game

    def perft_divide(self, *given):
        print("counting", flush=True)
        return self.game.perft_divide(*given)


def load_game(name):
    print("loading", flush=True)
    return Telling(load(name))


load, perft.load_game = perft.load_game, load_game
sys.exit(main(sys.argv[1:]))
"""
"""The `fanqi` command, which tells how far a perft has got: how long that takes depends on the machine."""


@pytest.mark.parametrize("reached", ["loading", "counting"])
@pytest.mark.parametrize("game", ["othello", "banqi"])
def test_counting_leaves_ends_when_interrupted(game, reached):
    command = [sys.executable, "-c", TELLING, "perft", game, "30"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as counting:
        try:
            while counting.stdout.readline().strip() != reached:
                assert counting.poll() is None
            counting.send_signal(signal.SIGINT)
            _, errors = counting.communicate(timeout=120)
        finally:
            counting.kill()
    assert counting.returncode == 130
    assert "Traceback" not in errors


@pytest.mark.parametrize("loses", [KeyboardInterrupt, ImportError])
def test_an_interrupt_that_is_lost_while_modules_are_loaded_ends_the_count_all_the_same(monkeypatch, loses):
    def load_game(name):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            if loses is ImportError:
                raise ImportError("numpy.core.multiarray failed to import") from None
        return load(name)

    load = perft.load_game
    monkeypatch.setattr(perft, "load_game", load_game)
    assert run(["perft", "othello", "12"]) == 130


@pytest.mark.parametrize(
    ("words", "module"), [(["perft", "othello", "1"], "fanqi.cli.app"), (["engine"], "fanqi.stdio")]
)
def test_an_interrupt_before_the_application_is_loaded_is_no_traceback(monkeypatch, capfd, words, module):
    def interrupted(name, *rest):
        if name == module:
            raise KeyboardInterrupt
        return load(name, *rest)

    load = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", interrupted)
    assert main(words) == 130
    assert capfd.readouterr().err == ""


def test_perft_takes_rules_and_a_position():
    position = "..../.n../..../.R../..../..../..../...K - r 11 r:b5>b7=2"
    free = fanqi("perft", "banqi", "1", "--position", position)
    banned = fanqi("perft", "banqi", "1", "--position", position, "--rules", "chase=2")
    assert (banned.stdout, free.stdout) == ("nodes 5\n", "nodes 6\n")


def test_warmup_shows_seconds_and_a_second_run_takes_all_from_the_cache():
    fanqi("warmup", "--game", "othello")
    again = fanqi("warmup", "--game", "othello", "--all")
    assert again.returncode == 0
    assert "from cache" in again.stdout
    summary = re.search(r"(\d+) kernels ready in [\d.]+ s, (\d+) of them from", again.stdout)
    assert summary is not None
    assert summary[1] == summary[2] != "0"


DEAL = "arbiter commit {hash}\narbiter opened seed 12345 layout {layout} draw MRGNK salt {salt}\n"
LAYOUT = "PNprnNcrppgcpCMKMmPgpPkmRPnRPCGG"


def session(layout: str = LAYOUT) -> str:
    """A saved session of one deal whose salt is all zeros."""
    from fanqi.arbiter import commitment, deal

    return DEAL.format(hash=commitment(deal(12345), bytes(32)), layout=layout, salt="00" * 32)


def test_arbiter_deals_a_seed_the_documented_way():
    assert f"layout {LAYOUT}" in fanqi("arbiter", "deal", "12345").stdout


def test_arbiter_verify_accepts_an_honest_session_and_names_a_dishonest_one():
    honest = fanqi("arbiter", "verify", "-", given=session())
    exchanged = fanqi("arbiter", "verify", "-", given=session(LAYOUT[1] + LAYOUT[0] + LAYOUT[2:]))
    assert (honest.returncode, honest.stdout.splitlines()[-1]) == (0, "1 of 1 deals hold")
    assert (exchanged.returncode, exchanged.stdout.splitlines()[-1]) == (1, "0 of 1 deals hold")
    assert "WRONG" in exchanged.stdout


@pytest.mark.parametrize(
    "given",
    ["", "{broken", '{"moves": []}\n', "hello\n", '{"seed": ' + "9" * 5000 + "}\n", '{"a": ' * 100_000],
    ids=["nothing", "broken", "no deal", "words", "a number without end", "nested without end"],
)
def test_arbiter_verify_names_what_it_cannot_read(given):
    done = fanqi("arbiter", "verify", "-", given=given)
    assert done.returncode == 1
    assert "error" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_engine_command_that_cannot_be_run_is_one_line_without_an_error_number(tmp_path):
    done = fanqi("bench", "latency", "--", str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"fanqi bench: error: {tmp_path}: Permission denied\n"


@pytest.mark.parametrize("words", [("midgame", "--depth", "1"), ("banqi",)])
def test_more_hash_memory_than_there_is_is_one_line(words, monkeypatch, capfd):
    monkeypatch.setattr(memory, "free_mib", lambda: 8)
    assert run(["bench", *words, "--hash", "65536"]) == 1
    said = "fanqi: error: there is no memory for a hash table of 65536 MiB, 8 MiB are free\n"
    assert capfd.readouterr().err == said
