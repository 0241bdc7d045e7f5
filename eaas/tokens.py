"""The one text that lets somebody in from elsewhere: ``eaas1.<CA>.<id>.<secret>``.

It gives trust both ways. ``<CA>`` is the fingerprint of the controller's own certificate authority:
whoever holds the text can tell the controller from an impostor before anything secret is sent.
``<id>`` finds the token, and the secret proves it; the secret ends with a checksum over all of it,
so that a slip of the mouse is noticed where it happened.
"""

import base64
import hashlib
import re
import secrets
import zlib
from typing import Final, Literal

import msgspec

from eaas.errors import Mistyped

TokenKind = Literal["person", "join", "node"]

PREFIX: Final = "eaas1"
SECRET_BYTES: Final = 20
"""160 bits: a plain hash of it can be stored (OWASP ASVS 6.5.2 asks for 112)."""
ID_BYTES: Final = 5

_LETTERS: Final[dict[str, TokenKind]] = {"u": "person", "j": "join", "n": "node"}
_FORM: Final = re.compile(
    r"eaas1\.(?P<ca>[a-z2-7]{52})\.(?P<id>[ujn][a-z2-7]{8})\.(?P<secret>[a-z2-7]{32})([a-z2-7]{7})"
)


class BadToken(Mistyped):
    """What was given is no token, or not all of one."""

    code = "bad_token"
    http_status = 401


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """A token in its parts. ``str()`` is the whole text; ``repr()`` keeps the secret."""

    ca: str
    """The SHA-256 of the authority's certificate (DER) in base32, without padding."""
    id: str
    """Public; its first letter says of what kind the token is."""
    secret: str

    @property
    def kind(self) -> TokenKind:
        """Return what it is for."""
        return _LETTERS[self.id[0]]

    @property
    def secret_hash(self) -> bytes:
        """Return the SHA-256 of the secret: what the controller keeps."""
        return hashlib.sha256(self.secret.encode()).digest()

    def __str__(self) -> str:
        body = f"{PREFIX}.{self.ca}.{self.id}.{self.secret}"
        return body + _checksum(body)

    def __repr__(self) -> str:
        return f"Token({self.id})"


def new_token(kind: TokenKind, ca: str) -> Token:
    """Make a token that nobody has had before."""
    letter = next(letter for letter, each in _LETTERS.items() if each == kind)
    return Token(
        ca=ca,
        id=letter + _text(secrets.token_bytes(ID_BYTES)),
        secret=_text(secrets.token_bytes(SECRET_BYTES)),
    )


def read_token(text: str) -> Token:
    """Return the token of a text; raise ``BadToken`` with a sentence that quotes none of it."""
    text = text.strip()
    if not text.startswith(PREFIX + "."):
        raise BadToken(f"that is no token: one begins with {PREFIX} and a dot")
    found = _FORM.fullmatch(text)
    if found is None or _checksum(text[:-7]) != text[-7:]:
        raise BadToken("the token is not whole or has a typo: copy all of it once more")
    return Token(ca=found["ca"], id=found["id"], secret=found["secret"])


def fingerprint(certificate: bytes) -> str:
    """Return what a token says of an authority, given its certificate as DER."""
    return _text(hashlib.sha256(certificate).digest())


def _checksum(body: str) -> str:
    return _text(zlib.crc32(body.encode()).to_bytes(4, "big"))


def _text(data: bytes) -> str:
    return base64.b32encode(data).decode().rstrip("=").lower()
