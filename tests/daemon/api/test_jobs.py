from tests.daemon.api.served import House

JOB = {"image": "busybox", "command": "echo hi", "env": {"A": "1"}}


async def test_a_submitted_job_is_answered_as_it_stands_after_the_step(house: House) -> None:
    await house.node("n1")
    await house.pool("default", "n1")

    status, view = await house.ask("POST", "/api/v1/jobs", JOB)

    assert (status, view["id"], view["state"], view["node"]) == (201, 1, "Starting", "n1")
    assert view["spec"]["command"] == "echo hi"


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
