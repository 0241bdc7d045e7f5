import time
import uuid

import pytest

from eaas.ids import is_name, new_uid


def test_a_uid_is_a_uuid_of_version_7_that_carries_its_time() -> None:
    before = time.time_ns() // 1_000_000
    uid = uuid.UUID(new_uid())

    assert (uid.version, uid.variant) == (7, uuid.RFC_4122)
    assert before <= uid.int >> 80 <= time.time_ns() // 1_000_000


def test_uids_never_repeat() -> None:
    assert len({new_uid() for _ in range(10_000)}) == 10_000


@pytest.mark.parametrize("name", ["a", "gpu-3090", "node.a_1", "0" * 63])
def test_names_people_use_are_names(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize("name", ["", "-a", "a-", "A", "a b", "a/b", "x" * 64, "a\n", "ä"])
def test_what_would_break_a_path_or_a_line_is_no_name(name: str) -> None:
    assert not is_name(name)
