from typing import Any

import pytest
from msgspec.structs import replace

from eaas.node_views import ImageView, MountView, NodeView
from eaas.views import HeldCardView
from eaas.why_views import DryRunView, EtaView
from eaas_tui.model.form import Form, form_of
from eaas_tui.model.form_words import Verdict, candidates, completion, help_words, verdict_of
from eaas_tui.model.picture import EMPTY, Picture
from tests.rig.views import a_card, a_job, a_node, a_pool, a_queue


def with_images(node: NodeView, *names: str) -> NodeView:
    images = tuple(ImageView(name=name, digest=None, size_mib=1) for name in names)
    return replace(node, images=images)


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
    return replace(plain, **but)


def a_picture() -> Picture:
    mounts = (
        a_mount("home"),
        a_mount("theirs", users=("bob",)),
        a_mount("ours", read_only=True, users=("alice",), queues=("default/default",)),
        a_mount("night", queues=("train",)),
    )
    node_a = replace(a_node("node-a", a_card()), runtime="docker", mounts=mounts)
    nodes = [
        with_images(node_a, "busybox:1", "torch:2"),
        with_images(a_node("node-b", a_card(model="H200"), pools=("big",)), "torch:3"),
    ]
    queues = [a_queue(), a_queue("train"), a_queue("night", "big")]
    jobs = [
        a_job(1, user="bob", spec={"image": "bobs:1", "mounts": ["data:/data:ro"]}),
        a_job(2, spec={"image": "mine:1", "command": None}),
        a_job(3, spec={"image": "torch:2"}),
    ]
    return replace(
        EMPTY,
        user="alice",
        pools={name: a_pool(name) for name in ("default", "big")},
        queues={queue.ref: queue for queue in queues},
        nodes={node.name: node for node in nodes},
        jobs={job.id: job for job in jobs},
    )


def dry(would: Any, text: str, **changes: Any) -> DryRunView:
    quiet = DryRunView(
        job=None, state=None, verdict="waiting", text=text, position=None, reasons=(), nodes=(),
        blockers=(), eta=EtaView(at=None, in_s=None, kind="unknown"), advice=(), as_of_seq=1,
        valid=True, errors=(), would=would, node=None, cards=(),
    )  # fmt: skip
    return replace(quiet, **changes)


@pytest.mark.parametrize(
    ("key", "fields", "found"),
    [
        ("pool", {}, ["big", "default"]),
        ("queue", {}, ["default", "train", "big/night", "default/default", "default/train"]),
        ("queue", {"pool": "big"}, ["night"]),
        ("image", {}, ["torch:2", "mine:1", "bobs:1", "busybox:1"]),
        ("image", {"queue": "big/night"}, ["torch:2", "mine:1", "bobs:1", "torch:3"]),
        ("nodes", {"pool": "big"}, ["node-b"]),
        ("nodes", {"pool": "mistyped"}, ["node-a", "node-b"]),
        ("gpu_type", {"pool": "big"}, ["H200"]),
        ("mounts", {}, ["data:/data:ro", "home:/home", "ours:/ours:ro"]),
        ("mounts", {"queue": "train"}, ["data:/data:ro", "home:/home", "night:/night"]),
        ("mounts", {"pool": "big"}, ["data:/data:ro"]),
        ("name", {}, []),
    ],
)
def test_a_field_offers_what_there_is(key: str, fields: dict[str, Any], found: list[str]) -> None:
    assert candidates(key, form_of(fields), a_picture()) == found


def test_nothing_is_offered_from_an_empty_picture() -> None:
    assert {key: candidates(key, Form(), EMPTY) for key in ("pool", "queue", "image")} == {
        "pool": [],
        "queue": [],
        "image": [],
    }


@pytest.mark.parametrize(
    ("key", "text", "completed"),
    [
        ("pool", "de", "default"),
        ("pool", "DE", "DEfault"),
        ("pool", "default", None),
        ("pool", "", None),
        ("pool", "x", None),
        ("nodes", "default, de", "default, default"),
        ("nodes", "default, ", None),
    ],
)
def test_the_last_word_is_completed(key: str, text: str, completed: str | None) -> None:
    assert completion(key, text, ["big", "default"]) == completed


def test_the_help_names_what_there_is_but_no_end_of_it() -> None:
    assert help_words("nodes", [f"n{i}" for i in range(10)]) == (
        "Only these nodes. Between commas. Here: n0, n1, n2, n3, n4, n5, n6, n7 and 2 more."
    )
    assert help_words("name", []) == "A name for people; it need not be unique."


CARDS = tuple(HeldCardView(uuid=f"GPU-{i}", index=i, memory_mib=None) for i in (0, 1))


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (
            dry("start", "it would start on node-a now", node="node-a", cards=CARDS),
            Verdict("good", "would start now on node-a, cards 0,1"),
        ),
        (
            dry("start", "it would start on node-a now", node="node-a"),
            Verdict("good", "would start now on node-a"),
        ),
        (
            dry("start", "it would start on b, a now", node="b", on_nodes=("b", "a")),
            Verdict("good", "would start now on b, a"),
        ),
        (
            dry("wait", "it would wait: node-a has 0 of 2 cards free"),
            Verdict("wait", "would wait: node-a has 0 of 2 cards free"),
        ),
        (
            dry("wait", "it would wait behind 3 jobs, about 2h: node-a has 0 of 2 cards free"),
            Verdict("wait", "would wait behind 3 jobs, about 2h: node-a has 0 of 2 cards free"),
        ),
        (
            dry("never", "no node could ever run it: the cards are too small"),
            Verdict("bad", "can never start because the cards are too small"),
        ),
        (
            dry("never", "this would be refused: there is no pool x", valid=False),
            Verdict("bad", "this would be refused: there is no pool x"),
        ),
    ],
)
def test_the_verdict_is_one_line(answer: DryRunView, verdict: Verdict) -> None:
    assert verdict_of(answer) == verdict


def test_jobs_to_wait_for_are_those_that_have_not_ended_ones_own_first() -> None:
    jobs = (*a_picture().jobs.values(), a_job(4, "Succeeded"))
    picture = replace(a_picture(), jobs={job.id: job for job in jobs})

    assert candidates("after", Form(), picture) == ["3", "2", "1"]
    assert completion("after", "1, 4", ["41"]) == "1, 41"
