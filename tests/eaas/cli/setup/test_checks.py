from pathlib import Path
from typing import Any

import pytest

from eaas.cli.setup.checks import refusals, warnings
from eaas.cli.setup.facts import Asked, OwnAgent, Passport
from eaas.cli.setup.network import Outward
from eaas.tokens import new_token
from tests.eaas.cli.setup.building import some_facts, some_places

TOKEN = new_token("join", "a" * 52)
JOINING = Asked(server="https://pool:7470", token=TOKEN)
BLOCKED = "port: pool:7470 refuses: nothing listens there"


def test_on_a_machine_where_all_is_well_nothing_is_refused() -> None:
    assert refusals(Asked(), some_places("controller"), some_facts()) == []
    assert refusals(JOINING, some_places("agent"), some_facts()) == []


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"is_root": False}, "takes root: use sudo, or add --user"),
        ({"free_mib": 12}, "/var/lib/mini-eaas would have 12 MiB of disk; at least 300"),
        ({"settings_wrong": "line 3: portt"}, "the settings are not right yet: line 3: portt"),
        ({"unreadable": "Permission denied", "python": "/root/py"}, "Python, /root/py (Perm"),
        ({"port_held_by": "nginx (process 12)"}, "nginx (process 12) has port 7470: stop it"),
    ],
)
def test_what_keeps_a_controller_from_going_well_is_said(facts: dict[str, Any], words: str) -> None:
    [sentence] = refusals(Asked(), some_places("controller"), some_facts(**facts))

    assert words in sentence


def test_another_port_is_chosen_where_the_present_one_was() -> None:
    taken = some_facts(port_held_by="nginx")
    set_before = some_facts(port_held_by="nginx", has_settings=True, settings={"port": 7500})

    [by_option] = refusals(Asked(), some_places("controller"), taken)
    [by_file] = refusals(Asked(), some_places("controller"), set_before)

    assert by_option.endswith("another port by --port N")
    assert by_file == (
        "nginx has port 7500: stop it, or choose another port by `port:` in "
        "/etc/mini-eaas/controller.yaml"
    )


def test_root_does_not_install_for_itself_alone() -> None:
    asked = Asked(for_user=True)

    [sentence] = refusals(asked, some_places("controller", for_user=True), some_facts())

    assert "run it as yourself, without sudo" in sentence


@pytest.mark.parametrize(
    ("asked", "facts", "words"),
    [
        (Asked(), {}, "an agent needs to know its controller: --server HOST and --token TOKEN"),
        (Asked(server="https://pool:7470"), {}, "to join takes a token"),
        (Asked(server="https://p:1", token=new_token("person", "a" * 52)), {}, "a person's"),
        (JOINING, {"way_blocked": BLOCKED}, f"this machine can't join pool:7470: {BLOCKED}"),
        (
            Asked(server="https://localhost:7470", token=TOKEN),
            {"way_blocked": BLOCKED},
            "localhost:7470 is this machine itself, and no controller answers here",
        ),
        (JOINING, {"settings": {"server": "other"}}, "has `server: https://other:7470`, and --ser"),
    ],
)
def test_what_keeps_a_machine_from_joining_is_said(
    asked: Asked, facts: dict[str, Any], words: str
) -> None:
    [sentence] = refusals(asked, some_places("agent"), some_facts(**facts))

    assert words in sentence


def test_a_machine_that_has_joined_needs_no_token_and_no_answer_to_be_upgraded() -> None:
    facts = some_facts(
        passport=Passport("https://pool:7470", ""), passport_fits=True, way_blocked=BLOCKED
    )

    assert refusals(Asked(), some_places("agent"), facts) == []
    assert warnings(Asked(), some_places("agent"), facts) == []
    assert warnings(JOINING, some_places("agent"), facts) == [
        "this machine has joined already; the token was not used"
    ]


def test_an_address_that_may_change_is_warned_of_unless_a_name_is_set() -> None:
    lent = some_facts(outward=Outward("10.0.0.5", True))
    named = some_facts(
        outward=Outward("10.0.0.5", True), has_settings=True, settings={"names": ["pool"]}
    )
    places = some_places("controller")

    [sentence] = warnings(Asked(), places, lent)

    assert "10.0.0.5 comes from DHCP" in sentence
    assert "`names: [NAME]` in /etc/mini-eaas/controller.yaml" in sentence
    assert warnings(Asked(), places, named) == []
    assert warnings(Asked(), places, some_facts(outward=Outward("10.0.0.5", False))) == []


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"listen": "127.0.0.1", "port": 7471}, "no other machine reaches this controller"),
        ({"listen": "0.0.0.0", "port": 7470}, "--port changes nothing"),
    ],
)
def test_settings_that_are_there_are_left_and_that_is_said(
    settings: dict[str, Any], words: str
) -> None:
    facts = some_facts(has_settings=True, settings=settings)

    [sentence] = warnings(Asked(port=7471), some_places("controller"), facts)

    assert words in sentence


def test_roots_own_pool_becomes_the_teams() -> None:
    [sentence] = warnings(Asked(), some_places("controller"), some_facts(runs_as_root=True))

    assert "becomes this controller's" in sentence


def test_a_machine_whose_pool_becomes_the_teams_stays_a_node_of_it() -> None:
    facts = some_facts(own_agent=OwnAgent(Path("/var/lib/mini-eaas/agents/here")))

    [sentence] = warnings(Asked(), some_places("controller"), facts)

    assert "stays a node of the pool" in sentence


def test_a_mirror_that_the_settings_do_not_name_is_not_taken_up_and_that_is_said() -> None:
    asked = Asked(image_mirror="registry.lan")
    other = some_facts(has_settings=True, settings={"image_mirror": None}, passport_fits=True)
    same = some_facts(has_settings=True, settings={"image_mirror": "registry.lan"})

    [sentence] = warnings(asked, some_places("agent"), other)

    assert "write `image_mirror: registry.lan` into it" in sentence
    assert warnings(asked, some_places("agent"), same) == []
    assert warnings(asked, some_places("agent"), some_facts()) == []
