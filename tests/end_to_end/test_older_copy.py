"""An older copy of the controller is started: a snapshot brought back, a folder put back."""

import shutil
from pathlib import Path

import pytest

from eaas.lifecycle import JobState, NodeState
from eaas.node_views import NodeView
from eaas.wire.rest import SetQueue
from tests.rig.pool import Installation, node_when
from tests.rig.site import UNTIL_RELEASED, Site

ORACLE = f"echo $EAAS_ATTEMPT >> $EAAS_WORKSPACE/oracle; {UNTIL_RELEASED}"

pytestmark = pytest.mark.parametrize("own", ["process"], indirect=True)


def swap_database(pool: Installation, other: Path) -> Path:
    """Put another database in the place of the stopped controller's; return where that is now."""
    database, aside = pool.paths.database, other.with_name(f"before-{other.name}")
    for end in ("-wal", "-shm"):
        assert not Path(f"{database}{end}").exists(), "it was closed"
    database.rename(aside)
    shutil.copy(other, database)
    return aside


def obeys_another(node: NodeView) -> bool:
    return any(condition.code == "obeys_another" for condition in node.conditions)


async def test_agents_refuse_an_older_copy_and_their_jobs_run_on(own: Site) -> None:
    snapshot = own.pool.home / "snapshot.db"
    own.pool.said("controller", "backup", str(snapshot))
    after = await own.running(ORACLE)
    assert own.pool.controller.terminate() == 0

    right = swap_database(own.pool, snapshot)
    own.pool.start_controller()
    own.pool.agents["node-a"].await_words("obeys another copy of this controller")
    node = await node_when(own.client, "node-a", obeys_another)

    assert node.state == NodeState.OFFLINE
    (trouble,) = [each.text for each in node.conditions if each.code == "obeys_another"]
    assert "controller restore" in trouble
    assert own.pool.controller.terminate() == 0
    swap_database(own.pool, right)
    own.pool.start_controller()
    own.pool.agents["node-a"].kill()  # it would try again half a minute later
    own.pool.start_agent("node-a")
    await own.when(after, JobState.RUNNING)
    own.release(after)
    job = await own.end(after)
    assert (job.state, job.attempt) == (JobState.SUCCEEDED, 1)
    assert (own.pool.workspace(job) / "oracle").read_text().split() == ["1"]


async def test_a_restored_controller_takes_up_what_runs_and_runs_nothing_twice(own: Site) -> None:
    backup, database = own.pool.home / "backup.db", own.pool.paths.database
    await own.client.set_queue("default", "default", SetQueue(paused=True))
    waits = await own.submit(ORACLE)
    own.pool.said("controller", "backup", str(backup))
    await own.client.set_queue("default", "default", SetQueue(paused=False))
    was_waiting = await own.when(waits, JobState.RUNNING)
    unknown = await own.running(f"echo ready; {ORACLE}", env={"A": "1"})
    done = await own.run("exit 3")
    assert own.pool.controller.terminate() == 0
    database.unlink()

    said = own.pool.said("controller", "restore", str(backup))
    own.pool.start_controller()
    ready = await node_when(own.client, "node-a", lambda node: len(node.jobs) == 2)

    assert "1 job that had not ended" in said
    assert ready.conditions == ()
    found = [await own.when(job, JobState.RUNNING) for job in (was_waiting, unknown)]
    assert [(job.uid, job.attempt) for job in found] == [(waits.uid, 1), (unknown.uid, 1)]
    assert found[1].spec["env"] == {"A": "1"}
    own.pool.said("queue", "resume", "default/default")
    for job in found:
        own.release(job)
        ended = await own.end(job)
        assert (ended.state, ended.attempt) == (JobState.SUCCEEDED, 1)
        assert (own.pool.workspace(ended) / "oracle").read_text().split() == ["1"]
    assert await own.log(found[1]) == b"ready\nready\n"
    later = await own.run("true")
    assert later.id > done.id + 1000
