"""install.sh for a team: a controller, a machine that joins, an upgrade under a job, the end."""

import asyncio
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiodocker import Docker

from tests.rig.images import import_busybox
from tests.rig.machine import NOT_COMPILED, ROOT, Machine, a_machine, sources_before, why_no_machine

pytestmark = pytest.mark.skipif(why_no_machine() is not None, reason=why_no_machine() or "")

SERVER = "https://10.9.8.7:7470"
SERVICES = ("mini-eaas-controller", "mini-eaas-agent")
WAITS = "cd /home; echo begun > begun; while [ ! -e go ]; do sleep 0.1; done; echo went on"


@pytest.fixture
def bare() -> Iterator[Machine]:
    """A machine with a clone, and nothing done in it."""
    with a_machine() as machine:
        yield machine


@pytest.fixture
def machine(bare: Machine) -> Machine:
    """A machine whose clone has its packages already."""
    bare.environment()
    return bare


def token(machine: Machine, user: str | None = None) -> str:
    """Make a machine's token as the person at the controller does."""
    made = machine.eaas("token", "create", "--role", "agent", "-o", "json", user=user)
    text: str = json.loads(made)["token"]
    return text


def secrets_found(machine: Machine, secret: str, *folders: str) -> list[str]:
    """Return the files that have the secret in them."""
    found = machine.type("grep", "-rlF", secret, "/etc", "/var/lib", "/home", *folders)
    return found.stdout.splitlines()


def test_root_installs_services_upgrades_them_under_a_job_and_removes_them(
    machine: Machine, tmp_path: Path
) -> None:
    fresh = machine.said("find", "/etc", machine.clone, "-not", "-path", "*/.venv*")
    machine.take(sources_before(tmp_path))
    machine.use_systemd()
    machine.install("--role", "controller")
    joins = token(machine)
    machine.install("--role", "agent", "--server", "10.9.8.7", MINI_EAAS_TOKEN=joins)
    machine.eaas("pool", "add", "default", machine.node)
    machine.eaas("job", "submit", "--cmd", WAITS)
    machine.await_file("/home/begun")
    first = machine.pids(*SERVICES)

    machine.take(ROOT)
    said = machine.install_at_a_terminal("--role", "controller")

    second = machine.pids(*SERVICES)
    machine.said("touch", "/home/go")
    assert went_on_once(machine)
    assert set(first.values()).isdisjoint(second.values())
    assert machine.owner(second["mini-eaas-controller"]) == "mini-eaas"
    assert machine.has("/var/lib/mini-eaas/backups/controller-*.db")
    restarts = [line for line in machine.calls.read_text().splitlines() if "restart" in line]
    assert [line.split()[1] for line in restarts] == [*SERVICES, *SERVICES]
    assert "--token" not in said
    assert secrets_found(machine, joins.rpartition(".")[2]) == []
    _is_removed(machine)
    left = set(machine.said("find", "/etc", machine.clone).split("\n")) - set(fresh.split("\n"))
    assert {path for path in left if "/__pycache__" not in path} == {
        "/etc/mini-eaas",
        "/etc/mini-eaas/agent.yaml",
        "/etc/mini-eaas/controller.yaml",
    }


def went_on_once(machine: Machine, user: str | None = None) -> bool:
    """Tell whether the first job, let go on now, ends well in the attempt that it was in."""
    machine.eaas("job", "wait", "1", "--timeout", "60s", user=user)
    shown = json.loads(machine.eaas("job", "show", "1", "-o", "json", user=user))
    log = machine.eaas("job", "logs", "1", user=user)
    return (len(shown["attempts"]), log) == (1, "went on\n")


def _is_removed(machine: Machine) -> None:
    said = machine.install("--uninstall")

    assert machine.programs() == []
    assert "mini-eaas" not in machine.file("/etc/passwd")
    assert not machine.has("/etc/systemd/system/mini-eaas*")
    assert not (machine.clone / ".venv").exists()
    for kept in ("/var/lib/mini-eaas", "/var/lib/mini-eaas-agent", "/etc/mini-eaas/agent.yaml"):
        assert f"  {kept}\n" in said
        assert machine.has(kept)


def test_a_person_installs_both_for_themselves_without_root_or_systemd(machine: Machine) -> None:
    machine.said("chown", "-R", "ann", machine.clone)
    data = "/home/ann/.local/share/mini-eaas"

    refused = machine.type(machine.clone / "install.sh", "--role", "controller", user="ann")
    said = machine.install_at_a_terminal("--role", "controller", "--user", user="ann")
    [joins] = re.findall(r"--role agent --server https://10.9.8.7:7470 --token (eaas1\.\S+)", said)
    agent = ("--role", "agent", "--user", "--server", SERVER)
    said += machine.install(*agent, "--token", joins, user="ann")
    again = machine.install("--role", "controller", "--user", user="ann")
    machine.eaas("node", "list", user="ann")

    assert refused.stderr.startswith("install.sh: --role controller is for the whole machine")
    assert f"write {data}" not in said
    assert "@reboot MINI_EAAS_HOME=" in said
    assert machine.file("/home/ann/.config/mini-eaas/agent.yaml").endswith(f"{SERVER}\n")
    assert [machine.owner(pid) for pid in machine.programs()] == ["ann", "ann"]
    assert again.index("start controller") < again.index("start agent-")
    assert secrets_found(machine, joins.rpartition(".")[2]) == []
    said = machine.install("--uninstall", user="ann")
    assert machine.programs() == []
    assert f"  {data}\n" in said


@pytest.mark.parametrize("user", [None, "ann"], ids=["root", "person"])
def test_a_pool_on_one_machine_becomes_a_teams_and_keeps_its_agent_and_its_job(
    machine: Machine, user: str | None
) -> None:
    if user:
        machine.said("chown", "-R", user, machine.clone)
    home = f"/home/{user}" if user else "/home"
    machine.install(user=user)
    machine.eaas("job", "submit", "--cmd", WAITS.replace("/home", home), user=user)
    machine.await_file(f"{home}/begun")

    said = machine.install("--role", "controller", *(["--user"] if user else []), user=user)

    machine.said("touch", f"{home}/go")
    assert "this machine stays a node of the pool, and its agent becomes a service too" in said
    assert f"  agent     {machine.node}, as before" in said
    assert "./install.sh --role agent --server https://10.9.8.7:7470" in said
    assert said.count("@reboot MINI_EAAS_HOME=") == 2
    machine.eaas("job", "wait", "2", "--timeout", "60s", user=user)
    assert machine.eaas("job", "logs", "2", user=user) == "went on\n"
    [node] = json.loads(machine.eaas("node", "list", "-o", "json", user=user))["items"]
    assert (node["name"], node["state"]) == (machine.node, "Ready")
    whose = sorted(machine.owner(pid) for pid in machine.programs())
    assert whose == (["ann", "ann"] if user else ["mini-eaas", "root"])
    machine.install("--uninstall", user=user)
    assert machine.programs() == []


@pytest.mark.docker
async def test_a_machine_without_a_network_has_all_it_needs_in_a_bundle(
    bare: Machine, engine: str, docker: Docker
) -> None:
    bundle, home, image = bare.folder / "bundle.tar", bare.folder / "home", "eaas-test/offline:1"
    await import_busybox(docker, image)
    made = ("make", "-o", ".venv/.ready", "bundle", f"BIN={ROOT / '.venv/bin'}")
    asked = (f"BUNDLE={bundle}", f"IMAGES={image}")
    await asyncio.to_thread(
        subprocess.run, [*made, *asked], cwd=bare.clone, check=True, capture_output=True
    )
    await docker.images.delete(image, force=True)
    assert bare.type("ping", "-c", "1", "192.0.2.1").returncode != 0

    about = {"MINI_EAAS_HOME": str(home), "DOCKER_HOST": engine, "PIP_CONFIG_FILE": "/dev/null"}
    said = bare.install("--offline", str(bundle), **NOT_COMPILED, **about)

    assert f"  the image {image} is here now\n" in said
    assert "Hello from Mini EaaS!" in said
    assert "Your pool is up" in said
    submit = ("job", "submit", "--image", image, "--cmd", "echo from the bundle", "--follow")
    ran = bare.said(bare.clone / ".venv/bin/mini-eaas", *submit, **about)
    assert ran.endswith("from the bundle\n")
    await docker.images.delete(image, force=True)


def test_what_can_not_go_well_is_said_before_anything_is_changed(machine: Machine) -> None:
    before = machine.said("find", "/etc", "/var/lib", "/home")
    agent = (machine.clone / "install.sh", "--role", "agent", "--server")
    alone = machine.type(*agent, "127.0.0.1")
    mistyped = machine.type(*agent, "10.9.8.7", "--token", "eaas1.x")
    said = machine.install("--role", "controller", "--dry-run")

    assert alone.returncode == 1
    assert "to join takes a token" in alone.stderr
    assert "127.0.0.1:7470 is this machine itself" in alone.stderr
    assert (mistyped.returncode, mistyped.stderr[:22]) == (2, "the token is not whole")
    assert "make the system user mini-eaas" in said
    assert machine.said("find", "/etc", "/var/lib", "/home") == before
