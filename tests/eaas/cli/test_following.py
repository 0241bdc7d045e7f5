import os
import signal
import subprocess
import sys
from pathlib import Path

from eaas.cli.following import hint, verdict
from eaas.views import ReasonView
from tests.rig.stand_in import StandIn, a_job, a_snapshot


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
