"""How a command ends that cannot do what it was asked for."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import typer

from fanqi.command_line import say_error

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["failing"]


def fail(error: Exception | str) -> typer.Exit:
    """Say what was wrong; the exit code for the caller to raise."""
    say_error("train", error)
    return typer.Exit(1)


@contextlib.contextmanager
def failing() -> Iterator[None]:
    """Turn the errors a user can cause into a message and exit code 1."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise fail(error) from None
