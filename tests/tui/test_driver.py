"""The console stopped from elsewhere, as by ``kill -STOP`` or a debugger."""

import os
import signal
import sys
from pathlib import Path

from tests.rig.recordings import FOLDER
from tests.rig.terminal import RealTerminal


def test_a_console_that_was_stopped_draws_anew_and_takes_every_key_once(tmp_path: Path) -> None:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MINI_EAAS_")}
    environ = {**kept, "MINI_EAAS_HOME": str(tmp_path)}
    with RealTerminal.console("--replay", str(FOLDER / "busy.jsonl"), environ=environ) as terminal:
        terminal.await_text("Mini EaaS", "node00")
        for _ in range(2):
            terminal.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, terminal.pid, os.WSTOPPED)
            terminal.wipe()
            terminal.send_signal(signal.SIGCONT)
            terminal.await_text("Mini EaaS", "node00", "? help")
        typed = "abcdefghijklmnopqrstuvwxyz"
        terminal.press(":", *typed)
        terminal.await_text(typed)
        terminal.press("escape")
        terminal.await_no_text(typed)
        terminal.press("q")

        assert terminal.await_end() == 0
        assert terminal.is_sane


def test_a_console_whose_stderr_leads_into_a_file_draws_on_the_terminal_all_the_same(
    tmp_path: Path,
) -> None:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MINI_EAAS_")}
    environ = {**kept, "MINI_EAAS_HOME": str(tmp_path)}
    said = tmp_path / "said"
    words = f"exec {sys.executable} -m eaas_tui --replay {FOLDER / 'busy.jsonl'} 2>{said}"
    with RealTerminal("sh", "-c", words, environ=environ) as terminal:
        terminal.await_text("Mini EaaS", "node00")
        terminal.press("2")
        terminal.await_text("JOBS", "filter:")
        terminal.press("q", "q")

        assert terminal.await_end() == 0
        assert terminal.is_sane
    assert said.read_text() == ""
