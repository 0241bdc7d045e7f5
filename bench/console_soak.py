"""What a console gathers in its memory while a hundred times more happens than usual.

A pool of a thousand jobs has about five changes a second; here it has five hundred, a hundred of
them jobs that come and a hundred that go, beside its cards.
"""

import asyncio
import tempfile
from pathlib import Path
from typing import Final

from bench.console import SCALES, console, served, shown
from bench.figures import Figure, Section

SPAN_S: Final = 60.0
WARM_S: Final = 15.0
"""Until the histories that are kept anyway have begun to fill."""


async def measure(rounds: int, quick: bool, *, span_s: float | None = None) -> Section:
    """Look at a pool in a storm for ``span_s``; one round, however many are asked for."""
    span_s = (5.0 if quick else SPAN_S) if span_s is None else span_s
    figures = await asyncio.to_thread(_measured, span_s)
    note = "from a quarter of a minute after the start on, and all of it in one round"
    return Section(title="A console in a storm", figures=figures, notes=(note,))


def _measured(span_s: float) -> tuple[Figure, ...]:
    scale = SCALES[0]
    with tempfile.TemporaryDirectory(prefix="eaas-bench-") as folder:
        home = Path(folder)
        with served(home, scale) as pool, console(home, scale) as terminal:
            shown(terminal, scale)
            pool.move("storm")
            terminal.read(WARM_S)
            before_mib, spent_s = terminal.memory_mib, terminal.cpu_s
            written = terminal.read(span_s)
            return (
                _figure(
                    f"growth in {span_s:,.0f} s", terminal.memory_mib - before_mib, "MiB", "19"
                ),
                _figure("memory at the end", terminal.memory_mib, "MiB", "76 (80 MB)"),
                _figure("CPU", (terminal.cpu_s - spent_s) / span_s * 100, "% of a core", ""),
                _figure("bytes to the terminal", len(written) / span_s, "B/s", ""),
            )


def _figure(name: str, value: float, unit: str, target: str) -> Figure:
    return Figure(name=name, values=(value,), unit=unit, target=target)
