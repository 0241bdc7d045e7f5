"""How messages become bytes and back, and how large they may be."""

from typing import Any, Final, Generic, TypeVar

import msgspec

from eaas.errors import EaasError

PROTOCOL_MIN: Final = 1
PROTOCOL_MAX: Final = 1
"""The versions of the agent protocol that this build speaks."""

MAX_MESSAGE_BYTES: Final = 1 << 20
"""A websocket message over this ends the connection with close code 1009."""

MAX_WANTED_BYTES: Final = 64 << 20
"""What an agent takes from its controller in one message: a full list of everything it should run,
each order with its command and environment."""

MAX_BODY_BYTES: Final = 1 << 20
"""A REST body over this is refused with 413; packs and files have routes and limits of their own.
"""

UNREADABLE: Final = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)
"""What decoding raises for what nobody of this version has sent; of these, ``RecursionError`` for
values that are nested a thousand deep.
"""

M = TypeVar("M")


class BadMessage(EaasError):
    """A message does not decode; the sentence says where."""

    code = "bad_message"


class Unsupported(BadMessage):
    """A message has a type that this build does not know; the other side is newer."""

    code = "unsupported"


class Codec(Generic[M]):
    """Encodes and decodes one direction's messages, in MessagePack."""

    def __init__(self, union: Any) -> None:
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder: msgspec.msgpack.Decoder[M] = msgspec.msgpack.Decoder(union)

    def encode(self, message: M) -> bytes:
        """Return the message's bytes."""
        return self._encoder.encode(message)

    def decode(self, data: bytes) -> M:
        """Return the message; raise ``BadMessage`` or, for an unknown type, ``Unsupported``."""
        try:
            return self._decoder.decode(data)
        except msgspec.ValidationError as error:
            if str(error).startswith("Invalid value"):
                raise Unsupported(str(error)) from error
            raise BadMessage(str(error)) from error
        except UNREADABLE as error:
            raise BadMessage(f"not a message: {error}") from error
