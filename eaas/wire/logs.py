"""What travels on the log link, ``/agent/v1/logs``: bytes one way, acknowledgements the other."""

from typing import Final, Literal

import msgspec

from eaas.wire.codec import Codec

MAX_PIECE_BYTES: Final = 256 * 1024
WINDOW_BYTES: Final = 4 << 20
"""An agent has at most this much unacknowledged log under way, over all attempts."""


class LogHello(msgspec.Struct, frozen=True, kw_only=True, tag="log_hello"):
    """The first message: which control connection this belongs to."""

    node_uid: str
    session: str


class LogPiece(msgspec.Struct, frozen=True, kw_only=True):
    """Some bytes of one stream of one attempt."""

    uid: str
    attempt: int
    stream: Literal["stdout", "stderr"]
    offset: int
    """Where the piece begins, in bytes since the attempt's start."""
    data: bytes
    at: float | None = None
    """When the agent read it, in Unix seconds by the node's clock; earlier agents don't say."""


class LogPieces(msgspec.Struct, frozen=True, kw_only=True, tag="log_pieces"):
    """Pieces in the order they were read; those of one stream have ascending offsets."""

    pieces: tuple[LogPiece, ...]


class LogEnd(msgspec.Struct, frozen=True, kw_only=True, tag="log_end"):
    """Nothing more will come for this attempt."""

    uid: str
    attempt: int
    stdout_bytes: int
    stderr_bytes: int
    gap_bytes: int | None = 0
    """Bytes left out over the cap; None when nobody could count them."""


class LogAsk(msgspec.Struct, frozen=True, kw_only=True, tag="log_ask"):
    """Ask where the controller stands with an attempt, before sending from there."""

    uid: str
    attempt: int


class LogAck(msgspec.Struct, frozen=True, kw_only=True, tag="log_ack"):
    """What the controller has on disk of an attempt; also the answer to ``LogAsk``."""

    uid: str
    attempt: int
    stdout: int
    stderr: int
    ended: bool
    """True once the ``LogEnd`` is committed too: the agent may forget the log."""


AnyLogFromAgent = LogHello | LogPieces | LogEnd | LogAsk
AnyLogToAgent = LogAck

LOG_FROM_AGENT: Codec[AnyLogFromAgent] = Codec(AnyLogFromAgent)
LOG_TO_AGENT: Codec[AnyLogToAgent] = Codec(AnyLogToAgent)
