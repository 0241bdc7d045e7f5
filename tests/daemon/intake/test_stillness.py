import msgspec

from eaas_daemon.intake.stillness import (
    BRIEFLY_S,
    GIVE_UP_S,
    STILL_S,
    Settling,
    Sighting,
    Stillness,
    Whole,
)
from eaas_daemon.intake.taken_file import TORN

WRITTEN = Sighting(name="a.yaml", inode=1, size=5, mtime_ns=10, ctime_ns=10)
MOVED = msgspec.structs.replace(WRITTEN, ctime_ns=11)


def after(sighting: Sighting, **but: int | str) -> Sighting:
    return msgspec.structs.replace(sighting, **but)


def whole(file: Sighting, *, stood_still: bool = True) -> Whole:
    return Whole(file=file, stood_still=stood_still)


def test_a_file_is_whole_when_it_stood_still_for_two_seconds() -> None:
    stillness = Stillness()

    assert stillness.look([WRITTEN], 0.0) == []
    assert stillness.look([WRITTEN], STILL_S - 0.01) == []
    assert stillness.look([WRITTEN], STILL_S) == [whole(WRITTEN)]


def test_every_change_begins_the_wait_anew() -> None:
    stillness = Stillness()
    pieces = [after(WRITTEN, size=5 + second, mtime_ns=10 + second) for second in range(10)]
    for second, piece in enumerate(pieces):
        assert stillness.look([piece], float(second)) == []

    assert stillness.look(pieces[-1:], 9.0 + STILL_S) == [whole(pieces[-1])]


def test_what_is_older_in_content_than_in_name_came_whole() -> None:
    stillness = Stillness()

    assert stillness.look([MOVED], 0.0) == []
    assert stillness.look([MOVED], BRIEFLY_S) == [whole(MOVED, stood_still=False)]


def test_what_looked_as_if_it_came_whole_and_changes_has_to_stand_still() -> None:
    stillness = Stillness()
    stillness.look([MOVED], 0.0)
    grown = after(MOVED, size=9, mtime_ns=12, ctime_ns=12)
    stillness.look([grown], 0.2)

    assert stillness.look([grown], STILL_S) == []
    assert stillness.look([grown], 0.2 + STILL_S) == [whole(grown)]


def test_an_empty_file_is_not_whole_whatever_its_times() -> None:
    stillness = Stillness()
    empty = after(MOVED, size=0)
    stillness.look([empty], 0.0)

    assert stillness.look([empty], BRIEFLY_S) == []


def test_what_the_system_says_came_by_rename_is_whole_at_once() -> None:
    assert Stillness().look([WRITTEN], 0.0, {"a.yaml"}) == [whole(WRITTEN, stood_still=False)]
    assert Stillness().look([after(WRITTEN, size=0)], 0.0, {"a.yaml"}) == []


def test_a_rename_over_a_file_that_is_watched_counts_from_its_own_first_sight() -> None:
    stillness = Stillness()
    stillness.look([WRITTEN], 0.0)
    other = after(MOVED, inode=2)

    assert stillness.look([other], 0.5) == []
    assert stillness.look([other], 0.5 + BRIEFLY_S) == [whole(other, stood_still=False)]


def test_files_come_in_the_order_of_their_content() -> None:
    late, early = after(MOVED, mtime_ns=20, ctime_ns=30, name="0.yaml"), MOVED
    stillness = Stillness()
    stillness.look([late, early], 0.0)

    assert [each.file for each in stillness.look([late, early], STILL_S)] == [early, late]


def test_it_knows_when_to_look_again() -> None:
    stillness = Stillness()
    assert stillness.next_look_in(5.0) is None

    stillness.look([WRITTEN], 5.0)
    assert stillness.next_look_in(6.0) == STILL_S - 1.0
    assert stillness.next_look_in(9.0) is None

    stillness.forget(["a.yaml"])
    assert stillness.next_look_in(6.0) is None


def test_a_taken_file_that_stood_still_is_whole_and_one_that_was_renamed_is_so_far() -> None:
    settling = Settling()
    settling.took(whole(WRITTEN), 0.0)
    settling.took(whole(after(WRITTEN, name="b.yaml"), stood_still=False), 0.0)

    assert settling.judge("a.yaml", WRITTEN.stamp, 0.0) == "whole"
    assert settling.judge("b.yaml", WRITTEN.stamp, 0.0) == "whole so far"
    assert settling.next_look_in(0.5) == STILL_S - 0.5
    assert settling.judge("b.yaml", WRITTEN.stamp, STILL_S) == "whole"


def test_a_file_taken_before_this_start_is_whole() -> None:
    assert Settling().judge("a.yaml", WRITTEN.stamp, 0.0) == "whole"


def test_a_taken_file_that_somebody_writes_to_has_to_stand_still_again() -> None:
    settling = Settling()
    settling.took(whole(WRITTEN), 0.0)

    assert settling.judge("a.yaml", (6, 11), 1.0) == "written to"
    assert settling.judge("a.yaml", TORN, 2.0) == "written to"
    assert settling.judge("a.yaml", (7, 12), 3.0) == "written to"
    assert settling.judge("a.yaml", (7, 12), 3.0 + STILL_S) == "whole"


def test_a_taken_file_that_is_written_to_for_ever_is_given_up() -> None:
    settling = Settling()
    settling.took(whole(WRITTEN), 0.0)

    verdicts = [settling.judge("a.yaml", (6, at), float(at)) for at in (1, 59, int(GIVE_UP_S))]

    assert verdicts == ["written to", "written to", "never whole"]


def test_what_was_answered_is_forgotten() -> None:
    settling = Settling()
    settling.took(whole(WRITTEN, stood_still=False), 0.0)

    settling.keep_only(())

    assert settling.next_look_in(0.0) is None
