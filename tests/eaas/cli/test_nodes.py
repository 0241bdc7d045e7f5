from typing import Any

import msgspec
import pytest

from eaas.node_views import ImageView, MountView
from eaas.views import ConditionView
from tests.eaas.cli.conftest import Type
from tests.eaas.client.test_nodes import NODE
from tests.rig.stand_in import AT, StandIn


def a_mount(name: str, **but: Any) -> MountView:
    plain = MountView(
        name=name,
        read_only=False,
        available=True,
        reason=None,
        users=(),
        queues=(),
        per_user=False,
    )
    return msgspec.structs.replace(plain, **but)


FULL = msgspec.structs.replace(
    NODE,
    conditions=(ConditionView(code="disk_full", text="/var is full", since=AT),),
    labels={"rack": "a"},
    jobs=(4, 5),
    mounts=(
        a_mount("data", read_only=True, users=("ada", "bob"), queues=("train",)),
        a_mount("home", per_user=True, available=False, reason="does not answer"),
        a_mount("scratch"),
    ),
    images=(ImageView(name="torch:2", digest=None, size_mib=3100),),
)


@pytest.fixture
def node(controller: StandIn) -> StandIn:
    controller.answers.update({f"{verb} /api/v1/nodes/n1": FULL for verb in ("GET", "PATCH")})
    controller.answers["GET /api/v1/nodes"] = {"items": [FULL], "next": None}
    controller.answers["DELETE /api/v1/nodes/n1"] = {}
    for verb in ("confirm-dead", "clean-card"):
        controller.answers[f"POST /api/v1/nodes/n1/{verb}"] = FULL
    return controller


def test_a_node_is_listed_and_shown_with_what_is_wrong(typing: Type, node: StandIn) -> None:
    listed, shown = typing("node", "list").out, typing("node", "show", "n1").out

    for words in ("n1", "Ready", "process", "6.5 of 8 free", "? of 32GiB", "4, 5", "/var is full"):
        assert words in listed
    for words in ("rack=a", "disk_full", "torch:2", "3.0GiB"):
        assert words in shown


def test_a_nodes_mounts_are_shown_with_who_may_have_them_and_why_nobody_can(
    typing: Type, node: StandIn
) -> None:
    shown = [" ".join(line.split()) for line in typing("node", "show", "n1").out.splitlines()]

    assert "data ada, bob in train read only yes" in shown
    assert "home each user's own folder read and write no: does not answer" in shown
    assert "scratch everybody read and write yes" in shown


def test_labels_are_set_and_removed(typing: Type, node: StandIn) -> None:
    assert typing("node", "label", "n1", "rack=a", "old-").out == "n1 has labels rack=a\n"
    assert node.asked[0].body["labels"] == {"rack": "a", "old": None}
    assert typing("node", "label", "n1", "rack").code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("drain", "n1"), "n1 is Ready; jobs still there: 4, 5"),
        (("resume", "n1"), "n1 is Ready"),
        (("exclude-card", "n1", "0"), "card 0 of n1 is excluded"),
        (("include-card", "n1", "0"), "card 0 of n1 is offered again"),
        (("clean-card", "n1", "0"), "card 0 of n1 is taken for clean"),
        (("confirm-dead", "n1"), "n1 is taken for dead; its jobs are free to run elsewhere"),
        (("remove", "n1"), "n1 is forgotten"),
    ],
)
def test_every_verb_says_what_it_did(
    typing: Type, node: StandIn, words: tuple[str, ...], said: str
) -> None:
    assert typing("node", *words).out == said + "\n"
