from pathlib import Path

import pytest
from msgspec.structs import replace

from eaas.cli.setup.command import units_of
from tests.eaas.cli.conftest import Type
from tests.eaas.cli.setup.building import some_places


def test_only_units_that_were_written_for_this_clone_are_its_own(tmp_path: Path) -> None:
    found = [replace(some_places(role), units=tmp_path) for role in ("controller", "agent")]
    own, other = (tmp_path / f"{places.unit}.service" for places in found)
    own.write_text("# Written by install.sh of /opt/mini-eaas, anew at each upgrade: put what\n")
    other.write_text("# by hand\nExecStart=/opt/mini-eaas/.venv/bin/eaas-agent\n")

    assert units_of(Path("/opt/mini-eaas"), found) == {own: "mini-eaas-controller"}


def test_a_role_has_to_be_named(typing: Type) -> None:
    said = typing("setup")

    assert (said.code, said.out) == (2, "")
    assert "say which role: controller or agent" in said.err


def test_a_token_that_can_not_be_read_ends_it_before_anything_is_looked_at(
    typing: Type, tmp_path: Path
) -> None:
    said = typing("setup", "agent", "--server", "pool", "--token-file", str(tmp_path / "none"))

    assert said.code == 1
    assert f"{tmp_path}/none can't be read: No such file or directory" in said.err


@pytest.mark.parametrize("role", ["controller", "agent"])
def test_what_is_wrong_is_listed_and_nothing_is_changed(
    typing: Type, home: Path, role: str
) -> None:
    (home / f"{role}.yaml").write_text("nonsense: 1\n")
    before = sorted(home.iterdir())
    said = typing("setup", role, "--user")

    assert said.code == 1
    assert said.err.startswith("nothing was changed:\n")
    assert sorted(home.iterdir()) == before


def test_a_pool_on_one_machine_can_have_a_mirror_too(typing: Type, home: Path) -> None:
    settings = home / "agent.yaml"
    refused = typing("setup", "solo", "--image-mirror", "https://registry.lan")
    only_said = typing("setup", "solo", "--image-mirror", "registry.lan", "--dry-run")
    assert not settings.exists()
    typing("setup", "solo", "--image-mirror", "registry.lan")
    again = typing("setup", "solo", "--image-mirror", "other.lan")

    assert refused.code == 2
    assert "--image-mirror must be HOST[:PORT][/PATH] of a registry" in refused.err
    assert only_said.err == f"  write {settings}\n"
    assert settings.read_text().endswith("\nimage_mirror: registry.lan\n")
    assert "--image-mirror changes nothing" in again.err
