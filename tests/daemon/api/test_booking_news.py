from eaas.wire.to_client import Changes, Snapshot
from eaas_daemon.api.booking_news import BookingNews
from tests.daemon.api.follower import joined
from tests.daemon.api.served import House
from tests.rig.bookings import HOUR, a_house, book, go_on
from tests.rig.builders import a_card

ROUTE = "/api/v1/bookings"


def test_only_what_is_not_as_it_was_told_is_news() -> None:
    house = a_house()
    booking = book(house, 1)
    news = BookingNews(house.state, house.now)
    seen = [[one.id for one in news.news(house.now)]]

    house.running(house.submit(gpus=1, timeout="1h"))
    seen.append([one.id for one in news.news(house.now)])
    other = book(house, 1)
    seen.append([one.id for one in news.news(house.now)])
    go_on(house, 2 * HOUR)
    seen.append([one.id for one in news.news(house.now)])

    assert seen == [[], [booking.id], [other.id], [booking.id, other.id]]


def test_the_nodes_of_cards_that_are_booked_otherwise_look_different() -> None:
    house = a_house(cards=1, nodes=2)
    news = BookingNews(house.state, house.now)
    booking = book(house, 1)
    made = news.nodes(house.changes)
    house.beat("n1", a_card(0, node="n1", state="sick"))
    moved = news.nodes(house.changes)
    house.state.drop_booking(booking.id)
    gone = news.nodes(house.state.changes())

    assert (made, moved, gone) == ({"n1"}, {"n1", "n2"}, {"n2"})


async def test_the_stream_tells_of_bookings_and_of_their_cards(house: House) -> None:
    await house.node("n1", a_card(0), a_card(1))
    await house.pool("default", "n1")
    await house.ask("POST", ROUTE, {"gpus": 1, "for_s": 3600}, user="root")
    follower = await joined(house)
    [snapshot] = follower.frames
    assert isinstance(snapshot, Snapshot)
    assert [one.id for one in snapshot.bookings] == [1]

    await house.tick(1)
    follower.read()
    await house.ask("POST", ROUTE, {"gpus": 1, "for_s": 3600, "user": "ann"}, user="root")
    await house.ask("DELETE", f"{ROUTE}/1", user="root")

    frames = [frame for frame in follower.read() if isinstance(frame, Changes)]
    made = next(frame for frame in frames if frame.bookings)
    assert [(one.id, one.user) for one in made.bookings] == [(2, "ann")]
    assert [[len(card.bookings) for card in node.cards] for node in made.nodes] == [[1, 1]]
    assert [id for frame in frames for id in frame.gone_bookings] == [1]
