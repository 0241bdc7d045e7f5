"""install.sh for a team: a controller, a machine that joins, an upgrade under a job, the end."""

import json
from collections.abc import Iterator

import pytest

from tests.rig.machine import Machine, a_machine, why_no_machine

pytestmark = pytest.mark.skipif(why_no_machine() is not None, reason=why_no_machine() or "")

SERVER = "https://10.9.8.7:7470"
SERVICES = ("mini-eaas-controller", "mini-eaas-agent")
WAITS = "cd /home; echo begun > begun; while [ ! -e go ]; do sleep 0.1; done; echo went on"


@pytest.fixture
def machine() -> Iterator[Machine]:
    with a_machine() as machine:
        machine.environment()
        yield machine


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
    machine: Machine,
) -> None:
    machine.use_systemd()
    said = machine.install("--role", "controller")
    joins = token(machine)
    said += machine.install("--role", "agent", "--server", "10.9.8.7", MINI_EAAS_TOKEN=joins)
    node = machine.said("hostname", "-s").strip().lower()
    machine.eaas("pool", "add", "default", node)
    machine.eaas("job", "submit", "--cmd", WAITS)
    machine.await_file("/home/begun")
    first = machine.pids(*SERVICES)

    said += machine.install("--role", "controller")

    second = machine.pids(*SERVICES)
    machine.said("touch", "/home/go")
    machine.eaas("job", "wait", "1", "--timeout", "60s")
    assert machine.eaas("job", "logs", "1") == "went on\n"
    assert machine.eaas("job", "show", "1", "-o", "json").count('"number": 1') == 1
    assert set(first.values()).isdisjoint(second.values())
    assert machine.owner(second["mini-eaas-controller"]) == "mini-eaas"
    assert machine.has("/var/lib/mini-eaas/backups/controller-*.db")
    restarts = [line for line in machine.calls.read_text().splitlines() if "restart" in line]
    assert [line.split()[1] for line in restarts] == [*SERVICES, *SERVICES]
    assert said.count("./install.sh --role agent --server") == 1
    assert secrets_found(machine, joins.rpartition(".")[2]) == []
    _is_removed(machine)


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
    said = machine.install("--role", "controller", "--user", user="ann")
    joins = token(machine, "ann")
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


def test_what_can_not_go_well_is_said_before_anything_is_changed(machine: Machine) -> None:
    before = machine.said("find", "/etc", "/var/lib", "/home")
    for words, sentence in (
        (("agent", "--server", "127.0.0.1"), "to join takes a token"),
        (("agent", "--server", "127.0.0.1"), "127.0.0.1:7470 is this machine itself"),
        (("agent", "--server", "10.9.8.7", "--token", "eaas1.x"), "the token is not whole"),
    ):
        done = machine.type(machine.clone / "install.sh", "--role", *words)
        assert (done.returncode, sentence in done.stderr) == (1, True), done.stderr
    said = machine.install("--role", "controller", "--dry-run")

    assert "make the system user mini-eaas" in said
    assert machine.said("find", "/etc", "/var/lib", "/home") == before
