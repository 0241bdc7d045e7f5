import ipaddress
import socket

import pytest

from eaas_daemon.trust.names import LOCAL, advertised, server_names


def test_a_certificate_names_this_host_where_it_listens_and_what_was_set_once_each() -> None:
    names = server_names("127.0.0.1", ("pool.example", "10.9.8.7", "localhost"))

    assert names[: len(LOCAL)] == LOCAL
    assert names[-2:] == ("pool.example", "10.9.8.7")
    assert socket.gethostname() in names
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("listen", ["0.0.0.0", "::"])
def test_all_addresses_are_not_named_themselves(listen: str) -> None:
    assert listen not in server_names(listen)


@pytest.mark.parametrize("name", ["bücher.example", "x" * 254, "", "a b"])
def test_what_a_certificate_can_not_say_is_left_out(name: str) -> None:
    assert name not in server_names("10.0.0.1", (name,))
    assert "10.0.0.1" in server_names("10.0.0.1", (name,))


@pytest.mark.parametrize(
    ("address", "listen", "names", "told"),
    [
        ("https://10.0.0.1:7470", "10.0.0.1", (), "https://10.0.0.1:7470"),
        ("https://0.0.0.0:7470", "0.0.0.0", ("pool.example",), "https://pool.example:7470"),
        ("https://[::]:7471", "::", ("fd00::7",), "https://[fd00::7]:7471"),
        ("http://127.0.0.1:1", "127.0.0.1", (), "http://127.0.0.1:1"),
    ],
)
def test_others_are_told_the_name_that_was_set_or_the_address(
    address: str, listen: str, names: tuple[str, ...], told: str
) -> None:
    assert advertised(address, listen, names) == told


def test_who_listens_everywhere_tells_an_address_that_leads_there() -> None:
    told = advertised("https://0.0.0.0:7470", "0.0.0.0", ())

    host, _, port = told.removeprefix("https://").rpartition(":")
    assert port == "7470"
    assert host == socket.gethostname() or not ipaddress.ip_address(host).is_unspecified
