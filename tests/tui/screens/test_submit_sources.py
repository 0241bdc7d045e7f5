from pathlib import Path

from msgspec.structs import replace
from textual.widgets import Input

from eaas_tui.model.form import Form, form_of
from eaas_tui.widgets.form_field import id_of
from tests.rig.form import submits, the_form
from tests.rig.stand_in import StandIn, a_job


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
        assert person.form.text("after") == "3"

        await person.type("name", "again")
        await person.press("ctrl+s")
        await person.until(lambda: person.app.accepted)

    ((_, body),) = submits(stand_in)
    assert body == {"name": "again", "command": spec["command"], "gpus": 1, "after": [3]}


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
        await person.press("ctrl+o")
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

        await person.until(
            lambda: person.said("#remark").startswith(
                "line 2, column 7: gpus: must be a whole number"
            )
        )
        assert person.form == Form()


async def test_the_form_is_edited_as_yaml_until_it_is_right(socket: Path, tmp_path: Path) -> None:
    seen: list[str] = []

    def editor(text: str) -> str:
        seen.append(text)
        return text.replace("gpus: x", "gpus: 2") if "gpus" in text else f"{text}gpus: x\n"

    async with the_form(socket, tmp_path, form=form_of({"command": "a"})) as person:
        person.app.editor = editor
        await person.press("ctrl+e")
        await person.until(lambda: person.said("#remark").startswith("line 2, column 7: gpus"))
        await person.press("ctrl+e")
        await person.until(lambda: person.form.text("gpus") == "2")

        assert person.form.is_dirty
    assert seen == ["command: a\n", "command: a\ngpus: x\n"]
