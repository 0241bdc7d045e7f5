from pathlib import Path

from eaas.errors import NeverFits
from eaas_tui.model.form import form_of
from tests.rig.cutting import a_cutting_proxy
from tests.rig.form import submits, the_form
from tests.rig.pool import an_installation
from tests.rig.stand_in import StandIn, serving


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
        await person.type("num_nodes", "1")
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
        await person.until(lambda: "No answer yet" in person.said("#remark"))
        async with serving(stand_in, tmp_path / "s"):
            await person.until(lambda: person.app.accepted)

    assert len(submits(stand_in)) == 1


async def test_escape_stops_asking_and_keeps_the_form_and_its_key(
    stand_in: StandIn, tmp_path: Path
) -> None:
    form = form_of({"command": "a"})
    async with the_form(tmp_path / "s", tmp_path, form=form) as person:
        await person.press("ctrl+s")
        await person.until(lambda: "No answer yet" in person.said("#remark"))
        await person.press("escape")
        await person.until(lambda: "stays that one job" in person.said("#remark"))

        async with serving(stand_in, tmp_path / "s"):
            await person.press("ctrl+s")
            await person.until(lambda: person.app.accepted)

    assert len(submits(stand_in)) == 1


async def test_a_form_that_was_changed_before_its_answer_keeps_its_key(
    stand_in: StandIn, socket: Path, tmp_path: Path
) -> None:
    stand_in.cut_submits = 99
    async with the_form(socket, tmp_path, form=form_of({"command": "a"})) as person:
        await person.press("ctrl+s")
        await person.until(lambda: submits(stand_in))
        await person.press("escape")
        stand_in.cut_submits = 0
        person.app.editor = lambda text: text + "gpus: 1\n"
        await person.press("ctrl+e", "ctrl+s")
        await person.until(lambda: person.app.accepted)

    assert submits(stand_in)[-1][1] == {"command": "a", "gpus": 1}
    assert len({key for key, _ in submits(stand_in)}) == 1


async def test_nothing_is_submitted_where_nothing_may_be(
    stand_in: StandIn, socket: Path, tmp_path: Path
) -> None:
    async with the_form(socket, tmp_path, form=form_of({"command": "a"})) as person:
        person.app.refusal = "this console only looks"
        await person.press("ctrl+s")

        await person.until(
            lambda: person.said("#remark") == "Not submitted: this console only looks"
        )
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
        await person.until(lambda: not screen.check_leave())

        await person.press("escape")
        await person.until(lambda: person.app.screen is not screen)
        await person.press("escape")
        await person.until(lambda: person.app.screen is screen)

        await person.press("backspace", "escape")
        await person.until(lambda: screen not in person.app.screen_stack)

    async with the_form(socket, tmp_path) as person:
        screen = person.screen
        await person.press("x", "escape")
        await person.pilot.pause()
        await person.press("y")
        await person.until(lambda: screen not in person.app.screen_stack)


async def test_the_real_controller_has_one_job_though_its_answers_were_lost(
    tmp_path: Path,
) -> None:
    form = form_of({"command": "true", "name": "once"})
    async with an_installation() as pool:
        pool.start_controller()
        async with pool.client() as client:
            await client.create_pool("default")
            async with (
                a_cutting_proxy(pool.paths.socket, tmp_path / "p", cuts=3) as proxy,
                the_form(tmp_path / "p", tmp_path, form=form) as person,
            ):
                await person.until(lambda: person.said("#verdict").startswith("would wait"))
                await person.press("ctrl+s")
                await person.until(lambda: person.app.accepted)
                jobs = (await client.jobs(all=True)).items

    assert proxy.submits == 4
    assert [(job.id, job.name) for job in jobs] == [(1, "once")]
    assert [job.id for job in person.app.accepted] == [1]
