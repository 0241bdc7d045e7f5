import asyncio

from eaas_daemon.api.bell import JobBell
from tests.rig.builders import House


async def test_it_rings_at_every_change_of_a_job_for_all_who_wait() -> None:
    house, bell = House(), JobBell()
    house.pool()
    first, second = house.submit(), house.submit()
    with bell.watching(first.uid) as one, bell.watching(first.uid) as other:
        bell(house.changes, ())
        assert not one.is_set()
        with bell.watching(second.uid) as third:
            bell(house.changes, ())
            await asyncio.wait_for(third.wait(), 1)
        house.submit()
        house.changes = house.changes.__class__(seq=9, next_number=9, jobs=(first,))
        bell(house.changes, ())
        assert one.is_set()
        assert other.is_set()

    assert bell.waited_for == frozenset()
