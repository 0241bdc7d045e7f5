import json

from eaas.client import Client
from eaas_daemon.api.sample_routes import node_samples_view
from eaas_daemon.core.recent_samples import NodeRecent
from tests.daemon.api.served import House, real_door
from tests.rig.builders import a_card

PATH = "/api/v1/jobs/1/samples"


async def two_readings(house: House) -> None:
    """Let a node with one card send two readings, the second in the next ten seconds."""
    await house.node("n1", a_card(0))
    await house.pool("default", "n1")
    await house.beat("n1", a_card(0, utilization_pct=40, memory_used_mib=1000))
    house.clock.at += 10
    await house.beat("n1", a_card(0, utilization_pct=60, memory_used_mib=None))


async def test_a_node_tells_what_it_and_its_cards_did_lately(house: House) -> None:
    await two_readings(house)

    _, view = await house.ask("GET", "/api/v1/nodes/n1/samples")

    assert view == {
        "node": "n1",
        "at": "1970-01-01T00:16:50.000Z",
        "begin_at": "1970-01-01T00:16:40.000Z",
        "every_s": 10.0,
        "cpus_used": [0.0, 0.0],
        "memory_used_mib": [7, 7],
        "cards": [
            {"uuid": "GPU-n1-0", "utilization_pct": [40, 60], "memory_used_mib": [1000, None]}
        ],
    }


async def test_one_question_brings_all_nodes_also_those_without_a_reading(house: House) -> None:
    await two_readings(house)
    await house.node("n0")

    _, page = await house.ask("GET", "/api/v1/samples")
    _, one = await house.ask("GET", "/api/v1/nodes/n1/samples")

    assert [view["node"] for view in page["items"]] == ["n0", "n1"]
    assert (page["items"][0]["begin_at"], page["items"][0]["cards"]) == (None, [])
    assert page["items"][1] == one
    assert (await house.ask("GET", "/api/v1/nodes/n9/samples"))[0] == 404


async def test_a_job_tells_its_whole_run_with_the_mean_and_the_most(house: House) -> None:
    await two_readings(house)
    await house.submit(gpus=1)
    await house.runs(1)
    for load in (10, 30):
        await house.beat("n1", a_card(0, utilization_pct=load, memory_used_mib=100 * load))

    _, view = await house.ask("GET", PATH)

    assert (view["job"], view["attempt"], view["every_s"]) == (1, 1, 5.0)
    assert view["begin_at"] == view["at"] == "1970-01-01T00:16:50.000Z"
    assert view["cards"] == [
        {
            "uuid": "GPU-n1-0",
            "index": 0,
            "memory_total_mib": 24576,
            "utilization_pct": [20],
            "utilization_max_pct": [30],
            "memory_used_mib": [2000],
            "memory_used_max_mib": [3000],
        }
    ]
    assert (await house.ask("GET", f"{PATH}?attempt=1"))[1] == view


async def test_an_attempt_that_never_was_is_not_found_and_one_without_cards_is_empty(
    house: House,
) -> None:
    await two_readings(house)
    await house.submit()
    await house.runs(1)

    assert (await house.ask("GET", PATH))[1]["cards"] == []
    assert (await house.ask("GET", PATH))[1]["begin_at"] is None
    assert (await house.ask("GET", f"{PATH}?attempt=2"))[0] == 404
    assert (await house.ask("GET", f"{PATH}?attempt=0"))[0] == 404
    assert (await house.ask("GET", f"{PATH}?attempt=x"))[0] == 422


async def test_a_job_that_waits_has_no_run_yet(house: House) -> None:
    await house.pool()
    await house.submit()

    _, view = await house.ask("GET", PATH)

    assert (view["attempt"], view["begin_at"], view["cards"]) == (0, None, [])


async def test_the_client_reads_what_the_routes_tell(house: House) -> None:
    await two_readings(house)
    async with real_door(house) as address, Client(address) as client:
        job = await client.submit({"image": "busybox", "command": "true", "gpus": 1})
        await house.runs(job.id)
        await house.beat("n1", a_card(0, utilization_pct=10))

        (node,) = await client.samples()
        run = await client.job_samples(job.id)

    assert node.cards[0].utilization_pct == (40, 35)
    assert run.cards[0].utilization_max_pct == (10,)


def test_what_nobody_knows_is_an_empty_view_and_not_an_error() -> None:
    view = node_samples_view("n1", NodeRecent(), 1000.0)

    assert json.dumps(view.cpus_used) == "[]"
    assert view.begin_at is None
