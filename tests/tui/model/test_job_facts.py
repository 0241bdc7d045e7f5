"""A job in a few lines."""

from datetime import UTC
from typing import Any

from eaas.node_views import CardClaimView
from eaas.views import HeldCardView, ReasonView
from eaas_tui.model.job_facts import facts
from tests.rig.pictures import a_card, a_node, a_picture
from tests.rig.stand_in import AT, a_job
from tests.rig.views import a_claim

NOW = 1_772_352_100.0


def text(*given: Any) -> list[str]:
    return ["".join(cell.text for cell in line) for line in facts(*given, zone=UTC)]


def test_a_running_job_is_told_with_its_cards_as_they_are_now() -> None:
    held = HeldCardView(uuid="GPU-n1-1", index=1, memory_mib=None)
    job = a_job(42, "Running", name="train", node="n1", cards=(held,), started_at=AT)
    mine = a_card(
        1,
        memory_used_mib=56320,
        memory_total_mib=81920,
        utilization_pct=92,
        temperature_c=None,
        power_w=640.4,
    )
    node = a_node("n1", a_card(0), mine)

    assert text(job, a_picture(node), NOW) == [
        "#42 train  ● Running  ada  default/default  priority 0",
        "on n1:1  attempt 1  started 08:00:00, ran 1m40s",
        "card 1  util  92%  memory 55GiB/80GiB  640W  -",
    ]


def test_a_job_that_was_preempted_says_how_often() -> None:
    job = a_job(42, "Running", node="n1", attempt=3, preemptions=2, started_at=AT)

    line = text(job, a_picture(a_node("n1")), NOW)[1]

    assert line == "on n1  attempt 3 (preempted 2x)  started 08:00:00, ran 1m40s"


def test_an_ended_job_shows_nothing_of_what_its_card_does_for_another_now() -> None:
    held = HeldCardView(uuid="GPU-n1-1", index=1, memory_mib=None)
    job = a_job(42, "Succeeded", node="n1", cards=(held,), started_at=AT, finished_at=AT)

    lines = text(job, a_picture(a_node("n1", a_card(1, utilization_pct=92))), NOW)

    assert not [line for line in lines if "util" in line]


def test_a_waiting_job_is_told_with_its_reason() -> None:
    reason = ReasonView(code="too_few_free_cards", text="needs 8, 5 free")
    job = a_job(42, position=3, reason=reason, timeout_s=3600.0, spec={"image": "busybox"})

    assert text(job, a_picture(), NOW) == [
        "#42 -  ○ Pending  ada  default/default  priority 0",
        "submitted 08:00:00  limit 1h  busybox",
        "why   #3 no room: needs 8, 5 free",
    ]


def test_a_job_that_shares_its_card_says_how_much_it_declared_and_who_else_is_there() -> None:
    held = HeldCardView(uuid="GPU-n1-0", index=0, memory_mib=6144)
    job = a_job(42, "Running", node="n1", cards=(held,), started_at=AT)

    def line(*claims: CardClaimView) -> str:
        node = a_node("n1", a_card(0, state="shared", claims=claims))
        return text(job, a_picture(node), NOW)[-1]

    mine, others = a_claim(42, memory_mib=6144), [a_claim(n, memory_mib=1024) for n in (7, 8)]
    assert line(mine).endswith("share 6GiB, alone")
    assert line(mine, others[0]).endswith("share 6GiB, 1 other job")
    assert line(mine, *others).endswith("share 6GiB, 2 other jobs")
