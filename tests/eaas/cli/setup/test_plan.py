from pathlib import Path
from typing import Any

from eaas.cli.setup.facts import Asked, OwnAgent, Passport
from eaas.cli.setup.places import Role
from eaas.cli.setup.plan import first_settings, plan_install, plan_removal
from eaas.cli.setup.steps import PutFile, Stop
from eaas.tokens import new_token
from tests.eaas.cli.setup.building import some_facts, some_places

UNIT = "[Unit]\nDescription=it\n"
EXAMPLES = {"controller": UNIT, "agent": UNIT}
POOL_IS_MADE = "make the pool default if there is none"
JOINING = Asked(server="https://pool:7470", token=new_token("join", "a" * 52))


def said(role: Role, asked: Asked = JOINING, *, for_user: bool = False, **facts: Any) -> list[str]:
    """Return what would be done, in words."""
    steps = plan_install(
        asked,
        some_places(role, for_user=for_user),
        some_places("agent", for_user=for_user),
        some_facts(**facts),
        examples=EXAMPLES,
        at="now",
    )
    return [step.said for step in steps]


def test_a_first_controller_gets_a_user_a_folder_settings_a_unit_and_a_pool() -> None:
    assert said("controller") == [
        "make the system user mini-eaas, who can't log in",
        "see to the folder /var/lib/mini-eaas of mini-eaas",
        "write /etc/mini-eaas/controller.yaml",
        "write /etc/systemd/system/mini-eaas-controller.service",
        "stop controller; jobs run on",
        "systemctl daemon-reload",
        "systemctl enable mini-eaas-controller",
        "systemctl restart mini-eaas-controller",
        "wait until the controller answers; make the pool default if there is none",
    ]


def test_an_upgrade_copies_the_database_first_and_restarts_the_controller_then_the_agent() -> None:
    steps = said("controller", user="ours", has_settings=True, has_data=True, agent_here=True)

    assert steps[:2] == [
        "see to the folder /var/lib/mini-eaas of mini-eaas",
        "copy the database to /var/lib/mini-eaas/backups/controller-now.db",
    ]
    restarts = [step for step in steps if "restart" in step]
    assert restarts == [
        "systemctl restart mini-eaas-controller",
        "systemctl restart mini-eaas-agent",
    ]


def test_a_machine_joins_once_and_with_no_agent_at_work() -> None:
    first = said("agent")
    later = said("agent", Asked(), passport=Passport("https://pool:7470", ""), passport_fits=True)

    assert first.index("join https://pool:7470 by the token") == 1 + first.index(
        "stop " + some_places("agent").program + "; jobs run on"
    )
    assert [step for step in later if "join" in step] == []
    assert later[-1] == "systemctl restart mini-eaas-agent"


def test_without_a_service_manager_the_program_is_started_as_its_user() -> None:
    assert said("controller", manager="none", user="ours", has_settings=True) == [
        "see to the folder /var/lib/mini-eaas of mini-eaas",
        "start controller as mini-eaas, or start it again; jobs run on",
        "wait until the controller answers; make the pool default if there is none",
    ]


def test_a_person_uses_their_own_manager_and_is_let_linger() -> None:
    steps = said("controller", for_user=True, manager="user", is_root=False, lingers=False)

    assert "systemctl --user restart mini-eaas-controller" in steps
    assert "loginctl enable-linger, so that it runs while you are not logged in" in steps
    assert not any("user mini-eaas" in step for step in steps)


def test_roots_pool_is_stopped_before_its_folder_changes_hands() -> None:
    assert said("controller", runs_as_root=True)[0] == (
        "stop what runs of /var/lib/mini-eaas; jobs run on"
    )


def test_the_agent_of_a_pool_on_one_machine_stays_with_its_jobs() -> None:
    written = "state_dir: /x\nimage_mirror: registry.lan\n"
    own = OwnAgent(Path("/var/lib/mini-eaas/agents/here"), written)
    facts: dict[str, Any] = {"runs_as_root": True, "has_data": True, "own_agent": own}

    steps = said("controller", Asked(), **facts)
    [settings] = [
        step.text
        for step in plan_install(
            Asked(),
            some_places("controller"),
            some_places("agent"),
            some_facts(**facts),
            examples=EXAMPLES,
            at="now",
        )
        if isinstance(step, PutFile) and step.path.name == "agent.yaml"
    ]

    after_the_pool = steps[steps.index("wait until the controller answers; " + POOL_IS_MADE) + 1 :]
    assert after_the_pool == [
        f"stop {some_places('agent').program}; jobs run on",
        "see to the folder /var/lib/mini-eaas/agents/here",
        "write /etc/mini-eaas/agent.yaml",
        "write /etc/systemd/system/mini-eaas-agent.service",
        f"stop {some_places('agent').program}; jobs run on",
        "systemctl daemon-reload",
        "systemctl enable mini-eaas-agent",
        "systemctl restart mini-eaas-agent",
    ]
    assert settings == (
        "image_mirror: registry.lan\n"
        "state_dir: /var/lib/mini-eaas/agents/here\n"
        "server: /var/lib/mini-eaas/controller.sock\n"
    )


def test_no_step_shows_the_token_and_no_file_has_it() -> None:
    places = some_places("agent")
    steps = plan_install(JOINING, places, places, some_facts(), examples=EXAMPLES, at="now")
    assert JOINING.token is not None

    assert JOINING.token.secret not in repr(steps) + repr(JOINING)
    assert [step.path for step in steps if isinstance(step, PutFile)] == [
        Path("/etc/mini-eaas/agent.yaml"),
        Path("/etc/systemd/system/mini-eaas-agent.service"),
    ]


def test_first_settings_open_a_controller_and_point_an_agent_to_it() -> None:
    controller = first_settings(Asked(port=7500), some_places("controller"))
    agent = first_settings(JOINING, some_places("agent"))
    mirrored = first_settings(Asked(image_mirror="registry.lan:5000"), some_places("agent"))

    assert "\nlisten: 0.0.0.0\nport: 7500\n" in controller
    assert "/opt/mini-eaas/config/controller.yaml" in controller
    assert agent.endswith("\nserver: https://pool:7470\n")
    assert mirrored.endswith("\n\nimage_mirror: registry.lan:5000\n")


def test_what_is_removed_are_units_programs_and_the_user_that_was_made() -> None:
    found = [some_places("agent"), some_places("controller")]
    unit = Path("/etc/systemd/system/mini-eaas-agent.service")

    steps = plan_removal(
        found, some_facts(user="ours"), {unit: "mini-eaas-agent"}, user="mini-eaas"
    )

    assert [step.said for step in steps] == [
        "systemctl disable --now mini-eaas-agent",
        "remove /etc/systemd/system/mini-eaas-agent.service",
        "systemctl daemon-reload",
        "stop what runs of /var/lib/mini-eaas-agent; jobs run on",
        "stop what runs of /var/lib/mini-eaas; jobs run on",
        "remove the system user mini-eaas",
    ]
    stops = [step.owner for step in steps if isinstance(step, Stop)]
    assert stops == [None, "mini-eaas"]
