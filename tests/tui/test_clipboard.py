import asyncio
import os
import sys
from pathlib import Path

import pytest

from eaas_tui.clipboard import hand_to_tmux
from tests.rig.job_screen import RUNNING, WITHIN_S, JobApp
from tests.rig.logs_in_memory import LogsInMemory
from tests.rig.tmux import Tmux, why_no_tmux

COPIES = """
import asyncio
from textual.app import App
from eaas_tui.clipboard import copy

class Copying(App):
    def notify(self, message, **_):
        self.exit(message)

    async def on_mount(self):
        await copy(self, "one\\ntwo; $(three)\\n", said="Copied 2 lines")

print("it said:", Copying().run())
"""


def test_in_tmux_its_buffer_has_what_was_copied(tmp_path: Path) -> None:
    if reason := why_no_tmux():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    script = tmp_path / "copies.py"
    script.write_text(COPIES)
    with Tmux(tmp_path, {**os.environ, "PYTHONPATH": str(Path.cwd())}) as tmux:
        tmux.type(f"{sys.executable} {script}")
        tmux.press("Enter")
        tmux.await_text("it said: Copied 2 lines (tmux buffer too)")

        assert tmux.buffer == "one\ntwo; $(three)\n"


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"TMUX": ""},
        {"TMUX": "/nonexistent/s,1,0", "PATH": os.environ["PATH"]},
        {"TMUX": "x,1,0", "PATH": "/nonexistent"},
    ],
)
def test_where_there_is_no_tmux_nothing_is_handed_over(environ: dict[str, str]) -> None:
    assert hand_to_tmux("text", environ) is False


async def test_without_tmux_the_toast_speaks_of_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    app = JobApp(RUNNING, LogsInMemory(RUNNING))
    async with app.run_test() as pilot:
        await pilot.press("y")
        async with asyncio.timeout(WITHIN_S):
            while not app.notices:
                await pilot.pause(0.01)

    assert app.copied == [RUNNING.uid]
    assert app.notices == [f"Copied {RUNNING.uid}"]
