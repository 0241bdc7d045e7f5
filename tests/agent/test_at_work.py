import asyncio
import os
import random
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from eaas.wire.from_agent import Beat, InventoryChanged
from eaas_agent.app import Given, serve
from eaas_agent.at_work import AtWork
from eaas_agent.named_folders import Mount
from tests.rig.agents import a_config, an_order
from tests.rig.scripted_controller import scripted_controller


async def test_a_working_agent_says_how_it_does_and_takes_new_limits_and_labels(
    tmp_path: Path,
) -> None:
    data = Mount(name="data", path=tmp_path / "data")
    config = a_config(tmp_path / "state", tmp_path / "c.sock")
    found: asyncio.Future[AtWork] = asyncio.get_running_loop().create_future()

    async def attend(agent: AtWork) -> None:
        found.set_result(agent)

    given = Given(environ=dict(os.environ), rng=random.Random(1))
    serving = asyncio.create_task(serve(config, given, attend))
    agent = await found
    alone = agent.status()
    async with scripted_controller(tmp_path / "c.sock") as controller:
        await controller.until(lambda: any(isinstance(said, Beat) for said in controller.heard))
        agent.adjust(
            replace(config, labels={"rack": "3"}, mounts=(data,), keep_s=60.0, log_cap_mib=1)
        )
        await controller.until(
            lambda: any(isinstance(said, InventoryChanged) for said in controller.heard)
        )
        await controller.want(an_order("sleep 9"))
        await controller.until(lambda: bool(controller.facts))
        linked = agent.status()
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving

    [change] = [said for said in controller.heard if isinstance(said, InventoryChanged)]
    assert change.inventory.labels == {"rack": "3"}
    assert [mount.name for mount in change.inventory.named_mounts] == ["data"]
    assert alone == "node node-a: the controller is away, 0 attempts here"
    assert linked == "node node-a: linked to the controller, 1 attempt here"
    assert agent.prepare.log_cap_mib == 1
