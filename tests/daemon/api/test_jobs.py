import hashlib

from eaas.ids import NodeName
from eaas_daemon.core.events import AgentGone
from tests.daemon.api.served import House
from tests.rig.builders import a_card

JOB = {"image": "busybox", "command": "echo hi", "env": {"A": "1"}}


async def test_a_submitted_job_is_answered_as_it_stands_after_the_step(house: House) -> None:
    await house.node("n1")
    await house.pool("default", "n1")

    status, view = await house.ask("POST", "/api/v1/jobs", JOB)

    assert (status, view["id"], view["state"], view["node"]) == (201, 1, "Starting", "n1")
    assert view["spec"]["command"] == "echo hi"


async def test_a_job_says_at_once_that_its_node_is_missed(house: House) -> None:
    await house.node("n1")
    await house.pool("default", "n1")
    await house.ask("POST", "/api/v1/jobs", JOB)
    await house.runs(1)
    session = house.state.nodes[NodeName("n1")].session
    assert session is not None
    await house.engine.ask(AgentGone(node=NodeName("n1"), session=session, why="cut"))
    await house.tick(8)

    _, view = await house.ask("GET", "/api/v1/jobs/1")
    lists = [await house.ask("GET", f"/api/v1/jobs{query}") for query in ("", "?state=Running")]

    assert (view["state"], view["reason"]["code"]) == ("Running", "node_silent")
    assert view["reason"]["text"] == ("n1 has been silent for 8s; the job may still run there")
    assert [page["items"][0]["reason"] for _, page in lists] == [view["reason"]] * 2


async def test_the_same_key_and_body_give_the_same_job(house: House) -> None:
    await house.pool()
    first = await house.ask("POST", "/api/v1/jobs", JOB, Idempotency_Key="k")
    await house.ask("POST", "/api/v1/jobs/1/cancel")

    again = await house.ask(
        "POST", "/api/v1/jobs", dict(reversed(JOB.items())), Idempotency_Key="k"
    )
    other = await house.ask("POST", "/api/v1/jobs", {**JOB, "gpus": 0}, Idempotency_Key="k")

    assert (first[0], first[1]["state"]) == (201, "Pending")
    assert (again[0], again[1]["id"], again[1]["state"]) == (200, 1, "Cancelled")
    assert (other[0], other[1]["code"]) == (422, "idempotency_key_reused")


async def test_a_batch_is_taken_whole_or_not_at_all(house: House) -> None:
    await house.pool()

    good = await house.ask("POST", "/api/v1/jobs:batch", {"jobs": [JOB, JOB]})
    bad = await house.ask("POST", "/api/v1/jobs:batch", {"jobs": [JOB, {**JOB, "gpu": 1}]})
    elsewhere = await house.ask("POST", "/api/v1/jobs:batch", {"jobs": [JOB, {**JOB, "pool": "x"}]})

    assert (good[0], [view["id"] for view in good[1]["items"]]) == (201, [1, 2])
    assert bad[0] == elsewhere[0] == 422
    assert [(error["field"], error["suggestion"]) for error in bad[1]["errors"]] == [
        ("jobs[1].gpu", "gpus")
    ]
    assert [error["field"] for error in elsewhere[1]["errors"]] == ["jobs[1].pool"]
    assert len(house.state.jobs) == 2


async def test_a_batch_says_which_of_its_jobs_no_node_could_ever_run(house: House) -> None:
    await house.node("n1", a_card(0))
    await house.pool("default", "n1")

    status, problem = await house.ask(
        "POST", "/api/v1/jobs:batch", {"jobs": [JOB, {**JOB, "gpus": 4}]}
    )

    assert (status, problem["code"]) == (422, "never_fits")
    assert problem["detail"].startswith("jobs[1]: no node of pool default")


async def test_what_nobody_may_set_is_an_unknown_key(house: House) -> None:
    await house.pool()

    for extra in ({"user": "bob"}, {"owner": "bob"}, {"attempt": 7}, {"node_id": "n1"}):
        status, problem = await house.ask("POST", "/api/v1/jobs", {**JOB, **extra})
        assert (status, problem["code"]) == (422, "invalid"), extra
    status, problem = await house.ask("POST", "/api/v1/jobs", {**JOB, "priority": 999})
    assert (status, problem["errors"][0]["field"]) == (422, "priority")


async def test_a_folder_comes_only_as_a_pack_that_is_here(house: House) -> None:
    await house.pool()
    name = "sha256:" + hashlib.sha256(b"tar").hexdigest()

    folder = await house.ask("POST", "/api/v1/jobs", {**JOB, "with": "."})
    missing = await house.ask("POST", "/api/v1/jobs", {**JOB, "with": name})
    await house.ask("PUT", f"/api/v1/packs/{name}", b"tar")
    there = await house.ask("POST", "/api/v1/jobs", {**JOB, "with": name})

    assert folder[0] == missing[0] == 422
    assert [error["field"] for error in folder[1]["errors"] + missing[1]["errors"]] == [
        "with",
        "with",
    ]
    assert (there[0], there[1]["spec"]["with"]) == (201, name)


async def test_other_people_see_a_job_without_what_is_private(house: House) -> None:
    await house.pool()
    await house.submit("ann", command="x --key 1", env={"A": "1"})

    mine = await house.ask("GET", "/api/v1/jobs/1", user="ann")
    theirs = await house.ask("GET", "/api/v1/jobs/1", user="bob")
    listed = await house.ask("GET", "/api/v1/jobs", user="bob")

    assert mine[1]["spec"] == {"image": "busybox", "command": "x --key 1", "env": {"A": "1"}}
    assert theirs[1]["spec"] == {"image": "busybox", "command": None, "env": None}
    assert listed[1]["items"] == [theirs[1]]


async def test_an_ended_job_can_be_cancelled_without_anything_happening(house: House) -> None:
    await house.pool()
    await house.submit()
    await house.ask("POST", "/api/v1/jobs/1/cancel")
    seq = house.state.seq

    status, view = await house.ask("POST", "/api/v1/jobs/1/cancel", {"grace_s": 1})

    assert (status, view["state"], house.state.seq) == (200, "Cancelled", seq)


async def test_a_job_moves_and_changes_its_priority_in_one_request(house: House) -> None:
    await house.pool()
    await house.pool("second")
    await house.submit(pool="default")

    status, view = await house.ask(
        "PATCH", "/api/v1/jobs/1", {"queue": "second/default", "priority": -3}
    )
    unknown = await house.ask("PATCH", "/api/v1/jobs/1", {"prority": 1})
    nothing = await house.ask("PATCH", "/api/v1/jobs/1", {})

    assert (status, view["pool"], view["priority"]) == (200, "second", -3)
    assert (unknown[0], unknown[1]["errors"][0]["suggestion"]) == (422, "priority")
    assert nothing[0] == 422


async def test_an_ended_job_is_retried_and_kept(house: House) -> None:
    await house.node("n1")
    await house.pool("default", "n1")
    await house.submit()
    await house.ends(1, exit_code=1)

    kept = await house.ask("POST", "/api/v1/jobs/1/keep", {"for_s": 3600 * 24 * 30})
    wrong = await house.ask("POST", "/api/v1/jobs/1/keep", {"for_s": 0})
    again = await house.ask("POST", "/api/v1/jobs/1/retry")

    assert (kept[0], wrong[0]) == (200, 422)
    assert "kept until 1970-01-31" in kept[1]["workspace"]
    assert (again[0], again[1]["state"], again[1]["attempt"]) == (200, "Starting", 2)


async def test_why_names_what_the_job_waits_for(house: House) -> None:
    await house.pool()
    await house.submit()

    status, why = await house.ask("GET", "/api/v1/jobs/1/why")

    assert (status, why["verdict"], why["position"]) == (200, "waiting", 1)
    assert [reason["code"] for reason in why["reasons"]] == ["pool_has_no_nodes"]


async def test_a_dry_run_changes_nothing(house: House) -> None:
    await house.node("n1", a_card(0))
    await house.pool("default", "n1")
    seq = house.state.seq

    starts = await house.ask("POST", "/api/v1/jobs:dry-run", {**JOB, "gpus": 1})
    wrong = await house.ask("POST", "/api/v1/jobs:dry-run", {"gpu": 1})

    assert (starts[0], starts[1]["would"], starts[1]["node"]) == (200, "start", "n1")
    assert (wrong[0], wrong[1]["valid"], wrong[1]["would"]) == (200, False, "never")
    assert (house.state.seq, len(house.state.jobs)) == (seq, 0)
