"""``python -m bench``: measures, and prints the table."""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from bench import (
    at_rest,
    big_log,
    console,
    console_soak,
    containers,
    first_instruction,
    folder,
    fresh_clone,
    planning,
    scrape,
    short_jobs,
    storm,
    submits,
    team,
)
from bench.figures import Section, show
from bench.machine import describe

ROUNDS: Final = 5

Measure = Callable[[int, bool], Awaitable[Section]]

PARTS: Final[Mapping[str, Measure]] = {
    "submits": submits.measure,
    "storm": storm.measure,
    "short-jobs": short_jobs.measure,
    "first-instruction": first_instruction.measure,
    "containers": containers.measure,
    "folder": folder.measure,
    "at-rest": at_rest.measure,
    "console": console.measure,
    "console-soak": console_soak.measure,
    "big-log": big_log.measure,
    "scrape": scrape.measure,
    "planning": planning.measure,
    "fresh-clone": fresh_clone.measure,
    "team": team.measure,
}


async def run(names: Sequence[str], *, quick: bool, soak_s: float | None = None) -> None:
    """Measure the named parts, one after the other, and print each as it is done."""
    soak = partial(console_soak.measure, span_s=soak_s)
    parts: Mapping[str, Measure] = {**PARTS, "console-soak": soak}
    rounds = 1 if quick else ROUNDS
    print("Mini EaaS, measured on")
    for line in await describe(os.environ, Path(tempfile.gettempdir())):
        print(f"  {line}")
    print(f"  median of {rounds}; behind it the lowest and the highest round", flush=True)
    for name in names:
        section = await parts[name](rounds, quick)
        show(section, sys.stdout)
        print(f"  load average now: {os.getloadavg()[0]:.2f}", flush=True)


def main() -> int:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measures Mini EaaS.")
    parser.add_argument("--only", choices=PARTS, action="append", help="this part (repeatable)")
    parser.add_argument("--quick", action="store_true", help="one short round: does it work?")
    parser.add_argument("--soak", type=float, metavar="SECONDS", help="how long console-soak looks")
    arguments = parser.parse_args()
    names = arguments.only or list(PARTS)
    asyncio.run(run(names, quick=arguments.quick, soak_s=arguments.soak))
    return 0


if __name__ == "__main__":
    sys.exit(main())
