"""From raw answers to readings."""

from eaas.ids import CardUuid
from eaas_agent.cards.nvml_answers import MIB, RawCard, RawMemory, RawProcess, Refused
from eaas_agent.cards.nvml_reading import (
    XID_MEMORY_S,
    Sample,
    XidFault,
    compose,
    no_picture,
    remember_xids,
)
from eaas_agent.cards.port import CardProcess, CardsPicture
from eaas_agent.cards.processes import ProcessFacts

NOTHING = Sample(picture=CardsPicture(state="unknown", sampled_at=0.0))
LOST = Refused(code=15, text="GPU is lost")
BUSY = Refused(code=19, text="In use by another client")
A, B = CardUuid("GPU-a"), CardUuid("GPU-b")


def a_card(index: int, uuid: str, **answers: object) -> RawCard:
    values: dict[str, object] = {
        "index": index,
        "uuid": uuid,
        "model": "RTX 3090",
        "minor": index,
        "memory": RawMemory(total=24576 * MIB, used=5 * MIB),
        "utilization_pct": 50,
        "temperature_c": 60,
        "power_mw": 200_500,
        "processes": (),
        "mig_on": False,
        "remap_pending": False,
        "remap_failed": False,
    } | answers
    return RawCard(**values)  # type: ignore[arg-type]


def a_lost_card(index: int, refused: Refused = LOST) -> RawCard:
    names = [name for name in RawCard.__struct_fields__ if name not in ("index", "lost")]
    return RawCard(index=index, lost=refused, **dict.fromkeys(names, refused))


def composed(
    *answers: RawCard,
    before: Sample = NOTHING,
    facts: dict[int, ProcessFacts] | None = None,
    xids: dict[CardUuid, XidFault] | None = None,
    now: float = 1.0,
) -> Sample:
    return compose(
        answers,
        before=before,
        facts=facts or {},
        xids=xids or {},
        links=(),
        driver="550.54",
        now=now,
    )


def test_a_process_carries_what_is_known_of_it() -> None:
    facts = {7: ProcessFacts(user="anna", command="python", container="c" * 64, started_ticks=9)}
    processes = (RawProcess(pid=7, memory_bytes=300 * MIB), RawProcess(pid=8, memory_bytes=None))

    sample = composed(a_card(0, A, processes=processes), facts=facts)

    assert sample.picture.cards[0].processes == (
        CardProcess(
            pid=7,
            memory_mib=300,
            user="anna",
            command="python",
            container="c" * 64,
            started_ticks=9,
        ),
        CardProcess(pid=8, memory_mib=None),
    )


def test_a_number_refused_for_a_moment_is_kept_and_noted() -> None:
    first = composed(a_card(0, A))

    card = composed(a_card(0, A, memory=BUSY, power_mw=BUSY), before=first).picture.cards[0]

    assert (card.memory_used_mib, card.memory_total_mib, card.power_w) == (5, 24576, 200.5)
    assert card.notes == (
        "memory is from an earlier sample: In use by another client",
        "power is from an earlier sample: In use by another client",
    )


def test_a_process_list_refused_for_a_moment_is_not_kept() -> None:
    first = composed(a_card(0, A))

    assert composed(a_card(0, A, processes=BUSY), before=first).picture.cards[0].processes is None


def test_a_utilization_over_100_is_not_believed() -> None:
    assert composed(a_card(0, A, utilization_pct=4000)).picture.cards[0].utilization_pct is None


def test_a_card_that_says_it_has_no_memory_at_all_says_nothing() -> None:
    card = composed(a_card(0, A, memory=RawMemory(total=0, used=0))).picture.cards[0]

    assert (card.memory_total_mib, card.memory_used_mib) == (None, None)


def test_a_lost_card_keeps_its_place_under_its_remembered_uuid() -> None:
    first = composed(a_card(0, A), a_card(1, B))

    sample = composed(a_lost_card(0), a_card(1, B), before=first)

    assert [(card.uuid, card.lost) for card in sample.picture.cards] == [(A, True), (B, False)]
    assert sample.picture.cards[0].memory_total_mib == 24576
    assert sample.known == first.known


def test_a_card_that_needs_a_reset_says_so() -> None:
    first = composed(a_card(0, A))

    sample = composed(a_lost_card(0, Refused(code=16, text="")), before=first)

    assert sample.picture.cards[0].fault == "card 0 needs a reset, says the driver"


def test_a_card_that_is_no_longer_listed_is_listed_as_gone() -> None:
    first = composed(a_card(0, A), a_card(1, B))

    sample = composed(a_card(0, B), before=first)

    assert [(card.uuid, card.fault) for card in sample.picture.cards] == [
        (A, "card 0 is gone: the driver no longer lists it"),
        (B, None),
    ]


def test_cards_that_changed_places_are_the_same_cards() -> None:
    first = composed(a_card(0, A), a_card(1, B))

    sample = composed(a_card(0, B), a_card(1, A), before=first)

    assert [(card.uuid, card.index, card.fault) for card in sample.picture.cards] == [
        (B, 0, None),
        (A, 1, None),
    ]


def test_faults_of_a_card_that_answers_are_told_the_gravest_first() -> None:
    xid = XidFault(xid=48, at=0.0)
    faults = [
        composed(a_card(0, A, **answers), xids=xids).picture.cards[0].fault
        for answers, xids in (
            ({"mig_on": True}, {}),
            ({"mig_on": True}, {A: xid}),
            ({"remap_pending": True}, {A: xid}),
            ({"remap_pending": True, "remap_failed": True}, {A: xid}),
        )
    ]

    assert faults == [
        "card 0 is cut into MIG slices, which are not offered",
        "card 0 reported Xid 48",
        "card 0 needs a reset: a remapped memory row is pending",
        "card 0 has failing memory: a row could not be remapped, so replace the card",
    ]


def test_an_old_card_without_mig_and_remapping_is_healthy() -> None:
    never = Refused(code=3, text="Not Supported")

    sample = composed(a_card(0, A, mig_on=never, remap_pending=never, remap_failed=never))

    assert sample.picture.cards[0].fault is None


def test_a_driver_without_cards_is_none() -> None:
    picture = composed().picture

    assert (picture.state, picture.text) == (
        "none",
        "the NVIDIA driver is loaded and lists no card",
    )


def test_an_xid_is_remembered_for_half_an_hour_unless_it_is_the_application_s() -> None:
    xids = remember_xids({}, [(A, 31), (B, 79)], now=100.0)

    assert xids == {B: XidFault(xid=79, at=100.0)}
    assert remember_xids(xids, [], now=100.0 + XID_MEMORY_S - 1) == xids
    assert remember_xids(xids, [], now=100.0 + XID_MEMORY_S) == {}


def test_a_driver_that_refuses_as_a_whole_says_what_to_do() -> None:
    pictures = [no_picture(Refused(code=code, text="says"), 1.0) for code in (12, 9, 18, 4)]

    assert [(picture.state, picture.text) for picture in pictures] == [
        ("none", "no NVIDIA driver on this machine: libnvidia-ml.so.1 is not there"),
        ("none", "the NVIDIA driver is installed but not loaded"),
        (
            "unknown",
            "the NVIDIA driver was updated while the old one is still loaded: a reboot is needed; "
            "running jobs go on, no new job gets a card",
        ),
        ("unknown", "the NVIDIA driver does not start: it says 'says' (code 4)"),
    ]
