import os
import pwd
from pathlib import Path
from typing import Any

import pytest

from eaas_agent.homes import NoHome
from eaas_agent.mount_check import look, places_of, source_for
from eaas_agent.named_folders import Mount
from eaas_agent.safe_folder import Unfit
from tests.rig.disks import a_disk

ME = pwd.getpwuid(os.geteuid()).pw_name
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


class Node:
    """A folder to mount, and the agent's own beside it."""

    def __init__(self, tmp_path: Path) -> None:
        self.data = tmp_path / "data"
        self.data.mkdir()
        self.places = places_of(tmp_path / "agent" / "state", os.geteuid())

    def mount(self, **but: Any) -> Mount:
        return Mount(**{"name": "data", "path": self.data, **but})

    def wrong_with(self, mount: Mount) -> str:
        """What a look and a start both say."""
        with pytest.raises(Unfit) as looked:
            look(mount, self.places)
        with pytest.raises(Unfit) as started:
            source_for(mount, ME, self.places)
        assert looked.value.sentence == started.value.sentence
        return looked.value.sentence


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_a_plain_folder_is_given_as_it_is(node: Node) -> None:
    assert look(node.mount(), node.places) is None
    assert source_for(node.mount(), ME, node.places) == node.data


def test_a_folder_of_each_users_own_is_given_to_its_user(node: Node) -> None:
    mount = node.mount(per_user=True)
    assert look(mount, node.places) == ()
    with pytest.raises(NoHome):
        source_for(mount, ME, node.places)

    (node.data / ME).mkdir()

    assert look(mount, node.places) == (ME,)
    assert source_for(mount, ME, node.places) == node.data / ME


def test_where_folders_are_made_nobody_has_to_have_one(node: Node) -> None:
    mount = node.mount(per_user=True, create=True)

    assert look(mount, node.places) is None
    assert source_for(mount, ME, node.places).is_dir()


def test_users_may_not_move_their_folders_about(node: Node) -> None:
    node.data.chmod(0o1777)

    assert "others than its owner may write" in node.wrong_with(node.mount(per_user=True))
    assert look(node.mount(), node.places) is None


@pytest.mark.parametrize("path", ["", "agent", "agent/state", "agent/state/workspaces"])
def test_no_job_gets_the_agents_own_folder(node: Node, tmp_path: Path, path: str) -> None:
    (tmp_path / "agent/state/workspaces").mkdir(parents=True)

    assert "lie in one another" in node.wrong_with(node.mount(path=tmp_path / path))


def test_a_file_system_that_refuses_is_said(node: Node) -> None:
    assert node.wrong_with(node.mount(path=node.data / "x")) == f"{node.data}/x is not there"


@needs_root
def test_what_must_be_mounted_is_away_while_nothing_is(node: Node) -> None:
    mount = node.mount(must_be_mounted=True)
    assert node.wrong_with(mount) == f"nothing is mounted at {node.data}"

    with a_disk(node.data):
        assert source_for(mount, ME, node.places) == node.data
    node.wrong_with(mount)


def test_another_owner_than_root_counts_only_for_an_agent_of_that_user() -> None:
    assert places_of(Path("/x"), 0).owners == {0}
    assert places_of(Path("/x"), 7).owners == {0, 7}
