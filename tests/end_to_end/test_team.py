"""A team's pool: a controller and two nodes on hosts of their own, and a person on a fourth."""

import json
import os
from collections.abc import Iterator

import pytest

from tests.rig.hosts import Host, hosts_on_a_network
from tests.rig.program import Program

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes network namespaces")

PORT = "7470"


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


def start_agent(host: Host, *more: str) -> Program:
    agent = host.start("eaas_agent", "run", "--name", host.name, "--runtime", "process", *more)
    agent.await_words("linked to")
    return agent


def test_machines_join_by_one_paste_and_people_use_the_pool_from_their_own(
    team: list[Host],
) -> None:
    ctl, big, small, desk = team
    start_controller(ctl)
    paste = token_for(ctl, "agent")
    ctl.said("pool", "create", "lab")
    for node in (big, small):
        server = f"{ctl.address}:{PORT}"
        node.said("agent", "join", "--server", server, "--token", paste, "--name", node.name)
        start_agent(node)
        ctl.said("pool", "add", "lab", node.name)

    person = token_for(ctl, "member", "--user", "root")
    desk.said("login", f"{ctl.address}:{PORT}", "--token", person)
    wrote = desk.said(
        "job",
        "submit",
        "--pool",
        "lab",
        "--node",
        "small",
        "--follow",
        "--cmd",
        "echo this is $(ip -o -4 addr show eth0 | wc -l) network",
    )

    assert wrote == "this is 1 network\n"
    nodes = json.loads(desk.said("node", "list", "-o", "json"))["items"]
    assert {node["name"]: node["address"] for node in nodes} == {
        "big": big.address,
        "small": small.address,
    }


def test_a_controller_that_moved_is_known_by_its_authority_and_an_impostor_is_not(
    team: list[Host],
) -> None:
    ctl, big, other, _ = team
    controller = start_controller(ctl)
    server = f"{ctl.address}:{PORT}"
    paste = token_for(ctl, "agent")
    big.said("agent", "join", "--server", server, "--token", paste, "--name", "big")

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
