"""The configuration: what the example says, what is refused and how, and where passwords may come from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec
import pytest

from fanqi.ggs import EXAMPLE, Config, ConfigError, find_password, load_config, read_config
from fanqi.ggs.config import AcceptConfig, EngineConfig, OfferConfig, ServerConfig
from fanqi.strength import load_calibration

if TYPE_CHECKING:
    from pathlib import Path


def test_the_example_can_be_read_and_shows_the_defaults() -> None:
    config = read_config(EXAMPLE)
    assert config == Config(server=ServerConfig("fanqi"))


def test_the_example_names_every_field() -> None:
    for section in (ServerConfig, EngineConfig, AcceptConfig, OfferConfig):
        for field in msgspec.structs.fields(section):
            assert f"\n{field.name} =" in EXAMPLE


def test_the_asks_of_the_example_can_be_read_when_they_are_uncommented() -> None:
    lines = EXAMPLE.split("# [[ask]]")[1].split("\n\n")[0].splitlines()
    asks = "[[ask]]\n" + "\n".join(line.removeprefix("# ") for line in lines)
    (ask,) = read_config(f'server = {{name = "fanqi"}}\n{asks}').ask
    assert (ask.type, ask.clock, ask.opponent) == ("s8r20", "5:00//2:00", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "server"),
        ("[server]\nname = 'fanqi'\nhots = 'x'", "hots"),
        ("[server]\nname = 'f'", "$.server.name"),
        ("[server]\nname = '.fanqi'", "'.fanqi'"),
        ("[server]\nname = '日本'", "server.name '日本'"),
        ("[server]\nname = 'fanqi'\nport = 70000", "$.server.port"),
        ("[server]\nname = 'fanqi'\nhost = ''", "server.host ''"),
        ("[server]\nname = 'fanqi'\nhost = 'a..b'", "server.host 'a..b': not the name of a host"),
        ("[server]\nname = 'fanqi'\n[metrics]\nhost = 'a..b'", "metrics.host 'a..b': not the name of a host"),
        (
            "[server]\nname = 'fanqi'\n[engine]\npreset = 'expert'",
            "engine.preset 'expert': expected one of none, begin",
        ),
        (
            "[server]\nname = 'fanqi'\n[engine]\nelo = 10",
            "engine.elo 10: expected 0, or {} to {}".format(*load_calibration("othello").range),
        ),
        ("[server]\nname = 'fanqi'\n[engine]\nelo = 9999", "engine.elo 9999"),
        ("[server]\nname = 'fanqi'\n[accept]\nrated = 'maybe'", "$.accept.rated"),
        ("[server]\nname = 'fanqi'\n[accept]\ninitial_s = [9, 3]", "accept.initial_s: 9 is more than 3"),
        ("[server]\nname = 'fanqi'\n[[ask]]\ntype = '8r20'", "random games must be komi or synchro"),
        ("[server]\nname = 'fanqi'\n[[ask]]\ntype = '6'", "only boards of 8x8"),
        ("[server]\nname = 'fanqi'\n[[ask]]\ntype = '8'\nclock = 'soon'", "'soon'"),
        ("[server]\nname = 'fanqi'\n[[ask]]\ntype = '8'\nopponent = 'a b'", "'a b'"),
        ("[server]\nname = 'fanqi'\n[[ask]]\ntype = '8'\nopponent = 'ninechars'", "'ninechars'"),
        ('[server]\nname = "fanqi"\n[[ask]]\ntype = "8\\nquit"', r"ask[0].type '8\nquit': not one word"),
        ('[server]\nname = "fanqi"\n[[ask]]\ntype = "8"\nclock = "5:00 "', "ask[0].clock '5:00 '"),
        ("[server\n", "not TOML"),
    ],
)
def test_a_bad_configuration_is_refused_with_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_config(text, "ggs.toml")
    assert said in str(error.value)
    assert str(error.value).startswith("ggs.toml")


def test_a_book_that_cannot_be_read_is_an_error_before_anything_is_played(tmp_path: Path) -> None:
    path = tmp_path / "ggs.toml"
    path.write_text("server = {name = 'fanqi'}\nengine = {book_file = '/nowhere.book'}")
    with pytest.raises(ConfigError, match=r"ggs\.toml: engine\.book_file: book /nowhere\.book: No such file"):
        load_config(path)
    path.write_text("server = {name = 'fanqi'}\nengine = {book = false, book_file = '/nowhere.book'}")
    assert not load_config(path).engine.book


def test_the_password_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FANQI_GGS_PASSWORD", "secret")
    assert find_password(ServerConfig("fanqi")) == "secret"


def test_no_password_is_an_error_that_names_where_it_was_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FANQI_GGS_PASSWORD", raising=False)
    with pytest.raises(ConfigError, match="FANQI_GGS_PASSWORD"):
        find_password(ServerConfig("fanqi"))


@pytest.mark.parametrize("password", ["пароль", "x" * 201, "tab\there", "  "])
def test_a_password_that_a_server_could_not_hear_is_refused_and_not_repeated(
    password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FANQI_GGS_PASSWORD", password)
    with pytest.raises(ConfigError) as error:
        find_password(ServerConfig("fanqi"))
    assert password not in str(error.value)


def test_a_password_file_wins_over_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FANQI_GGS_PASSWORD", "other")
    path = tmp_path / "password"
    path.write_text("secret\n")
    path.chmod(0o600)
    assert find_password(ServerConfig("fanqi", password_file=str(path))) == "secret"


@pytest.mark.skipif(os.name != "posix", reason="file modes are of POSIX")
def test_a_password_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text("secret\n")
    path.chmod(0o640)
    with pytest.raises(ConfigError, match="chmod 600"):
        find_password(ServerConfig("fanqi", password_file=str(path)))
