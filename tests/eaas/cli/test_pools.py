import json

from msgspec.structs import replace

from eaas.views import PoolUserView
from tests.eaas.cli.conftest import Type
from tests.eaas.client.test_pools import POOL, QUEUE
from tests.rig.stand_in import StandIn


def test_pools_are_listed_and_shown_with_their_queues(typing: Type, controller: StandIn) -> None:
    controller.answers["GET /api/v1/pools"] = {"items": [POOL], "next": None}
    controller.answers["GET /api/v1/pools/p"] = POOL
    controller.answers["GET /api/v1/queues"] = {"items": [QUEUE], "next": None}

    assert typing("pool", "list").out.splitlines()[1].split() == [
        *("p", "n1", "default", "2", "1", "1", "0", "1", "3")
    ]
    assert "p/q" in typing("pool", "show", "p").out
    assert json.loads(typing("pool", "show", "p", "-o", "json").out)["name"] == "p"


def test_a_pool_is_made_filled_emptied_and_deleted(typing: Type, controller: StandIn) -> None:
    controller.answers.update(
        {
            "POST /api/v1/pools": POOL,
            "PUT /api/v1/pools/p/nodes/n1": POOL,
            "DELETE /api/v1/pools/p/nodes/n1": POOL,
            "DELETE /api/v1/pools/p": {},
        }
    )

    assert "mini-eaas pool add p NODE" in typing("pool", "create", "p").out
    assert typing("pool", "add", "p", "n1", "--cards", "0, GPU-1").out == "n1 is in pool p\n"
    assert controller.asked[-1].body == {"cards": ["0", "GPU-1"]}
    assert typing("pool", "remove", "p", "n1").code == 0
    assert typing("pool", "delete", "p", "-o", "json").out == "{}\n"


def test_what_one_user_may_have_of_a_pool_is_set_and_shown(
    typing: Type, controller: StandIn
) -> None:
    bob = PoolUserView(user="bob", running=1, gpus_held=2, card_hours=3.5)
    capped = replace(POOL, max_gpus_per_user=2, half_life_s=7200.0, users=(bob,))
    controller.answers["PATCH /api/v1/pools/p"] = capped

    said = typing("pool", "set", "p", "--max-gpus-per-user", "2", "--half-life", "2h").out

    assert controller.asked[-1].body == {"max_gpus_per_user": 2, "half_life_s": 7200.0}
    assert "one user may hold 2 cards; use counts half after 2h" in said
    assert said.splitlines()[-1].split() == ["bob", "1", "2", "3.5"]

    typing("pool", "set", "p", "--max-gpus-per-user", "none")
    assert controller.asked[-1].body == {"max_gpus_per_user": None}


def test_setting_nothing_of_a_pool_is_a_mistake(typing: Type) -> None:
    said = typing("pool", "set", "p")

    assert said.code == 2
    assert "say what to change" in said.err


def test_no_pool_yet_says_what_to_type(typing: Type, controller: StandIn) -> None:
    controller.answers["GET /api/v1/pools"] = {"items": [], "next": None}
    said = typing("pool", "list")

    assert (said.out, said.err) == ("", "no pool yet; mini-eaas pool create NAME makes one\n")
