"""The console in a real terminal: how it begins, what it writes, and what it leaves behind."""

import ast
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from eaas_tui.start import log_file_of
from tests.rig.program import ROOT
from tests.rig.recordings import FOLDER
from tests.rig.terminal import RealTerminal

TROUBLES = str(FOLDER / "troubles.jsonl")
BUSY = str(FOLDER / "busy.jsonl")
HEAVY = {
    *("yaml", "aiohttp", "argparse", "hashlib", "ssl", "_ssl"),
    *("difflib", "pickle", "platformdirs", "tempfile", "rich.table"),
    *("textual.command", "textual.types", "textual.widgets._option_list"),
    *("textual.widgets._select", "textual.widgets._text_area", "textual.widgets._tree"),
    *("eaas_tui.desk", "eaas_tui.palette", "eaas_tui.source", "eaas_tui.widgets.job_preview"),
    *("eaas_tui.screens.confirm", "eaas_tui.screens.help"),
}
"""What comes after the first paint, or never."""


@pytest.fixture
def environ(tmp_path: Path) -> Mapping[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MINI_EAAS_")}
    return {**kept, "MINI_EAAS_HOME": str(tmp_path)}


def test_a_recording_is_shown_and_q_leaves_the_terminal_sane(environ: Mapping[str, str]) -> None:
    with RealTerminal.console("--replay", BUSY, environ=environ) as terminal:
        terminal.await_text("Mini EaaS", "replay", "node00")
        terminal.press("2")
        terminal.await_text("JOBS")
        terminal.press("q", "q")

        assert terminal.await_end() == 0
        assert terminal.is_sane


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_the_terminal_sane(
    environ: Mapping[str, str], number: signal.Signals
) -> None:
    with RealTerminal.console("--replay", BUSY, environ=environ) as terminal:
        terminal.await_text("Mini EaaS")
        terminal.send_signal(number)

        assert terminal.await_end() == 128 + number
        assert terminal.is_sane


def test_a_closed_terminal_leaves_no_process_behind(environ: Mapping[str, str]) -> None:
    with RealTerminal.console("--replay", BUSY, environ=environ) as terminal:
        terminal.await_text("Mini EaaS")
        terminal.hang_up()
        terminal.await_gone()


def test_nothing_recorded_gets_to_the_terminal_as_a_sequence(environ: Mapping[str, str]) -> None:
    with RealTerminal.console("--replay", TROUBLES, environ=environ) as terminal:
        terminal.await_text("Mini EaaS", "replay")
        for key in ("2", "4", "1"):
            terminal.press(key)
            terminal.await_quiet(0.2)
        terminal.press("q")
        terminal.await_end()

        written = bytes(terminal.written)
        for forbidden in (b"\x1b]", b"\x1bP", b"\x1b^", b"\x1b_", b"\x07", b"\x1b[2J", b"\x1b[?5h"):
            assert forbidden not in written
        assert not any(bidi in written.decode() for bidi in "\u202a\u202b\u202d\u202e\u2066\u200f")


def test_while_nothing_happens_nothing_is_written(environ: Mapping[str, str]) -> None:
    with RealTerminal.console("--replay", str(FOLDER / "empty.jsonl"), environ=environ) as terminal:
        terminal.await_text("replay")
        terminal.await_quiet(1.5)
        terminal.press("q")


def test_a_paste_of_keys_does_nothing(environ: Mapping[str, str]) -> None:
    with RealTerminal.console("--replay", BUSY, environ=environ) as terminal:
        terminal.await_text("Mini EaaS", "node00")
        terminal.paste("q2xy:quit\r")
        terminal.press("4")
        terminal.await_no_text("NODES")
        terminal.press("q", "q")

        assert terminal.await_end() == 0


def test_a_terminal_that_changes_its_size_is_drawn_anew(environ: Mapping[str, str]) -> None:
    with RealTerminal.console("--replay", BUSY, environ=environ, width=80, height=24) as terminal:
        terminal.await_text("Mini EaaS", "node00")
        terminal.resize(120, 40)
        terminal.await_screen(
            lambda shown: "Mini EaaS" in shown[:200] and "help" in shown[-121:],
            "the bars at the new edges",
        )
        terminal.press("q")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--replay", "/nowhere.jsonl"), "cannot read /nowhere.jsonl"),
        (("--server", "ftp://host"), "ftp://host is no server"),
    ],
)
def test_a_wrong_start_is_a_sentence(
    environ: Mapping[str, str], args: tuple[str, ...], sentence: str
) -> None:
    with RealTerminal.console(*args, environ=environ) as terminal:
        assert terminal.await_end() == 2
        assert f"eaas-tui: {sentence}" in terminal.text
        assert terminal.is_sane


def test_a_recording_speaks_to_no_terminal_in_the_sentence_that_refuses_it(
    environ: Mapping[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "hostile.jsonl"
    path.write_text('{"at": 1, "frame": {"type": "\\u001b]0;title\\u0007"}}\n')
    with RealTerminal.console("--replay", str(path), environ=environ, width=400) as terminal:
        assert terminal.await_end() == 2
        assert "hostile.jsonl, line 1, is not a recorded frame" in terminal.text
        assert b"\x1b]" not in terminal.written


def test_without_a_terminal_it_says_what_to_use_instead(environ: Mapping[str, str]) -> None:
    line = [sys.executable, "-m", "eaas_tui"]
    ended = subprocess.run(
        line, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environ, cwd=ROOT
    )

    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith("eaas-tui: the console needs a terminal; mini-eaas status")


def test_a_mistake_in_the_console_is_written_down_and_the_terminal_given_back(
    environ: Mapping[str, str], tmp_path: Path
) -> None:
    program = tmp_path / "broken.py"
    program.write_text(
        "from eaas_tui.app import ConsoleApp\n"
        "from eaas_tui.start import in_terminal\n"
        "from eaas_tui.arguments import Arguments\n"
        "ConsoleApp.action_help = lambda self: 1 / 0\n"
        "raise SystemExit(in_terminal(Arguments(), block_cells=1))\n"
    )
    search = {**environ, "PYTHONPATH": str(ROOT)}
    with RealTerminal(sys.executable, str(program), environ=search) as terminal:
        terminal.await_text("Mini EaaS")
        terminal.press("?")

        assert terminal.await_end() == 1
        assert "a mistake in the console ended it; see" in terminal.text
        assert "ZeroDivisionError" not in terminal.text
        assert terminal.is_sane
    assert "ZeroDivisionError" in log_file_of(environ).read_text()


def test_ctrl_l_draws_everything_anew(environ: Mapping[str, str]) -> None:
    with RealTerminal.console("--replay", BUSY, environ=environ) as terminal:
        terminal.await_text("Mini EaaS", "node00")
        terminal.await_quiet(0.3)
        terminal.wipe()
        terminal.press("ctrl+l")
        terminal.await_text("Mini EaaS", "node00", "? help")
        terminal.press("q")


def test_a_size_that_was_another_for_a_moment_is_drawn_anew(environ: Mapping[str, str]) -> None:
    with RealTerminal.console("--replay", BUSY, environ=environ) as terminal:
        terminal.await_text("Mini EaaS", "node00")
        terminal.await_quiet(0.3)
        terminal.wipe()
        terminal.send_signal(signal.SIGWINCH)
        terminal.await_text("Mini EaaS", "node00", "? help")
        terminal.press("q")


def test_a_suspended_console_comes_back_with_the_whole_screen(environ: Mapping[str, str]) -> None:
    with RealTerminal.console("--replay", BUSY, environ=environ) as terminal:
        terminal.await_text("Mini EaaS", "node00")
        terminal.press("ctrl+z")
        os.waitid(os.P_PID, terminal.pid, os.WSTOPPED)
        terminal.wipe()
        terminal.send_signal(signal.SIGCONT)
        terminal.await_text("Mini EaaS", "node00", "? help")
        terminal.press("q")


def test_the_first_paint_needs_nothing_heavy(environ: Mapping[str, str], tmp_path: Path) -> None:
    (tmp_path / "controller.sock").touch()
    painted = tmp_path / "painted.py"
    painted.write_text(
        "import gc, sys\n"
        "from eaas_tui import __main__ as console\n"
        "def tell(app):\n"
        "    loaded = {name for name, module in sys.modules.items() if module is not None}\n"
        f"    open({str(tmp_path / 'loaded')!r}, 'w').write(repr(loaded))\n"
        "    app.exit()\n"
        "sys.argv = ['eaas-tui']\n"
        "from eaas_tui.later import standing_in\n"
        "import eaas_tui.openssl\n"
        "eaas_tui.openssl.leave_out()\n"
        "with standing_in():\n"
        "    from eaas_tui.app import ConsoleApp\n"
        "ConsoleApp._begin = tell\n"
        "console.main()\n"
    )
    search = {**environ, "PYTHONPATH": str(ROOT)}
    with RealTerminal(sys.executable, str(painted), environ=search, width=200) as terminal:
        assert terminal.await_end() == 0

    loaded = ast.literal_eval((tmp_path / "loaded").read_text())
    assert "eaas_tui.screens.overview" in loaded
    assert not loaded & HEAVY
