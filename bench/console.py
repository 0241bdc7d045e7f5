"""What the console costs and how fast it answers, in a real terminal, beside a stream that lives.

A press counts until the draw that follows it is complete; a live draw may come in between.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from random import Random
from statistics import quantiles
from time import monotonic, sleep
from typing import IO, Final

import msgspec

from bench.figures import Figure, Section
from bench.live_pool import LOG_END
from bench.terminal import Terminal

MINI_EAAS: Final = Path(sys.executable).parent / "mini-eaas"
READY_S: Final = 30.0
STARTS: Final = 10
PRESSES: Final = 100
SCROLLS: Final = 10
SETTLED_S: Final = 3.0
SECOND_SCREEN: Final = b"\x1b[?1049h"


class Scale(msgspec.Struct, frozen=True, kw_only=True):
    """A pool and the terminal it is looked at in."""

    jobs: int
    cards: int
    width: int
    height: int

    @property
    def words(self) -> str:
        """Say it for a line of the table."""
        return f"{self.jobs:,} jobs, {self.cards} cards, {self.width}x{self.height}"


SCALES: Final = (
    Scale(jobs=1_000, cards=64, width=120, height=40),
    Scale(jobs=10_000, cards=800, width=200, height=60),
)

Values = dict[str, list[float]]


async def measure(rounds: int, quick: bool) -> Section:
    """Look at both pools, one after the other."""
    figures: list[Figure] = []
    for scale in SCALES:
        figures += await asyncio.to_thread(_measured, scale, rounds, quick)
    note = "while cards change: every card each second; live: a fiftieth of the jobs as well"
    return Section(title="The console in a terminal", figures=tuple(figures), notes=(note,))


def _measured(scale: Scale, rounds: int, quick: bool) -> list[Figure]:
    values: Values = {}
    with tempfile.TemporaryDirectory(prefix="eaas-bench-") as folder:
        home = Path(folder)
        with _served(home, scale) as moves:
            for _ in range(2 if quick else STARTS):
                _start(home, scale, values)
            for _ in range(rounds):
                _round(home, scale, values, moves, 5.0 if quick else 10.0)
    return [_figure(scale, name, tuple(taken)) for name, taken in values.items()]


@contextmanager
def _served(home: Path, scale: Scale) -> Iterator[IO[str]]:
    """Serve the pool from a program of its own; what is written there says what moves."""
    socket = home / "controller.sock"
    argv = [sys.executable, "-m", "bench.live_pool", str(socket), str(scale.jobs), str(scale.cards)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        try:
            _await_socket(socket, server)
            yield server.stdin
        finally:
            server.terminate()


def _await_socket(socket: Path, server: "subprocess.Popen[str]") -> None:
    deadline = monotonic() + READY_S
    while not socket.exists():
        if server.poll() is not None or monotonic() > deadline:
            raise RuntimeError("the stream to look at does not start")
        sleep(0.02)


def _console(home: Path, scale: Scale) -> Terminal:
    env = {**os.environ, "MINI_EAAS_HOME": str(home)}
    argv = (str(MINI_EAAS), "tui")
    return Terminal(argv, env, width=scale.width, height=scale.height)


def _start(home: Path, scale: Scale, values: Values) -> None:
    with _console(home, scale) as terminal:
        terminal.until(SECOND_SCREEN)
        painted_at, _ = terminal.until(b"Mini EaaS")
        _add(values, "first paint", painted_at - terminal.began_at)
        terminal.settle(0.3)


def _round(home: Path, scale: Scale, values: Values, moves: IO[str], span_s: float) -> None:
    with _console(home, scale) as terminal:
        _move(moves, "cards")
        terminal.read(SETTLED_S)
        _watch(terminal, values, "while cards change", span_s)
        _move(moves, "nothing")
        terminal.read(SETTLED_S)
        _watch(terminal, values, "while nothing changes", span_s)
        terminal.press("2")
        terminal.settle(0.3)
        _move(moves, "jobs")
        terminal.read(SETTLED_S)
        _press(terminal, values)
        _move(moves, "nothing")
        terminal.read(SETTLED_S)
        _scroll(terminal, scale, values)
        _open_log(terminal, values)
        _add(values, "memory", terminal.memory_mib)


def _move(moves: IO[str], what: str) -> None:
    moves.write(f"{what}\n")
    moves.flush()


def _watch(terminal: Terminal, values: Values, when: str, span_s: float) -> None:
    spent_s = terminal.cpu_s
    written = terminal.read(span_s)
    _add(values, f"{when}: bytes", len(written) / span_s)
    _add(values, f"{when}: CPU", (terminal.cpu_s - spent_s) / span_s * 100)


def _press(terminal: Terminal, values: Values) -> None:
    chance = Random(1)
    spans_s = []
    for key in islice(cycle("jjjk"), PRESSES):
        terminal.read(chance.uniform(0.02, 0.08))
        spans_s.append(terminal.paint_s(key) * 1000)
    cuts = quantiles(spans_s, n=20)
    _add(values, "keypress to paint: p50", cuts[9])
    _add(values, "keypress to paint: p95", cuts[18])


def _scroll(terminal: Terminal, scale: Scale, values: Values) -> None:
    """Go below what is shown, then on line by line."""
    for _ in range(scale.height):
        terminal.press("j")
        terminal.settle(0.03)
    terminal.settle()
    written = 0
    for _ in range(SCROLLS):
        terminal.press("j")
        written += len(terminal.settle())
    _add(values, "a scrolled line", written / SCROLLS)


def _open_log(terminal: Terminal, values: Values) -> None:
    """Open the first job at its log, go back, and open it again."""
    terminal.press("g")
    terminal.settle()
    for name in ("a log of 10 MB opens", "a log of 10 MB opens again"):
        pressed_at = monotonic()
        terminal.press("l")
        shown_at, _ = terminal.until(LOG_END.encode())
        _add(values, name, (shown_at - pressed_at) * 1000)
        terminal.settle()
        terminal.press("q")
        terminal.settle()


def _add(values: Values, name: str, value: float) -> None:
    values.setdefault(name, []).append(value)


TARGETS: Final = {
    "first paint": ("s", "0.6"),
    "while cards change: bytes": ("B/s", "4,096"),
    "while cards change: CPU": ("% of a core", "below 3"),
    "while nothing changes: bytes": ("B/s", "0"),
    "while nothing changes: CPU": ("% of a core", "below 0.5"),
    "keypress to paint: p50": ("ms", "30"),
    "keypress to paint: p95": ("ms", "50"),
    "a scrolled line": ("B", "3,072"),
    "a log of 10 MB opens": ("ms", "200"),
    "a log of 10 MB opens again": ("ms", "200"),
    "memory": ("MiB", "76 (80 MB)"),
}


def _figure(scale: Scale, name: str, taken: tuple[float, ...]) -> Figure:
    unit, target = TARGETS[name]
    where = scale.words if name == "first paint" else ""
    return Figure(name=name, values=taken, unit=unit, target=target, note=where)
