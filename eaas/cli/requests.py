"""What ``job submit`` sends: each document of a file with the flags on top, or the flags alone."""

import sys
from collections.abc import Mapping
from pathlib import Path

import click
import msgspec

from eaas.job_file import file_key, read_job_file
from eaas.job_spec import read_spec, spec_as_typed
from eaas.paths import path_of

Fields = Mapping[str, object]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One job to submit, checked."""

    fields: dict[str, object]
    """In the job file's words; without ``with`` while the folder is still to be packed."""
    folder: Path | None = None
    """What ``with`` named."""
    key: str | None = None
    """The idempotency key; in a batch that of the whole batch."""

    def packed_as(self, hash: str) -> "Request":
        """Return the request with its folder under its content's name."""
        return Request(fields={**self.fields, "with": hash}, key=self.key)


def requests_from(file: str | None, flags: Fields, *, key: str | None = None) -> list[Request]:
    """Return what to submit; raise ``Invalid`` with every mistake.

    A folder in a file is relative to the file, one in a flag to where the person is.
    """
    if file is None:
        return [_request({}, flags, Path(), key)]
    name, data, base = _read(file)
    documents = read_job_file(data, name=name)
    keyed = key or file_key(documents)
    return [_request(spec_as_typed(one.spec), flags, base, keyed) for one in documents]


def _request(typed: Fields, flags: Fields, base: Path, key: str | None) -> Request:
    fields = spec_as_typed(read_spec(_with_flags(typed, flags)))
    folder = fields.get("with")
    if not isinstance(folder, str) or folder.startswith("sha256:"):
        return Request(fields=fields, key=key)
    del fields["with"]
    from_here = Path() if "with" in flags else base
    return Request(fields=fields, folder=from_here / path_of(folder), key=key)


def _with_flags(typed: Fields, flags: Fields) -> Fields:
    """Return the fields with the flags on top; of a mapping only the keys that a flag names.

    An empty flag takes the file's own word back: ``--image ''`` runs the job without an image.
    """
    taken_back = {key for key, value in flags.items() if value == "" and key in typed}
    merged = {key: v for key, v in {**typed, **flags}.items() if key not in taken_back}
    for key, value in flags.items():
        below = typed.get(key)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            merged[key] = {**below, **value}
    if "/" in str(flags.get("queue", "")) and "pool" not in flags:
        merged.pop("pool", None)
    return merged


def _read(file: str) -> tuple[str, bytes, Path]:
    """Return the file's name for sentences, its content, and what it is relative to."""
    if file == "-":
        return "stdin", sys.stdin.buffer.read(), Path()
    return file, content_of(file), Path(file).parent


def content_of(file: str) -> bytes:
    """Return what the file holds; one that can't be read is a mistake of the command line."""
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise click.UsageError(f"can't read {file}: {(error.strerror or '').lower()}") from error
