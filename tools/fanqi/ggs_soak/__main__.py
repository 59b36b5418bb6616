"""``python -m fanqi.ggs_soak``: the long run, for hours if you like."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from fanqi.ggs_soak.soak import TYPES, Plan, soak
from fanqi.logs import Logger


def main() -> int:
    """Run the plan of the command line; 0 when nothing was wrong."""
    parser = argparse.ArgumentParser(prog="python -m fanqi.ggs_soak", description=__doc__)
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--cuts", type=int, default=30)
    parser.add_argument("--cut-every", type=float, default=15.0, help="mean seconds between cuts")
    parser.add_argument("--clock", default="0:30//0:30")
    parser.add_argument("--move-time", type=float, default=0.1, help="seconds a move; 0 plays by the clock")
    parser.add_argument("--games", type=int, default=2, help="matches at a time")
    parser.add_argument("--types", nargs="+", default=list(TYPES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dir", "--out", dest="out", type=Path, help="folder for records and the server's database")
    parser.add_argument("--log-level", default="error")
    arguments = parser.parse_args()
    folder = arguments.out or Path(tempfile.mkdtemp(prefix="fanqi-soak-"))
    folder.mkdir(parents=True, exist_ok=True)
    plan = Plan(
        folder,
        arguments.matches,
        arguments.cuts,
        arguments.cut_every,
        arguments.clock,
        tuple(arguments.types),
        arguments.move_time,
        games=arguments.games,
        seed=arguments.seed,
    )
    began = time.monotonic()

    def progress(line: str) -> None:
        print(f"{time.monotonic() - began:6.0f} s  {line}", flush=True)

    report = asyncio.run(soak(plan, Logger(arguments.log_level), progress=progress))
    print("\n".join(report.lines()))
    print(f"records in {folder}")
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
