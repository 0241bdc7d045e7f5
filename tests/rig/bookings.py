"""Houses in which cards are booked."""

from typing import Any

from eaas_daemon.core import events as e
from eaas_daemon.core.booking import Booking
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.model import Job
from tests.rig.builders import ADMIN, House, a_card

HOUR = 3600.0


def a_house(*, cards: int = 2, nodes: int = 1, **inventory: Any) -> House:
    """Return a pool of so many nodes with so many free cards each."""
    house = House()
    names = [f"n{i}" for i in range(1, nodes + 1)]
    for name in names:
        house.node(name, *(a_card(i, node=name) for i in range(cards)), **inventory)
    house.pool("default", *names)
    house.do(e.Tick())
    return house


def book(
    house: House,
    gpus: int = 2,
    *,
    in_s: float = 2 * HOUR,
    for_s: float = HOUR,
    caller: e.Caller = ADMIN,
    **but: Any,
) -> Booking:
    """Book cards; return the booking with what was picked for it. It is for bob if for nobody."""
    if "queue" not in but:
        but = {"user": "bob", **but}
    event = e.Book(caller=caller, gpus=gpus, start=house.now + in_s, for_s=for_s, **but)
    return house.state.bookings[house.do(event).id]


def picked(house: House, booking: Booking) -> list[str]:
    """Return the cards that the booking has now, as ``node/index``."""
    return [f"{card.node}/{card.index}" for card in house.state.bookings[booking.id].cards]


def codes(house: House, job: Job) -> list[str]:
    """Return why each node does not take the job."""
    why = Explainer(house.state, house.now).why(house.job(job.number))
    return [node.code for node in why.nodes]


def go_on(house: House, seconds: float) -> None:
    """Let so much time pass, and the clock have its say."""
    house.now += seconds
    house.do(e.Tick())
