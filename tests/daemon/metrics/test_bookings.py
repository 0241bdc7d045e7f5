from tests.rig.bookings import HOUR, a_house, book, go_on
from tests.rig.metrics import a_moment, scraped


def test_what_is_booked_now_and_what_of_it_is_missing_is_counted_by_pool() -> None:
    house = a_house(cards=3)
    house.pool("other")
    for _ in range(2):
        house.running(house.submit(gpus=1))
    book(house, 2, in_s=60, for_s=HOUR)

    seen = []
    for seconds in (0, 60, HOUR):
        go_on(house, seconds)
        found = scraped(a_moment(house.state, house.now))
        names = ("pool_cards_booked", "pool_booked_cards_missing")
        seen.append([found.value(name, pool="default") for name in names])
        assert [found.value(name, pool="other") for name in names] == [0, 0]

    assert seen == [[0, 0], [2, 1], [0, 0]]
