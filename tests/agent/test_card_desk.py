from msgspec.structs import replace

from eaas.ids import CardUuid
from eaas_agent.card_desk import SIMULATED_RULES, CardDesk
from eaas_agent.cards.port import CardProcess, CardReading, CardsPicture
from eaas_agent.model import Attempt
from tests.rig.agents import an_order

UUID = CardUuid("GPU-a")
CONTAINER = "c" * 64

CARD = CardReading(
    uuid=UUID,
    index=0,
    minor=0,
    model="RTX",
    memory_total_mib=24576,
    memory_used_mib=10,
    utilization_pct=0,
    temperature_c=30,
    power_w=20.0,
    processes=(),
)


def a_picture(at: float, **fields: object) -> CardsPicture:
    return CardsPicture(state="ok", cards=(replace(CARD, **fields),), sampled_at=at)


def holder(state: str = "running") -> Attempt:
    attempt = Attempt(order=an_order(cards=(UUID,)), state="running", boot_id="b", handle=CONTAINER)
    return replace(attempt, state=state)


def state_of(desk: CardDesk, picture: CardsPicture) -> str:
    (report,) = desk.reports(picture, picture.sampled_at)
    return report.state


def settled() -> CardDesk:
    desk = CardDesk()
    for second in (1.0, 2.0, 3.0):
        desk.observe(a_picture(second))
    return desk


def test_a_clean_card_is_free() -> None:
    assert state_of(settled(), a_picture(3.0)) == "free"


def test_a_claimed_card_is_held_by_its_job() -> None:
    desk, attempt = settled(), holder()
    desk.claims_are([attempt])
    process = CardProcess(pid=1, memory_mib=100, container=CONTAINER)

    (report,) = desk.reports(a_picture(4.0, processes=(process,)), 4.0)

    assert (report.state, report.text) == ("held", None)
    assert report.processes is not None
    assert report.processes[0].uid == attempt.order.uid


def test_a_released_card_is_offered_after_clean_samples() -> None:
    desk = settled()
    desk.claims_are([holder()])
    desk.claims_are([holder("ended")])

    assert state_of(desk, a_picture(3.0)) == "dirty"
    desk.observe(a_picture(4.0))
    desk.observe(a_picture(5.0))
    assert state_of(desk, a_picture(5.0)) == "free"


def test_a_pretended_card_is_free_at_once() -> None:
    desk = CardDesk(SIMULATED_RULES)
    desk.observe(a_picture(1.0))
    desk.claims_are([holder()])
    desk.claims_are([])

    assert state_of(desk, a_picture(1.0)) == "free"


def test_a_strangers_process_makes_a_card_foreign() -> None:
    process = CardProcess(pid=7, memory_mib=900, user="bob", command="python x.py")

    (report,) = settled().reports(a_picture(4.0, processes=(process,)), 4.0)

    assert report.state == "foreign"
    assert "bob" in (report.text or "")


def test_a_silent_driver_offers_nothing() -> None:
    silent = replace(a_picture(9.0), state="unknown")

    assert state_of(settled(), silent) == "unknown"


def test_the_process_behind_a_claim_is_known_on_the_process_runtime() -> None:
    desk = CardDesk()
    desk.claims_are([replace(holder(), handle="4711:1.5:boot")])
    assert desk.held_by_pid() == {UUID: 4711}

    desk.claims_are([holder()])
    assert desk.held_by_pid() == {UUID: None}


def test_a_card_a_person_vouches_for_is_clean_at_its_present_level() -> None:
    desk = settled()
    for second in (4.0, 5.0, 6.0):
        desk.observe(a_picture(second, memory_used_mib=4000))
    assert state_of(desk, a_picture(6.0, memory_used_mib=4000)) == "dirty"

    desk.vouched(UUID, a_picture(6.0, memory_used_mib=4000))
    for second in (7.0, 8.0, 9.0):
        desk.observe(a_picture(second, memory_used_mib=4000))

    assert state_of(desk, a_picture(9.0, memory_used_mib=4000)) == "free"
