"""The console stopped from elsewhere, as by ``kill -STOP`` or a debugger."""

import os
import signal
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
