import msgspec

from eaas_daemon.intake.stillness import STILL_S, Sighting, Stillness

WRITTEN = Sighting(name="a.yaml", inode=1, size=5, mtime_ns=10, ctime_ns=10)


def after(sighting: Sighting, **but: int) -> Sighting:
    return msgspec.structs.replace(sighting, **but)


def test_a_file_is_whole_when_it_stood_still_for_two_seconds() -> None:
    stillness = Stillness()

    assert stillness.look([WRITTEN], 0.0) == []
    assert stillness.look([WRITTEN], STILL_S - 0.01) == []
    assert stillness.look([WRITTEN], STILL_S) == [WRITTEN]


def test_every_change_begins_the_wait_anew() -> None:
    stillness = Stillness()
    for second in range(10):
        grown = after(WRITTEN, size=5 + second, mtime_ns=10 + second)
        assert stillness.look([grown], float(second)) == []


def test_what_is_older_in_content_than_in_name_came_whole() -> None:
    came = after(WRITTEN, ctime_ns=11)

    assert came.came_whole
    assert not WRITTEN.came_whole
    assert not after(came, size=0).came_whole


def test_files_come_in_the_order_of_their_content() -> None:
    late, early = after(WRITTEN, mtime_ns=20, ctime_ns=30), after(WRITTEN, ctime_ns=30)
    late = msgspec.structs.replace(late, name="0.yaml")
    stillness = Stillness()
    stillness.look([late, early], 0.0)

    assert stillness.look([late, early], STILL_S) == [early, late]


def test_it_knows_when_to_look_again() -> None:
    stillness = Stillness()
    assert stillness.next_look_at is None

    stillness.look([WRITTEN], 5.0)
    assert stillness.next_look_at == 5.0 + STILL_S

    stillness.look([], 6.0)
    assert stillness.next_look_at is None
