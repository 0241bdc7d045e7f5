"""A team's pool: a controller and two nodes on hosts of their own, and a person on a fourth."""

import asyncio
import json
import os
from collections.abc import Iterator

import pytest
from aiodocker import Docker

from eaas.client import Address, Client
from tests.rig.engine import why_no_private_engine
from tests.rig.hosts import Host, hosts_on_a_network
from tests.rig.program import WITHIN_S, Program

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes network namespaces")

PORT = "7470"
WAITS = "echo $(ip -o -4 addr | grep -c eth0) network; until [ -e go ]; do sleep 0.05; done"


@pytest.fixture
def team() -> Iterator[list[Host]]:
    with hosts_on_a_network("ctl", "big", "small", "desk") as hosts:
        yield hosts


def start_controller(ctl: Host) -> Program:
    controller = ctl.start("eaas_daemon", "run", "--listen", "0.0.0.0", "--port", PORT)
    controller.await_words("listening on")
    return controller


def token_for(ctl: Host, role: str, *more: str) -> str:
    made = json.loads(ctl.said("token", "create", "--role", role, *more, "-o", "json"))
    return str(made["token"])


def start_agent(host: Host, *more: str, runtime: str = "process") -> Program:
    agent = host.start("eaas_agent", "run", "--name", host.name, "--runtime", runtime, *more)
    agent.await_words("linked to")
    return agent


def join(node: Host, ctl: Host, paste: str) -> None:
    server = f"{ctl.address}:{PORT}"
    node.said("agent", "join", "--server", server, "--token", paste, "--name", node.name)


@pytest.mark.skipif(why_no_private_engine() is not None, reason=why_no_private_engine() or "")
async def test_machines_join_by_one_paste_and_each_runs_containers_on_its_own_engine(
    team: list[Host],
) -> None:
    ctl, big, small, desk = team
    start_controller(ctl)
    paste = token_for(ctl, "agent")
    ctl.said("pool", "create", "lab")
    for node in (big, small):
        node.start_engine()
        join(node, ctl, paste)
        start_agent(node, runtime="docker")
        ctl.said("pool", "add", "lab", node.name)

    desk.said("login", f"{ctl.address}:{PORT}", "--token", token_for(ctl, "member", "--user", "a"))
    to_lab = ("job", "submit", "--pool", "lab", "--image", "mini-eaas/hello:1", "--cmd", WAITS)
    first = desk.said(*to_lab, "--node", "big").strip()
    second = desk.said(*to_lab, "--node", "small").strip()

    assert await numbers_on(big, first, ctl) == [first]
    assert await numbers_on(small, second, ctl) == [second]
    for node in (big, small):
        [workspace] = (node.home / "agents" / node.name / "workspaces").iterdir()
        (workspace / "go").touch()
    assert desk.said("job", "wait", first, second, "--timeout", "30s").count("Succeeded") == 2
    assert desk.said("job", "logs", second) == "1 network\n"
    nodes = json.loads(desk.said("node", "list", "-o", "json"))["items"]
    assert {node["name"]: (node["address"], node["runtime"]) for node in nodes} == {
        "big": (big.address, "docker"),
        "small": (small.address, "docker"),
    }


async def numbers_on(host: Host, job: str, ctl: Host) -> list[str]:
    """Return the numbers of the jobs whose containers the host's engine has once this one runs."""
    async with asyncio.timeout(WITHIN_S), Client(Address(socket=ctl.socket)) as client:
        await client.until(int(job), lambda view: view.state not in ("Pending", "Starting"))
    async with Docker(host.environ["DOCKER_HOST"]) as docker:
        found = await docker.containers.list()
        return [(await each.show())["Config"]["Labels"]["eaas.number"] for each in found]


def test_a_controller_that_moved_is_known_by_its_authority_and_an_impostor_is_not(
    team: list[Host],
) -> None:
    ctl, big, other, _ = team
    controller = start_controller(ctl)
    paste = token_for(ctl, "agent")
    join(big, ctl, paste)

    controller.terminate()
    ctl.move_to(ctl.address.rpartition(".")[0] + ".99")
    start_controller(ctl)
    start_agent(big, "--server", f"{ctl.address}:{PORT}").terminate()
    start_controller(other)
    impostor = big.start(
        "eaas_agent", "run", "--name", "big", "--server", f"{other.address}:{PORT}"
    )
    impostor.await_words("can't prove that it is the controller")
    refused = other.eaas("agent", "join", "--server", f"{other.address}:{PORT}", "--token", paste)

    assert refused.returncode == 1
    assert "is not the controller that made this token" in refused.stderr
    assert json.loads(other.said("node", "list", "-o", "json"))["items"] == []
