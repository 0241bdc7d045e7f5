"""Bookings in the database: they come back with their cards, and no number is given out twice."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from eaas.ids import CardUuid, NodeName, PoolName, UserName
from eaas_daemon.core.booking import BookedCard, Booking
from eaas_daemon.store.database import Database
from tests.daemon.store.builders import a_step

BOOKING = Booking(
    id=4,
    pool=PoolName("lab"),
    gpus=1,
    start=5000.0,
    end=9000.0,
    user=UserName("bob"),
    note="a demo",
    created_by=UserName("root"),
    created_at=1000.0,
    cards=(BookedCard(node=NodeName("n1"), uuid=CardUuid("GPU-1"), index=0),),
)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database(tmp_path / "controller.db") as database:
        yield database


async def test_a_new_database_begins_with_booking_1(database: Database) -> None:
    loaded = await database.load()

    assert (loaded.bookings, loaded.next_booking) == ((), 1)


async def test_a_booking_comes_back_as_it_was_last(database: Database) -> None:
    moved = replace(BOOKING, cards=(), told="running")
    await database.commit(a_step(bookings=(BOOKING,)))
    assert (await database.load()).bookings == (BOOKING,)

    await database.commit(a_step(bookings=(moved,)))

    assert (await database.load()).bookings == (moved,)


async def test_the_number_of_a_booking_that_is_gone_is_not_given_out_again(
    database: Database,
) -> None:
    await database.commit(a_step(bookings=(BOOKING,)))
    await database.commit(a_step(gone_bookings=(4,)))

    loaded = await database.load()

    assert (loaded.bookings, loaded.next_booking) == ((), 5)
