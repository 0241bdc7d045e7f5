import signal
import subprocess
import sys
from typing import Final

import pytest

from eaas.errors import EaasError
from eaas.exit_codes import DONE, REFUSED
from eaas.program import run_program

HANGING: Final = """
import asyncio, functools
from eaas.program import on_signals, run_program

async def main():
    say = functools.partial(print, flush=True)
    on_signals(stop=lambda: say("stopping"), reload=lambda: say("again"))
    say("up")
    await asyncio.Event().wait()

raise SystemExit(run_program(main))
"""


async def fine() -> None:
    """Do nothing."""


async def refused() -> None:
    raise EaasError("the port is taken\nby another")


async def unreadable() -> None:
    raise PermissionError(13, "Permission denied", "/root/x")


async def broken() -> None:
    raise RuntimeError("a bug")


def test_what_ends_well_ends_with_0() -> None:
    assert run_program(fine) == DONE


def test_a_refusal_is_a_sentence_a_line_and_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    assert run_program(refused) == REFUSED
    assert run_program(unreadable) == REFUSED
    assert [(record.getMessage(), record.exc_info) for record in caplog.records] == [
        ("the port is taken", None),
        ("by another", None),
        ("/root/x: Permission denied", None),
    ]


def test_a_bug_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    assert run_program(broken) == REFUSED
    assert caplog.records[0].exc_info is not None


def test_the_first_signal_asks_and_the_second_ends_at_once_with_0() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HANGING], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = [process.stdout.readline()]
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            process.send_signal(number)
            said.append(process.stdout.readline())

        assert process.wait(20) == DONE
    assert said == ["up\n", "again\n", "stopping\n", ""]
