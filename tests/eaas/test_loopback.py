import pytest

from eaas.loopback import is_loopback


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:80", "127.0.0.1", "127.9.9.9:7470", "[::1]", "[::1]:7470"]
)
def test_names_of_this_machine_are_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "localhost.evil.example",
        "10.0.0.1",
        "[2001:db8::1]",
        "127.0.0.1@x",
        "[",
        "0",
    ],
)
def test_other_names_are_not(host: str) -> None:
    assert not is_loopback(host)
