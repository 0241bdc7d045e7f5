from eaas.client import Client
from eaas.views import PoolNodeView, PoolView, QueueView
from eaas.wire.rest import SetPool, SetQueue
from tests.rig.stand_in import StandIn

POOL = PoolView(
    name="p",
    nodes=(PoolNodeView(name="n1", cards=None),),
    queues=("default",),
    cards_total=2,
    cards_free=1,
    cards_held=1,
    cards_unavailable=0,
    waiting=3,
    running=1,
)
QUEUE = QueueView(
    name="q",
    pool="p",
    ref="p/q",
    priority=5,
    paused=False,
    max_running=None,
    max_gpus=4,
    max_pending=None,
    max_per_user=None,
    max_gpus_per_user=None,
    max_priority=None,
    timeout_s=3600,
    max_timeout_s=None,
    allow=(),
    preemptible=False,
    hold_after_s=600.0,
    idle_after_s=None,
    requeue_after_s=None,
    waiting=0,
    running=0,
    gpus_held=0,
)


async def test_pools_are_made_filled_and_deleted_by_their_routes(
    client: Client, controller: StandIn
) -> None:
    controller.answers.update(
        {
            "GET /api/v1/pools": {"items": [POOL], "next": None},
            "GET /api/v1/pools/p": POOL,
            "POST /api/v1/pools": POOL,
            "PUT /api/v1/pools/p/nodes/n1": POOL,
            "DELETE /api/v1/pools/p/nodes/n1": {},
            "PATCH /api/v1/pools/p": POOL,
            "DELETE /api/v1/pools/p": {},
        }
    )

    assert await client.pools() == [POOL]
    assert await client.pool("p") == POOL
    assert await client.create_pool("p") == POOL
    assert await client.add_node("p", "n1", cards=["0"]) == POOL
    assert await client.remove_node("p", "n1") == {}
    assert await client.set_pool("p", SetPool(max_gpus_per_user=3)) == POOL
    assert await client.delete_pool("p") == {}
    assert [one.body for one in controller.asked] == [
        None, None, {"name": "p"}, {"cards": ["0"]}, None, {"max_gpus_per_user": 3}, None,
    ]  # fmt: skip


async def test_a_queues_settings_leave_out_what_is_to_stay(
    client: Client, controller: StandIn
) -> None:
    route = "/api/v1/pools/p/queues/q"
    controller.answers.update({f"{verb} {route}": QUEUE for verb in ("GET", "POST", "PATCH")})
    controller.answers[f"DELETE {route}"] = {}
    controller.answers["GET /api/v1/queues"] = {"items": [QUEUE], "next": None}

    assert await client.queues() == [QUEUE]
    assert await client.queue("p", "q") == QUEUE
    assert await client.create_queue("p", "q", SetQueue(priority=5)) == QUEUE
    assert await client.set_queue("p", "q", SetQueue(max_gpus=None, paused=True)) == QUEUE
    await client.delete_queue("p", "q")
    assert [one.body for one in controller.asked][2:4] == [
        {"priority": 5},
        {"paused": True, "max_gpus": None},
    ]
