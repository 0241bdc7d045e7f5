"""An older copy of the controller is started: a snapshot brought back, a folder put back."""

import shutil
from pathlib import Path

import pytest

from eaas.lifecycle import JobState, NodeState
from eaas.views import NodeView
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
