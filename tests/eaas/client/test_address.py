import os
from pathlib import Path

import pytest

from eaas.client.address import (
    Address,
    BadAddress,
    NotSafe,
    address_at,
    address_from,
    how_to_go_on,
    url_of,
)
from eaas.client.logins import Login, Logins, write_logins

NEAR = Login(url="https://localhost:7470", token="near", ca="near's")
BIG = Login(url="https://big:7470", token="t", ca="big's")


def test_without_a_word_the_socket_of_this_installation_is_meant(tmp_path: Path) -> None:
    address = address_from({"MINI_EAAS_HOME": str(tmp_path), "MINI_EAAS_TOKEN": "t"})

    assert address == Address(socket=tmp_path / "controller.sock")
    assert "mini-eaas up" in how_to_go_on(address)


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("https://big:7470", "https://big:7470"),
        ("https://big:7470/", "https://big:7470"),
        ("https://big", "https://big"),
        ("http://localhost:80", "http://localhost:80"),
        ("big", "https://big:7470"),
        ("big:80", "https://big:80"),
        ("[::1]", "https://[::1]:7470"),
        ("10.0.0.1:7", "https://10.0.0.1:7"),
    ],
)
def test_a_server_is_written_as_people_write_it(typed: str, url: str) -> None:
    assert address_from({}, server=typed, token="t") == Address(url=url, token="t")


def test_what_is_given_wins_over_the_environment() -> None:
    environ = {"MINI_EAAS_SERVER": "https://a:1", "MINI_EAAS_TOKEN": "env"}

    assert address_from(environ) == Address(url="https://a:1", token="env")
    assert address_from(environ, server="b:2", token="t") == Address(url="https://b:2", token="t")


@pytest.mark.parametrize("typed", ["unix:/run/e.sock", "unix:///run/e.sock", "/run/e.sock"])
def test_a_socket_can_be_named_as_a_server(typed: str) -> None:
    assert address_from(os.environ, server=typed).socket == Path("/run/e.sock")


@pytest.mark.parametrize("typed", ["ftp://x", "http://", "http://a/b", "a b", "u@h"])
def test_what_is_no_address_is_refused_with_what_one_looks_like(typed: str) -> None:
    with pytest.raises(BadAddress, match="is no server: write https://HOST:7470"):
        address_from({}, server=typed)


def test_this_machine_is_asked_without_tls_where_nothing_secret_is_said() -> None:
    assert url_of("localhost") == url_of("localhost:7470") == "http://localhost:7470"
    assert url_of("localhost", secret=True) == "https://localhost:7470"
    assert url_of("big") == "https://big:7470"


@pytest.mark.parametrize("url", ["http://big:7470", "http://10.0.0.1:7", "http://localhost.evil:1"])
def test_a_token_is_not_sent_in_the_clear_to_elsewhere(url: str) -> None:
    with pytest.raises(NotSafe, match="is not encrypted") as refusal:
        address_from({}, server=url, token="secret")

    assert f"write https://{url.removeprefix('http://')}" in refusal.value.sentence
    assert "secret" not in refusal.value.sentence
    assert address_from({"MINI_EAAS_INSECURE": "1"}, server=url, token="t").url == url


@pytest.mark.parametrize("value", ["", "0", "yes"])
def test_only_a_1_lets_tokens_go_in_the_clear(value: str) -> None:
    with pytest.raises(NotSafe):
        address_from({"MINI_EAAS_INSECURE": value}, server="http://big:1", token="t")


@pytest.mark.parametrize("url", ["http://127.0.0.1:7", "http://[::1]:7", "http://localhost:7"])
def test_a_token_may_go_in_the_clear_on_this_machine(url: str) -> None:
    assert address_from({}, server=url, token="t") == Address(url=url, token="t")


def test_what_will_be_shown_later_is_not_sent_in_the_clear_either() -> None:
    assert address_at("localhost:7", None, {}, secret=True).url == "https://localhost:7"
    with pytest.raises(NotSafe):
        address_at("http://big:7", None, {}, secret=True)


def test_a_login_is_found_by_its_address(tmp_path: Path) -> None:
    environ = {"MINI_EAAS_HOME": str(tmp_path)}
    write_logins(environ, Logins(logins=(NEAR, BIG)))

    assert address_from(environ, server="big") == Address(url=BIG.url, token=BIG.token, ca=BIG.ca)
    assert address_from(environ, server="localhost").token == NEAR.token
    assert address_from({**environ, "MINI_EAAS_SERVER": "big"}).ca == BIG.ca
    assert address_from(environ, server="other") == Address(url="https://other:7470")


def test_a_token_that_was_given_wins_over_the_one_of_a_login(tmp_path: Path) -> None:
    environ = {"MINI_EAAS_HOME": str(tmp_path)}
    write_logins(environ, Logins(logins=(BIG,)))

    assert address_from(environ, server="big", token="x") == Address(url=BIG.url, token="x")
    assert address_from(environ, token="x") == Address(url=BIG.url, token="x")
    assert address_from({**environ, "MINI_EAAS_TOKEN": "x"}) == Address(url=BIG.url, token="x")


def test_without_a_socket_the_last_login_is_meant_and_with_one_it_is_not(tmp_path: Path) -> None:
    environ = {"MINI_EAAS_HOME": str(tmp_path)}
    write_logins(environ, Logins(logins=(BIG,)).with_one(NEAR))
    without = address_from(environ)
    (tmp_path / "controller.sock").touch()

    assert without == Address(url=NEAR.url, token=NEAR.token, ca=NEAR.ca)
    assert address_from(environ) == Address(socket=tmp_path / "controller.sock")


def test_a_login_without_an_authority_trusts_whom_this_machine_trusts(tmp_path: Path) -> None:
    environ = {"MINI_EAAS_HOME": str(tmp_path)}
    plain = Login(url="http://127.0.0.1:7470", token="t", ca="")
    write_logins(environ, Logins(logins=(plain,)))

    assert address_from(environ) == Address(url=plain.url, token="t", ca=None)
