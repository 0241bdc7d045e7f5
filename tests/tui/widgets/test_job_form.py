from functools import partial
from pathlib import Path

import pytest
from textual.geometry import Size
from textual.widgets import TextArea

from eaas_tui.model.form import SHOWN
from tests.rig.form import Person, submits, the_form
from tests.rig.stand_in import StandIn


async def test_a_mistake_is_shown_beside_its_field_while_it_is_typed(
    stand_in: StandIn, socket: Path, tmp_path: Path
) -> None:
    async with the_form(socket, tmp_path) as person:
        await person.type("gpus", "x")

        await person.until(
            lambda: person.mistake("gpus") == "✗ must be a whole number from 0 to 64, not 'x'"
        )
        assert person.mistake("command") is None

        await person.press("ctrl+s")

        await person.until(
            lambda: person.mistake("command") == "✗ a job needs an image, a command, or both"
        )
        await person.until(lambda: isinstance(person.screen.focused, TextArea))
        await person.until(lambda: "see what is marked" in person.said("#remark"))

        await person.type("gpus", "")
        await person.press("backspace")

        await person.until(lambda: person.mistake("gpus") is None)
    assert submits(stand_in) == []


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


def is_in_sight_with_its_mistake(person: Person, key: str) -> bool:
    field = person.field(key).region
    whole = person.screen.job_form.region.contains_region(field)
    return person.mistake(key) is not None and field.height >= 2 and whole


async def test_what_is_wrong_with_the_focused_field_is_in_sight_with_it(
    socket: Path, tmp_path: Path
) -> None:
    async with the_form(socket, tmp_path, size=(80, 24)) as person:
        for key in ("run_as", "restart.retries", "gpus", "memory"):
            await person.type(key, "a")
            await person.until(partial(is_in_sight_with_its_mistake, person, key))


async def test_blanks_around_a_word_are_not_part_of_it(
    stand_in: StandIn, socket: Path, tmp_path: Path
) -> None:
    async with the_form(socket, tmp_path) as person:
        await person.type("name", "my ")
        await person.type("command", "true")
        assert person.mistake("name") is None
        await person.press("ctrl+s")
        await person.until(lambda: person.app.accepted)

    assert [body for _, body in submits(stand_in)] == [{"name": "my", "command": "true"}]


async def test_what_the_controller_marked_stays_until_that_field_changes(
    stand_in: StandIn, socket: Path, tmp_path: Path
) -> None:
    async with the_form(socket, tmp_path) as person:
        await person.type("command", "true")
        await person.type("pool", "nosuch")
        person.screen.job_form.blame({"pool": "there is no pool nosuch"})
        await person.type("gpus", "x")
        await person.until(lambda: person.mistake("gpus"))
        assert person.mistake("pool") == "✗ there is no pool nosuch"

        await person.type("pool", "2")
        await person.until(lambda: person.mistake("pool") is None)
        assert person.mistake("gpus") is not None
