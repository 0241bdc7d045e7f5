import errno

import pytest

from eaas_daemon.logs.failures import LogDiskFull, LogUnavailable, log_failure


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_disk_that_takes_no_more_is_told_apart(number: int) -> None:
    assert log_failure(OSError(number, "x")).http_status == 507
    assert isinstance(log_failure(OSError(number, "x")), LogDiskFull)


def test_any_other_error_says_what_the_system_said() -> None:
    failure = log_failure(OSError(errno.EIO, "Input/output error"))

    assert type(failure) is LogUnavailable
    assert "Input/output error" in failure.sentence
