import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.app import App
from textual.pilot import Pilot

from eaas.errors import Unreachable
from eaas.views import HeldCardView, JobView
from eaas_tui.actions import Actions
from eaas_tui.model.picture import Picture, Samples
from eaas_tui.screens.base import PictureApp
from eaas_tui.screens.confirm import Confirm
from eaas_tui.screens.job import JobScreen, Tab
from tests.rig.logs_in_memory import LogsInMemory
from tests.rig.pictures import a_card, a_job, a_node, a_picture, an_event
from tests.rig.pilots import screen_lines

WITHIN_S = 10.0
RUNNING = a_job(
    42,
    name="训练-a",
    state="Running",
    attempt=1,
    node="n1",
    cards=(HeldCardView(uuid="GPU-n1-0", index=0, memory_mib=None),),
    started_at="2025-06-01T10:00:10Z",
    workspace="the workspace is on n1 and kept for 7 days after the end",
    spec={"command": "python train.py\necho done\n", "gpus": 1, "memory": None},
)


class JobApp(PictureApp):
    """Shows one job, with the parts of the console that its screen uses."""

    def __init__(
        self, job: JobView, client: LogsInMemory, *, tab: Tab = "Overview", known: bool = True
    ) -> None:
        super().__init__()
        self.client = client
        self.tab = tab
        self.copied: list[str] = []
        self.notices: list[str] = []
        node = a_node("n1", a_card(0))
        self.start: Picture = a_picture(node, jobs={job.id: job} if known else {})
        self.number = job.id
        self.actions = Actions(
            client=lambda: None,
            picture=lambda: self.picture,
            start=self.run_worker,
            notify=self.notify,
        )

    @property
    def clock(self) -> Any:
        return lambda: 1748772070.0

    def on_mount(self) -> None:
        self.picture = self.start
        self.push_screen(JobScreen(self.number, tab=self.tab))

    def notify(self, message: str, **_: Any) -> None:
        self.notices.append(message)

    def copy_to_clipboard(self, text: str) -> None:
        self.copied.append(text)


def said(app: App[Any]) -> str:
    return "\n".join(line.rstrip() for line in screen_lines(app))


async def until_said(pilot: Pilot[None], words: str) -> str:
    """Return what the screen says once it says the words."""
    async with asyncio.timeout(WITHIN_S):
        while words not in said(pilot.app):
            await pilot.pause(0.02)
    return said(pilot.app)


async def test_a_waiting_job_says_first_why_it_waits_and_what_would_help() -> None:
    app = JobApp(a_job(42), LogsInMemory(a_job(42)))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await until_said(pilot, "waits for 2 cards")

        assert "DO   ask for one card" in text
        assert "#42 job-42  Pending" in text
        assert "uid-42" in text


async def test_it_is_asked_again_why_a_job_waits_when_something_about_it_changed() -> None:
    client = LogsInMemory(a_job(42))
    app = JobApp(a_job(42), client)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "waits for 2 cards")
        asked = len(client.whys)

        app.picture = replace(app.picture, jobs={42: a_job(42, priority=5)})
        await pilot.pause()

        assert len(client.whys) == asked + 1
        assert "prio 5" in said(app)


async def test_a_job_that_the_stream_no_longer_tells_of_is_asked_for() -> None:
    ended = a_job(42, state="Failed", exit_code=137, oom_killed=True, attempt=1)
    app = JobApp(ended, LogsInMemory(ended), known=False)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await until_said(pilot, "Failed (exit 137)")
        assert "out of memory yes" in text


async def test_a_job_that_is_not_there_is_told_in_a_sentence() -> None:
    app = JobApp(a_job(42), LogsInMemory(None), known=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "there is no job 42")


async def test_the_tabs_are_chosen_by_number_and_by_brackets() -> None:
    app = JobApp(RUNNING, LogsInMemory(RUNNING))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5")
        text = await until_said(pilot, "[5 Spec]")
        assert "command: |" in text
        assert "  echo done" in text
        assert "memory" not in text
        await pilot.press("4")
        await until_said(pilot, "job 42 was submitted by alice")
        await pilot.press("right_square_bracket", "right_square_bracket")
        await until_said(pilot, "[1 Overview]")
        assert "kept for 7 days" in said(app)


async def test_what_the_stream_tells_of_the_job_is_added_to_its_journal() -> None:
    app = JobApp(RUNNING, LogsInMemory(RUNNING), tab="Events")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "job 42 was submitted by alice")
        news = (an_event(8, text="job 42 started", job=42), an_event(9, text="other", job=43))

        app.picture = replace(app.picture, events=news)

        text = await until_said(pilot, "job 42 started")
        assert "other" not in text


async def test_a_running_jobs_cards_are_drawn_as_curves() -> None:
    app = JobApp(RUNNING, LogsInMemory(RUNNING), tab="Curves")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "nothing was measured yet")
        uuid = RUNNING.cards[0].uuid
        samples = {uuid: Samples(every_s=5, utilization_pct=(10, 90), memory_pct=(50, 50))}

        app.picture = replace(app.picture, samples=samples)

        text = await until_said(pilot, "card 0 utilisation %  now 90  avg 50  min 10")
        assert "card 0 memory GiB" in text


async def test_the_log_is_followed_live_and_searched() -> None:
    client = LogsInMemory(RUNNING)
    client.write(b"".join(b"step %d\n" % number for number in range(100)))
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "step 99")
        client.write(b"\x1b[32mstep 100\x1b[0m\n")
        await until_said(pilot, "step 100")

        await pilot.press("slash", *"step 7", "enter")

        text = await until_said(pilot, "held")
        assert "step 79" in text
        await pilot.press("N")
        await until_said(pilot, "line 73")
        await pilot.press("f")
        await until_said(pilot, "follow")


async def test_the_log_is_not_asked_for_while_nobody_sees_it() -> None:
    client = LogsInMemory(RUNNING)
    client.write(b"one\n")
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "one")
        await pilot.press("1")
        await pilot.pause()
        client.write(b"two\n")
        await pilot.pause()
        asked = len(client.asked)
        client.write(b"three\n")
        await pilot.pause()
        assert len(client.asked) == asked

        await pilot.press("2")

        await until_said(pilot, "three")


async def test_attempts_and_streams_are_switched() -> None:
    job = replace(RUNNING, attempt=2)
    client = LogsInMemory(job)
    client.write(b"first run\n", attempt=1)
    client.write(b"second run\n", attempt=2)
    client.write(b"a warning\n", attempt=2, stream="stderr")
    app = JobApp(job, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "second run")
        assert "attempt 2 of 2" in said(app)
        await pilot.press("e", "e")
        await until_said(pilot, "LOG  stderr")
        await until_said(pilot, "a warning")
        assert "second run" not in said(app)
        await pilot.press("e", "left_parenthesis")
        await until_said(pilot, "first run")


async def test_a_new_attempt_takes_over() -> None:
    client = LogsInMemory(RUNNING)
    client.write(b"first run\n", attempt=1)
    client.write(b"second run\n", attempt=2)
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "first run")
        app.picture = replace(app.picture, jobs={42: replace(RUNNING, attempt=2)})
        await until_said(pilot, "second run")


async def test_a_log_that_cannot_be_read_says_why() -> None:
    client = LogsInMemory(RUNNING)
    client.refusal = Unreachable("the controller does not answer")
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "the controller does not answer")


async def test_the_log_is_copied_and_saved(tmp_path: Path) -> None:
    client = LogsInMemory(RUNNING)
    client.write(b"\x1b[31mone\x1b[0m\ntwo\n")
    client.finish()
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "two")
        await pilot.press("c", "C")
        async with asyncio.timeout(WITHIN_S):
            while len(app.copied) < 2:
                await pilot.pause(0.02)
        assert app.copied == ["one\ntwo\n"] * 2

        await pilot.press("S")
        await pilot.pause()
        await pilot.press("ctrl+u", *str(tmp_path / "a.log"), "enter")
        async with asyncio.timeout(WITHIN_S):
            while not any("Saved 17 B" in notice for notice in app.notices):
                await pilot.pause(0.02)
        assert (tmp_path / "a.log").read_bytes() == b"\x1b[31mone\x1b[0m\ntwo\n"


async def test_cancelling_asks_and_names_the_job_and_its_owner() -> None:
    app = JobApp(RUNNING, LogsInMemory(RUNNING))
    app.actions.refusal = lambda: None  # type: ignore[method-assign]
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("x")
        await pilot.pause()
        assert isinstance(app.screen, Confirm)
        assert "训练-a" in said(app)
        assert "alice" in said(app)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (20, 5)])
@pytest.mark.parametrize("tab", ["Overview", "Log", "Curves", "Events", "Spec"])
async def test_every_tab_stands_at_every_size(size: tuple[int, int], tab: Tab) -> None:
    client = LogsInMemory(RUNNING)
    client.write("训练 \x1b[31mred\x1b[0m\x1b]0;title\x07\n".encode() * 90)
    app = JobApp(RUNNING, client, tab=tab)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press("j", "G", "g", "w", "pagedown")
        await pilot.pause()
        assert "\x1b" not in said(app)
        assert all(len(line) <= size[0] for line in said(app).splitlines())
