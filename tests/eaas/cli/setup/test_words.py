from pathlib import Path

from msgspec.structs import replace

from eaas.cli.setup.facts import Passport
from eaas.cli.setup.words import after_install, after_removal, at_boot, how_to_come_in
from tests.eaas.cli.setup.building import some_facts, some_places

ADDRESS = "https://10.0.0.5:7470"


def test_a_token_stands_in_the_line_to_paste_and_otherwise_how_one_is_made() -> None:
    places = some_places("controller")
    shown = how_to_come_in(places, ADDRESS, "eaas1.a.b.c")
    hidden = how_to_come_in(places, ADDRESS, None)

    assert f"  ./install.sh --role agent --server {ADDRESS} --token eaas1.a.b.c" in shown
    assert f"  ./install.sh --role agent --server {ADDRESS} --token TOKEN" in hidden
    assert "  /opt/mini-eaas/.venv/bin/mini-eaas token create --role agent" in hidden
    assert f"  mini-eaas login {ADDRESS}" in shown


def test_an_upgrade_tells_only_where_things_are() -> None:
    upgraded = some_facts(has_data=True, has_settings=True)
    rejoined = some_facts(passport=Passport(ADDRESS, ""))

    controller, agent = some_places("controller"), some_places("agent")

    assert after_install(controller, upgraded, agent=agent, token=True) == [
        "",
        "The controller runs, from /opt/mini-eaas.",
        "  settings  /etc/mini-eaas/controller.yaml",
        "  data      /var/lib/mini-eaas",
        "  log       journalctl -u mini-eaas-controller",
    ]
    assert len(after_install(agent, rejoined, agent=agent, token=False)) == 5


def test_a_machine_that_has_just_joined_says_under_which_name_jobs_are_let_onto_it() -> None:
    agent = some_places("agent")
    named = some_facts(has_settings=True, settings={"name": "big-box"})

    for facts, node in ((named, "big-box"), (some_facts(), agent.node)):
        told = after_install(agent, facts, agent=agent, token=False)
        assert f"`mini-eaas pool add default {node}` lets jobs run on it." in told


def test_the_line_of_a_crontab_starts_what_the_installation_started() -> None:
    clone = Path("/srv/100% mine")

    [_, whose, line, *of_the_agent] = at_boot(
        some_places("controller", clone=clone), some_places("agent", clone=clone)
    )

    assert (whose, of_the_agent[0]) == ("  crontab -u mini-eaas -e", "  crontab -e")
    assert line == (
        "    @reboot MINI_EAAS_HOME=/var/lib/mini-eaas '/srv/100\\% mine/.venv/bin/python' -m "
        "eaas.cli.setup.launch controller eaas_daemon run --config /etc/mini-eaas/controller.yaml"
    )


def test_what_was_left_is_named_if_it_is_there(tmp_path: Path) -> None:
    here = replace(some_places("agent"), state_dir=tmp_path, settings=tmp_path / "agent.yaml")

    told = after_removal([here], some_facts())

    assert f"  {tmp_path}" in told
    assert f"  {tmp_path}/agent.yaml" not in told
