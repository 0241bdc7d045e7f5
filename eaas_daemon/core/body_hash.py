"""What tells two requests under one idempotency key apart."""

import hashlib
from typing import Final

import msgspec

_SORTED: Final = msgspec.json.Encoder(order="sorted")


def body_hash(content: object, *, force: bool) -> bytes:
    """Return what tells one request from another under the same idempotency key.

    The order of keys and the blanks between them do not count.
    """
    return hashlib.sha256(_SORTED.encode((content, force))).digest()
