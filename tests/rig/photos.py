"""Pictures of the console's screens for ``snapshots/``: the same ones on every machine.

``python -m tests.rig.photos`` takes them all anew; look at what has changed before you keep it.
"""

import asyncio
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final, Literal

import msgspec
import pytest
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from eaas.lifecycle import JobState
from eaas.views import ConditionView, EventView, JobView, Page
from eaas.why_views import DryRunView
from eaas_daemon.core.mass_loss import condition
from eaas_daemon.core.model import MassLoss
from eaas_tui.app import ConsoleApp
from eaas_tui.arguments import Arguments
from eaas_tui.model.picture import Link, Picture, Samples
from eaas_tui.recording import replay_at_once
from eaas_tui.screens.overview import WIDE
from tests.rig.form import a_dry_run
from tests.rig.logs_in_memory import LogsInMemory
from tests.rig.pilots import screen_lines
from tests.rig.recordings import RECORDINGS
from tests.rig.runs import a_training
from tests.rig.views import an_event

FOLDER: Final = Path(__file__).parents[2] / "snapshots"
SIZES: Final = ((80, 24), (120, 40), (200, 60))
WITHIN_S: Final = 20.0
STILL: Final = 3
"""A screen that looks the same so many times is finished."""

Opens = Literal["", "job", "pending", "node", "queue", "submit"]


class Photo(msgspec.Struct, frozen=True, kw_only=True):
    """One screen as it is to be photographed."""

    name: str
    recording: str = "busy"
    opens: Opens = ""
    keys: tuple[str, ...] = ()
    theme: str = "dark"
    away: bool = False
    loses_most: bool = False
    """Most nodes fell silent at once."""
    node: str | None = None
    until: str
    """What is on the screen once it has been built and everything has been answered."""
    log_from: int | None = None
    """From how many columns on the end of the job's log is there as well."""
    sizes: tuple[tuple[int, int], ...] = SIZES

    def path(self, size: tuple[int, int]) -> Path:
        """Return where the picture stands."""
        return FOLDER / self.name / f"{self.theme}-{size[0]}x{size[1]}.svg"


LOG_END: Final = "7040/12800"
WITH_PREVIEW: Final = 120
"""Columns from which on a list of jobs has room for the selected one's log."""
MIDDLE: Final = ((120, 40),)
ENDS: Final = ((80, 24), (200, 60))

PHOTOS: Final = (
    *(
        Photo(name="overview", theme=theme, until="node00", log_from=WIDE)
        for theme in ("dark", "light")
    ),
    *(
        Photo(name="jobs", keys=("2",), until="filter:", theme=theme, log_from=WITH_PREVIEW)
        for theme in ("dark", "light")
    ),
    Photo(name="job-overview", opens="pending", until="waits for"),
    Photo(name="job-log", opens="job", keys=("2",), until=LOG_END),
    Photo(name="job-curves", opens="job", keys=("3",), until="in grey"),
    Photo(name="job-events", opens="job", keys=("4",), until="was submitted"),
    Photo(name="job-spec", opens="job", keys=("5",), until="image:"),
    Photo(name="node", opens="node", node="node00", until="TEMP"),
    Photo(name="queue", opens="queue", until="POOL"),
    Photo(name="events", keys=("4",), until="EVENTS"),
    Photo(name="bookings", recording="booked", keys=("5",), until="BOOKING"),
    Photo(name="booked-overview", recording="booked", until="lab-b", sizes=MIDDLE, log_from=WIDE),
    Photo(name="submit", opens="submit", until="would start"),
    Photo(
        name="submit-end",
        opens="submit",
        keys=("shift+tab",) * 3,
        until="Number of nodes",
        sizes=((80, 24),),
    ),
    Photo(name="help", keys=("question_mark",), until="to search"),
    Photo(name="confirm", keys=("2", "x"), until="y  Cancel", log_from=WITH_PREVIEW),
    Photo(name="empty", recording="empty", until="No machine"),
    Photo(name="empty-jobs", recording="empty", keys=("2",), until="submits one", sizes=MIDDLE),
    Photo(name="mass-loss", loses_most=True, until="fell silent", log_from=WIDE),
    Photo(name="away", away=True, until="connection refused", sizes=MIDDLE),
    Photo(
        name="hundred-nodes", recording="hundred_nodes", until="NODES", sizes=ENDS, log_from=WIDE
    ),
    Photo(
        name="ten-thousand-jobs",
        recording="ten_thousand_jobs",
        keys=("2",),
        until="filter:",
        sizes=MIDDLE,
        log_from=WITH_PREVIEW,
    ),
    Photo(name="troubles", recording="troubles", until="gpu-c", log_from=WIDE),
    Photo(
        name="troubles-jobs",
        recording="troubles",
        keys=("2",),
        until="filter:",
        log_from=WITH_PREVIEW,
    ),
    Photo(
        name="troubles-node",
        recording="troubles",
        opens="node",
        node="gpu-c",
        until="TEMP",
        sizes=MIDDLE,
    ),
)

_STEPS: Final = "".join(
    f"step {n:5}  loss {4.2 / n**0.2:.4f}  lr {3e-4 * (1 - n / 12800):.2e}  {1412 + n % 7} tok/s\n"
    for n in range(100, 7000, 100)
)
LOG: Final = (
    b"\x1b[1mloading\x1b[0m configs/base.yaml\n"
    b"\x1b[32mINFO\x1b[0m  4 GPUs, batch 64, 12,800 steps\n"
    b"\x1b[33mWARN\x1b[0m  tokenizer has no padding token, using <eos>\n"
    + _STEPS.encode()
    + "  评估 mmlu …  0.6413\n".encode()
    + b"epoch 2:  10%\repoch 2:  55%|#####     | 7040/12800"
)


class OfflineConsole(ConsoleApp):
    """The console with a picture put into it; it follows nobody."""

    def _begin(self) -> None:
        """Follow nothing."""


class Answers(LogsInMemory):
    """What a controller would answer to the screens that ask."""

    async def events(self, **asked: Any) -> Page[EventView]:
        """Tell what became of the job."""
        assert self.view is not None
        job = f"job {self.view.id}"
        words = f"{job} was submitted by {self.view.user}", f"{job} runs on {self.view.node}"
        at = self.view.created_at, self.view.started_at or self.view.created_at
        told = zip(count(1), at, words, strict=False)
        return Page([an_event(seq, text, at=at, job=self.view.id) for seq, at, text in told])

    async def dry_run(self, fields: Mapping[str, Any]) -> DryRunView:
        """Say that the job would start."""
        text = "would start now on node03"
        return msgspec.convert(a_dry_run(node="node03", text=text), DryRunView)


async def taken(photo: Photo, size: tuple[int, int]) -> str:
    """Return the screen as SVG."""
    with tempfile.TemporaryDirectory() as home:
        app = OfflineConsole(Arguments(theme=photo.theme), environ={"MINI_EAAS_HOME": home})
        at = replay_at_once(RECORDINGS[photo.recording](), app.store, photo.recording)
        picture = _with_samples(app.store.picture)
        app.clock = lambda: at
        app.animation_level = "none"
        job = _subject(photo, picture)
        app.client = _answers(job, at)  # type: ignore[assignment]
        async with app.run_test(size=size, notifications=True) as pilot:
            live = Link(state="live", since=at - 7200)
            app.picture = replace(picture, link=live)
            await _settled(pilot)
            await _go(pilot, app, photo, job)
            if photo.away:
                text = "connection refused"
                link = Link(state="away", since=at - 95, text=text)
                app.picture = replace(picture, link=link)
            if photo.loses_most:
                app.picture = replace(app.picture, conditions=(_mass_loss(at),))
            return await _settled(pilot, *_awaited(photo, size[0]))


def _mass_loss(at: float) -> ConditionView:
    return condition(MassLoss(since=at - 50, until=at + 550, lost=6, of=8))


def _awaited(photo: Photo, columns: int) -> tuple[str, ...]:
    has_log = photo.log_from is not None and columns >= photo.log_from
    return (photo.until, LOG_END) if has_log else (photo.until,)


def _subject(photo: Photo, picture: Picture) -> JobView | None:
    if not picture.jobs:
        return None
    wanted = JobState.PENDING if photo.opens == "pending" else JobState.RUNNING
    jobs = [one for one in picture.jobs.values() if one.state == wanted and _is_plain(one)]
    return max(jobs, key=lambda job: (len(job.cards) == 4, -job.id), default=None)


def _is_plain(job: JobView) -> bool:
    """Tell whether a person may type the name: the form takes no other."""
    return (job.name or "").isascii() and len(job.name or "") < 40


def _answers(job: JobView | None, at: float) -> Answers:
    answers = Answers(job)
    if job is not None and job.attempts:
        answers.runs[job.attempts[-1].number] = a_training(job, at)
    answers.write(LOG)
    return answers


async def _go(pilot: Pilot[None], app: ConsoleApp, photo: Photo, job: JobView | None) -> None:
    if photo.opens in ("job", "pending"):
        assert job is not None
        app.open_job(job.id)
    elif photo.opens == "node":
        app.open_node(photo.node)
    elif photo.opens == "queue":
        app.open_queue(min(app.picture.queues))
    elif photo.opens == "submit":
        app.open_submit(like=job)
    for key in photo.keys:
        await pilot.pause()
        await pilot.press(key)


async def _settled(pilot: Pilot[None], *words: str) -> str:
    """Return the screen once it says the words and keeps still, its colours too."""
    seen: list[str] = []
    async with asyncio.timeout(WITHIN_S):
        while len(seen) < STILL or len(set(seen[-STILL:])) > 1 or not _says(pilot, words):
            await pilot.pause(0.02)
            _stop_blinking(pilot)
            seen.append(repr(pilot.app.screen._compositor.render_strips()))
    return _plain(pilot.app.export_screenshot(title="Mini EaaS"))


def _says(pilot: Pilot[None], words: tuple[str, ...]) -> bool:
    text = "\n".join(screen_lines(pilot.app))
    return all(each in text for each in words)


def _plain(svg: str) -> str:
    """Return the picture without its random name, and without fonts from somebody else's server."""
    svg = re.sub(r"terminal-\d+-", "terminal-", svg)
    return re.sub(r"\s*@font-face \{[^}]*\}", "", svg)


def _stop_blinking(pilot: Pilot[None]) -> None:
    for field in pilot.app.screen.query(Input):
        field.cursor_blink = False
    for area in pilot.app.screen.query(TextArea):
        area.cursor_blink = False


def _with_samples(picture: Picture) -> Picture:
    """Return the picture with a quarter of an hour behind it."""
    chance = Random(7)
    samples = {
        card.uuid: Samples(
            every_s=5.0,
            utilization_pct=_walked(chance, card.utilization_pct),
            memory_pct=_walked(chance, _memory_pct(card.memory_used_mib, card.memory_total_mib)),
        )
        for card in picture.cards()
    }
    return replace(picture, samples=samples)


def _memory_pct(used_mib: int | None, total_mib: int | None) -> int | None:
    return None if used_mib is None or not total_mib else 100 * used_mib // total_mib


def _walked(chance: Random, end: int | None) -> tuple[int | None, ...]:
    """Return 180 values that end in this one."""
    if end is None:
        return (None,) * 180
    values = [end]
    while len(values) < 180:
        step = chance.randint(-9, 9) if end > 2 else 0
        values.append(min(100, max(0, values[-1] + step)))
    return tuple(reversed(values))


async def take_all(names: list[str]) -> None:
    """Take these, or all, and write those that are new or different."""
    for photo in PHOTOS:
        for size in photo.sizes:
            if names and photo.name not in names:
                continue
            path, svg = photo.path(size), await taken(photo, size)
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_text("utf-8") != svg:
                path.write_text(svg, "utf-8")
                print(path.relative_to(FOLDER.parent))


@contextmanager
def a_plain_terminal() -> Iterator[None]:
    """Let colours and times of day be the same on every machine meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NO_COLOR", raising=False)
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


def main() -> None:
    """Take those that the line names, or all."""
    with a_plain_terminal():
        asyncio.run(take_all(sys.argv[1:]))


if __name__ == "__main__":
    main()
