"""All jobs while hundreds of them change every second: what a person holds on to stays put."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import pytest
from textual.pilot import Pilot

from eaas.units import utc_text
from eaas.views import JobView
from eaas_tui.app import ConsoleApp
from eaas_tui.model.job_table import COLUMNS
from eaas_tui.model.order import ordered
from eaas_tui.screens.jobs import JobsScreen
from tests.rig.consoles import a_console
from tests.rig.pilots import screen_lines, until
from tests.rig.views import AT, a_job, a_snapshot, changes

JOBS: Final = 400
RUNNING: Final = 60
BURSTS: Final = 20
CHANGED: Final = 25
"""Jobs that each burst changes; twenty bursts are a second of the storm."""


class Storm:
    """A console whose jobs come, change, move in line and end; a burst is what one frame brings."""

    def __init__(self, app: ConsoleApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot
        self._chance: Final = random.Random(11)
        self._seq = 1
        self.jobs: Final = {id: self._job(id) for id in range(1, JOBS + 1)}

    @property
    def screen(self) -> JobsScreen:
        """The list that is looked at."""
        assert isinstance(self.app.screen, JobsScreen)
        return self.app.screen

    async def begin(self) -> None:
        """Let the console see it all, and go to the list."""
        self.app.store.apply(a_snapshot(1, jobs=tuple(self.jobs.values())), AT)
        self.app.store.link("live", None, AT)
        await self.drawn()
        await self.pilot.press("2")

    async def blow(self, *, spare: Sequence[int] = (), bursts: int = BURSTS) -> None:
        """Change jobs, some ending and new ones coming; those to be spared do not end."""
        for _ in range(bursts):
            chosen = self._chance.sample(sorted(self.jobs), CHANGED)
            fresh = max(self.jobs) + 1
            views = [self._moved(self.jobs[id], may_end=id not in spare) for id in chosen]
            await self.hear(*views, self._job(fresh))

    async def hear(self, *views: JobView) -> None:
        """Let the stream say this of jobs, and draw it."""
        self._seq += 1
        for view in views:
            self.jobs[view.id] = view
        self.app.store.apply(changes(self._seq, jobs=views), AT)
        await self.drawn()
        for view in views:
            if view.finished_at:
                del self.jobs[view.id]

    async def drawn(self) -> None:
        """Draw what the store knows now, without the pace that real time keeps."""
        self.app.picture = self.app.store.picture
        await asyncio.sleep(0)

    def line_of_selected(self) -> int:
        """Return the screen's line that the selected row stands on."""
        (line,) = (y for y, text in enumerate(screen_lines(self.app)) if text.startswith(">"))
        return line

    def _job(self, id: int) -> JobView:
        state = "Running" if id <= RUNNING else "Pending"
        name = self._chance.choice(["train", "eval", "render"])
        place = None if state == "Running" else self._chance.randrange(1, 10_000)
        return a_job(id, state, name=f"{name}-{id % 40}", position=place, user=f"u{id % 7}")

    def _moved(self, job: JobView, *, may_end: bool) -> JobView:
        if may_end and self._chance.random() < 0.1:
            end = {"finished_at": utc_text(AT), "run_s": 5.0}
            return a_job(job.id, "Failed", name=job.name, user=job.user, **end)
        priority = self._chance.randrange(-100, 100)
        place = None if job.state == "Running" else self._chance.randrange(1, 10_000)
        about = {"name": job.name, "user": job.user, "position": place}
        return a_job(job.id, job.state, priority=priority, **about)


@asynccontextmanager
async def a_storm() -> AsyncIterator[Storm]:
    app = a_console("empty")
    async with app.run_test(size=(120, 40)) as pilot:
        storm = Storm(app, pilot)
        await storm.begin()
        yield storm


async def test_the_selected_row_stays_selected_and_on_its_line() -> None:
    async with a_storm() as storm:
        rows = storm.screen.job_list
        rows.select(300)
        await storm.pilot.pause()
        line, stayed = storm.line_of_selected(), 0
        for _ in range(BURSTS):
            await storm.blow(spare=(300,), bursts=1)
            await storm.pilot.pause()
            assert rows.selected == 300
            place = rows.view.index
            if place >= line and len(rows.rows) - place > rows.rows_seen:
                assert storm.line_of_selected() == line
                stayed += 1
        assert stayed > BURSTS // 2


async def test_a_selected_job_that_ends_is_shown_until_the_selection_leaves_it() -> None:
    async with a_storm() as storm:
        rows = storm.screen.job_list
        rows.select(300)
        await storm.hear(a_job(300, "Failed", finished_at=utc_text(AT)))
        await storm.blow()
        await storm.pilot.pause()
        assert rows.selected == 300
        await until(
            lambda: " Failed " in screen_lines(storm.app)[storm.line_of_selected()], storm.pilot
        )

        above = rows.rows.keys[rows.view.index - 1]
        await storm.pilot.press("k")
        await storm.blow(spare=(above,), bursts=1)

        await until(lambda: rows.selected == above, storm.pilot)
        assert 300 not in rows.rows.keys


async def test_a_range_marks_what_it_went_over_and_nothing_that_the_storm_brings() -> None:
    async with a_storm() as storm:
        rows = storm.screen.job_list
        rows.select(300)
        await storm.pilot.press("v", "j", "j", "j")
        went_over = set(rows.marked)
        assert len(went_over) == 4

        await storm.blow(spare=tuple(went_over))
        await storm.pilot.pause()

        assert set(rows.marked) == went_over
        await storm.pilot.press("v")
        assert set(rows.marked) == went_over


@pytest.mark.parametrize("way", ["keys", "mouse"])
async def test_every_column_sorts_in_the_middle_of_it(way: str) -> None:
    async with a_storm() as storm:
        rows = storm.screen.job_list
        rows.select(300)
        await storm.pilot.pause()
        for column in COLUMNS:
            assert column.sort is not None
            if way == "keys":
                await storm.pilot.press(">")
            else:
                await storm.pilot.click("#jobs-list", offset=(screen_x(storm, column.title), 0))
            await storm.blow(spare=(300,), bursts=1)
            await storm.pilot.pause()

            assert rows.sort == (column.sort, False), column
            shown = storm.screen._shown
            sorted_anew = ordered(shown.values(), column.sort, now=storm.screen._now)
            assert list(shown) == [job.id for job in sorted_anew], column
            assert rows.selected == 300
            storm.line_of_selected()


def screen_x(storm: Storm, title: str) -> int:
    """Return where the column's title begins."""
    header = storm.screen.job_list.render_line(0).text
    assert title in header, header
    return header.index(title) + 1
