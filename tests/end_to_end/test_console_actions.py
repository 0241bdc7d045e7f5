"""Everything that acts, from the console's keyboard and mouse, on a real controller and agent."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from textual.pilot import Pilot
from textual.widgets import Button, Input, OptionList

from eaas.client import Client
from eaas.lifecycle import JobState
from eaas.wire.rest import SetQueue
from eaas_tui.app import ConsoleApp
from eaas_tui.screens.confirm import PickQueue, TypeToConfirm
from eaas_tui.screens.jobs import JobsScreen
from eaas_tui.widgets.key_bar import KeyBar
from eaas_tui.widgets.row_list import RowList
from tests.rig.nvml_standin import StandIn, build_library, card, why_no_standin
from tests.rig.others import as_nobody, why_no_other
from tests.rig.pool import Installation, an_installation

WITHIN_S: Final = 30.0
STUBBORN: Final = "trap '' TERM; echo up; while :; do sleep 0.1; done"
"""A job that no cancel ends before its grace is over."""


class Heard(ConsoleApp):
    """The console, and all it ever said."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__(environ=environ)
        self.heard: list[str] = []

    def notify(self, message: str, **how: Any) -> None:
        self.heard.append(message)
        super().notify(message, **how)


class Operator:
    """A person before the console: presses, clicks, reads what is said."""

    def __init__(self, app: Heard, pilot: Pilot[None], client: Client) -> None:
        self.app, self.pilot, self.client = app, pilot, client

    async def until(self, holds: Callable[[], Any]) -> None:
        async with asyncio.timeout(WITHIN_S):
            while not holds():
                await self.pilot.pause(0.01)

    async def told(self, text: str) -> None:
        """Wait until the console says it."""
        try:
            await self.until(lambda: text in self.said)
        except TimeoutError:
            raise AssertionError(f"{text!r} is not in {self.said}") from None

    @property
    def said(self) -> list[str]:
        return self.app.heard

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def agree(self) -> None:
        """Read the question, then say yes to it."""
        await self.readable()
        await self.press("y")

    async def readable(self) -> None:
        await self.until(
            lambda: any(str(it.label).startswith("y ") for it in self.app.screen.query(Button))
        )

    async def click_key(self, label: str) -> None:
        """Click a key in the bottom line."""
        bar = self.app.screen.query_one(KeyBar)
        [place] = [place for place in bar._places() if place.key.label == label]
        await self.pilot.click(KeyBar, offset=(place.start, 0))
        await self.pilot.pause()

    async def click_help(self, words: str) -> None:
        """Find a line of the help and click it."""
        await self.click_key("?")
        self.app.screen.query_one(Input).value = words
        await self.pilot.pause()
        await self.pilot.click(OptionList, offset=(5, 0))
        await self.pilot.pause()

    async def agree_by_mouse(self) -> None:
        """Read the question, then click its yes."""
        await self.readable()
        await self.pilot.click("#yes")

    async def click_row(self, list_id: str, words: str) -> None:
        """Click the row, or the heading, that says this; right on its words."""
        rows = self.app.screen.query_one(list_id, RowList)

        def place() -> tuple[int, int] | None:
            lines = [rows.render_line(y).text for y in range(rows.size.height)]
            found = [(line.index(words), y) for y, line in enumerate(lines) if words in line]
            return found[0] if found else None

        await self.until(place)
        if (offset := place()) is not None:
            await self.pilot.click(list_id, offset=offset)

    async def come_back(self) -> None:
        """Close all that is open, and go to the overview."""
        while len(self.app.screen_stack) > 1:
            await self.press("escape")
        await self.press("1")

    async def open_job(self, id: int) -> None:
        await self.until(lambda: id in self.app.picture.jobs)
        self.app.open_job(id)
        await self.pilot.pause()


@asynccontextmanager
async def at_the_console(pool: Installation, **asked: str) -> AsyncIterator[Operator]:
    app = Heard({**pool.environ, **asked})
    async with app.run_test(size=(200, 50)) as pilot, pool.client() as client:
        operator = Operator(app, pilot, client)
        await operator.until(lambda: app.picture.is_live)
        yield operator


@pytest.fixture
async def pool(tmp_path: Path) -> AsyncIterator[Installation]:
    """A controller, and an agent with a clean card and one whose memory nobody owns to."""
    if reason := why_no_standin():
        if os.environ.get("CI"):
            pytest.fail(f"CI must run this test, but {reason}", pytrace=False)
        pytest.skip(reason)
    driver = StandIn(tmp_path, build_library(tmp_path))
    driver.install()
    driver.says("driver=550.54.15", "count=2", *card(0), *card(1, used_mib=7000))
    environ = {key: driver.env[key] for key in ("LD_LIBRARY_PATH", "NVML_STANDIN")}
    async with an_installation() as pool:
        pool.start_controller()
        await pool.add_agent("node-a", environ=environ)
        async with pool.client() as client:
            await client.create_queue("default", "night", SetQueue())
        yield pool


async def test_jobs_queues_nodes_and_cards_obey_the_keyboard(pool: Installation) -> None:
    async with at_the_console(pool) as operator:
        await steers_a_job_that_waits(operator)
        await ends_a_job_that_runs(operator)
        await pauses_a_queue(operator)
        await drains_a_node_and_cares_for_its_cards(operator)


async def steers_a_job_that_waits(operator: Operator) -> None:
    await operator.client.set_queue("default", "default", SetQueue(paused=True))
    id = (await operator.client.submit({"command": "true"})).id
    await operator.open_job(id)
    await operator.press("plus")
    await operator.told(f"job {id} has priority 5")
    await operator.press("minus")
    await operator.told(f"job {id} has priority 0")
    await operator.press("p", "backspace", "4", "2", "enter")
    await operator.told(f"job {id} has priority 42")
    await operator.press("escape", "2", "t")
    await operator.told(f"job {id} is number 1 in line")
    await operator.client.set_queue("default", "night", SetQueue(paused=True))
    await operator.press("M", "enter")
    await operator.told(f"job {id} is in default/night")
    await operator.press("x")
    await operator.agree()
    await operator.told(f"job {id} is Cancelled")
    await operator.open_job(id)
    await operator.until(lambda: operator.app.picture.jobs[id].state == JobState.CANCELLED)
    await operator.press("r")
    await operator.told(f"job {id} is Pending in default/night")
    await operator.client.cancel(id)
    await operator.client.set_queue("default", "default", SetQueue(paused=False))


async def ends_a_job_that_runs(operator: Operator) -> None:
    id = (await operator.client.submit({"command": STUBBORN})).id
    await operator.client.until(id, lambda job: job.state == JobState.RUNNING)
    await operator.open_job(id)
    await operator.until(lambda: operator.app.picture.jobs[id].state == JobState.RUNNING)
    await operator.press("x")
    await operator.readable()
    await operator.press("shift+tab", *"20m", "enter", "y")
    await operator.told(f"job {id} is Stopping")
    await operator.until(lambda: operator.app.picture.jobs[id].state == JobState.STOPPING)
    await operator.press("X", *str(id), "enter")
    ended = await operator.client.wait(id)
    assert [job.state for job in ended] == [JobState.CANCELLED]


async def pauses_a_queue(operator: Operator) -> None:
    await operator.come_back()
    await operator.until(lambda: operator.app._facts().get("queue") == "default/default")
    await operator.press("Z")
    await operator.agree()
    await operator.told("queue default/default is paused")
    await operator.until(lambda: operator.app.picture.queues["default/default"].paused)
    await operator.press("Z")
    await operator.told("queue default/default is open")


async def drains_a_node_and_cares_for_its_cards(operator: Operator) -> None:
    def cards() -> list[str]:
        return [card.state for card in operator.app.picture.nodes["node-a"].cards]

    await operator.until(lambda: cards() == ["free", "dirty"])
    await operator.press("3", "D")
    await operator.agree()
    await operator.told("node node-a is Draining")
    await operator.until(lambda: operator.app.picture.nodes["node-a"].state == "Draining")
    await operator.press("D")
    await operator.told("node node-a is Ready")
    await operator.press("E")
    await operator.agree()
    await operator.until(lambda: cards() == ["excluded", "dirty"])
    await operator.press("E")
    await operator.until(lambda: cards() == ["free", "dirty"])
    await operator.press("j", "V")
    await operator.agree()
    await operator.until(lambda: cards() == ["free", "free"])


async def test_the_mouse_does_what_the_keys_do(pool: Installation) -> None:
    async with at_the_console(pool) as operator:
        id = (await operator.client.submit({"command": "sleep 600"})).id
        await operator.client.until(id, lambda job: job.state == JobState.RUNNING)
        await operator.open_job(id)
        await operator.until(lambda: operator.app.picture.jobs[id].state == JobState.RUNNING)
        await operator.click_help("priority up")
        await operator.told(f"job {id} has priority 5")
        await operator.click_help("cancel it")
        await operator.readable()
        await operator.pilot.click("#yes")
        await operator.client.wait(id)
        await operator.until(lambda: operator.app.picture.jobs[id].state == JobState.CANCELLED)
        await operator.click_help("run an ended")
        await operator.until(lambda: operator.said[-1].endswith("in default/default"))
        await operator.client.cancel(id, grace_s=0)
        await operator.press("escape", "3")
        await operator.click_key("D")
        await operator.readable()
        await operator.pilot.click("#no")
        await operator.click_key("D")
        await operator.readable()
        await operator.pilot.click("#yes")
        await operator.told("node node-a is Draining")


async def test_the_mouse_reaches_what_stands_only_in_the_help(pool: Installation) -> None:
    async with at_the_console(pool) as operator:
        await steers_a_line_by_mouse(operator)
        await kills_and_keeps_by_mouse(operator)
        await pauses_a_queue_by_mouse(operator)
        await cares_for_cards_by_mouse(operator)


async def steers_a_line_by_mouse(operator: Operator) -> None:
    for queue in ("default", "night"):
        await operator.client.set_queue("default", queue, SetQueue(paused=True))
    for name in ("first", "second", "third"):
        await operator.client.submit({"command": "true", "name": name})
    await operator.press("2")
    await operator.until(lambda: len(operator.app.picture.jobs) == 3)
    jobs = operator.app.screen.query_one("#jobs-list", RowList)
    await operator.click_row("#jobs-list", "NAME")
    await operator.until(lambda: jobs.sort == ("name", False))
    await operator.click_row("#jobs-list", "third")
    await operator.until(lambda: jobs.selected == 3)
    await operator.click_help("make it the next")
    await operator.told("job 3 is number 1 in line")
    await operator.click_help("a priority of your choice")
    await operator.press("backspace", "4", "2", "enter")
    await operator.told("job 3 has priority 42")
    await operator.click_help("move it to another")
    await operator.until(lambda: isinstance(operator.app.screen, PickQueue))
    await operator.pilot.click(OptionList, offset=(5, 0))
    await operator.told("job 3 is in default/night")
    for queue in ("default", "night"):
        await operator.client.set_queue("default", queue, SetQueue(paused=False))
    await operator.client.wait(1, 2, 3)


async def kills_and_keeps_by_mouse(operator: Operator) -> None:
    id = (await operator.client.submit({"command": STUBBORN})).id
    await operator.client.until(id, lambda job: job.state == JobState.RUNNING)
    await operator.open_job(id)
    await operator.until(lambda: operator.app.picture.jobs[id].state == JobState.RUNNING)
    await operator.click_help("kill it at once")
    await operator.until(lambda: isinstance(operator.app.screen, TypeToConfirm))
    await operator.press(*str(id), "enter")
    assert [job.state for job in await operator.client.wait(id)] == [JobState.CANCELLED]
    await operator.until(lambda: operator.app.picture.jobs[id].state == JobState.CANCELLED)
    await operator.click_help("keep its workspace")
    kept = f"job {id} on node-a, kept until "
    await operator.until(lambda: operator.said[-1].startswith(kept))


async def pauses_a_queue_by_mouse(operator: Operator) -> None:
    await operator.come_back()
    await operator.click_row("#queues", "default")
    await operator.until(lambda: operator.app._facts().get("queue") == "default/default")
    await operator.click_help("pause or resume")
    await operator.agree_by_mouse()
    await operator.told("queue default/default is paused")
    await operator.until(lambda: operator.app.picture.queues["default/default"].paused)
    await operator.click_help("pause or resume")
    await operator.told("queue default/default is open")


async def cares_for_cards_by_mouse(operator: Operator) -> None:
    def cards() -> list[str]:
        return [card.state for card in operator.app.picture.nodes["node-a"].cards]

    await operator.press("3")
    await operator.click_row("#cards", "free")
    for state, asks in (("excluded", True), ("free", False)):
        await operator.click_help("exclude or include")
        if asks:
            await operator.agree_by_mouse()
        await operator.until(lambda state=state: cards() == [state, "dirty"])  # type: ignore[misc]
        await operator.until(lambda state=state: state in operator.said[-1])  # type: ignore[misc]
    await operator.click_row("#cards", "dirty")
    await operator.click_help("say that a dirty card")
    await operator.agree_by_mouse()
    await operator.until(lambda: cards() == ["free", "free"])
    await operator.until(lambda: operator.said[-1].startswith("card 1 of node-a is "))


@pytest.mark.skipif(why_no_other() is not None, reason=str(why_no_other()))
async def test_of_two_hundred_jobs_those_of_somebody_else_are_refused_by_name(
    pool: Installation, tmp_path: Path
) -> None:
    socket = tmp_path / "nobody.sock"
    for folder in (pool.home, pool.paths.socket.parent):
        folder.chmod(0o755)
    async with (
        as_nobody(pool.paths.socket, socket),
        at_the_console(pool, MINI_EAAS_SOCKET=str(socket)) as operator,
    ):
        await operator.client.set_queue("default", "default", SetQueue(paused=True))
        theirs = [(await operator.client.submit({"command": "true"})).id for _ in range(3)]
        assert operator.app.client is not None
        await operator.app.client.submit_batch([{"command": "true"}] * 197)
        await operator.until(lambda: len(operator.app.picture.jobs) == 200)
        await operator.press("2", "asterisk", "x")
        await operator.agree()
        await operator.until(lambda: operator.said)

        assert isinstance(operator.app.screen, JobsScreen)
        assert operator.said == [
            f"197 of 200 jobs cancelled; refused {', '.join(map(str, theirs))}: "
            f"job {theirs[0]} belongs to root, and you are nobody"
        ]
        left = [job.id async for job in operator.client.each_job()]
        await operator.press("1", "3", "D")
        await operator.agree()
        await operator.until(lambda: len(operator.said) == 2)
        assert "admin" in operator.said[1]

    assert left == theirs
