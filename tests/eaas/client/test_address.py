import os
from pathlib import Path

import pytest

from eaas.client.address import Address, BadAddress, address_from, how_to_go_on


def test_without_a_word_the_socket_of_this_installation_is_meant(tmp_path: Path) -> None:
    address = address_from({"MINI_EAAS_HOME": str(tmp_path), "MINI_EAAS_TOKEN": "t"})

    assert address == Address(socket=tmp_path / "controller.sock")
    assert "mini-eaas up" in how_to_go_on(address)


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("http://big:7470", "http://big:7470"),
        ("http://big:7470/", "http://big:7470"),
        ("https://big", "https://big"),
        ("big", "http://big:7470"),
        ("big:80", "http://big:80"),
        ("[::1]", "http://[::1]:7470"),
        ("10.0.0.1:7", "http://10.0.0.1:7"),
    ],
)
def test_a_server_is_written_as_people_write_it(typed: str, url: str) -> None:
    assert address_from({}, server=typed, token="t") == Address(url=url, token="t")


def test_what_is_given_wins_over_the_environment() -> None:
    environ = {"MINI_EAAS_SERVER": "http://a:1", "MINI_EAAS_TOKEN": "env"}

    assert address_from(environ) == Address(url="http://a:1", token="env")
    assert address_from(environ, server="http://b:2", token="t") == Address(
        url="http://b:2", token="t"
    )


@pytest.mark.parametrize("typed", ["unix:/run/e.sock", "unix:///run/e.sock", "/run/e.sock"])
def test_a_socket_can_be_named_as_a_server(typed: str) -> None:
    assert address_from(os.environ, server=typed).socket == Path("/run/e.sock")


@pytest.mark.parametrize("typed", ["ftp://x", "http://", "http://a/b", "a b", "u@h"])
def test_what_is_no_address_is_refused_with_what_one_looks_like(typed: str) -> None:
    with pytest.raises(BadAddress, match="is no server: write http://HOST:7470"):
        address_from({}, server=typed)
