"""The submit form with a person before it: keys go in, words come out."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from textual.pilot import Pilot
from textual.widgets import Static

from eaas.client import Address, Client
from eaas.views import JobView
from eaas_tui.last_submit import LastSubmit
from eaas_tui.model.form import Form
from eaas_tui.model.picture import Link, Picture
from eaas_tui.screens.base import PictureApp
from eaas_tui.screens.submit import Desk, SubmitScreen
from eaas_tui.widgets.form_field import FormField, id_of
from tests.rig.pictures import a_card, a_node, a_picture
from tests.rig.stand_in import StandIn

WITHIN_S: Final = 20.0
AWAY: Final = Link(state="away", since=1.0, text="the connection broke")


class FormApp(PictureApp):
    """Holds what the form gets, and keeps what becomes of it."""

    def __init__(self, client: Client, state: Path) -> None:
        super().__init__()
        self.animation_level = "none"
        self.refusal: str | None = None
        self.editor: Callable[[str], str] = lambda text: text
        self.accepted: list[JobView] = []
        self.desk = Desk(
            client=lambda: client,
            refusal=lambda: self.refusal,
            last=LastSubmit(state / "last.json"),
            edit=lambda text: self.editor(text),
            verdict_after_s=0.01,
            again_s=0.05,
        )

    def on_submit_screen_submitted(self, event: SubmitScreen.Submitted) -> None:
        self.accepted.append(event.job)
        self.pop_screen()


class Person:
    """Fills in the form and reads what it says."""

    def __init__(self, pilot: Pilot[None], app: FormApp) -> None:
        self.pilot, self.app = pilot, app

    @property
    def form(self) -> Form:
        return self.screen.form

    @property
    def screen(self) -> SubmitScreen:
        screen = self.app.screen
        assert isinstance(screen, SubmitScreen)
        return screen

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, key: str, text: str) -> None:
        """Go to a field and type into it."""
        self.field(key).take_focus()
        await self.pilot.pause()
        await self.pilot.press(*("ctrl+j" if char == "\n" else char for char in text))

    def field(self, key: str) -> FormField:
        return self.screen.query_one(f"#{id_of(key)}", FormField)

    def mistake(self, key: str) -> str | None:
        field = self.field(key)
        return (
            str(field.query_one(".mistake", Static).content) if field.has_class("-wrong") else None
        )

    def said(self, selector: str) -> str:
        return str(self.screen.query_one(selector, Static).content)

    async def until(self, holds: Callable[[], Any]) -> None:
        async with asyncio.timeout(WITHIN_S):
            while not holds():
                await self.pilot.pause(0.01)


def a_pool(**but: Any) -> Picture:
    return a_picture(a_node("node-a", a_card()), **but)


@asynccontextmanager
async def the_form(
    socket: Path,
    tmp_path: Path,
    *,
    form: Form | None = None,
    like: JobView | None = None,
    size: tuple[int, int] = (80, 24),
) -> AsyncIterator[Person]:
    async with Client(Address(socket=socket)) as client:
        app = FormApp(client, tmp_path / "state")
        async with app.run_test(size=size) as pilot:
            app.picture = a_pool()
            app.push_screen(SubmitScreen(app.desk, form=form, like=like))
            await pilot.pause()
            yield Person(pilot, app)


def a_dry_run(**but: Any) -> dict[str, Any]:
    quiet: dict[str, Any] = {
        **dict.fromkeys(("job", "state", "position")),
        **{key: [] for key in ("reasons", "nodes", "blockers", "advice", "errors", "cards")},
        "verdict": "placed",
        "text": "it would start on node-a now",
        "eta": {"at": None, "in_s": None, "kind": "unknown"},
        "as_of_seq": 1,
        "valid": True,
        "would": "start",
        "node": "node-a",
    }
    return {**quiet, **but}


def submits(stand_in: StandIn) -> list[tuple[str | None, Any]]:
    return [(one.key, one.body) for one in stand_in.asked if one.path == "/api/v1/jobs"]


def dry_runs(stand_in: StandIn) -> list[Any]:
    return [one.body for one in stand_in.asked if one.path == "/api/v1/jobs:dry-run"]
