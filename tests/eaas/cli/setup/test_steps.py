from pathlib import Path

from eaas.cli.setup.steps import Start, Systemctl


def test_a_start_is_a_command_line_that_a_crontab_can_have_too() -> None:
    step = Start(
        python=Path("/c/.venv/bin/python"),
        program="agent-a",
        home=Path("/srv"),
        owner=None,
        module="eaas_agent",
        arguments=("run", "--config", "/etc/a.yaml"),
    )

    assert step.said == "start agent-a, or start it again; jobs run on"
    assert " ".join(step.command) == (
        "/c/.venv/bin/python -m eaas.cli.setup.launch agent-a eaas_agent run --config /etc/a.yaml"
    )


def test_a_persons_manager_is_another_than_the_machines() -> None:
    words = ("restart", "mini-eaas-agent")

    assert Systemctl(order=words, for_user=True).said == "systemctl --user restart mini-eaas-agent"
    assert Systemctl(order=words, for_user=False).said == "systemctl restart mini-eaas-agent"
