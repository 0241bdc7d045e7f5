"""One person, one console, one pool: real tmux, controller, agent and containers, to the end."""

import os
import re
from typing import Final

import pytest

from tests.rig.engine import answering_engine
from tests.rig.pool import CLI, Installation, an_installation
from tests.rig.program import await_end
from tests.rig.site import IMAGE, provide_images
from tests.rig.tmux import PROMPT, Tmux, why_no_tmux

SIZES: Final = ((80, 24), (200, 60), (20, 5), (120, 40))
TALK: Final = "for i in $(seq 999); do echo line $i; sleep 0.1; done"
SANE: Final = {"alternate_on": "0", "cursor_flag": "1", "mouse_any_flag": "0"}


@pytest.mark.docker
async def test_a_day_at_the_console() -> None:
    if reason := why_no_tmux():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    engine = answering_engine(os.environ)
    assert engine is not None, "the mark says so"
    async with an_installation(engine) as pool:
        pool.start_controller()
        with Tmux(pool.home, pool.environ) as tmux:
            console = starts_on_an_empty_pool(tmux)
            await provide_images(engine)
            await pool.add_agent("box", runtime="docker", simulate="1x8GiB")
            tmux.await_text("1 of 1 simulated card free")
            submits_a_job_and_sees_it_talk(tmux)
            cancels_it(tmux)
            await reprioritises(tmux, pool)
            loses_the_controller(tmux, pool)
            await finds_it_again(tmux, pool)
            resizes(tmux)
            leaves(tmux, console)


def starts_on_an_empty_pool(tmux: Tmux) -> int:
    """Type the command and see what to type next; return the console's process."""
    tmux.type(f'stty -g >"$MINI_EAAS_HOME/before"; {CLI} tui')
    tmux.press("Enter")
    tmux.await_text("live", "No machine here yet", "mini-eaas up", "No job yet: n opens a form")
    (console,) = tmux.children()
    return console


def submits_a_job_and_sees_it_talk(tmux: Tmux) -> None:
    """Fill the form in, and look at the log that comes of it."""
    tmux.press("n")
    tmux.await_text("NEW JOB")
    for text in ("talker", IMAGE, TALK):
        tmux.type(text)
        tmux.press("Tab")
    tmux.await_text("would start now on box")
    tmux.press("C-s")
    tmux.await_text("#1 talker", "job 1 was submitted")
    tmux.press("2")
    tmux.await_text("[2 Log]", "line 1\n", "growing")
    seen = tmux.text.count("line ")
    tmux.await_screen(lambda shown: shown.count("line ") > seen + 3, "a log that grows")


def cancels_it(tmux: Tmux) -> None:
    """Ask to cancel; nothing ends without a yes."""
    tmux.press("x")
    tmux.await_text("Cancel job 1?", "y  Cancel job 1", "Running")
    tmux.press("y")
    tmux.await_text("#1 talker  Cancelled")
    tmux.await_no_text("growing")


async def reprioritises(tmux: Tmux, pool: Installation) -> None:
    """Let the last in line go before the one ahead of it."""
    async with pool.client() as client:
        for name in ("holder", "second", "third"):
            await client.submit({"command": "sleep 600", "gpus": 1, "image": IMAGE, "name": name})
    tmux.press("q", "2")
    tmux.await_screen(
        lambda shown: order(shown) == ["holder", "second", "third"] and "● Running" in shown,
        "the card's holder before the line",
    )
    tmux.press("G", "+")
    tmux.await_text("job 4 has priority 5")
    tmux.await_screen(lambda shown: order(shown) == ["holder", "third", "second"], "a new order")
    assert selected(tmux) == "third"


def loses_the_controller(tmux: Tmux, pool: Installation) -> None:
    """Kill it: old numbers look old, and nothing can be done for now."""
    fresh = colour_of(tmux, "holder")
    pool.controller.kill()
    tmux.await_text("! away since ")
    assert colour_of(tmux, "holder") != fresh
    tmux.press("x")
    tmux.await_text("Not done: the controller does not answer", "again when")
    assert "Cancel job" not in tmux.text
    tmux.await_screen(
        lambda shown: bool(re.search("! away since [1-9][0-9]*s, trying again: no control", shown)),
        "since when, and why",
    )
    assert order(tmux.text) == ["holder", "third", "second"]


async def finds_it_again(tmux: Tmux, pool: Installation) -> None:
    """Start it: the console is back by itself, right, and acts."""
    pool.start_controller()
    tmux.await_text("* live")
    async with pool.client() as client:
        await client.until(2, lambda job: job.state == "Running")
        there = [job.name async for job in client.each_job()]
    tmux.await_screen(lambda shown: order(shown) == there, f"{there} in this order")
    assert selected(tmux) == "third"
    tmux.press("g", "x")
    tmux.await_text("Cancel job 2?", "y  Cancel job 2")
    tmux.press("y")
    tmux.await_screen(
        lambda shown: any(" third " in line and "● Running" in line for line in shown.split("\n")),
        "the next in line on the card",
    )


def resizes(tmux: Tmux) -> None:
    """Pull the window about: the bars are at its edges, and nothing of before is left."""
    for width, height in SIZES:
        tmux.resize(width, height)

        def fits(shown: str, width: int = width, height: int = height) -> bool:
            lines = shown.split("\n")
            return (
                len(lines) == height
                and max(map(len, lines)) <= width
                and lines[0].startswith((" Mini Eaa", " RUN 1 "))
                and lines[-1].startswith(" ? help")
                and "JOBS" in lines[1]
                and any(line.startswith(">  2") for line in lines)
            )

        tmux.await_screen(fits, f"{width}x{height}, filled")


def leaves(tmux: Tmux, console: int) -> None:
    """Quit: the terminal is as it was, and nobody is left behind."""
    tmux.press("q", "q")
    await_end(console)
    tmux.type('stty -g | cmp - "$MINI_EAAS_HOME/before" && echo the same')
    tmux.press("Enter")
    tmux.await_text("\nthe same")
    assert {name: tmux.say(name) for name in SANE} == SANE
    assert tmux.lines[0].startswith(PROMPT)
    assert tmux.children() == []


def order(shown: str) -> list[str]:
    """Return the names of the listed jobs that have not ended, from the top."""
    rows = re.findall(r"^[> ]  \d+ +(\w+) .*[●○◐] \w+", shown, re.MULTILINE)
    return [str(name) for name in rows]


def selected(tmux: Tmux) -> str:
    """Return the name of the selected job."""
    found = re.search(r"^>  \d+ +(\w+) ", tmux.text, re.MULTILINE)
    assert found, tmux.text
    return found[1]


def colour_of(tmux: Tmux, word: str) -> str:
    """Return the colour that the word is written in."""
    before, found, _ = tmux.coloured.partition(word)
    assert found, before
    return str(re.findall(r"\x1b\[(?:\d+;)*?(38;5;\d+|39)m", before)[-1])
