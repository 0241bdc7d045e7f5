"""Jobs as they come in bodies: the job file's vocabulary, with packs that must be here already."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from eaas.errors import FieldError, Invalid
from eaas.job_spec import JobSpec, read_spec
from eaas.wire.codec import BadMessage
from eaas_daemon.api.packs import PackStore

Fields = Mapping[str, Any]

_DECODER: Final = msgspec.json.Decoder(dict[str, Any])


def job_fields(body: bytes) -> dict[str, Any]:
    """Return the keys and values of a body that is one job."""
    try:
        return _DECODER.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadMessage(f"the body is not a job in JSON: {error}") from error


def read_job(fields: Fields, packs: PackStore) -> JobSpec:
    """Return what the fields ask for, or raise ``Invalid`` with every mistake."""
    spec = read_spec(fields)
    if spec.with_folder is not None:
        message = "with: upload the folder as a pack and write its sha256:... here"
        raise Invalid((FieldError(field="with", message=message),))
    if spec.pack is not None and not packs.has(spec.pack):
        message = f"with: the pack {spec.pack} was not uploaded, or is gone; upload it again"
        raise Invalid((FieldError(field="with", message=message),))
    return spec


def read_jobs(jobs: Sequence[Fields], packs: PackStore) -> tuple[JobSpec, ...]:
    """Return what each of the jobs asks for, or raise ``Invalid`` with the mistakes of all."""
    specs: list[JobSpec] = []
    mistakes: list[FieldError] = []
    for index, fields in enumerate(jobs):
        try:
            specs.append(read_job(fields, packs))
        except Invalid as refusal:
            mistakes += in_batch(index, refusal)
    if mistakes:
        raise Invalid(tuple(mistakes))
    return tuple(specs)


def in_batch(index: int, refusal: Invalid) -> tuple[FieldError, ...]:
    """Return the mistakes of the job that stands at the index, with its place in their fields."""
    return tuple(
        replace(
            error,
            field=f"jobs[{index}].{error.field}".rstrip("."),
            message=f"jobs[{index}]: {error.message}",
        )
        for error in refusal.errors
    )
