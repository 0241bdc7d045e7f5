"""How the console does with a log of a gigabyte, and with one that grows by 50,000 lines a second.

Real jobs write them, the real agent and controller keep them, and the console runs in a terminal.
A span counts until what was asked for has been written to the terminal.
"""

import asyncio
import os
import sys
from statistics import quantiles
from time import monotonic
from typing import Final

from bench.figures import Figure, Section
from bench.pool import POOL, Agent, Pool, a_pool
from bench.programs import cpu_s
from bench.terminal import Terminal

WIDTH, HEIGHT = 120, 40
LINE: Final = "step 1200 loss=2.3004 lr=1.0e-4 tok/s=118k gpu=97 mem=61.2GiB"
HALF_BYTES: Final = 500_000_000
QUICK_BYTES: Final = 20_000_000
FIRST, NEEDLE, LAST = "<<<<<<<<", "^^^^^^^^", "@@@@@@@@"
"""No other line has one of these signs, so they are always written anew."""
PRESSES: Final = 20
WATCHED_S: Final = 5.0

BIG: Final = (
    "echo '{first}'; yes '{line}' | head -c {half}; echo; echo 'needle {needle}'; "
    "yes '{line}' | head -c {half}; echo; echo '{last}'"
)
GROWING: Final = """exec '{python}' -uc '
import sys, time
at = time.monotonic()
while True:
    sys.stdout.write("{line}\\n" * 5000)
    sys.stdout.flush()
    at += 0.1
    time.sleep(max(0.0, at - time.monotonic()))
'"""

Values = dict[str, list[float]]


async def measure(rounds: int, quick: bool) -> Section:
    """Let a job write a gigabyte and look at it a few times, then at one that never stops."""
    values: Values = {}
    half = QUICK_BYTES if quick else HALF_BYTES
    async with a_pool(Agent(name="n1", cpus=2)) as pool:
        begun_at = monotonic()
        number = await _submitted(pool, BIG, half)
        await pool.ended([number])
        _add(values, "it is written and kept", monotonic() - begun_at)
        await asyncio.to_thread(os.sync)  # what is timed next shall not wait for the disk
        for _ in range(rounds):
            await asyncio.to_thread(_look_at_big, pool, number, values)
        number = await _submitted(pool, GROWING, half)
        for _ in range(rounds):
            await asyncio.to_thread(_look_at_growing, pool, number, values)
        await pool.cancel(number)
    note = f"{WIDTH}x{HEIGHT}; one log has {2 * half / 1e9:.2f} GB, one gets 50,000 lines a second"
    figures = tuple(_figure(name, tuple(taken)) for name, taken in values.items())
    return Section(title="A very long log in the console", figures=figures, notes=(note,))


async def _submitted(pool: Pool, command: str, half: int) -> int:
    words = command.format(
        first=FIRST, needle=NEEDLE, last=LAST, line=LINE, half=half, python=sys.executable
    )
    return await pool.submit({"command": words, "pool": POOL})


def _console(pool: Pool, number: int) -> Terminal:
    """Open the console at the job."""
    env = {**os.environ, "MINI_EAAS_HOME": str(pool.home)}
    argv = (sys.executable, "-m", "eaas_tui")
    terminal = Terminal(argv, env, width=WIDTH, height=HEIGHT)
    terminal.until(b"live")
    terminal.settle(0.5)
    for keys in (":", f"job {number}", "\r"):
        terminal.press(keys)
        terminal.settle(0.5)
    return terminal


def _look_at_big(pool: Pool, number: int, values: Values) -> None:
    bar = f"{WIDTH - 1};{HEIGHT // 2}"
    middle = f"\x1b[<0;{bar}M\x1b[<0;{bar}m"
    with _console(pool, number) as terminal:
        for name, keys, text in (
            ("its end is there", "2", LAST),
            ("to its top", "g", FIRST),
            ("to its end", "G", LAST),
            ("to its middle, by the scroll bar", middle, "held"),
            ("to its end", "G", LAST),
            ("a hit half a gigabyte before", "/needle\r", NEEDLE),
            ("to its top", "g", FIRST),
            ("a hit half a gigabyte behind", "n", NEEDLE),
        ):
            _see(terminal, values, name, keys, text)
        _add(values, "memory", terminal.memory_mib)


def _look_at_growing(pool: Pool, number: int, values: Values) -> None:
    with _console(pool, number) as terminal:
        terminal.press("2")
        terminal.until(b"growing")
        for _ in range(PRESSES):
            _see(terminal, values, "", "k", "held")
            _see(terminal, values, "", "f", "follow")
        cuts = quantiles(values.pop(""), n=20)
        _add(values, "while it grows, a key: p50", cuts[9])
        _add(values, "while it grows, a key: p95", cuts[18])
        controller, console = cpu_s(pool.controller.pid), terminal.cpu_s
        terminal.read(WATCHED_S)
        _add(values, "while it is followed: CPU", (terminal.cpu_s - console) / WATCHED_S * 100)
        spent = (cpu_s(pool.controller.pid) - controller) / WATCHED_S * 100
        _add(values, "while it is followed: the controller's CPU", spent)
        _add(values, "while it is followed: memory", terminal.memory_mib)


def _see(terminal: Terminal, values: Values, name: str, keys: str, text: str) -> None:
    """Press the keys; note after how many milliseconds the text has come."""
    terminal.settle(0.1)
    pressed_at = monotonic()
    terminal.press(keys)
    seen_at, _ = terminal.until(text.encode())
    _add(values, name, (seen_at - pressed_at) * 1000)


def _add(values: Values, name: str, value: float) -> None:
    values.setdefault(name, []).append(value)


TARGETS: Final = {
    "it is written and kept": ("s", ""),
    "its end is there": ("ms", "300"),
    "to its top": ("ms", "300"),
    "to its end": ("ms", "300"),
    "to its middle, by the scroll bar": ("ms", "300"),
    "a hit half a gigabyte before": ("ms", ""),
    "a hit half a gigabyte behind": ("ms", ""),
    "memory": ("MiB", "76 (80 MB)"),
    "while it grows, a key: p50": ("ms", "30"),
    "while it grows, a key: p95": ("ms", "50"),
    "while it is followed: CPU": ("% of a core", ""),
    "while it is followed: the controller's CPU": ("% of a core", ""),
    "while it is followed: memory": ("MiB", "76 (80 MB)"),
}


def _figure(name: str, taken: tuple[float, ...]) -> Figure:
    unit, target = TARGETS[name]
    return Figure(name=name, values=taken, unit=unit, target=target)
