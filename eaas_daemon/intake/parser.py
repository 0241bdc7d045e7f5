"""Reads files of watched folders in a process of its own: a legal one can take a second.

``python -m eaas_daemon.intake.parser`` takes batches on its standard input and answers on its
standard output, each message behind its length in four bytes. It ends when its input does.
"""

import resource
import signal
import struct
import sys
from collections.abc import Iterator, Mapping
from typing import BinaryIO, Final

import msgspec

from eaas.errors import FieldError, Invalid, TooLarge
from eaas.folder_file import FolderFile, read_folder_file

LENGTH: Final = struct.Struct(">I")
LONGEST_S: Final = 30
"""Longer than anybody waits for a batch: a reader that nobody waits for ends by itself."""
MEMORY_BYTES: Final = 1 << 30
"""What the process may take: far more than the worst legal file needs."""


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """One file as it came."""

    name: str
    data: bytes


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Files of one folder, and what its jobs have where the files do not say."""

    files: tuple[Unread, ...]
    defaults: dict[str, str] = {}


class Read(msgspec.Struct, frozen=True, kw_only=True):
    """What one file says, or what is wrong with it."""

    content: FolderFile | None = None
    errors: tuple[FieldError, ...] = ()


REQUESTS: Final = msgspec.msgpack.Decoder(Batch)
ANSWERS: Final = msgspec.msgpack.Decoder(tuple[Read, ...])
ENCODER: Final = msgspec.msgpack.Encoder()


def read_file(file: Unread, defaults: Mapping[str, str]) -> Read:
    """Return what the file says, or every mistake of it."""
    try:
        return Read(content=read_folder_file(file.data, name=file.name, defaults=defaults))
    except Invalid as error:
        return Read(errors=error.errors)
    except TooLarge as error:
        return Read(errors=(FieldError(field="", message=error.sentence),))
    except (MemoryError, RecursionError):
        return Read(errors=(FieldError(field="", message="this is too much to read"),))


def answer(batch: Batch) -> bytes:
    """Return what the batch's files say, as it goes over the pipe."""
    return ENCODER.encode(tuple(read_file(file, batch.defaults) for file in batch.files))


def messages(source: BinaryIO) -> Iterator[bytes]:
    """Yield whole messages until the other side closes."""
    while len(head := source.read(LENGTH.size)) == LENGTH.size:
        yield source.read(LENGTH.unpack(head)[0])


def framed(message: bytes) -> bytes:
    """Return the message as it goes over the pipe."""
    return LENGTH.pack(len(message)) + message


def main() -> None:
    """Answer batches until the input ends."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    for message in messages(sys.stdin.buffer):
        signal.alarm(LONGEST_S)
        sys.stdout.buffer.write(framed(answer(REQUESTS.decode(message))))
        sys.stdout.buffer.flush()
        signal.alarm(0)


if __name__ == "__main__":
    main()
