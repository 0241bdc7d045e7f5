"""Each in a program of its own: what ends is the whole process, up to a minute later."""

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from eaas_tui.ending import write_down


def run(program: str) -> subprocess.CompletedProcess[str]:
    """Run a few lines as a program of their own."""
    line = [sys.executable, "-c", textwrap.dedent(program)]
    return subprocess.run(line, capture_output=True, text=True, timeout=30, check=False)


def test_it_ends_once_whatever_comes_after() -> None:
    ended = run("""
        from eaas_tui.ending import Ending
        ending = Ending(print, patience_s=60)
        ending.begin(143)
        ending.begin(129)
    """)

    assert ended.stdout.split() == ["143"]


def test_a_signal_ends_it_with_the_signals_code() -> None:
    ended = run("""
        import os, signal, sys
        from eaas_tui.ending import Ending
        Ending(sys.exit, patience_s=60).listen(0)
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
    """)

    assert ended.returncode == 128 + signal.SIGTERM


def test_what_cannot_end_by_itself_is_cut_short_and_the_terminal_given_back() -> None:
    ended = run("""
        import threading
        from eaas_tui.ending import Ending
        Ending(lambda code: None, patience_s=0.01).begin(143)
        threading.Event().wait()
    """)

    assert ended.returncode == 143
    assert "\x1b[?1049l" in ended.stderr


def test_a_closed_terminal_ends_it() -> None:
    ended = run("""
        import os, threading
        from eaas_tui.ending import Ending
        told = threading.Event()
        master, slave = os.openpty()
        Ending(lambda code: (print(code), told.set()), patience_s=60).listen(slave)
        os.close(master)
        told.wait(10)
    """)

    assert ended.stdout.split() == [str(128 + signal.SIGHUP)]


def test_an_error_is_written_down_with_its_trace(tmp_path: Path) -> None:
    file = tmp_path / "console" / "console.log"
    with pytest.raises(ValueError) as raised:
        raise ValueError("a mistake in the console")

    assert write_down(raised.value, file)

    assert "ValueError: a mistake in the console" in file.read_text()
    assert "test_ending.py" in file.read_text()


def test_an_error_that_cannot_be_written_down_is_no_second_one(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert not write_down(ValueError(), tmp_path / "file" / "console.log")
