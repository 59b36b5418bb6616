"""Addresses to listen on that are none."""

from __future__ import annotations

import pytest

from fanqi.cli.app import run


@pytest.mark.parametrize(
    "words",
    [
        ["serve", "--host"],
        ["serve", "--metrics-port", "0", "--metrics-host"],
        ["ggs-server", "--host"],
        ["broker", "--host"],
        ["submit", "f5", "--local", "1", "--metrics-host"],
    ],
)
@pytest.mark.parametrize("host", ["a..b", "x" * 64, "\udcff"])
def test_what_can_be_no_host_is_wrong_usage(words, host, capsys):
    assert run([*words, host]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"fanqi {words[0]}: error: {words[-1]}: ")
    assert said.endswith("is not the name of a host\n")
    assert said.count("\n") == 1
