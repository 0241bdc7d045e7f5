from eaas.client import Client
from eaas.node_views import NodeView
from eaas.sample_views import NodeSamplesView
from eaas.views import FolderView
from tests.rig.stand_in import StandIn

NODE = NodeView(
    name="n1",
    uid="u",
    state="Ready",
    conditions=(),
    address=None,
    version="0.1.0",
    runtime="process",
    engine=None,
    pools=("p",),
    labels={},
    cpus=8,
    cpus_used=1.5,
    memory_mib=32768,
    memory_used_mib=None,
    boot_id="b",
    last_seen_at=None,
    cards=(),
    jobs=(),
    images=(),
)
SAMPLES = NodeSamplesView(
    node="n1",
    at="2026-03-01T08:00:00.000Z",
    begin_at="2026-03-01T07:45:00.000Z",
    every_s=10,
    cpus_used=(1.5, None),
    memory_used_mib=(None, 7),
    cards=(),
)


async def test_every_verb_about_a_node_has_its_route(client: Client, controller: StandIn) -> None:
    for route in ("GET", "PATCH"):
        controller.answers[f"{route} /api/v1/nodes/n1"] = NODE
    for verb in ("confirm-dead", "clean-card"):
        controller.answers[f"POST /api/v1/nodes/n1/{verb}"] = NODE
    controller.answers["DELETE /api/v1/nodes/n1"] = {}

    assert await client.node("n1") == NODE
    await client.drain("n1")
    await client.resume("n1")
    await client.label_node("n1", {"rack": "a", "old": None})
    await client.exclude_card("n1", "0")
    await client.include_card("n1", "GPU-1")
    await client.clean_card("n1", "0")
    await client.confirm_dead("n1")
    await client.forget_node("n1")

    quiet = {"draining": None, "labels": None, "exclude_card": None, "include_card": None}
    assert [one.body for one in controller.asked] == [
        None,
        {**quiet, "draining": True},
        {**quiet, "draining": False},
        {**quiet, "labels": {"rack": "a", "old": None}},
        {**quiet, "exclude_card": "0"},
        {**quiet, "include_card": "GPU-1"},
        {"card": "0"},
        None,
        None,
    ]


async def test_lists_are_returned_whole(client: Client, controller: StandIn) -> None:
    controller.answers["GET /api/v1/nodes"] = {"items": [NODE], "next": None}
    controller.answers["GET /api/v1/cards"] = {"items": [], "next": None}

    controller.answers["GET /api/v1/samples"] = {"items": [SAMPLES], "next": None}

    assert await client.nodes() == [NODE]
    assert await client.samples() == [SAMPLES]
    assert await client.cards() == []


async def test_one_node_tells_what_it_did_lately(client: Client, controller: StandIn) -> None:
    controller.answers["GET /api/v1/nodes/n1/samples"] = SAMPLES

    assert await client.node_samples("n1") == SAMPLES


async def test_the_watched_folders_are_read(client: Client, controller: StandIn) -> None:
    folder = FolderView(
        path="/srv/jobs",
        pool=None,
        queue=None,
        user="robot",
        log=True,
        state="watching",
        reason=None,
        accepted=1,
        refused=0,
        looked_at=None,
    )
    controller.answers["GET /api/v1/folders"] = {"items": [folder], "next": None}

    assert await client.folders() == [folder]
