"""The options that XBoard shows are those of the session behind the translator."""

from __future__ import annotations

import pytest

from fanqi.dialects.errors import DialectError
from fanqi.translators.xboard_options import OFFERED, chosen_option, offered_options
from fanqi.uci import SetOption, option_table


def test_defaults_are_those_of_the_command_line():
    table = option_table()
    for name, value in (("Skill Level", "5"), ("UCI_LimitStrength", "true"), ("Preset", "advanced")):
        table = table.with_default(SetOption(name, value))
    shown = offered_options(table)
    assert shown[0] == "Skill Level -spin 5 0 20"
    assert shown[1] == "UCI_LimitStrength -check 1"
    assert shown[3] == "Preset -combo none /// beginner /// intermediate /// *advanced"
    assert [text.partition(" -")[0] for text in shown] == list(OFFERED)


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("Skill Level=0", ("Skill Level", "0")),
        ("UCI_LimitStrength=1", ("UCI_LimitStrength", "true")),
        ("UCI_LimitStrength=0", ("UCI_LimitStrength", "false")),
        ("UCI_Elo=900", ("UCI_Elo", "900")),
        ("Preset=beginner", ("Preset", "beginner")),
    ],
)
def test_a_choice_becomes_what_a_session_takes(text, option):
    assert chosen_option(text, option_table()) == option


@pytest.mark.parametrize("text", ["", "=", "Skill Level", "Skill Level=", "Skill Level=21", "Hash=3", "Preset=*none"])
def test_anything_else_is_refused(text):
    with pytest.raises(DialectError):
        chosen_option(text, option_table())
