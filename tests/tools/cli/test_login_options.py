"""The options of a broker's login, which three commands have in common."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from fanqi.cli.connection import Login, login_options, with_login
from fanqi.cli.submit import submit
from fanqi.cli.worker import list_workers, worker


@pytest.mark.parametrize("command", [submit, worker, list_workers])
def test_every_command_with_a_broker_has_all_of_them(command):
    parameters = inspect.signature(command).parameters
    assert inspect.signature(login_options).parameters.keys() <= parameters.keys()
    assert "login" not in parameters


def test_a_command_gets_its_login_in_one_piece():
    got = []

    @with_login
    def command(broker: str, *, login: Login, port: int = 1) -> None:
        got.append((broker, login, port))

    command(
        broker="b", user="ann", password_file=None, ca=Path("ca"), certificate=None, key=None, insecure=True, port=2
    )
    assert got == [("b", Login("ann", None, Path("ca"), None, None, True), 2)]
