import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from eaas.client.address import Address
from eaas.errors import Invalid
from eaas.ids import NodeName
from eaas.settings.command_line import Typed
from eaas_agent.cards.sharing import ShareRules
from eaas_agent.config import AgentConfig, config_from, host_name, read_settings
from eaas_agent.inventory import Reach
from eaas_agent.named_folders import Mount
from eaas_agent.passport import Passport, write_passport

EVERYTHING = """\
name: node-a
state_dir: /var/lib/agent
runtime: process
simulate: 1x8GiB
server: https://host:7470
cpus: 6
labels: {rack: "3"}
mounts:
  datasets: /srv/data:ro
  scratch: /srv/scratch
image_mirror: registry.lan:5000/hub
log_cap: 2GiB
keep: 3d
share_reserve: 1GiB
max_sharers: 4
address: 10.0.0.11
host_network: false
"""


def resolved(
    tmp_path: Path, text: str, environ: Mapping[str, str] | None = None, **typed: Any
) -> AgentConfig:
    """Return the configuration with this file in a home of the test's own."""
    (tmp_path / "agent.yaml").write_text(text)
    variables = {"MINI_EAAS_HOME": str(tmp_path), **(environ or {})}
    return config_from(read_settings(Typed(verb="run", values=typed), variables), variables)


def test_a_full_file_is_understood(tmp_path: Path) -> None:
    assert resolved(tmp_path, EVERYTHING) == AgentConfig(
        name=NodeName("node-a"),
        state_dir=Path("/var/lib/agent"),
        runtime="process",
        simulate="1x8GiB",
        address=Address(url="https://host:7470"),
        cpus=6.0,
        labels={"rack": "3"},
        mounts=(
            Mount(name="datasets", path=Path("/srv/data"), read_only=True),
            Mount(name="scratch", path=Path("/srv/scratch"), read_only=False),
        ),
        image_mirror="registry.lan:5000/hub",
        log_cap_mib=2048,
        keep_s=3 * 86400.0,
        sharing=ShareRules(reserve_mib=1024, max_sharers=4),
        reach=Reach("10.0.0.11", host_network=False),
    )


def test_an_empty_file_leaves_everything_to_this_host(tmp_path: Path) -> None:
    config = resolved(tmp_path, "")

    assert config.name == host_name()
    assert config.state_dir == tmp_path / "agents" / host_name()
    assert config.address == Address(socket=tmp_path / "controller.sock")
    assert (config.runtime, config.cpus, config.keep_s) == ("auto", None, None)
    assert config.sharing == ShareRules(reserve_mib=512, max_sharers=8)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("server: ftp://x", ":1: server: ftp://x is no server"),
        ("server: http://big:1", ":1: server: http://big:1 is not encrypted"),
        ("server: big\ntoken_file: /nowhere", ":2: token_file: /nowhere can't be read: No such"),
    ],
)
def test_what_only_this_host_shows_to_be_wrong_is_named_at_its_place(
    tmp_path: Path, text: str, says: str
) -> None:
    with pytest.raises(Invalid) as caught:
        resolved(tmp_path, text)

    assert str(caught.value).startswith(f"{tmp_path}/agent.yaml{says}")


def test_what_was_typed_wins_over_environment_and_file(tmp_path: Path) -> None:
    environ = {"MINI_EAAS_NODE": "node-b"}
    text = EVERYTHING.replace("state_dir: /var/lib/agent\n", "")

    plain = resolved(tmp_path, text, environ)
    typed = resolved(tmp_path, text, environ, name="node-c", runtime="docker", cpus=2.0)

    assert (plain.name, plain.runtime, plain.cpus) == ("node-b", "process", 6.0)
    assert (typed.name, typed.runtime, typed.cpus) == ("node-c", "docker", 2.0)
    assert typed.state_dir == tmp_path / "agents" / "node-c"


def test_a_token_comes_from_a_file_or_from_the_environment(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")
    server = "https://host:7470"

    from_file = resolved(tmp_path, "", server=server, token_file=str(tmp_path / "token"))
    from_variable = resolved(tmp_path, "", {"MINI_EAAS_TOKEN": "other"}, server=server)

    assert from_file.address == Address(url=server, token="secret")
    assert from_variable.address == Address(url=server, token="other")
    with pytest.raises(Invalid, match="must not stand in a file"):
        resolved(tmp_path, "token: x")


def test_what_an_agent_shows_there_goes_over_tls_even_on_this_machine(tmp_path: Path) -> None:
    assert resolved(tmp_path, "server: localhost:7").address.url == "https://localhost:7"
    assert resolved(tmp_path, "server: http://localhost:7").address.url == "http://localhost:7"


def test_an_agent_that_has_joined_knows_where_it_belongs(tmp_path: Path) -> None:
    text = f"state_dir: {tmp_path}"
    passport = Passport(
        url="https://big:7470",
        ca="pem",
        node=NodeName("n"),
        credential="c",
        got_at=0.0,
        renew_after_s=1.0,
    )
    write_passport(tmp_path, passport)

    assert resolved(tmp_path, text).address == Address(url="https://big:7470")
    assert resolved(tmp_path, text, server="/c.sock").address == Address(socket=Path("/c.sock"))


def test_the_hosts_name_becomes_a_nodes_name(tmp_path: Path) -> None:
    assert resolved(tmp_path, "", name=host_name()).name == host_name()


def test_the_example_is_right_with_its_settings_taken_in(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "config" / "agent.yaml"

    config = resolved(tmp_path, re.sub(r"^#(?! \S|token)", "", example.read_text(), flags=re.M))

    assert config.name == "node-a"
    assert [mount.name for mount in config.mounts] == ["datasets", "nas", "home"]
