"""The controller's own certificate authority: made once, and it signs for this controller only.

Whoever joins knows the authority by its fingerprint; the server's certificate is renewed under it
as addresses and years come and go, and nobody has to be told.
"""

import ipaddress
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from eaas.private_file import NotPrivate, read_private, write_private
from eaas.tokens import fingerprint
from eaas_daemon.home import HomeUnusable

AUTHORITY_YEARS: Final = 20
"""It outlives the machines; a leaked key is answered with a new home, not with a date."""
SERVER_DAYS: Final = 397
"""The longest that browsers accept."""
RENEW_DAYS: Final = 120
LEEWAY: Final = timedelta(hours=25)
"""Certificates begin in the past: clocks in a house differ, by a time zone now and then."""

_SIGNS_ONLY: Final = x509.KeyUsage(
    key_cert_sign=True,
    crl_sign=True,
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    encipher_only=False,
    decipher_only=False,
)


class Authority:
    """A key and its own certificate, in a folder that only the service may read."""

    def __init__(self, folder: Path, key: ec.EllipticCurvePrivateKey, ca: x509.Certificate) -> None:
        self._server: Final = folder / "server.pem"
        self._key: Final = key
        self._ca: Final = ca
        self.pem: Final = ca.public_bytes(Encoding.PEM)
        self.fingerprint: Final = fingerprint(ca.public_bytes(Encoding.DER))
        """As tokens carry it."""

    def server_file(self, names: Sequence[str], now: float) -> tuple[Path, bool]:
        """Return the file with the server's key and chain, and whether it had to be made anew.

        ``names`` are host names and addresses; ``now`` is Unix seconds. A certificate is kept
        until it names others, nears its end or was signed by another authority.
        """
        if _still_good(self._server, names, now, self._ca):
            return self._server, False
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._signed(key.public_key(), names, datetime.fromtimestamp(now, UTC))
        chain = certificate.public_bytes(Encoding.PEM) + self.pem
        write_private(self._server, _key_pem(key) + chain)
        return self._server, True

    def _signed(
        self, public: ec.EllipticCurvePublicKey, names: Sequence[str], now: datetime
    ) -> x509.Certificate:
        signer = self._key.public_key()
        return (
            _builder(_name("Mini EaaS controller"), self._ca.subject, public, now, SERVER_DAYS)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName(_alternatives(names)), critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(signer), critical=False
            )
            .sign(self._key, hashes.SHA256())
        )


def authority_in(folder: Path, now: float) -> Authority:
    """Return the authority of this folder, made at the first call.

    Raises ``HomeUnusable`` when what is there can't be used, and ``NotPrivate``.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    file = folder / "ca.pem"
    if not file.exists():
        write_private(file, _new_authority(datetime.fromtimestamp(now, UTC)))
    try:
        data = read_private(file)
        key, ca = load_pem_private_key(data, None), x509.load_pem_x509_certificate(data)
        if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != ca.public_key():
            raise ValueError("the certificate is of another key")
    except (OSError, ValueError, TypeError) as error:  # TypeError: the key wants a password
        raise HomeUnusable(
            f"{file} is not the controller's authority any more ({error}): put it back from a "
            "backup, or move it away (then every node and person must join anew)"
        ) from error
    return Authority(folder, key, ca)


def _new_authority(now: datetime) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key()
    name = _name(f"Mini EaaS authority {os.urandom(4).hex()}")
    ca = (
        _builder(name, name, public, now, 365 * AUTHORITY_YEARS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_SIGNS_ONLY, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .sign(key, hashes.SHA256())
    )
    return _key_pem(key) + ca.public_bytes(Encoding.PEM)


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    public: ec.EllipticCurvePublicKey,
    now: datetime,
    days: int,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - LEEWAY)
        .not_valid_after(now + timedelta(days=days))
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _alternatives(names: Sequence[str]) -> list[x509.GeneralName]:
    return [_alternative(name) for name in names]


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _still_good(file: Path, names: Sequence[str], now: float, ca: x509.Certificate) -> bool:
    try:
        certificate = x509.load_pem_x509_certificate(read_private(file))
        certificate.verify_directly_issued_by(ca)
        named = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except (OSError, ValueError, TypeError, InvalidSignature, NotPrivate, x509.ExtensionNotFound):
        return False
    at = datetime.fromtimestamp(now, UTC)
    is_begun = certificate.not_valid_before_utc <= at
    is_lasting = certificate.not_valid_after_utc - at > timedelta(days=RENEW_DAYS)
    return is_begun and is_lasting and list(named.value) == _alternatives(names)
