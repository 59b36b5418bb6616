"""Which hosts get an engine that plays from its book, and who may name files of this machine."""

from __future__ import annotations

import pytest

from fanqi.stdio.arguments import parse_arguments
from fanqi.uci import option_table


def default_of(arguments, name):
    return parse_arguments(arguments).options.defaults()[name]


@pytest.mark.parametrize(
    ("dialect", "on"),
    [(name, False) for name in ("uci", "ugi", "flipello")]
    + [(name, True) for name in ("nboard", "gtp", "cassio", "xboard")],
)
def test_the_book_is_on_for_hosts_whose_other_engines_play_from_theirs(dialect, on):
    assert default_of(["--dialect", dialect], "OwnBook") is on


def test_the_command_line_switches_the_book_off_and_on():
    assert default_of(["--dialect", "nboard", "--option", "OwnBook=false"], "OwnBook") is False
    assert default_of(["--option", "OwnBook=true", "--option", "BookVariety=0.5"], "BookVariety") == 0.5


def test_a_variety_below_zero_is_refused(capsys):
    with pytest.raises(SystemExit):
        parse_arguments(["--option", "BookVariety=-1"])
    assert "expected a number from 0 to 64" in capsys.readouterr().err


def test_a_session_for_strangers_has_no_option_that_names_a_file():
    names = {option.name for option in option_table(files=False).options}
    assert not {"BookFile", "EndgamePath"} & names
    assert {"OwnBook", "BookVariety"} <= names
    assert {"BookFile", "EndgamePath"} <= {option.name for option in option_table().options}
