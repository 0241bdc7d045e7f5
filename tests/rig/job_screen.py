"""One job's screen with its logs in memory, and what it says."""

import asyncio
from typing import Any, Final

from textual.app import App
from textual.pilot import Pilot

from eaas.views import HeldCardView, JobView
from eaas_tui.actions import Actions
from eaas_tui.model.picture import Picture
from eaas_tui.screens.base import PictureApp
from eaas_tui.screens.job import JobScreen, Tab
from tests.rig.logs_in_memory import LogsInMemory
from tests.rig.pictures import a_card, a_job, a_node, a_picture
from tests.rig.pilots import screen_lines

WITHIN_S: Final = 10.0
RUNNING: Final = a_job(
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
