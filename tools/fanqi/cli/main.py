"""Entry point of the `fanqi` command.

``fanqi engine`` must answer `uci` within 0.3 s of process start, so it branches off before anything that draws help
pages or imports numba; every other command goes through the typer application.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fanqi.exit_codes import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0 good, 1 failure, 2 usage, 130 interrupted."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    if argv[:1] == ["help"]:  # as of git: fanqi help COMMAND
        argv = [*argv[1:], "--help"]
    try:
        if argv[:1] == ["engine"]:
            from fanqi.stdio import main as engine

            return engine(argv[1:])
        from fanqi.cli.app import run

        return run(argv)
    except KeyboardInterrupt:  # while modules are imported; later the engine or the application sees to it
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
