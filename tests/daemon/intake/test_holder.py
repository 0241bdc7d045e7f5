import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from eaas_daemon.intake.holder import GONE_AFTER_S, NOTE, HeldElsewhere, Holder


@pytest.fixture
def within(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def a_holder(name: str) -> Holder:
    return Holder(name, Path("/srv/jobs"))


def test_who_comes_second_is_told_who_was_first(within: int) -> None:
    first, second = a_holder("/a on host"), a_holder("/b on host")
    first.hold(within, 0.0)

    with pytest.raises(HeldElsewhere, match="/srv/jobs is watched by the controller of /a on host"):
        second.hold(within, 0.0)
    first.hold(within, 1.0)


def test_after_a_restart_it_is_the_same_holder(within: int) -> None:
    a_holder("/a").hold(within, 0.0)

    a_holder("/a").hold(within, 0.0)


def test_only_a_name_that_is_not_renewed_any_more_is_put_out(within: int, tmp_path: Path) -> None:
    first, second = a_holder("/a"), a_holder("/b")
    first.hold(within, 0.0)
    os.utime(tmp_path / NOTE, (1, 1))  # whatever its clock says
    with pytest.raises(HeldElsewhere):
        second.hold(within, 100.0)
    first.hold(within, 100.0)
    with pytest.raises(HeldElsewhere):
        second.hold(within, 100.0 + GONE_AFTER_S)

    second.hold(within, 100.0 + 2 * GONE_AFTER_S)

    with pytest.raises(HeldElsewhere, match="of /b"):
        first.hold(within, 100.0 + 2 * GONE_AFTER_S)


def test_a_name_that_was_not_written_to_its_end_is_somebodys(within: int, tmp_path: Path) -> None:
    (tmp_path / NOTE).touch()
    holder = a_holder("/a")
    with pytest.raises(HeldElsewhere, match="another home"):
        holder.hold(within, 0.0)

    holder.hold(within, GONE_AFTER_S)

    assert (tmp_path / NOTE).read_text() == "/a"
