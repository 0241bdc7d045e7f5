import pytest

from tests.eaas.cli.conftest import Type
from tests.eaas.client.test_pools import QUEUE
from tests.rig.stand_in import StandIn

ROUTE = "/api/v1/pools/p/queues/q"


@pytest.fixture
def queue(controller: StandIn) -> StandIn:
    controller.answers.update({f"{verb} {ROUTE}": QUEUE for verb in ("GET", "POST", "PATCH")})
    controller.answers["DELETE " + ROUTE] = {}
    controller.answers["GET /api/v1/queues"] = {"items": [QUEUE], "next": None}
    return controller


def test_a_queue_is_made_with_what_was_typed(typing: Type, queue: StandIn) -> None:
    said = typing(
        *("queue", "create", "p/q", "--priority", "-5", "--max-running", "4", "--timeout", "12h"),
        *("--max-timeout", "none", "--allow", "ada, bob"),
    )

    assert said.code == 0
    assert queue.asked[0].body == {
        "priority": -5,
        "max_running": 4,
        "timeout_s": 43200.0,
        "max_timeout_s": None,
        "allow": ["ada", "bob"],
    }


def test_a_change_leaves_the_rest_and_none_takes_a_limit_away(typing: Type, queue: StandIn) -> None:
    typing("queue", "set", "p/q", "--max-gpus", "none", "--max-priority", "-1", "--allow", "")

    assert queue.asked[0].body == {"max_gpus": None, "max_priority": -1, "allow": []}
    assert typing("queue", "set", "p/q").code == 2


def test_a_queue_is_made_preemptible_and_not_by_yes_or_no(typing: Type, queue: StandIn) -> None:
    typing("queue", "set", "p/q", "--preemptible", "yes")
    typing("queue", "set", "p/q", "--preemptible", "no")

    assert [asked.body for asked in queue.asked] == [{"preemptible": True}, {"preemptible": False}]
    refused = typing("queue", "set", "p/q", "--preemptible", "maybe")
    assert (refused.code, "'maybe' is not one of 'yes', 'no'" in refused.err) == (2, True)


def test_show_list_pause_resume_delete(typing: Type, queue: StandIn) -> None:
    shown = typing("queue", "show", "p/q").out

    assert "max GPUs:   4" in shown
    assert "timeout:    1h" in shown
    assert "max GPUs 4, timeout 1h" in typing("queue", "list", "--pool", "p").out
    assert typing("queue", "list", "--pool", "other").out == ""
    assert typing("queue", "pause", "p/q").out == "queue p/q is paused\n"
    assert queue.asked[-1].body == {"paused": True}
    assert typing("queue", "resume", "p/q").out == "queue p/q is open\n"
    assert typing("queue", "delete", "p/q").out == "queue p/q is deleted\n"


@pytest.mark.parametrize("ref", ["q", "/q", "p/"])
def test_a_queue_is_written_with_its_pool(typing: Type, ref: str) -> None:
    said = typing("queue", "pause", ref)

    assert said.code == 2
    assert "write POOL/QUEUE" in said.err


def test_a_wrong_limit_is_a_usage_error(typing: Type) -> None:
    assert typing("queue", "set", "p/q", "--max-running", "-1").code == 2
    assert "12 has no unit" in typing("queue", "set", "p/q", "--timeout", "12").err
