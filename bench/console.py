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
from typing import Final

import msgspec

from bench.figures import Figure, Section
from bench.live_pool import LOG_END
from bench.terminal import Terminal
from eaas_tui.pace import LONGEST_REST_S

MINI_EAAS: Final = Path(sys.executable).parent / "mini-eaas"
READY_S: Final = 60.0
STARTS: Final = 10
ROUNDS: Final = 2
"""As many are enough, and all that there is time for."""
PRESSES: Final = 60
SPAN_S: Final = 6.0
ON_A_LINK: Final = 12
"""Presses on a slow link."""
SCROLLS: Final = 10
REPEAT_S: Final = 0.08
SETTLED_S: Final = 2.0
SECOND_SCREEN: Final = b"\x1b[?1049h"
SELECTED: Final = b">"
"""Stands before what is selected, and nowhere else in what is drawn; while a list scrolls, its
place on the screen is the same and it is not drawn."""
LINK_BYTES_S: Final = 20_000.0
SLOWEST_BYTES_S: Final = 3_000.0


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
        figures += await asyncio.to_thread(_measured, scale, min(rounds, ROUNDS), quick)
    notes = (
        "first paint: all panes, still without the pool; that is there with its jobs",
        "while cards change: every card each second; keys: a fiftieth of the jobs as well",
        f"median of {STARTS} starts after one that does not count, and of {ROUNDS} rounds",
    )
    return Section(title="The console in a terminal", figures=tuple(figures), notes=notes)


def _measured(scale: Scale, rounds: int, quick: bool) -> list[Figure]:
    values: Values = {}
    with tempfile.TemporaryDirectory(prefix="eaas-bench-") as folder:
        home = Path(folder)
        with served(home, scale) as pool:
            _start(home, scale, {})
            for _ in range(2 if quick else STARTS):
                _start(home, scale, values)
            _come(home, scale, values, pool)
            for _ in range(rounds):
                _round(home, scale, values, pool, 3.0 if quick else SPAN_S)
            _link(home, scale, values, pool)
    return [_figure(scale, name, tuple(taken)) for name, taken in values.items()]


class Pool:
    """The program that serves what is looked at, and can be told what is to move there."""

    def __init__(self, program: "subprocess.Popen[str]") -> None:
        assert program.stdin is not None
        assert program.stdout is not None
        self._to: Final = program.stdin
        self._from: Final = program.stdout

    def move(self, what: str) -> None:
        """Let this move from here on."""
        self._to.write(f"{what}\n")
        self._to.flush()

    def longest_hold_ms(self) -> float:
        """Return how long its loop was held at most since it was told to listen."""
        self.move("tell")
        return float(self._from.readline())


@contextmanager
def served(home: Path, scale: Scale) -> Iterator[Pool]:
    """Serve the pool from a program of its own."""
    socket = home / "controller.sock"
    argv = [sys.executable, "-m", "bench.live_pool", str(socket), str(scale.jobs), str(scale.cards)]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True) as server:
        try:
            _await_socket(socket, server)
            yield Pool(server)
        finally:
            server.terminate()


def _await_socket(socket: Path, server: "subprocess.Popen[str]") -> None:
    deadline = monotonic() + READY_S
    while not socket.exists():
        if server.poll() is not None or monotonic() > deadline:
            raise RuntimeError("the stream to look at does not start")
        sleep(0.02)


def console(home: Path, scale: Scale, *options: str, link_bytes_s: float | None = None) -> Terminal:
    """Start the console in a terminal."""
    env = {**os.environ, "MINI_EAAS_HOME": str(home)}
    argv = (str(MINI_EAAS), "tui", *options)
    size = {"width": scale.width, "height": scale.height}
    return Terminal(argv, env, **size, link_bytes_s=link_bytes_s)


def shown(terminal: Terminal, scale: Scale) -> float:
    """Wait for the pool's counts; return when they were there."""
    return terminal.until(f"RUN {scale.cards}".encode())[0]


def _start(home: Path, scale: Scale, values: Values) -> None:
    with console(home, scale) as terminal:
        terminal.until(SECOND_SCREEN)
        painted_at, _ = terminal.until(b"Mini EaaS")
        _add(values, "first paint", painted_at - terminal.began_at)
        terminal.settle(0.1)


def _come(home: Path, scale: Scale, values: Values, pool: Pool) -> None:
    """Measure when somebody who comes sees all jobs, and what that costs the others."""
    for _ in range(2):
        pool.move("listen")
        with console(home, scale) as terminal:
            _add(values, "all jobs are there", shown(terminal, scale) - terminal.began_at)
        _add(values, "a client that comes holds the controller", pool.longest_hold_ms())


def _round(home: Path, scale: Scale, values: Values, pool: Pool, span_s: float) -> None:
    with console(home, scale) as terminal:
        shown(terminal, scale)
        pool.move("cards")
        terminal.read(SETTLED_S)
        _watch(terminal, values, "while cards change", span_s)
        pool.move("nothing")
        terminal.read(SETTLED_S + LONGEST_REST_S)
        _watch(terminal, values, "while nothing changes", span_s)
        terminal.press("2")
        terminal.settle(0.3)
        pool.move("jobs")
        terminal.read(SETTLED_S)
        _add_cuts(values, "keypress to paint", _press(terminal, PRESSES))
        pool.move("nothing")
        terminal.read(SETTLED_S)
        _scroll(terminal, scale, values)
        _open_log(terminal, values)
        _add(values, "memory", terminal.memory_mib)


def _link(home: Path, scale: Scale, values: Values, pool: Pool) -> None:
    """Press keys where every byte takes its time, while all cards change."""
    pool.move("cards")
    with console(home, scale, link_bytes_s=LINK_BYTES_S) as terminal:
        shown(terminal, scale)
        terminal.read(SETTLED_S)
        _add_cuts(values, "key on 20 KB/s", _press(terminal, ON_A_LINK))
    with console(home, scale, "--slow", link_bytes_s=SLOWEST_BYTES_S) as terminal:
        shown(terminal, scale)
        terminal.read(SETTLED_S)
        _add_cuts(values, "key on 3 KB/s with --slow", _press(terminal, ON_A_LINK))
    pool.move("nothing")


def _watch(terminal: Terminal, values: Values, when: str, span_s: float) -> None:
    spent_s = terminal.cpu_s
    written = terminal.read(span_s)
    _add(values, f"{when}: bytes", len(written) / span_s)
    _add(values, f"{when}: CPU", (terminal.cpu_s - spent_s) / span_s * 100)


def _press(terminal: Terminal, count: int) -> list[float]:
    """Return how long each answer took, in milliseconds."""
    chance = Random(1)
    spans_ms = []
    for key in islice(cycle("jjkk"), count):
        terminal.read(chance.uniform(0.02, 0.08))
        spans_ms.append(terminal.answer_s(key, SELECTED) * 1000)
    return spans_ms


def _add_cuts(values: Values, name: str, spans_ms: list[float]) -> None:
    cuts = quantiles(spans_ms, n=20)
    _add(values, f"{name}: p50", cuts[9])
    _add(values, f"{name}: p95", cuts[18])


def _scroll(terminal: Terminal, scale: Scale, values: Values) -> None:
    """Go below what is shown, then on line by line, as fast as a key that is held repeats."""
    for _ in range(scale.height):
        terminal.press("j")
        terminal.settle(REPEAT_S / 2)
    terminal.settle(0.5)
    written = 0
    for _ in range(SCROLLS):
        terminal.press("j")
        written += len(terminal.read(REPEAT_S))
    _add(values, "a scrolled line", written / SCROLLS)


def _open_log(terminal: Terminal, values: Values) -> None:
    """Open the first job at its log, go back, and open it again."""
    terminal.press("g")
    terminal.settle(0.5)  # the preview of that job has come too
    for name in ("a log of 10 MB opens", "a log of 10 MB opens again"):
        pressed_at = monotonic()
        terminal.press("l")
        shown_at = terminal.until_all((b"[2 Log]", LOG_END.encode()))
        _add(values, name, (shown_at - pressed_at) * 1000)
        terminal.settle()
        terminal.press("q")
        terminal.settle()


def _add(values: Values, name: str, value: float) -> None:
    values.setdefault(name, []).append(value)


TARGETS: Final = {
    "first paint": ("s", "0.6"),
    "all jobs are there": ("s", ""),
    "a client that comes holds the controller": ("ms", "100"),
    "while cards change: bytes": ("B/s", "4,096"),
    "while cards change: CPU": ("% of a core", "below 3"),
    "while nothing changes: bytes": ("B/s", "0"),
    "while nothing changes: CPU": ("% of a core", "below 0.5"),
    "keypress to paint: p50": ("ms", ""),
    "keypress to paint: p95": ("ms", "30"),
    "a scrolled line": ("B", "3,072"),
    "a log of 10 MB opens": ("ms", "200"),
    "a log of 10 MB opens again": ("ms", "200"),
    "key on 20 KB/s: p50": ("ms", "100"),
    "key on 20 KB/s: p95": ("ms", ""),
    "key on 3 KB/s with --slow: p50": ("ms", ""),
    "key on 3 KB/s with --slow: p95": ("ms", ""),
    "memory": ("MiB", "76 (80 MB)"),
}
"""What is asked of both pools; with the larger one a key may take ``SLOWER_MS``."""
SLOWER_MS: Final = "50"


def _figure(scale: Scale, name: str, taken: tuple[float, ...]) -> Figure:
    unit, target = TARGETS[name]
    if name == "keypress to paint: p95" and scale is SCALES[1]:
        target = SLOWER_MS
    where = scale.words if name == "first paint" else ""
    return Figure(name=name, values=taken, unit=unit, target=target, note=where)
