from typing import Any

from msgspec.structs import replace

from eaas.booking_views import CardBookingView
from eaas.views import ConditionView, ReasonView
from eaas_tui.model.card_facts import card_sentence, gib, node_sentence
from tests.rig.pictures import a_card, a_held_card, a_node, a_process
from tests.rig.views import a_card as a_pool_card
from tests.rig.views import a_claim


def test_a_held_card_tells_its_job_its_holder_and_its_readings() -> None:
    assert card_sentence(a_held_card(2, user="bob", job=7)) == (
        "n1 card 2  NVIDIA H100  held  load 68%  55G of 80G  61 C  60 W  job 7 of bob"
    )


def test_a_foreign_card_tells_who_runs_what_on_it() -> None:
    card = a_card(state="foreign", processes=(a_process("bob"),))

    assert card_sentence(card).endswith("pid 4711 of bob 1.0G: python")


def test_what_is_not_known_of_a_card_is_not_mentioned() -> None:
    nothing: dict[str, Any] = dict.fromkeys(
        ("utilization_pct", "temperature_c", "power_w", "memory_used_mib", "memory_total_mib")
    )

    sentence = card_sentence(a_card(state="unknown", simulated=True, **nothing))

    assert sentence == "n1 card 0  NVIDIA H100 (simulated)  unknown"


def test_a_state_comes_with_its_reason() -> None:
    reason = ReasonView(code="card_sick", text="Xid 79: fell off the bus")

    assert "sick: Xid 79" in card_sentence(a_card(state="sick", reason=reason))


def test_a_node_tells_what_is_wrong_with_it() -> None:
    trouble = ConditionView(code="disk_full", text="2 GiB left", since="2025-06-01T10:00:00Z")
    node = a_node("n1", a_card(0), a_held_card(1, load=50), jobs=(7,), conditions=(trouble,))

    assert node_sentence(node) == (
        "n1  Ready  1 of 2 cards free  mean load 25%  cpus 8/64  memory 64G/256G  1 job"
        "  disk_full: 2 GiB left"
    )


def test_sizes_are_short() -> None:
    assert [gib(mib) for mib in (512, 1536, 81920)] == ["512M", "1.5G", "80G"]


def test_a_shared_card_tells_what_each_job_declared_and_what_all_of_them_did() -> None:
    claims = a_claim(7, memory_mib=6144), a_claim(8, "bob", memory_mib=3072, ref="5[3]")
    card = a_pool_card(state="shared", claims=claims, memory_claimed_mib=9216)

    sentence = card_sentence(card)

    assert "9.0G declared" in sentence
    assert sentence.endswith("job 7 of alice (6.0G)  job 5[3] of bob (3.0G)")


def test_for_whom_a_card_is_booked_is_told() -> None:
    booked = CardBookingView(
        id=3, whose="bob", start="2026-03-01T14:00:00.000Z", end="2026-03-01T17:00:00.000Z"
    )

    said = card_sentence(replace(a_card(0), bookings=(booked,)))

    assert said.endswith("booked for bob 2026-03-01 14:00 to 17:00 UTC")
