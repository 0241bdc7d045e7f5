"""What work costs, apart from what else the machine is doing and from how fast it is.

Seconds here are CPU seconds of the calling thread, on an idle core of the reference's speed: a
busy or slower machine slows the reference down as much as the work beside it. Garbage is looked for
only among what the work itself makes: what hundreds of tests before it have left is not its cost.
"""

import gc
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Final

REFERENCE_S: Final = 0.0018
"""What the reference takes on a 2026 server's core that has nothing else to do."""
LOOKS: Final = 3


class Cost:
    """What a piece of work took."""

    def __init__(self) -> None:
        self.s = float("nan")
        """Known once the work is done."""


def of_children_s() -> float:
    """Return the CPU seconds of the processes that this one has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def costing(spent_s: Callable[[], float] = time.thread_time) -> Iterator[Cost]:
    """Measure what is done inside, once."""
    cost = Cost()
    before = [_cpu_s(_reference) for _ in range(LOOKS)]
    gc.freeze()
    try:
        began = spent_s()
        yield cost
        spent = spent_s() - began
    finally:
        gc.unfreeze()
    after = [_cpu_s(_reference) for _ in range(LOOKS)]
    cost.s = spent / median(before + after) * REFERENCE_S


def cost_s(work: Callable[[], object], *, times: int = 1, tries: int = 7) -> float:
    """Return the seconds of one call: the middle one of several tries."""
    costs: list[Cost] = []
    for _ in range(tries):
        with costing() as cost:
            for _ in range(times):
                work()
        costs.append(cost)
    return median(cost.s for cost in costs) / times


def _cpu_s(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began


def _reference() -> int:
    """Do what interpreted programs do: count, look up, make small things."""
    seen: dict[int, tuple[int, int]] = {}
    for number in range(10_000):
        seen[number % 1000] = (number, number + 1)
    return len(seen)
