"""Identities: what names a job, a node, a card, and how new ones are made."""

import os
import re
import time
from typing import Final, NewType

JobNumber = NewType("JobNumber", int)
"""The short number people type; unique within one controller's life, never reused."""

JobUid = NewType("JobUid", str)
"""A UUIDv7 in its 36-character form; unique everywhere, survives a restored backup."""

NodeName = NewType("NodeName", str)
PoolName = NewType("PoolName", str)
QueueName = NewType("QueueName", str)
"""A queue's own name within its pool, without the ``pool/`` part."""

CardUuid = NewType("CardUuid", str)
"""What the driver calls a card, ``GPU-...``; the index is only an attribute."""

UserName = NewType("UserName", str)

NAME_PATTERN: Final = re.compile(r"[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?")
"""Names of pools, queues and nodes: lower case, digits, ``. _ -`` inside, 63 at most."""


def is_name(text: str) -> bool:
    """Tell whether the text may name a pool, a queue or a node."""
    return NAME_PATTERN.fullmatch(text) is not None


def new_uid() -> str:
    """Return a fresh UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, then 74 random bits."""
    stamp = time.time_ns() // 1_000_000
    value = (stamp & ((1 << 48) - 1)) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def queue_ref(pool: str, queue: str) -> str:
    """Return the way people write a queue: ``pool/queue``."""
    return f"{pool}/{queue}"
