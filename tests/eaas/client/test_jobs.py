import pytest

from eaas.client import Client
from eaas.client import jobs as module
from eaas.errors import Unreachable
from eaas.sample_views import JobSamplesView
from eaas.views import Page
from tests.rig.stand_in import StandIn, a_job

JOB = {"command": "true", "gpus": 1}


async def test_a_submit_carries_the_job_and_a_key(client: Client, controller: StandIn) -> None:
    controller.jobs[1] = a_job(1)

    assert await client.submit(JOB, force=True) == a_job(1)
    asked = controller.asked[0]
    assert (asked.method, asked.body, asked.query) == ("POST", JOB, {"force": "1"})
    assert asked.key is not None
    assert len(asked.key) == 36


async def test_a_cut_submit_is_sent_again_with_the_same_key(
    client: Client, controller: StandIn
) -> None:
    controller.jobs[1] = a_job(1)
    controller.cut_submits = 2

    assert (await client.submit(JOB)).id == 1
    assert len({asked.key for asked in controller.asked}) == 1
    assert len(controller.asked) == 3


async def test_a_submit_that_stays_cut_says_that_it_may_have_been_accepted(
    client: Client, controller: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RETRY_AFTER_S", (0.0, 0.0))
    controller.jobs[1] = a_job(1)
    controller.cut_submits = 99

    with pytest.raises(Unreachable, match=r"may have been accepted.*--idempotency-key my-key"):
        await client.submit(JOB, idempotency_key="my-key")
    assert [asked.key for asked in controller.asked] == ["my-key"] * 3


async def test_a_batch_is_one_request(client: Client, controller: StandIn) -> None:
    controller.answers["POST /api/v1/jobs:batch"] = {"items": [a_job(1), a_job(2)]}

    found = await client.submit_batch([JOB, JOB], idempotency_key="k")

    assert [job.id for job in found] == [1, 2]
    assert [(one.path, one.body, one.key) for one in controller.asked] == [
        ("/api/v1/jobs:batch", {"jobs": [JOB, JOB]}, "k")
    ]


async def test_each_job_goes_through_the_pages_and_stops_at_the_limit(
    client: Client, controller: StandIn
) -> None:
    pages = {None: Page([a_job(1), a_job(2)], "c2"), "c2": Page([a_job(3), a_job(4)], None)}

    async def page(request: object) -> object:
        return pages[controller.asked[-1].query.get("cursor")]

    controller.answers["GET /api/v1/jobs"] = page

    assert [job.id async for job in client.each_job(all=True)] == [1, 2, 3, 4]
    assert [job.id async for job in client.each_job(limit=3)] == [1, 2, 3]
    assert [one.query for one in controller.asked] == [
        {"all": "1", "limit": "500"},
        {"all": "1", "limit": "500", "cursor": "c2"},
        {"limit": "3"},
        {"limit": "1", "cursor": "c2"},
    ]


async def test_every_verb_has_its_route(client: Client, controller: StandIn) -> None:
    job = a_job(7)
    for route in (
        "POST /api/v1/jobs/7/cancel",
        "POST /api/v1/jobs/7/top",
        "POST /api/v1/jobs/7/retry",
        "POST /api/v1/jobs/7/keep",
        "PATCH /api/v1/jobs/7",
    ):
        controller.answers[route] = job

    await client.cancel(7, grace_s=5)
    await client.top(7)
    await client.retry(7)
    await client.keep(7, for_s=60)
    await client.patch(7, priority=-5)

    assert [one.body for one in controller.asked] == [
        {"grace_s": 5},
        None,
        None,
        {"for_s": 60},
        {"priority": -5, "queue": None},
    ]


async def test_a_run_is_asked_for_by_attempt(client: Client, controller: StandIn) -> None:
    view = JobSamplesView(
        job=7, attempt=2, at="2026-03-01T08:00:00.000Z", begin_at=None, every_s=5, cards=()
    )
    controller.answers["GET /api/v1/jobs/7/samples"] = view

    assert await client.job_samples(7, attempt=2) == view
    assert await client.job_samples(7) == view
    assert [one.query for one in controller.asked] == [{"attempt": "2"}, {}]
