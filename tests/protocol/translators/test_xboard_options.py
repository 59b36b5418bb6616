"""The options that XBoard shows are those of the session behind the translator, and are set in its words."""

from __future__ import annotations

import pytest

from fanqi.dialects.errors import DialectError
from fanqi.dialects.xboard_options import format_xboard_option, format_xboard_setting
from fanqi.translators.xboard_options import OFFERED, chosen_option, offered_options
from fanqi.uci import SetOption, option_table


def test_defaults_are_those_of_the_command_line():
    table = option_table()
    for name, value in (
        ("Skill Level", "5"),
        ("UCI_LimitStrength", "true"),
        ("Preset", "advanced"),
        ("BookFile", "my book"),
    ):
        table = table.with_default(SetOption(name, value))
    offered = offered_options(table)
    assert [option.name for option in offered] == list(OFFERED)
    shown = [format_xboard_option(option) for option in offered]
    assert shown[:2] == ["Skill Level -spin 5 0 20", "UCI_LimitStrength -check 1"]
    assert shown[3] == "Preset -combo none /// beginner /// intermediate /// *advanced"
    assert {"BookFile -file my book", "BookVariety -string 0", "Clear Hash -button"} <= set(shown)


def test_what_a_session_does_not_have_is_not_offered():
    table = option_table(files=False)
    assert "BookFile" not in [option.name for option in offered_options(table)]
    with pytest.raises(DialectError, match="no such option"):
        chosen_option("BookFile=x", table)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Skill Level=0", SetOption("Skill Level", "0")),
        ("skill level = 7", SetOption("Skill Level", "7")),
        ("Contempt=-20", SetOption("Contempt", "-20")),
        ("UCI_LimitStrength=1", SetOption("UCI_LimitStrength", "true")),
        ("UCI_LimitStrength=0", SetOption("UCI_LimitStrength", "false")),
        ("OwnBook=true", SetOption("OwnBook", "true")),
        ("UCI_Elo=900", SetOption("UCI_Elo", "900")),
        ("Preset=beginner", SetOption("Preset", "beginner")),
        ("BookFile=/a = b/c", SetOption("BookFile", "/a = b/c")),
        ("BookFile=", SetOption("BookFile", "")),
        ("BookVariety=0.5", SetOption("BookVariety", "0.5")),
        ("Clear Hash", SetOption("Clear Hash")),
        ("Clear Hash=", SetOption("Clear Hash")),
    ],
)
def test_a_choice_becomes_what_a_session_takes(text, command):
    assert chosen_option(text, option_table()) == command


def test_every_option_is_taken_as_xboard_sends_it_back():
    table = option_table()
    for option in offered_options(table):
        setting = format_xboard_setting(option, option.value)
        assert chosen_option(setting.removeprefix("option "), table).name == option.name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected NAME=VALUE"),
        ("=", "expected NAME=VALUE"),
        ("Skill Level", "Skill Level: expected = and a value"),
        ("Skill Level=", "Skill Level: expected an integer from 0 to 20"),
        ("Skill Level=21", "Skill Level: expected an integer from 0 to 20"),
        ("UCI_LimitStrength=2", "UCI_LimitStrength: expected 0 or 1"),
        ("Hash=3", "no such option; there are Skill Level, "),
        ("Preset=*none", "Preset: expected one of none, "),
        ("BookVariety=much", "BookVariety: expected a number from 0 to 64"),
        ("Clear Hash=now", "Clear Hash: Clear Hash takes no value"),
    ],
)
def test_anything_else_is_refused(text, said):
    with pytest.raises(DialectError) as refusal:
        chosen_option(text, option_table())
    assert refusal.value.reason.startswith(said) or said in refusal.value.reason
