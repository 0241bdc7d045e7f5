from pathlib import Path

from textual.widgets import Input

from tests.rig.form import the_form


async def test_the_focused_field_is_explained_and_completed(socket: Path, tmp_path: Path) -> None:
    async with the_form(socket, tmp_path) as person:
        await person.type("nodes", "no")
        await person.until(lambda: person.field("nodes").query_one(Input)._suggestion)
        await person.press("right")
        await person.pilot.pause()

        assert person.form.text("nodes") == "node-a"
        assert person.said("#form-help") == "Only these nodes. Between commas. Here: node-a."
