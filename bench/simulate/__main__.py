"""``python -m bench.simulate [FILE.swf]``: a workload under the product's scheduler and under FIFO.

Without a file it makes up a week. The figures' formulae stand in ``bench/simulate/outcomes.py``;
the same seed, options and code give the same schedule, whatever the machine. Only the times it took
to work that out differ.
"""

import argparse
import math
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.machine import processor
from bench.simulate import swf, table
from bench.simulate.fifo import fifo
from bench.simulate.product import interrupting, product
from bench.simulate.timeline import draw
from bench.simulate.week import LOAD, week
from bench.simulate.workload import PoolSize, Workload, fitting, schedule, squeezed
from eaas.errors import EaasError

OURS: Final = "Mini EaaS"
POLICIES: Final = {OURS: product, "FIFO": fifo}
INTERRUPTING: Final = "preempt"

JOBS: Final = 5000
DAYS: Final = 7.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, simulate, print."""
    asked = _parser().parse_args(arguments)
    pool = PoolSize(nodes=asked.nodes, cards=asked.cards)
    try:
        workload = _made_up(asked, pool) if asked.trace is None else _traced(asked, pool)
        if not workload.submissions:
            raise EaasError(f"{workload.title} has no job that fits {_words(pool)}")
        _simulate(workload, pool, asked.svg, interrupts=asked.interrupt)
    except EaasError as error:
        print(f"simulate: {error}", file=sys.stderr)
        return 1
    return 0


def _made_up(asked: argparse.Namespace, pool: PoolSize) -> Workload:
    load = LOAD if asked.load is None else asked.load
    jobs, days = asked.jobs or JOBS, asked.days or DAYS
    return week(pool, seed=asked.seed, jobs=jobs, days=days, load=load)


def _traced(asked: argparse.Namespace, pool: PoolSize) -> Workload:
    path: Path = asked.trace
    trace = swf.read_trace(path)
    scaled = swf.as_workload(trace, path.name, pool, processors_a_card=asked.processors_per_card)
    kept = fitting(swf.first(scaled, jobs=asked.jobs, days=asked.days), pool)
    return kept if asked.load is None else squeezed(kept, pool, asked.load)


def _simulate(workload: Workload, pool: PoolSize, svg: Path | None, *, interrupts: bool) -> None:
    print(f"{workload.title}: {len(workload.submissions):,} jobs on {_words(pool)}")
    load = workload.load(pool)
    if load is not None:
        days = workload.last_s / 86400
        print(f"  they ask for {load * 100:.0f} % of the cards' time, submitted in {days:.1f} days")
    for note in workload.notes:
        print(f"  {note}")
    print(f"  {processor()}, Python {platform.python_version()}\n", flush=True)
    began, began_cpu = time.perf_counter(), time.process_time()
    policies = POLICIES | ({INTERRUPTING: interrupting} if interrupts else {})
    schedules = [schedule(name, policy, workload, pool) for name, policy in policies.items()]
    for line in table.tables(schedules):
        print(line)
    if svg is not None:
        _write(svg, draw(schedules[0], schedules[1:]))
    for each in schedules:
        if each.refused:
            print(f"\n{each.policy} refused, first: {each.refused[0]}")
    wall_s, cpu_s = time.perf_counter() - began, time.process_time() - began_cpu
    print(f"\ntook {cpu_s:.1f} s of CPU time, {wall_s:.1f} s by the clock")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as error:
        raise EaasError(f"{path} can't be written: {error.strerror}") from error


def _words(pool: PoolSize) -> str:
    return f"{pool.nodes} nodes with {pool.cards} cards each"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.simulate",
        description="Runs a workload through the scheduler in virtual time, beside plain FIFO.",
    )
    add = parser.add_argument
    add(
        "trace",
        nargs="?",
        type=Path,
        metavar="FILE.swf",
        help="a trace in the Standard Workload Format, also .gz; without one a week is made up",
    )
    add("--svg", type=Path, metavar="OUT", help="draw the schedule into this file")
    add(
        "--interrupt",
        action="store_true",
        help="also let jobs with timeouts of an hour at most interrupt all others",
    )
    add("--seed", type=int, default=1, help="of the made-up week (default: 1)")
    add("--nodes", type=_some, default=20, metavar="N", help="default: 20")
    add("--cards", type=_some, default=8, metavar="N", help="on each node (default: 8)")
    add(
        "--jobs", type=_some, metavar="N", help=f"default: {JOBS}; of a trace the first N, else all"
    )
    add(
        "--days",
        type=_more,
        metavar="N",
        help=f"default: {DAYS:g}; of a trace the first N, else all",
    )
    load = f"share of the cards' time that is asked for (default: {LOAD}; of a trace as it is)"
    add("--load", type=_more, metavar="SHARE", help=load)
    add(
        "--processors-per-card",
        type=_more,
        metavar="N",
        help="of a trace's machine (default: its whole machine is the whole pool)",
    )
    return parser


def _some(text: str) -> int:
    if (number := int(text)) < 1:
        raise ValueError
    return number


def _more(text: str) -> float:
    if not 0 < (number := float(text)) < math.inf:
        raise ValueError
    return number


if __name__ == "__main__":
    sys.exit(main())
