from pathlib import Path
from socket import gethostname

from eaas.cli.setup.places import places_for
from eaas.cli.up import host_name
from tests.eaas.cli.setup.building import CLONE, some_places


def test_for_the_machine_everything_lies_where_the_example_units_have_it() -> None:
    controller, agent = some_places("controller"), some_places("agent")

    assert (controller.home, controller.state_dir) == (Path("/var/lib/mini-eaas"),) * 2
    assert controller.settings == Path("/etc/mini-eaas/controller.yaml")
    assert (controller.service_user, agent.service_user) == ("mini-eaas", None)
    assert (agent.home, agent.state_dir) == (
        Path("/var/lib/mini-eaas"),
        Path("/var/lib/mini-eaas-agent"),
    )
    assert agent.settings == Path("/etc/mini-eaas/agent.yaml")
    assert agent.units == Path("/etc/systemd/system")


def test_for_a_person_everything_lies_in_their_own_folders_and_runs_as_them() -> None:
    controller, agent = (
        some_places("controller", for_user=True),
        some_places("agent", for_user=True),
    )

    assert controller.settings == Path("/home/ann/pool/controller.yaml")
    assert agent.state_dir.parent == Path("/home/ann/pool/agents")
    assert agent.units == Path("/home/ann/.config/systemd/user")
    assert (controller.service_user, agent.service_user) == (None, None)


def test_an_agent_of_root_keeps_its_log_out_of_the_folder_of_the_service_user() -> None:
    assert some_places("agent").run_home == Path("/var/lib/mini-eaas-agent")
    assert some_places("agent", for_user=True).run_home == Path("/home/ann/pool")


def test_an_agent_whose_settings_say_where_its_data_lies_has_it_there(tmp_path: Path) -> None:
    environ = {"MINI_EAAS_HOME": str(tmp_path)}
    settings = tmp_path / "agent.yaml"
    found = []
    for text in ("state_dir: /srv/agent\n", "cpus: 2\n", "- no\n", "{"):
        settings.write_text(text)
        found.append(places_for("agent", CLONE, environ, for_user=True).state_dir)

    assert found[0] == Path("/srv/agent")
    assert set(found[1:]) == {tmp_path / "agents" / host_name(gethostname())}
