from eaas.client import Client
from tests.rig.arrays import a_task, an_array, done
from tests.rig.stand_in import StandIn, a_job


async def test_an_array_is_asked_for_by_its_number(client: Client, controller: StandIn) -> None:
    array = an_array(("42[0-99]", 100, "Pending"))
    controller.answers["GET /api/v1/jobs/42/array"] = array

    assert await client.array(42) == array


async def test_a_number_means_that_very_job_where_one_job_is_asked_for(
    client: Client, controller: StandIn
) -> None:
    controller.answers["POST /api/v1/jobs/42/cancel"] = a_task(42, 0, "Stopping")

    assert (await client.cancel(42)).ref == "42[0]"
    assert controller.asked[0].query == {"one": "1"}


async def test_what_is_done_answers_with_the_job_or_with_what_was_done_to_tasks(
    client: Client, controller: StandIn
) -> None:
    controller.answers["POST /api/v1/jobs/1/cancel"] = a_job(1, "Stopping")
    controller.answers["POST /api/v1/jobs/42/cancel"] = done(92, 8)
    for verb in ("top", "retry", "keep"):
        controller.answers[f"POST /api/v1/jobs/42[7]/{verb}"] = a_task(49, 7)
    controller.answers["PATCH /api/v1/jobs/42"] = done(100)

    assert await client.cancel_all(1, grace_s=5) == a_job(1, "Stopping")
    assert await client.cancel_all(42) == done(92, 8)
    assert await client.patch_all(42, priority=3) == done(100)
    assert [
        await client.top_all("42[7]"),
        await client.retry_all("42[7]"),
        await client.keep_all("42[7]", for_s=60),
    ] == [a_task(49, 7)] * 3
