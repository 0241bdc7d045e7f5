from pathlib import Path

import pytest

from eaas.client.address import Address
from eaas.errors import Invalid
from eaas_agent.config import (
    FileConfig,
    Mount,
    NotTrusted,
    Typed,
    host_name,
    parse_config,
    read_file,
    resolve,
)

EVERYTHING = """\
name: node-a
runtime: process
cpus: 6
labels: {rack: "3"}
mounts:
  datasets: /srv/data:ro
  scratch: /srv/scratch
log_cap: 2GiB
keep: 3d
"""


def test_a_full_file_is_understood() -> None:
    assert parse_config(EVERYTHING) == FileConfig(
        name="node-a",
        runtime="process",
        cpus=6.0,
        labels={"rack": "3"},
        mounts=(
            Mount(name="datasets", path=Path("/srv/data"), read_only=True),
            Mount(name="scratch", path=Path("/srv/scratch"), read_only=False),
        ),
        log_cap_mib=2048,
        keep_s=3 * 86400.0,
    )


def test_an_empty_file_says_nothing() -> None:
    assert parse_config("") == FileConfig()
    assert parse_config("# only a remark\n") == FileConfig()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("runtim: docker", "did you mean runtime?"),
        ("runtime: podman", "must be docker or process or auto"),
        ("cpus: none", "must be a number of CPUs"),
        ("name: Node A", "must be a name"),
        ("mounts: [/data]", "must be `name: /path`"),
        ("mounts: {data: ../x}", "a plain absolute path"),
        ("mounts: {data: '/a/../etc'}", "a plain absolute path"),
        ("log_cap: 2 parsecs", "log_cap"),
        ("keep: long", "keep"),
        ("- a list", "write `key: value` lines"),
        ("name: [", ""),
    ],
)
def test_a_mistake_is_named(line: str, says: str) -> None:
    with pytest.raises(Invalid) as caught:
        parse_config(line)

    assert says in str(caught.value)


def test_every_mistake_is_told_with_its_line() -> None:
    with pytest.raises(Invalid) as caught:
        parse_config("cpus: none\nname: ok\nruntime: podman\n")

    assert [(error.field, error.line) for error in caught.value.errors] == [
        ("cpus", 1),
        ("runtime", 3),
    ]


def test_a_file_that_anybody_can_write_is_not_trusted(tmp_path: Path) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text(EVERYTHING)
    file.chmod(0o666)

    with pytest.raises(NotTrusted, match="chmod go-w"):
        read_file(file)


def test_what_was_typed_wins_over_environment_and_file(tmp_path: Path) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text(EVERYTHING)
    file.chmod(0o644)
    environ = {"MINI_EAAS_HOME": str(tmp_path), "MINI_EAAS_NODE": "node-b"}

    plain = resolve(Typed(config=file), environ)
    typed = resolve(Typed(config=file, name="node-c", runtime="docker", cpus=2.0), environ)

    assert (plain.name, plain.runtime, plain.cpus) == ("node-b", "process", 6.0)
    assert (typed.name, typed.runtime, typed.cpus) == ("node-c", "docker", 2.0)
    assert typed.state_dir == tmp_path / "agents" / "node-c"
    assert typed.address == Address(socket=tmp_path / "controller.sock")


def test_a_token_file_is_read_for_an_address(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")

    config = resolve(
        Typed(server="http://host:7470", token_file=tmp_path / "token"),
        {"MINI_EAAS_HOME": str(tmp_path)},
    )

    assert config.address == Address(url="http://host:7470", token="secret")


def test_a_name_that_cannot_be_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="can't name a node"):
        resolve(Typed(name="Not A Name"), {"MINI_EAAS_HOME": str(tmp_path)})


def test_the_hosts_name_becomes_a_nodes_name() -> None:
    resolve(Typed(name=host_name()), {"MINI_EAAS_HOME": "/tmp"})


def test_the_example_is_right() -> None:
    example = Path(__file__).parents[2] / "config" / "agent.yaml"

    assert parse_config(example.read_text()).name == "node-a"
