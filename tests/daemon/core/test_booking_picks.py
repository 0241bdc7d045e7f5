from eaas.ids import NodeName
from eaas_daemon.core import events as e
from eaas_daemon.core.booking_picture import booking_view
from tests.rig.bookings import HOUR, a_house, book, go_on, picked
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card


def drain(house: House, node: str) -> None:
    house.do(e.SetDraining(caller=ADMIN, node=node, draining=True))


def exclude(house: House, node: str, card: str) -> None:
    house.do(e.SetExcluded(caller=ADMIN, node=node, card=card, excluded=True))


def test_the_smallest_node_that_suffices_is_booked_whole() -> None:
    house = House()
    for name, cards in (("n1", 4), ("n2", 2), ("n3", 1)):
        house.node(name, *(a_card(i, node=name) for i in range(cards)))
    house.pool("default", "n1", "n2", "n3")

    assert picked(house, book(house, 2)) == ["n2/0", "n2/1"]
    assert picked(house, book(house, 5, in_s=9 * HOUR)) == ["n1/0", "n1/1", "n1/2", "n1/3", "n3/0"]


def test_cards_that_will_be_there_go_before_those_of_which_nobody_knows() -> None:
    house = a_house(cards=3)
    house.running(house.submit(gpus=1))
    house.running(house.submit(gpus=1, timeout="1h"))

    assert picked(house, book(house, 1)) == ["n1/2"]
    assert picked(house, book(house, 2, in_s=5 * HOUR)) == ["n1/1", "n1/2"]


def test_a_card_that_is_late_by_its_timeout_goes_before_one_without_an_end() -> None:
    house = a_house(cards=2)
    house.running(house.submit(gpus=1))
    house.running(house.submit(gpus=1, timeout="5h"))

    assert picked(house, book(house, 1)) == ["n1/1"]


def test_cards_with_jobs_of_its_people_are_there_already() -> None:
    house = a_house(cards=2)
    house.running(house.submit(ALICE, gpus=1))
    house.running(house.submit(BOB, gpus=1))

    assert picked(house, book(house, 1)) == ["n1/1"]


def test_a_booking_keeps_its_cards_as_long_as_they_are_good() -> None:
    house = a_house(cards=2, nodes=2)
    exclude(house, "n1", "0")
    booking = book(house, 1)
    assert picked(house, booking) == ["n1/1"]

    house.do(e.SetExcluded(caller=ADMIN, node="n1", card="0", excluded=False))
    house.beat("n2", a_card(0, node="n2"), a_card(1, node="n2"))

    assert picked(house, booking) == ["n1/1"]


def test_a_card_that_falls_out_is_exchanged_and_no_other_is() -> None:
    house = a_house(cards=3)
    booking = book(house, 2)
    assert picked(house, booking) == ["n1/0", "n1/1"]

    house.beat("n1", a_card(0, state="sick"), a_card(1), a_card(2))

    assert picked(house, booking) == ["n1/1", "n1/2"]


def test_cards_of_a_node_that_drains_is_lost_or_is_removed_are_exchanged() -> None:
    house = a_house(cards=1, nodes=4)
    house.quiet_start()
    booking = book(house, 1)
    seen = [*picked(house, booking)]
    drain(house, "n1")
    seen += picked(house, booking)
    house.silence("n2")
    seen += picked(house, booking)
    house.do(e.RemoveNode(caller=ADMIN, node="n3"))
    seen += picked(house, booking)

    assert seen == ["n1/0", "n2/0", "n3/0", "n4/0"]


def test_a_node_that_is_only_between_two_connections_keeps_its_booking() -> None:
    house = a_house(cards=1, nodes=2)
    booking = book(house, 1)
    house.do(e.AgentGone(node=NodeName("n1"), session="s-n1", why="restart"))

    house.submit(gpus=0)
    go_on(house, 1)

    assert picked(house, booking) == ["n1/0"]


def test_an_endless_job_in_the_way_is_left_for_a_card_that_becomes_free() -> None:
    house = a_house(cards=2)
    jobs = [house.running(house.submit(gpus=1)) for _ in range(2)]
    booking = book(house, 1)
    assert picked(house, booking) == ["n1/0"]

    house.ended(jobs[1])

    assert picked(house, booking) == ["n1/1"]


def test_a_booking_that_finds_too_few_good_cards_takes_the_others_too() -> None:
    house = a_house(cards=2)
    exclude(house, "n1", "0")

    assert picked(house, book(house, 2)) == ["n1/0", "n1/1"]


def test_only_cards_of_the_wanted_kind_are_picked() -> None:
    house = House()
    house.node("n1", a_card(0), a_card(1, model="NVIDIA H200"))
    house.pool("default", "n1")

    assert picked(house, book(house, 1, gpu_type="h200")) == ["n1/1"]


def test_a_node_that_is_kept_for_a_job_is_booked_last() -> None:
    house = a_house(cards=2, nodes=2)
    house.running(house.submit(gpus=2, timeout="30m", nodes=["n2"]))
    house.running(house.submit(gpus=1, timeout="1h", nodes=["n1"]))
    house.submit(gpus=2, timeout="9h", nodes=["n1"])
    assert [one.nodes for one in house.state.every_reservation()] == [("n1",)]

    assert picked(house, book(house, 2)) == ["n2/0", "n2/1"]


def test_a_pool_that_shrinks_leaves_a_booking_with_what_there_is() -> None:
    house = a_house(cards=1, nodes=2)
    booking = book(house, 2)

    house.do(e.RemoveFromPool(caller=ADMIN, pool="default", node="n1"))

    assert picked(house, booking) == ["n2/0"]
    house.do(e.AddToPool(caller=ADMIN, pool="default", node="n1", cards=None))
    assert picked(house, booking) == ["n1/0", "n2/0"]


def test_a_card_that_is_promised_to_a_job_counts_as_its_own() -> None:
    house = a_house(cards=2)
    house.queue("default", preemptible=True)
    house.queue("urgent", priority=5)
    [first, _] = [house.running(house.submit(ALICE, gpus=1)) for _ in range(2)]
    house.now += 120
    urgent = house.submit(ALICE, gpus=1, queue="urgent")
    promise = house.job(urgent.number).promise
    assert promise is not None
    house.ended(house.job(2 if promise.cards[0] == "GPU-n1-0" else first.number))
    house.now += 2
    house.beat("n1", a_card(0, state="held"), a_card(1))

    booking = book(house, 2)

    texts = [card.text for card in booking_view(house.state, booking, house.now).cards]
    assert f"is promised to job {urgent.number} of alice, for which others are stopped" in texts
