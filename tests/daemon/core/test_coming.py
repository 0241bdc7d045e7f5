from typing import Any

from eaas.ids import CardUuid
from eaas.job_spec import read_spec
from eaas_daemon.core.ask import Ask, ask_of
from eaas_daemon.core.coming import Coming, emptiest, is_spare, take_spare, unread, whole_again
from eaas_daemon.core.fit import Back, Kept, Return, Room
from eaas_daemon.core.model import Job, Pool, Reservation
from eaas_daemon.core.parts import Part
from tests.daemon.core.test_parts import a_node
from tests.rig.builders import House, a_card

GIB = 1024
POOL = Pool(name="default", members={"n1": None})  # type: ignore[arg-type,dict-item]
FIRST, SECOND = CardUuid("GPU-n1-0"), CardUuid("GPU-n1-1")


def an_ask(**fields: Any) -> Ask:
    spec = read_spec({"image": "busybox", "command": "true", "gpus": 1, **fields})
    house = House()
    house.pool("default")
    job = house.submit(force=True)
    return ask_of(
        Job(**{n: getattr(job, n) for n in job.__struct_fields__ if n != "spec"}, spec=spec)
    )


def a_share(gib: int) -> Ask:
    return an_ask(share=True, gpu_memory=f"{gib}GiB")


def a_room(*left: tuple[int, int]) -> Room:
    """Return a room whose cards are all shared: MiB left and jobs of each."""
    cards = [a_card(i, state="held") for i in range(len(left))]
    return Room(
        node=a_node(*cards),
        free_cards={},
        cpus_milli=64000,
        memory_mib=65536,
        parts={
            CardUuid(card.uuid): Part(card, mib, jobs, 8, is_fit=True, is_read=True)
            for card, (mib, jobs) in zip(cards, left, strict=True)
        },
    )


def a_return(at: float, *shares: Back) -> Return:
    return Return(at, 0, 0, (), shares)


def test_a_shared_card_is_whole_again_behind_its_last_job() -> None:
    room = a_room((GIB, 2), (GIB, 1))
    returns = [
        a_return(1.0, Back(FIRST, GIB, 1)),
        a_return(2.0, Back(SECOND, GIB, 1)),
        a_return(3.0, Back(FIRST, 0, 0)),
        a_return(4.0, Back(FIRST, GIB, 1)),
    ]

    assert [back.cards for back in whole_again(room, returns)] == [(), (SECOND,), (), (FIRST,)]


def test_a_share_is_there_once_enough_memory_has_come_back_to_one_card() -> None:
    room = a_room((GIB, 2), (2 * GIB, 2))
    coming = Coming(room, a_share(5), POOL)

    found = [
        coming.take(a_return(at, Back(card, 2 * GIB, 1)))
        for at, card in enumerate((FIRST, SECOND, FIRST))
    ]

    assert [[card.index for card in cards] for cards in found] == [[], [], [0]]
    assert coming.spare(room.parts[FIRST].card) == (0, 7)


def test_a_whole_card_is_not_there_before_it_is_whole() -> None:
    coming = Coming(a_room((GIB, 1)), an_ask(), POOL)

    assert coming.take(a_return(1.0, Back(FIRST, 23 * GIB, 1))) == []
    assert [card.index for card in coming.take(Return(2.0, 0, 0, (FIRST,)))] == [0]


def test_the_card_that_will_be_there_soonest_is_emptied() -> None:
    room = a_room((5 * GIB, 3), (GIB, 1))

    assert [card.index for card in emptiest(room, an_ask(), POOL, [])] == [1, 0]
    assert [card.index for card in emptiest(room, a_share(9), POOL, [])] == [0, 1]
    first = room.parts[FIRST].card
    assert [card.index for card in emptiest(room, an_ask(), POOL, [first])] == [1]


def a_kept(**but: Any) -> Kept:
    reservation = Reservation(
        pool=POOL.name,
        nodes=("n1",),  # type: ignore[arg-type]
        uid="u",  # type: ignore[arg-type]
        number=1,  # type: ignore[arg-type]
        user="bob",  # type: ignore[arg-type]
        at=None,
        holds_from=None,
        is_firm=True,
    )
    fields: dict[str, Any] = {"cards": frozenset({FIRST}), "cpus_milli": 0, "memory_mib": 0} | but
    return Kept(reservation=reservation, **fields)


def test_of_a_card_that_is_kept_in_part_others_may_share_the_rest() -> None:
    kept = a_kept(spare={FIRST: (3 * GIB, 2)})
    card = a_card(0)

    assert is_spare(kept, card, a_share(3))
    assert not is_spare(kept, card, a_share(4))
    assert not is_spare(kept, card, an_ask())
    assert is_spare(kept, a_card(1), an_ask())

    take_spare(kept, [card], 2 * GIB)
    assert kept.spare == {FIRST: (GIB, 1)}


def test_of_a_card_that_is_kept_as_a_whole_nobody_shares_anything() -> None:
    kept = a_kept()

    assert not is_spare(kept, a_card(0), a_share(1))
    take_spare(kept, [a_card(0)], GIB)
    assert kept.spare == {}


def test_a_card_that_others_share_only_has_to_be_read_again() -> None:
    assert list(unread(a_room((GIB, 1)), [FIRST, SECOND])) == [Back(FIRST, 0, 0)]
