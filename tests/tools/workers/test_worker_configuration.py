"""Configuration files, the systemd unit, and the table of workers."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from fanqi.mqtt import Incoming, Topics
from fanqi.mqtt.codec import encode
from fanqi.mqtt.messages import Busy, Presence
from fanqi.workers.config import EXAMPLE, Config, load_config, processors, resolve
from fanqi.workers.errors import ConfigurationError
from fanqi.workers.systemd import systemd_unit
from fanqi.workers.watch import Watcher, table_of


@pytest.fixture(autouse=True)
def _no_login_from_outside(monkeypatch):
    for name in ("FANQI_MQTT_USER", "FANQI_MQTT_PASSWORD", "FANQI_MQTT_CA"):
        monkeypatch.delenv(name, raising=False)


def loaded(tmp_path, text):
    path = tmp_path / "worker.toml"
    path.write_text(text)
    return load_config(path)


def test_the_example_is_a_configuration_and_so_is_everything_in_its_comments(tmp_path):
    assert loaded(tmp_path, EXAMPLE).broker == "mqtts://attic@broker.example"
    lines = []
    for line in EXAMPLE.splitlines():
        bare = line.removeprefix("# ")
        lines.append(bare if " = " in bare and bare[0].islower() else line)
    config = loaded(tmp_path, "\n".join(lines))
    assert (config.name, config.threads, config.hash, config.max_jobs) == ("attic", 4, 256, 1000)
    assert config.engines == {"edax": "nboard:/opt/edax/edax -l 12"}
    assert config.login.password_file == "/etc/fanqi/password"
    assert config.allow == Config().allow
    assert (config.kinds, config.games) == (Config().kinds, Config().games)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('broker = "mqtt://h"\nthread = 4', "thread"),
        ("threads = 0", r"\$\.threads"),
        ('kinds = ["analyze"]', "analyze"),
        ("[allow]\nmultipv = 1000", r"\$\.allow\.multipv"),
        ("threads = = 4", "line 1"),
        ("niceness = -5", "niceness"),
    ],
)
def test_a_wrong_configuration_is_refused_by_file_and_key(tmp_path, text, wrong):
    with pytest.raises(ConfigurationError, match=rf"worker\.toml: .*{wrong}"):
        loaded(tmp_path, text)


def test_what_is_left_out_gets_a_meaning():
    setup = resolve(Config(broker="mqtt://host"))
    assert setup.offer.threads == processors()
    assert setup.offer.hash_mib == 64 * processors()
    assert ("builtin:fanqi", "builtin:fanqi") in setup.offer.engines
    assert setup.name != resolve(Config(broker="mqtt://host")).name


@pytest.mark.parametrize(
    ("config", "wrong"),
    [
        (Config(), "no broker"),
        (Config(broker="mqtt://h", name="a/b"), "'a/b'"),
        (Config(broker="mqtt://h", hours="Someday"), "Someday"),
        (Config(broker="mqtt://h", engines={"a b": "x"}), "'a b'"),
        (Config(broker="h"), "begins with mqtt://"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(config, wrong):
    with pytest.raises(ConfigurationError, match=wrong):
        resolve(config)


def test_paths_may_contain_variables(tmp_path, monkeypatch):
    secret = tmp_path / "password"
    secret.write_text("hush\n")
    secret.chmod(0o600)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    config = msgspec.convert(
        {"broker": "mqtt://me@host", "login": {"password_file": "$CREDENTIALS_DIRECTORY/password"}}, Config
    )
    assert resolve(config).address.password == "hush"


def test_the_systemd_unit_is_one_that_systemd_understands_and_finds_safe(tmp_path):
    analyser = shutil.which("systemd-analyze")
    if analyser is None:
        pytest.skip("systemd-analyze is not installed")
    program = tmp_path / "fanqi"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / "fanqi-worker.service"
    unit.write_text(systemd_unit(str(program), Path("/etc/fanqi/worker.toml"), Path("/etc/fanqi/password")))
    verified = subprocess.run([analyser, "verify", str(unit)], capture_output=True, text=True)
    assert verified.returncode == 0, verified.stderr
    assert "fanqi-worker" not in verified.stderr
    score = subprocess.run(
        [analyser, "security", "--offline=true", "--threshold=20", str(unit)], capture_output=True, text=True
    )
    assert score.returncode == 0, score.stdout[-1500:]


def presence(**changes):
    base = Presence(
        v=1, sent=0, incarnation="i", state="ready", games=("othello",), threads=4, free_threads=1, hash_mib=256,
        finished=12345, nps=1_500_000, heartbeat_s=5.0,
        running=(Busy(dispatcher="d1", job="d1-7", kind="analyse", game="othello", seconds=12.0, note="depth 14"),),
    )  # fmt: skip
    return msgspec.structs.replace(base, **changes)


def shown(watcher):
    stream = io.StringIO()
    Console(file=stream, width=200).print(table_of(watcher))
    return stream.getvalue()


def test_the_table_shows_who_is_there_doing_what_how_fast():
    now = [0.0]
    watcher, topics = Watcher(Topics(), clock=lambda: now[0]), Topics()
    assert "no worker is there" in shown(watcher)
    watcher.take(Incoming(topics.presence("attic"), encode(presence())))
    watcher.take(
        Incoming(topics.presence("cellar"), encode(presence(state="closed", running=(), note="off until 20:00")))
    )
    watcher.take(Incoming(topics.presence("future"), msgspec.msgpack.encode({"v": 9})))
    watcher.take(Incoming(topics.presence("gone"), encode(presence())))
    watcher.take(Incoming(topics.presence("gone"), b""))
    watcher.take(Incoming("fanqi/else", b"x"))
    text = shown(watcher)
    lines = text.splitlines()
    assert [line.split()[0] for line in lines] == ["worker", "attic", "cellar", "future"]
    assert "3/4" in lines[1]
    assert "1,500,000" in lines[1]
    assert "analyse othello for d1, 12 s, depth 14" in lines[1]
    assert "off until 20:00" in lines[2]
    assert "schema version 9" in lines[3]
    assert json.loads(watcher.as_json())["attic"]["threads"] == 4
    now[0] = 30.0
    assert "silent" in shown(watcher)


def test_a_processor_count_is_that_of_this_process():
    assert 1 <= processors() <= (os.cpu_count() or 1)
