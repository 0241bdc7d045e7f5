from pathlib import Path

from eaas_tui.model.form import form_of
from tests.rig.form import AWAY, a_dry_run, a_pool, dry_runs, the_form
from tests.rig.stand_in import StandIn


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
