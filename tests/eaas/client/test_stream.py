from contextlib import aclosing

import pytest

from eaas.client import Client
from eaas.client import stream as module
from eaas.errors import NotFound, Unreachable
from eaas.wire.to_client import AnyToClient, Changes, Readings
from tests.rig.stand_in import AT, StandIn, a_change, a_job, a_snapshot


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_WAIT_S", 0.01)


async def frames_of(client: Client, count: int, after: int | None = None) -> list[AnyToClient]:
    found: list[AnyToClient] = []
    async with aclosing(client.stream(after)) as frames:
        async for frame in frames:
            found.append(frame)
            if len(found) == count:
                break
    return found


def after_of(controller: StandIn) -> list[str | None]:
    return [one.query.get("after") for one in controller.asked if one.path.endswith("/stream")]


async def test_a_cut_stream_goes_on_where_it_stopped(client: Client, controller: StandIn) -> None:
    first, second = a_snapshot(seq=5), a_change(a_job(1), after=5)
    third = a_change(a_job(1, "Running"), after=6)
    controller.frames[:] = [[first, second], [third], []]

    assert await frames_of(client, 3) == [first, second, third]
    assert after_of(controller) == [None, "6"]


async def test_readings_have_no_number_and_do_not_move_the_place(
    client: Client, controller: StandIn
) -> None:
    readings = Readings(at=AT, node="n1", cpus_used=1, memory_used_mib=None, cards=())
    controller.frames[:] = [[a_snapshot(seq=5), readings], [a_change(after=5)], []]

    assert len(await frames_of(client, 3)) == 3
    assert after_of(controller) == [None, "5"]


async def test_a_gap_is_answered_by_asking_for_a_snapshot(
    client: Client, controller: StandIn
) -> None:
    gap = a_change(after=7)
    whole = a_snapshot(seq=8)
    controller.frames[:] = [[a_snapshot(seq=5), gap], [whole], []]

    assert await frames_of(client, 2) == [a_snapshot(seq=5), whole]
    assert after_of(controller) == [None, None]


async def test_a_client_resumes_where_it_says_it_is(client: Client, controller: StandIn) -> None:
    controller.frames[:] = [[a_change(after=9)], []]

    assert await frames_of(client, 1, after=9) == [a_change(after=9)]
    assert after_of(controller) == ["9"]


async def test_a_controller_that_went_away_is_given_up_after_the_patience(
    client: Client, controller: StandIn
) -> None:
    controller.frames[:] = [[a_snapshot()], []]

    with pytest.raises(Unreachable):
        async for _ in client.stream(patience_s=0):
            pass


async def test_a_wait_sees_a_job_that_ends_while_it_watches(
    client: Client, controller: StandIn
) -> None:
    ended = a_job(1, "Succeeded", exit_code=0)
    controller.jobs[1] = a_job(1, "Running")
    controller.frames[:] = [[a_snapshot(a_job(1, "Running"))], [a_change(ended, after=1)], []]

    assert await client.wait(1) == [ended]


async def test_a_wait_for_jobs_that_ended_before_it_began_returns_at_once(
    client: Client, controller: StandIn
) -> None:
    controller.jobs.update({1: a_job(1, "Failed"), 2: a_job(2, "Cancelled")})
    controller.frames[:] = [[a_snapshot()], []]

    assert [job.state for job in await client.wait(2, 1)] == ["Cancelled", "Failed"]


async def test_a_wait_for_a_job_that_is_none_says_so(client: Client, controller: StandIn) -> None:
    controller.frames[:] = [[a_snapshot()], []]

    with pytest.raises(NotFound, match="there is no job 9"):
        await client.wait(9)


async def test_until_returns_as_soon_as_it_holds(client: Client, controller: StandIn) -> None:
    controller.jobs[1] = a_job(1)
    controller.frames[:] = [
        [
            a_snapshot(a_job(1)),
            Changes(after=1, seq=2, at=AT),
            a_change(a_job(1, "Running"), after=2),
        ],
        [],
    ]

    assert (await client.until(1, lambda job: job.attempt > 0)).state == "Running"


async def test_events_are_asked_for_by_number(client: Client, controller: StandIn) -> None:
    controller.answers["GET /api/v1/events"] = {"items": [], "next": None}

    await client.events(after=3, limit=10, job=7)

    assert controller.asked[0].query == {"after": "3", "limit": "10", "job": "7"}
