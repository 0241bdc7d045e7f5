from pathlib import Path

import pytest
from textual.widgets import Input

from eaas_tui.keys import NEW_LINE
from eaas_tui.widgets.form_field import field_around
from tests.rig.form import a_pool, the_form
from tests.rig.stand_in import a_job


async def test_the_focused_field_is_explained_and_completed(socket: Path, tmp_path: Path) -> None:
    async with the_form(socket, tmp_path) as person:
        await person.type("nodes", "no")
        await person.until(lambda: person.field("nodes").query_one(Input)._suggestion)
        await person.press("right")

        await person.until(lambda: person.form.text("nodes") == "node-a")
        await person.until(
            lambda: person.said("#form-help") == "Only these nodes. Between commas. Here: node-a."
        )


async def test_of_several_lines_the_last_is_completed_and_right_takes_it(
    socket: Path, tmp_path: Path
) -> None:
    mounts = {"command": "true", "mounts": ["datasets:/data:ro", "models:/models"]}
    async with the_form(socket, tmp_path) as person:
        person.app.picture = a_pool(jobs={7: a_job(7, spec=mounts)})
        await person.type("mounts", "mod")
        await person.press("right", "ctrl+j")
        await person.press(*"data", "right")

        await person.until(
            lambda: (
                person.form.text("mounts").split("\n") == ["models:/models", "datasets:/data:ro"]
            )
        )


async def test_enter_and_the_arrows_lead_out_of_a_field_of_several_lines(
    socket: Path, tmp_path: Path
) -> None:
    async with the_form(socket, tmp_path) as person:

        def here() -> str | None:
            field = field_around(person.screen.focused)
            return None if field is None else field.field.key

        await person.type("command", "echo one\necho two")
        await person.press("up")
        assert here() == "command"
        for way in (("up", "image"), ("down", "command"), ("down", "command"), ("down", "with")):
            await person.press(way[0])
            assert here() == way[1], way
        await person.press("up", "enter", *"data")

        await person.until(lambda: here() == "with")
        await person.until(lambda: person.form.text("command") == "echo one\necho two")
        await person.until(lambda: person.form.text("with") == "data")


@pytest.mark.parametrize("key", NEW_LINE)
async def test_a_new_line_has_keys_of_its_own_and_the_field_says_so(
    socket: Path, tmp_path: Path, key: str
) -> None:
    async with the_form(socket, tmp_path) as person:
        await person.type("command", "a")
        await person.press(key, "b")

        await person.until(lambda: person.form.text("command") == "a\nb")
        await person.until(lambda: "ctrl+j begins a new line" in person.said("#form-help"))


async def test_the_arrows_lead_past_a_field_of_choices(socket: Path, tmp_path: Path) -> None:
    async with the_form(socket, tmp_path) as person:
        person.field("timeout").take_focus()
        await person.pilot.pause()
        await person.press("down", "down")

        field = field_around(person.screen.focused)
        assert field is not None
        assert field.field.key == "restart.retries"
        await person.press("up", "enter", "down", "enter")
        await person.until(lambda: person.form.text("restart.policy"))


async def test_a_mistake_that_is_mended_leaves_no_empty_row(socket: Path, tmp_path: Path) -> None:
    async with the_form(socket, tmp_path, size=(120, 40)) as person:
        field = person.field("gpus")
        before = field.region.height
        await person.type("gpus", "so many that nobody can count them")
        await person.until(lambda: field.region.height > before)
        await person.press("ctrl+u")
        await person.until(lambda: person.mistake("gpus") is None)
        await person.until(lambda: field.region.height == before)


async def test_a_field_is_made_of_no_more_than_is_typed_into_until_something_is_wrong(
    socket: Path, tmp_path: Path
) -> None:
    async with the_form(socket, tmp_path) as person:
        gpus = person.field("gpus")
        assert len(gpus.query("*")) == 1

        await person.type("gpus", "x")
        await person.until(lambda: person.mistake("gpus"))
        await person.until(lambda: len(gpus.query("*")) == 2)
