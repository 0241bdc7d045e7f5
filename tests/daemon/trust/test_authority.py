import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from eaas.private_file import NotPrivate
from eaas.tokens import fingerprint
from eaas_daemon.home import HomeUnusable
from eaas_daemon.trust.authority import RENEW_DAYS, SERVER_DAYS, authority_in

NOW = 1_800_000_000.0
DAY_S = 86400.0
NAMES = ("localhost", "10.0.0.7", "fd00::7")


def server_certificate(file: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(file.read_bytes())


def test_an_authority_is_made_once_and_only_the_service_can_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "trust"

    first = authority_in(folder, NOW)
    again = authority_in(folder, NOW + 3 * 365 * DAY_S)

    assert first.pem == again.pem
    certificate = x509.load_pem_x509_certificate(first.pem)
    assert first.fingerprint == fingerprint(certificate.public_bytes(Encoding.DER))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "ca.pem").stat().st_mode) == 0o600
    assert b"PRIVATE" not in first.pem


def test_two_authorities_are_not_each_other(tmp_path: Path) -> None:
    one, two = authority_in(tmp_path / "a", NOW), authority_in(tmp_path / "b", NOW)

    assert one.fingerprint != two.fingerprint


def test_a_servers_certificate_names_its_addresses_and_is_under_the_authority(
    tmp_path: Path,
) -> None:
    authority = authority_in(tmp_path, NOW)

    file, is_new = authority.server_file(NAMES, NOW)

    certificate = server_certificate(file)
    certificate.verify_directly_issued_by(x509.load_pem_x509_certificate(authority.pem))
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    lasts = certificate.not_valid_after_utc - datetime.fromtimestamp(NOW, UTC)
    assert is_new
    assert names.get_values_for_type(x509.DNSName) == ["localhost"]
    assert [str(ip) for ip in names.get_values_for_type(x509.IPAddress)] == ["10.0.0.7", "fd00::7"]
    assert lasts.days == SERVER_DAYS
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_servers_certificate_is_kept_until_it_nears_its_end(tmp_path: Path) -> None:
    authority = authority_in(tmp_path, NOW)
    file, _ = authority.server_file(NAMES, NOW)
    first = file.read_bytes()
    last_day = NOW + (SERVER_DAYS - RENEW_DAYS) * DAY_S

    _, early = authority.server_file(NAMES, last_day - 1)
    kept = file.read_bytes()
    _, due = authority.server_file(NAMES, last_day)

    assert (early, due) == (False, True)
    assert kept == first
    assert file.read_bytes() != first


@pytest.mark.parametrize("harm", ["other names", "another authority", "torn", "open", "clock back"])
def test_a_servers_certificate_that_is_no_good_is_made_anew(tmp_path: Path, harm: str) -> None:
    authority = authority_in(tmp_path, NOW)
    file, _ = authority.server_file(NAMES, NOW)
    names: tuple[str, ...] = NAMES
    now = NOW
    if harm == "other names":
        names = (*NAMES, "pool.example")
    elif harm == "another authority":
        (tmp_path / "ca.pem").unlink()
        authority = authority_in(tmp_path, NOW)
    elif harm == "torn":
        file.write_bytes(file.read_bytes()[:100])
    elif harm == "open":
        file.chmod(0o644)
    else:
        now = NOW - 2 * DAY_S

    _, is_new = authority.server_file(names, now)
    _, once_more = authority.server_file(names, now)

    assert (is_new, once_more) == (True, False)


@pytest.mark.parametrize("harm", ["torn", "of another key", "empty"])
def test_an_authority_that_is_damaged_is_not_made_anew_in_silence(
    tmp_path: Path, harm: str
) -> None:
    authority_in(tmp_path / "a", NOW)
    other = authority_in(tmp_path / "b", NOW)
    file = tmp_path / "a" / "ca.pem"
    key, _, certificate = file.read_bytes().partition(b"-----BEGIN CERTIFICATE")
    content = {"torn": key + certificate[:90], "of another key": key + other.pem, "empty": b""}
    file.write_bytes(content[harm])

    with pytest.raises(HomeUnusable, match=f"{file} is not the controller's authority any more"):
        authority_in(tmp_path / "a", NOW)

    assert file.read_bytes() == content[harm]


def test_an_authority_that_others_can_read_is_refused(tmp_path: Path) -> None:
    authority_in(tmp_path, NOW)
    (tmp_path / "ca.pem").chmod(0o640)

    with pytest.raises(NotPrivate, match="chmod 600"):
        authority_in(tmp_path, NOW)
