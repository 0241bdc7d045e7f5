"""The form as a person fills it in, against a stand-in and against the real controller."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.geometry import Size
from textual.pilot import Pilot
from textual.widgets import Input, Static, TextArea

from eaas.client import Address, Client
from eaas.errors import NeverFits
from eaas.views import JobView
from eaas_tui.last_submit import LastSubmit
from eaas_tui.model.form import SHOWN, Form, form_of
from eaas_tui.model.picture import Link, Picture
from eaas_tui.screens.base import PictureApp
from eaas_tui.screens.submit import Desk, SubmitScreen
from eaas_tui.widgets.form_field import FormField, id_of
from tests.rig.pictures import a_card, a_node, a_picture
from tests.rig.stand_in import StandIn, a_job, serving

WITHIN_S = 20.0
AWAY = Link(state="away", since=1.0, text="the connection broke")


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
        await self.pilot.press(*("enter" if char == "\n" else char for char in text))

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


@pytest.fixture
def stand_in() -> StandIn:
    stand_in = StandIn()
    stand_in.jobs[1] = a_job(1)
    stand_in.answers["POST /api/v1/jobs:dry-run"] = a_dry_run()
    return stand_in


@pytest.fixture
async def socket(stand_in: StandIn, tmp_path: Path) -> AsyncIterator[Path]:
    async with serving(stand_in, tmp_path / "s"):
        yield tmp_path / "s"


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


async def test_a_filled_form_becomes_a_job(stand_in: StandIn, socket: Path, tmp_path: Path) -> None:
    async with the_form(socket, tmp_path) as person:
        await person.press(*"train")
        await person.type("command", "set -e\nsleep 1")
        await person.type("env", "A=1")
        await person.type("gpus", "2")
        await person.press("ctrl+s")
        await person.until(lambda: person.app.accepted)

    ((key, body),) = submits(stand_in)
    assert key is not None
    assert body == {
        "name": "train",
        "command": "set -e\nsleep 1",
        "gpus": 2,
        "env": {"A": "1"},
    }


async def test_enter_goes_from_field_to_field_and_submits_in_the_last(
    stand_in: StandIn, socket: Path, tmp_path: Path
) -> None:
    async with the_form(socket, tmp_path, form=form_of({"command": "a"})) as person:
        await person.press(*"one", "enter", *"busybox")
        await person.type("run_as", "1000")
        await person.press("enter", "enter")
        await person.until(lambda: person.app.accepted)

    assert [body for _, body in submits(stand_in)] == [
        {"name": "one", "command": "a", "image": "busybox", "run_as": "1000"}
    ]


async def test_the_next_form_begins_with_what_the_last_submit_said(
    socket: Path, tmp_path: Path
) -> None:
    first = form_of({"command": "a", "image": "torch:2", "env": {"SECRET": "x"}})
    async with the_form(socket, tmp_path, form=first) as person:
        await person.press("ctrl+s")
        await person.until(lambda: person.app.accepted)

    async with the_form(socket, tmp_path) as person:
        assert person.form.texts == {"image": "torch:2"}
        assert not person.form.is_dirty


async def test_a_mistake_is_shown_beside_its_field_while_it_is_typed(
    stand_in: StandIn, socket: Path, tmp_path: Path
) -> None:
    async with the_form(socket, tmp_path) as person:
        await person.type("gpus", "x")
        await person.pilot.pause()

        assert person.mistake("gpus") == "✗ must be a whole number from 0 to 64, not 'x'"
        assert person.mistake("command") is None

        await person.press("ctrl+s")
        await person.pilot.pause()

        assert person.mistake("command") == "✗ a job needs an image, a command, or both"
        assert isinstance(person.screen.focused, TextArea)
        assert "see what is marked" in person.said("#remark")

        await person.type("gpus", "")
        await person.press("backspace")
        await person.pilot.pause()

        assert person.mistake("gpus") is None
    assert submits(stand_in) == []


async def test_the_verdict_follows_what_is_typed(
    stand_in: StandIn, socket: Path, tmp_path: Path
) -> None:
    async with the_form(socket, tmp_path) as person:
        await person.until(lambda: "needs an image, a command" in person.said("#verdict"))
        await person.type("command", "true")
        await person.until(lambda: person.said("#verdict") == "would start now on node-a")

        stand_in.answers["POST /api/v1/jobs:dry-run"] = a_dry_run(
            would="wait", verdict="waiting", text="it would wait: \x1b[2Jno card is free"
        )
        await person.type("gpus", "1")
        await person.until(lambda: person.said("#verdict") == "would wait: no card is free")

    assert dry_runs(stand_in)[-1] == {"command": "true", "gpus": 1}


async def test_what_the_controller_finds_wrong_stands_beside_its_field(
    stand_in: StandIn, socket: Path, tmp_path: Path
) -> None:
    error = {"field": "queue", "line": None, "column": None, "message": "queue: no queue x",
             "suggestion": "train"}  # fmt: skip
    stand_in.answers["POST /api/v1/jobs:dry-run"] = a_dry_run(
        valid=False, errors=[error], would="never", text="this would be refused: no queue x"
    )
    async with the_form(socket, tmp_path, form=form_of({"command": "a"})) as person:
        await person.type("queue", "x")
        await person.until(lambda: person.mistake("queue"))

        assert person.mistake("queue") == "✗ no queue x; did you mean train?"
        assert person.screen.query_one("#verdict").has_class("-bad")


async def test_the_verdict_is_asked_again_when_the_controller_is_back(
    stand_in: StandIn, socket: Path, tmp_path: Path
) -> None:
    async with the_form(socket, tmp_path, form=form_of({"command": "a"})) as person:
        person.app.picture = a_pool(link=AWAY)
        await person.until(lambda: "does not answer" in person.said("#verdict"))
        person.app.picture = a_pool()
        await person.until(lambda: person.said("#verdict") == "would start now on node-a")


async def test_a_cut_connection_makes_one_job_of_one_form(
    stand_in: StandIn, socket: Path, tmp_path: Path
) -> None:
    stand_in.cut_submits = 2
    async with the_form(socket, tmp_path, form=form_of({"command": "a"})) as person:
        await person.press("ctrl+s", "ctrl+s")
        await person.until(lambda: person.app.accepted)

    assert [job.id for job in person.app.accepted] == [1]
    assert len({key for key, _ in submits(stand_in)}) == 1


async def test_a_form_nobody_answered_is_sent_until_somebody_does(
    stand_in: StandIn, tmp_path: Path
) -> None:
    form = form_of({"command": "a"})
    async with the_form(tmp_path / "s", tmp_path, form=form) as person:
        await person.press("ctrl+s")
        await person.until(lambda: "can't become two jobs" in person.said("#remark"))
        async with serving(stand_in, tmp_path / "s"):
            await person.until(lambda: person.app.accepted)

    assert len(submits(stand_in)) == 1


async def test_escape_stops_asking_and_keeps_the_form_and_its_key(
    stand_in: StandIn, tmp_path: Path
) -> None:
    form = form_of({"command": "a"})
    async with the_form(tmp_path / "s", tmp_path, form=form) as person:
        await person.press("ctrl+s")
        await person.until(lambda: "sent again" in person.said("#remark"))
        await person.press("escape")
        await person.until(lambda: "stays that one job" in person.said("#remark"))

        async with serving(stand_in, tmp_path / "s"):
            await person.press("ctrl+s")
            await person.until(lambda: person.app.accepted)

    assert len(submits(stand_in)) == 1


async def test_nothing_is_submitted_where_nothing_may_be(
    stand_in: StandIn, socket: Path, tmp_path: Path
) -> None:
    async with the_form(socket, tmp_path, form=form_of({"command": "a"})) as person:
        person.app.refusal = "this console only looks"
        await person.press("ctrl+s")
        await person.pilot.pause()

        assert person.said("#remark") == "Not submitted: this console only looks"
    assert submits(stand_in) == []


async def test_a_job_no_card_could_hold_is_submitted_only_when_asked_twice(
    stand_in: StandIn, socket: Path, tmp_path: Path
) -> None:
    stand_in.answers["POST /api/v1/jobs"] = NeverFits("no card is so large")
    async with the_form(socket, tmp_path, form=form_of({"command": "a"})) as person:
        await person.press("ctrl+s")
        await person.until(lambda: "submit once more" in person.said("#remark"))
        del stand_in.answers["POST /api/v1/jobs"]
        await person.press("ctrl+s")
        await person.until(lambda: person.app.accepted)

    assert [one.query for one in stand_in.asked if one.path == "/api/v1/jobs"] == [
        {},
        {"force": "1"},
    ]


async def test_a_clone_is_the_job_as_it_was_submitted(
    stand_in: StandIn, socket: Path, tmp_path: Path
) -> None:
    spec = {"command": "if true; then\n\techo\nfi\n", "gpus": 1, "env": None, "after": [3]}
    stand_in.jobs[7] = a_job(7, "Failed", spec=spec)
    shown = replace(stand_in.jobs[7], spec={**spec, "command": "if true; then\n echo\nfi\n"})
    async with the_form(socket, tmp_path, like=shown) as person:
        await person.until(lambda: person.form.text("command") == spec["command"])

        assert not person.form.is_dirty
        remark = person.said("#remark")
        assert remark.startswith("a copy of job 7; only its owner can read its env")
        assert remark.endswith("taken along as it stands: after")

        await person.type("name", "again")
        await person.press("ctrl+s")
        await person.until(lambda: person.app.accepted)

    ((_, body),) = submits(stand_in)
    assert body == {"name": "again", "command": spec["command"], "gpus": 1, "after": [3]}


async def test_what_cannot_be_seen_is_not_submitted(
    stand_in: StandIn, socket: Path, tmp_path: Path
) -> None:
    form = form_of({"command": "echo \u202egood\x1b[8m; rm -rf x"})
    async with the_form(socket, tmp_path, form=form) as person:
        assert person.said("#remark") == "left out what can't be seen in: Command"
        await person.press("ctrl+s")
        await person.until(lambda: person.app.accepted)

    assert submits(stand_in)[0][1] == {"command": "echo good; rm -rf x"}


async def test_escape_asks_only_when_something_was_typed(socket: Path, tmp_path: Path) -> None:
    async with the_form(socket, tmp_path, form=form_of({"command": "a"})) as person:
        screen = person.screen
        assert screen.check_leave()
        await person.press("x")
        await person.pilot.pause()
        assert not screen.check_leave()

        await person.press("escape")
        await person.pilot.pause()
        assert person.app.screen is not screen
        await person.press("escape")
        await person.pilot.pause()
        assert person.app.screen is screen

        await person.press("backspace", "escape")
        await person.pilot.pause()
        assert screen not in person.app.screen_stack

    async with the_form(socket, tmp_path) as person:
        screen = person.screen
        await person.press("x", "escape")
        await person.pilot.pause()
        await person.press("y")
        await person.pilot.pause()
        assert screen not in person.app.screen_stack


async def test_a_form_is_saved_and_opened_as_a_job_file(socket: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    async with the_form(socket, tmp_path) as person:
        await person.type("command", "sleep 1")
        person.screen.action_save()
        await person.pilot.pause()
        person.app.screen.query_one("#path", Input).value = str(path)
        await person.press("enter")
        await person.until(lambda: person.said("#remark") == f"saved as {path}")

    assert path.read_text() == "command: sleep 1\n"
    path.write_text("command: sleep 2\ngpus: 1\n---\ncommand: b\n")

    async with the_form(socket, tmp_path) as person:
        await person.pilot.click("#open")
        await person.pilot.pause()
        person.app.screen.query_one("#path", Input).value = str(path)
        await person.press("enter")
        await person.until(lambda: person.form.text("gpus"))

        assert person.said("#remark") == f"from {path} (the first of 2 jobs in it)"
        assert person.screen.query_one(f"#{id_of('gpus')} Input", Input).value == "1"
        assert not person.form.is_dirty


async def test_a_bad_file_is_refused_with_its_lines(socket: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("command: a\ngpus: x\n")
    async with the_form(socket, tmp_path) as person:
        person.screen.action_open()
        await person.pilot.pause()
        person.app.screen.query_one("#path", Input).value = str(tmp_path / "bad.yaml")
        await person.press("enter")
        await person.pilot.pause()

        assert person.said("#remark").startswith("line 2, column 7: gpus: must be a whole number")
        assert person.form == Form()


async def test_the_form_is_edited_as_yaml_until_it_is_right(socket: Path, tmp_path: Path) -> None:
    seen: list[str] = []

    def editor(text: str) -> str:
        seen.append(text)
        return text.replace("gpus: x", "gpus: 2") if "gpus" in text else f"{text}gpus: x\n"

    async with the_form(socket, tmp_path, form=form_of({"command": "a"})) as person:
        person.app.editor = editor
        await person.press("ctrl+e")
        await person.pilot.pause()
        assert person.said("#remark").startswith("line 2, column 7: gpus")
        await person.press("ctrl+e")
        await person.until(lambda: person.form.text("gpus") == "2")

        assert person.form.is_dirty
    assert seen == ["command: a\n", "command: a\ngpus: x\n"]


async def test_the_focused_field_is_explained_and_completed(socket: Path, tmp_path: Path) -> None:
    async with the_form(socket, tmp_path) as person:
        await person.type("nodes", "no")
        await person.until(lambda: person.field("nodes").query_one(Input)._suggestion)
        await person.press("right")
        await person.pilot.pause()

        assert person.form.text("nodes") == "node-a"
        assert person.said("#form-help") == "Only these nodes. Between commas. Here: node-a."


@pytest.mark.parametrize("size", [(20, 5), (80, 24), (120, 40), (200, 60)])
async def test_every_field_can_be_reached_and_read_at_any_size(
    socket: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with the_form(socket, tmp_path, size=size) as person:
        screen = Size(*size).region
        for key in SHOWN:
            person.field(key).take_focus()
            await person.pilot.pause()
            focused = person.screen.focused
            assert focused is not None
            assert focused.region.area > 0
            assert screen.overlaps(focused.region), key
