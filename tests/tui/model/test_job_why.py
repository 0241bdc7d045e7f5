from msgspec.structs import replace

from eaas.views import ScopedReasonView
from eaas.why_views import BlockerView, EtaView, WhyNodeView, WhyView
from eaas_tui.model.job_why import eta_words, why_lines
from eaas_tui.model.picture import EMPTY
from tests.rig.views import a_card, a_job, a_node

WHY = WhyView(
    job=42,
    state="Pending",
    verdict="waiting",
    text="waits for 2 cards; 1 is free",
    position=3,
    reasons=(ScopedReasonView(code="queue_paused", text="the queue is paused", scope="queue"),),
    nodes=(
        WhyNodeView(
            node="n1",
            code="too_few_free_cards",
            text="1 of 2 cards is free",
            asked=2,
            available=1,
            never=False,
        ),
    ),
    blockers=(
        BlockerView(
            job=7,
            user="bob",
            node="n1",
            cards=("GPU-1",),
            ends_at="2026-03-01T08:00:00.000Z",
            ends_kind="certain",
        ),
        BlockerView(job=8, user="王芳", node="n2", cards=(), ends_at=None, ends_kind="unknown"),
    ),
    eta=EtaView(at="2026-03-01T08:00:00.000Z", in_s=2520, kind="estimate"),
    advice=("ask for one card",),
    as_of_seq=1,
)


def test_why_a_job_waits_is_told_with_every_node_and_whoever_is_in_the_way() -> None:
    lines = ["".join(cell.text for cell in line.cells) for line in why_lines(WHY)]

    assert lines == [
        "WHY  waits for 2 cards; 1 is free",
        "ETA  starts in 42m, at 2026-03-01 08:00:00 UTC (an estimate)",
        "     queue: the queue is paused",
        "DO   ask for one card",
        "",
        "NODE  CODE                WHY NOT",
        "n1    too_few_free_cards  1 of 2 cards is free",
        "",
        "IN THE WAY  USER  NODE  HOLDS    ENDS",
        "#7          bob   n1    1 card   2026-03-01 08:00:00 UTC at the latest",
        "#8          王芳  n2    0 cards  unknown",
    ]


def test_a_start_that_nobody_can_foresee_is_not_told() -> None:
    assert eta_words(EtaView(at=None, in_s=None, kind="unknown")) is None


def test_a_reason_that_the_verdict_tells_is_not_told_again() -> None:
    told = replace(WHY, text="job 42 waits: the queue is paused")

    lines = ["".join(cell.text for cell in line.cells) for line in why_lines(told)]
    assert [line for line in lines if "the queue is paused" in line] == [f"WHY  {told.text}"]


def test_jobs_and_cards_in_the_way_are_called_as_people_know_them() -> None:
    cards = tuple(a_card(index, "n1") for index in range(4))
    held = tuple(card.uuid for card in cards[1:])
    blockers = (
        replace(WHY.blockers[0], cards=held),
        replace(WHY.blockers[0], cards=(*held, "GPU-gone")),
    )
    picture = replace(
        EMPTY,
        nodes={"n1": a_node("n1", *cards)},
        jobs={7: a_job(7, "Running", ref="5[2]")},
    )
    told = why_lines(replace(WHY, blockers=blockers), picture)

    rows = ["".join(cell.text for cell in line.cells).split("  ") for line in told][-2:]
    assert [[part.strip() for part in row if part][:4] for row in rows] == [
        ["#5[2]", "bob", "n1", "cards 1-3"],
        ["#5[2]", "bob", "n1", "4 cards"],
    ]
