from pathlib import Path

from textual.widgets import Input

from tests.rig.form import a_pool, the_form
from tests.rig.stand_in import a_job


async def test_the_focused_field_is_explained_and_completed(socket: Path, tmp_path: Path) -> None:
    async with the_form(socket, tmp_path) as person:
        await person.type("nodes", "no")
        await person.until(lambda: person.field("nodes").query_one(Input)._suggestion)
        await person.press("right")
        await person.pilot.pause()

        assert person.form.text("nodes") == "node-a"
        assert person.said("#form-help") == "Only these nodes. Between commas. Here: node-a."


async def test_of_several_lines_the_last_is_completed_and_right_takes_it(
    socket: Path, tmp_path: Path
) -> None:
    mounts = {"command": "true", "mounts": ["datasets:/data:ro", "models:/models"]}
    async with the_form(socket, tmp_path) as person:
        person.app.picture = a_pool(jobs={7: a_job(7, spec=mounts)})
        await person.type("mounts", "mod")
        await person.press("right", "enter")
        await person.press(*"data", "right")
        await person.pilot.pause()

        assert person.form.text("mounts").split("\n") == ["models:/models", "datasets:/data:ro"]
