"""The whole console in a real terminal: what reaches it, and what it leaves behind."""

import os
import re
import signal
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from eaas.node_views import ImageView
from eaas.units import utc_text
from eaas.views import StatusView
from eaas.wire.to_client import Snapshot
from tests.rig.stand_in import StandIn, a_snapshot, served_apart
from tests.rig.terminal import RealTerminal
from tests.rig.views import (
    AT,
    a_card,
    a_claim,
    a_job,
    a_node,
    a_pool,
    a_queue,
    a_reason,
    an_attempt,
    an_event,
)

CLIPBOARD: Final = "\x1b]52;c;cHduZWQ=\x07"
LINK: Final = "\x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\"
HOSTILE: Final = (
    "evil"
    f"{CLIPBOARD}{LINK}\x1b[2J\x1b[?1049l\x1b[21t\x1b[5i\x1b[6n\x1b[?1000l\x1bc\x1b#8"
    "\x1bPq\x1b\\\x1b_x\x1b\\\x1b^x\x1b\\\x1b%G\x1b(0\x1b]0;title\x07"
    "\x9b2J\x9d52;c;eA==\x9c\x90q\x9c\x8d\x85\u2028"
    "\u202e\u202d\u202a\u2066\u2067\u2069\u200e\u200f\u061c\x07\x08\x0e\x0f\x7f\r\n\x0b\x0c\0"
    "end"
)
"""All that terminals obey: the clipboard, links, clearing, modes, questions, C1, right-to-left."""
RAW: Final = b"\x9b2J\x9d52;c;eA==\x9c\xff\xfe\xc2\x9b31m \xe2\x80\xae\n"
"""The same as bytes that are no UTF-8, as logs may have them."""
LOG: Final = b"".join(
    (HOSTILE.encode(), b"\n", RAW, b"\x1b[31mred\x1b[0m\x1b[99999;1H\x1b[3", b"1mcut\nlast line\n")
)

DRAWING: Final = re.compile(r"\x1b\[[\d;]*m|\x1b\[\d+;\d+H|\x1b\[\d*[CG]|\x1b\[\?2026[hl]")
"""The only sequences that a draw is made of: looks, moves, and what holds a draw together."""
FIRST_DRAW: Final = b"\x1b[?2026h"
FORBIDDEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

MODES: Final = {"1049": "l", "25": "h", "1000": "l", "1003": "l", "1006": "l", "2004": "l"}
"""How a terminal's modes have to be left: one screen, a cursor, no mouse, no marked pastes."""


def a_hostile_pool() -> StandIn:
    """Everything that has a text in it has the hostile one."""
    stand_in = StandIn()
    card = a_card(0, HOSTILE, model=HOSTILE, state="held", claims=(a_claim(1, HOSTILE),))
    spec = {"image": HOSTILE, "command": HOSTILE, "gpus": 1, "env": {"A": HOSTILE}}
    about: dict[str, Any] = {
        "name": HOSTILE,
        "user": HOSTILE,
        "spec": spec,
        "image_digest": HOSTILE,
    }
    running = a_job(1, "Running", node=HOSTILE, attempts=(an_attempt(node=HOSTILE),), **about)
    waiting = a_job(2, reason=a_reason(text=HOSTILE), **about)
    image = ImageView(name=HOSTILE, digest=HOSTILE, size_mib=7)
    node = a_node(HOSTILE, card, images=(image,), labels={HOSTILE: HOSTILE}, jobs=(1,))
    stand_in.jobs.update({1: running, 2: waiting})
    stand_in.logs[1, 1, "both"] = LOG
    events = [an_event(seq, HOSTILE, user=HOSTILE, node=HOSTILE) for seq in range(1, 5)]
    stand_in.answers["GET /api/v1/events"] = {"items": events}
    stand_in.answers["GET /api/v1/status"] = a_status()
    snapshot = Snapshot(
        seq=9,
        epoch=1,
        at=utc_text(AT),
        pools=(a_pool("default", HOSTILE),),
        queues=(a_queue(HOSTILE),),
        nodes=(node,),
        jobs=(running, waiting),
    )
    stand_in.frames.append([snapshot])
    return stand_in


def a_pool_of_one() -> StandIn:
    """One job runs."""
    stand_in = StandIn()
    stand_in.jobs[1] = a_job(1, "Running", name="evil", node="n")
    stand_in.answers["GET /api/v1/events"] = {"items": []}
    stand_in.answers["GET /api/v1/status"] = a_status()
    stand_in.frames.append([a_snapshot(*stand_in.jobs.values())])
    return stand_in


def a_status() -> StatusView:
    counts = ("pools", "nodes", "nodes_ready", "cards_total", "cards_free", "waiting", "running")
    about: dict[str, Any] = {
        "version": HOSTILE,
        "home": "/",
        "address": None,
        "user": HOSTILE,
        "role": "admin",
    }
    begun = {"epoch": 1, "started_at": utc_text(AT), "seq": 1}
    return StatusView(**{**dict.fromkeys(counts, 0), **about, **begun})


@pytest.fixture
def environ(tmp_path: Path) -> Mapping[str, str]:
    tmp_path.chmod(stat.S_IRWXU)
    return {**os.environ, "MINI_EAAS_HOME": str(tmp_path)}


@contextmanager
def a_console(environ: Mapping[str, str], stand_in: StandIn) -> Iterator[RealTerminal]:
    """A console that looks at the stand-in, and has heard of its jobs."""
    socket = Path(environ["MINI_EAAS_HOME"]) / "controller.sock"
    with served_apart(stand_in, socket), RealTerminal.console(environ=environ) as terminal:
        terminal.await_text("live", "evil")
        yield terminal


def stray(written: bytes) -> list[str]:
    """Return what was written in draws and is neither text nor part of drawing."""
    text = written.partition(FIRST_DRAW)[2].decode()
    left = DRAWING.sub("", text)
    return [left[max(0, at.start() - 10) : at.end() + 20] for at in FORBIDDEN.finditer(left)]


def of_session(leader: int) -> list[int]:
    """Return the processes that live in the session that this one leads."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            pid = int(entry.name)
            if os.getsid(pid) == leader:
                found.append(pid)
        except (ValueError, ProcessLookupError):
            continue
    return found


def left_as(written: bytes) -> dict[str, str]:
    """Return how each mode was set last."""
    found = re.findall(rb"\x1b\[\?(\d+)([hl])", written)
    return {mode.decode(): way.decode() for mode, way in found}


@pytest.mark.parametrize(
    "text", [CLIPBOARD, LINK, "\x1b[2J", "\x1b[6n", "\x9b2J", "\u202e", "\x07"]
)
def test_what_is_hostile_would_be_noticed(text: str) -> None:
    assert stray(FIRST_DRAW + b"\x1b[1;1H\x1b[38;2;1;2;3mname" + text.encode())


def test_nothing_hostile_reaches_the_terminal_in_any_view(environ: Mapping[str, str]) -> None:
    with a_console(environ, a_hostile_pool()) as terminal:
        for keys in (("2",), ("4",), ("3",), ("q", "1", "2", "enter")):
            terminal.press(*keys)
            terminal.await_quiet(0.2)
            assert "evil" in terminal.text, keys
        terminal.await_text("1 Overview")
        terminal.press("1")
        terminal.await_text("[1 Overview]")
        terminal.press("2")
        terminal.await_text("last line", "red", "cut")
        for tab in ("3", "4", "5"):
            terminal.press(tab)
            terminal.await_text(f"[{tab} ")
        terminal.await_quiet(0.2)

        assert stray(bytes(terminal.written)) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_gives_the_terminal_back(
    environ: Mapping[str, str], number: signal.Signals
) -> None:
    with a_console(environ, a_hostile_pool()) as terminal:
        terminal.send_signal(number)

        assert terminal.await_end() == 128 + number
        assert terminal.is_sane
        assert left_as(bytes(terminal.written)).items() >= MODES.items()
        assert of_session(terminal.pid) == []


def test_a_closed_terminal_leaves_no_process_behind(environ: Mapping[str, str]) -> None:
    with a_console(environ, a_hostile_pool()) as terminal:
        terminal.hang_up()

        assert terminal.await_end() != 0
        assert of_session(terminal.pid) == []


def test_a_paste_without_marks_acts_on_nothing(environ: Mapping[str, str]) -> None:
    stand_in = a_pool_of_one()
    with a_console(environ, stand_in) as terminal:
        terminal.press("2")
        terminal.await_text("JOBS 1")
        for paste in ("xy", "x\ty\r", "+++t-tXrx", "xxyyx\r1\ry\r:cancel 1\rY\ry"):
            terminal.type(paste)
            terminal.await_quiet(0.4)
            terminal.press("escape")
            terminal.await_quiet(0.4)
        terminal.press("escape", "escape")

        terminal.await_no_text("Cancel job")
        asked = {(one.method, one.path) for one in stand_in.asked if one.method != "GET"}
        assert asked == set()

        terminal.press("ctrl+c", "ctrl+c")
        terminal.await_end()


def test_a_yes_is_one_when_the_question_could_be_read(environ: Mapping[str, str]) -> None:
    stand_in = a_pool_of_one()
    stand_in.answers["POST /api/v1/jobs/1/cancel"] = a_job(1, "Stopping", name="evil", node="n")
    with a_console(environ, stand_in) as terminal:
        terminal.press("2")
        terminal.await_text("JOBS 1")
        terminal.press("x", "y")
        terminal.await_text("press it again", "y  Cancel job 1")
        terminal.press("y")
        terminal.await_text("job 1 is Stopping")
