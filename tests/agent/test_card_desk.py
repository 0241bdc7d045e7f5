from msgspec.structs import replace

from eaas.ids import CardUuid
from eaas_agent.card_desk import SIMULATED_RULES, CardDesk
from eaas_agent.cards.port import CardProcess, CardReading, CardsPicture
from eaas_agent.cards.sharing import ShareRules
from eaas_agent.cards.simulated import Holder
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
    desk, attempt = CardDesk(), holder()
    desk.claims_are([replace(attempt, handle="4711:1.5:boot")])
    assert desk.holders() == {UUID: {attempt.order.uid: Holder(4711)}}

    desk.claims_are([attempt])
    assert desk.holders() == {UUID: {attempt.order.uid: Holder()}}


def a_sharer(number: int, mib: int = 6144) -> Attempt:
    order = an_order(f"job-{number}", number=number, cards=(UUID,), share_mib=mib)
    handle = str(number) * 32
    return Attempt(order=order, state="running", boot_id="b", handle=handle)


def test_jobs_that_share_a_card_are_told_apart_and_who_uses_too_much_is_named() -> None:
    desk, first, second = settled(), a_sharer(42), a_sharer(43)
    desk.claims_are([first, second])
    processes = (
        CardProcess(pid=1, memory_mib=9318, container=first.handle),
        CardProcess(pid=2, memory_mib=900, container=second.handle),
    )

    (report,) = desk.reports(a_picture(4.0, processes=processes, memory_used_mib=10228), 4.0)

    assert (report.state, report.text) == ("held", "job 42 uses 9.1GiB of the 6GiB it declared")
    assert (report.over_mib, report.overusers) == (3328, (42,))
    assert [each.uid for each in report.processes or ()] == [first.order.uid, second.order.uid]


def test_what_jobs_may_share_of_a_card_is_the_same_whoever_is_on_it() -> None:
    desk = settled()

    before = desk.reports(a_picture(3.0), 3.0)[0].share_mib
    desk.claims_are([a_sharer(42)])
    during = desk.reports(a_picture(4.0, memory_used_mib=5000), 4.0)[0].share_mib

    assert before == during == 24576 - 10 - 512


def test_a_job_that_left_others_on_a_card_is_a_stranger_there_if_it_is_still_there() -> None:
    desk, first, second = settled(), a_sharer(42), a_sharer(43)
    desk.claims_are([first, second])
    desk.claims_are([replace(first, state="ended"), second])
    lingering = CardProcess(pid=1, memory_mib=6000, container=first.handle)

    (report,) = desk.reports(a_picture(4.0, processes=(lingering,), memory_used_mib=6010), 4.0)

    assert report.state == "held"
    assert report.over_mib == 24576
    assert (report.text or "").startswith("beside its job: pid 1 ")


def test_a_card_is_read_clean_only_once_the_last_of_its_jobs_has_left() -> None:
    desk, first, second = settled(), a_sharer(42), a_sharer(43)
    desk.claims_are([first, second])
    desk.claims_are([second])
    assert state_of(desk, a_picture(4.0)) == "held"

    desk.claims_are([])

    assert state_of(desk, a_picture(5.0)) == "dirty"
    desk.observe(a_picture(6.0))
    desk.observe(a_picture(7.0))
    assert state_of(desk, a_picture(7.0)) == "free"


def test_the_owners_rules_for_sharing_count_from_the_next_report_on() -> None:
    desk = settled()
    desk.sharing = ShareRules(max_sharers=0)

    assert desk.reports(a_picture(3.0), 3.0)[0].share_mib is None


def test_a_card_a_person_vouches_for_is_clean_at_its_present_level() -> None:
    desk = settled()
    for second in (4.0, 5.0, 6.0):
        desk.observe(a_picture(second, memory_used_mib=4000))
    assert state_of(desk, a_picture(6.0, memory_used_mib=4000)) == "dirty"

    desk.vouched(UUID, a_picture(6.0, memory_used_mib=4000))
    for second in (7.0, 8.0, 9.0):
        desk.observe(a_picture(second, memory_used_mib=4000))

    assert state_of(desk, a_picture(9.0, memory_used_mib=4000)) == "free"
