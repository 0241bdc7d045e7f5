import os
import signal
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from eaas.cli.following import LogText, hint, verdict
from eaas.safe_text import safe_log
from eaas.views import ReasonView
from tests.rig.stand_in import StandIn, a_job, a_snapshot

WORDS = st.sampled_from(
    [
        "a",
        "é",
        "名",
        "\n",
        "\r\n",
        "\x1b[31m",
        "\x1b[0m",
        "\x1b[2J",
        "\x9b1m",
        "\u202e",
        "\x1b]0;t\x07",
    ]
)


@given(st.lists(WORDS, max_size=20).map("".join), st.lists(st.integers(1, 5), max_size=40))
def test_pieces_make_the_same_text_wherever_they_are_cut(text: str, sizes: list[int]) -> None:
    data = text.encode()
    shown, whole = LogText(), ""
    for size in [*sizes, len(data)]:
        whole += shown.add(data[:size])
        data = data[size:]
    whole += shown.end()

    assert whole == safe_log(text)


def test_half_a_character_at_the_end_is_shown_as_broken() -> None:
    text = LogText()

    assert text.add(b"a\xc3") + text.end() == "a\ufffd"


def test_the_verdict_names_the_reason() -> None:
    job = a_job(1, "Failed", exit_code=3, reason=ReasonView(code="exited", text="exited with 3"))

    assert verdict(job) == "job 1 Failed (3): exited with 3"
    assert hint(a_job(1, "Succeeded")) is None
    assert hint(a_job(1, "Running")) is None


def test_ctrl_c_detaches_and_says_how_to_go_on(controller: StandIn, home: Path) -> None:
    running = a_job(1, "Running")
    controller.jobs[1] = running
    controller.logs[1, 1, "both"] = b"step 1\n"
    controller.frames[:] = [[a_snapshot(running)], [a_snapshot(running)], [a_snapshot(running)]]
    program = Path(sys.executable).with_name("mini-eaas")
    words = [str(program), "job", "submit", "--follow", "--cmd", "x"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "step 1\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)

    assert process.returncode == 130
    assert "job 1 runs on" in err
    assert "mini-eaas job cancel 1 stops it" in err
    assert "Traceback" not in err
