import os
import pwd
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from eaas.cli.setup.network import is_lent, named, outward, port_holder
from tests.rig.program import Program

LISTED = """\
1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever preferred_lft forever
2: eth0    inet 10.0.0.5/24 metric 100 brd 10.0.0.255 scope global dynamic eth0\\  valid_lft 9s
3: eth1    inet 10.0.0.55/24 brd 10.0.0.255 scope global eth1\\       valid_lft forever
"""
SS = 'LISTEN 0 511 *:7470 *:* users:(("nginx",pid=4194305,fd=6),("nginx",pid=11,fd=6))\n'


@pytest.fixture
def port() -> Iterator[int]:
    """A port of every address that somebody listens on."""
    with socket.create_server(("", 0)) as held:
        yield held.getsockname()[1]


def test_an_address_for_a_while_is_told_from_a_fixed_one() -> None:
    assert is_lent(LISTED, "10.0.0.5")
    assert not is_lent(LISTED, "10.0.0.55")
    assert not is_lent("", "10.0.0.5")


def test_the_address_that_others_reach_is_no_address_of_this_host_alone() -> None:
    found = outward()

    assert found is None or not found.address.startswith("127.")


def test_who_has_a_port_is_named_and_a_free_one_has_nobody(port: int) -> None:
    holder = port_holder(port)

    assert holder is not None
    assert "process" in holder or holder == "another program"
    with socket.create_server(("", 0)) as once:
        free: int = once.getsockname()[1]
    assert port_holder(free) is None
    assert port_holder(0) is None


def test_another_pool_is_known_and_named_by_its_user(tmp_path: Path) -> None:
    home = {**os.environ, "MINI_EAAS_HOME": str(tmp_path)}
    pool = Program("eaas_daemon", "run", "--port", "0", environ=home)
    try:
        pool.await_words("listening on")
        said = named(f'users:(("python3",pid={pool.pid},fd=6))')
    finally:
        pool.kill()

    assert said == "another pool of this machine (" + (
        f"{pwd.getpwuid(os.getuid()).pw_name}'s, which their `mini-eaas down` stops)"
    )


def test_the_first_of_a_programs_processes_is_named() -> None:
    assert named(SS) == "nginx (process 4194305)"
    assert named("") is None
