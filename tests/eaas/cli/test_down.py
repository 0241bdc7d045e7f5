import json
from pathlib import Path

import msgspec

from eaas.cli import processes
from tests.eaas.cli.conftest import Type
from tests.eaas.client.test_nodes import NODE
from tests.rig.stand_in import StandIn, a_change, a_job, a_snapshot


def test_nothing_that_runs_is_no_error(typing: Type) -> None:
    assert typing("down") == type(typing("down"))(0, "nothing of this pool ran here\n", "")
    assert json.loads(typing("down", "-o", "json").out) == {"stopped": [], "jobs_left": None}


def test_jobs_can_not_be_stopped_without_a_controller(typing: Type) -> None:
    said = typing("down", "--stop-jobs")

    assert (said.code, said.out) == (1, "")
    assert "jobs can't be stopped: no controller answers" in said.err


def test_jobs_out_of_reach_are_cancelled_and_not_waited_for(
    typing: Type, controller: StandIn
) -> None:
    here, away = a_job(1, "Running", node="n1"), a_job(2, "Unknown", node="n2")
    ended = a_job(1, "Cancelled", node="n1")
    controller.jobs.update({1: here, 2: away})
    for job in (here, away):
        controller.answers[f"POST /api/v1/jobs/{job.id}/cancel"] = job
    gone = msgspec.structs.replace(NODE, name="n2", state="Offline")
    controller.answers["GET /api/v1/nodes"] = {"items": [NODE, gone], "next": None}
    controller.frames[:] = [[a_snapshot(here, away), a_change(ended, after=1)], []]

    assert json.loads(typing("down", "--stop-jobs", "-o", "json").out)["jobs_left"] == 1
    controller.frames[:] = [[a_snapshot(here, away), a_change(ended, after=1)], []]
    assert "1 job on nodes that are offline" in typing("down", "--stop-jobs").out


def test_two_at_once_do_not_get_in_each_others_way(typing: Type, home: Path) -> None:
    from eaas.paths import paths_from

    with processes.one_at_a_time(paths_from({"MINI_EAAS_HOME": str(home)})):
        said = typing("down")

    assert said.code == 1
    assert "another mini-eaas up or down works on" in said.err
