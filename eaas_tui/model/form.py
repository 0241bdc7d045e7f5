"""The state of the form that asks for a job: texts by field, and the way to a job and to YAML."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec

from eaas.errors import FieldError, Invalid
from eaas.field_checks import Wrong
from eaas.job_field import JobField
from eaas.job_fields import FIELDS, nested
from eaas.job_file import KEY_FIELD, read_job_file
from eaas.job_spec import read_spec, spec_as_typed
from eaas.why_views import FieldErrorView
from eaas.yaml_text import yaml_text
from eaas_tui.model.form_text import clean, text_from, twice, value_from

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "What": ("name", "image", "command", "with", "workdir", "env", "mounts"),
    "Where": (
        *("pool", "queue", "gpus", "gpu_type", "gpu_memory", "share"),
        *("cpus", "memory", "shm_size", "nodes"),
    ),
    "How": (
        *("timeout", "restart.policy", "restart.retries", "restart.backoff"),
        *("priority", "labels", "run_as"),
    ),
    "When": ("after", "after_failed", "not_before"),
    "In parts": ("array", "num_nodes"),
}
"""What stands under which heading, in the order of the form."""

_BY_KEY: Final = {
    field.key: field for outer in FIELDS.values() for field in (outer.inner or (outer,))
}

SHOWN: Final[Mapping[str, JobField]] = {
    key: _BY_KEY[key] for keys in GROUPS.values() for key in keys
}
"""The form's fields by key, in its order; restart's are three of them."""

NOTHING_TO_RUN: Final = "command"
"""The field beside which a mistake of the whole job is shown."""

_NONE: Final[Mapping[str, Any]] = MappingProxyType({})


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed so far. A field that was left out has no text."""

    texts: Mapping[str, str] = _NONE
    opened: Mapping[str, str] = _NONE
    """The texts as the form was opened; with others it is dirty."""
    key: str | None = None
    """The idempotency key that a file gave."""

    def text(self, key: str) -> str:
        """Return a field's text; empty when it was left out."""
        return self.texts.get(key, "")

    def typed(self, key: str, text: str) -> "Form":
        """Return the form after a person typed this into a field."""
        rest = {name: kept for name, kept in self.texts.items() if name != key}
        return msgspec.structs.replace(self, texts={**rest, key: text} if text else rest)

    @property
    def is_dirty(self) -> bool:
        """Tell whether anything would be lost by closing the form."""
        return dict(self.texts) != dict(self.opened)

    def fields(self) -> dict[str, object]:
        """Return what was typed in the job file's words, checked by nobody."""
        typed = {
            key: value
            for key, field in SHOWN.items()
            if (value := value_from(field, self.text(key))) is not None
        }
        return nested(typed)

    def mistakes(self) -> dict[str, str]:
        """Return what is wrong, beside the field where it is shown; empty for a good job."""
        found = {
            key: f"{name} is there twice"
            for key in ("env", "labels")
            if (name := twice(self.text(key))) is not None
        }
        try:
            read_spec(self.fields())
        except Invalid as error:
            found = {**beside(error.errors), **found}
        return found

    def job(self) -> dict[str, object]:
        """Return the job to submit, without what is at its default; raise Invalid if it is bad."""
        return spec_as_typed(read_spec(self.fields()))

    def as_yaml(self) -> str:
        """Return a job file with only what differs from the defaults, good or bad."""
        try:
            fields = self.job()
        except Invalid:
            fields = _as_far_as_right(self.fields())
        keyed = {KEY_FIELD: self.key} if self.key is not None else {}
        fields = {**fields, **keyed}
        return yaml_text(fields) if fields else ""

    def cleaned(self) -> tuple["Form", tuple[str, ...]]:
        """Return the form with only what can be seen, and the fields that lost something.

        A file or somebody else's job may hide characters; what is submitted is what was shown.
        """
        texts = {key: clean(key, text) for key, text in self.texts.items()}
        lost = tuple(key for key, text in self.texts.items() if texts[key] != text)
        return msgspec.structs.replace(self, texts=texts, opened=texts), lost


def form_of(fields: Mapping[str, Any], *, key: str | None = None) -> Form:
    """Return the form of a job in the job file's words, such as ``JobView.spec``.

    What its owner keeps from the reader is null there; it is left out here.
    """
    flat = {**fields, **_restart_parts(fields.get("restart"))}
    texts = {
        name: text_from(field, value)
        for name, field in SHOWN.items()
        if (value := flat.get(name)) is not None
    }
    return Form(texts=texts, opened=texts, key=key)


def form_from_yaml(text: str | bytes, *, name: str = "job file") -> tuple[Form, int]:
    """Return the form of a file's first job, and how many jobs the file holds.

    Raises Invalid with every mistake and its line.
    """
    documents = read_job_file(text, name=name)
    first = documents[0]
    return form_of(spec_as_typed(first.spec), key=first.key), len(documents)


def hidden_in(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys whose values their owner keeps from the reader."""
    return tuple(key for key, value in fields.items() if value is None)


def beside(errors: Iterable[FieldError | FieldErrorView]) -> dict[str, str]:
    """Return the mistakes by the field they are shown beside, the first of each."""
    found: dict[str, str] = {}
    for error in errors:
        key = _shown_key(error.field)
        meant = f"; did you mean {error.suggestion}?" if error.suggestion is not None else ""
        found.setdefault(key, error.message.removeprefix(f"{key}: ") + meant)
    return found


def _shown_key(field: str) -> str:
    """Return the form's field of a mistake: ``env.HOME`` is in ``env``, ``mounts[0]`` in mounts."""
    if field in SHOWN:
        return field
    outer = field.partition(".")[0].partition("[")[0]
    return "restart.policy" if outer == "restart" else outer or NOTHING_TO_RUN


def _restart_parts(restart: object) -> dict[str, object]:
    if isinstance(restart, Mapping):
        return {f"restart.{key}": value for key, value in restart.items()}
    return {} if restart is None else {"restart.policy": restart}


def _as_far_as_right(fields: Mapping[str, object]) -> dict[str, object]:
    """Return the fields, the good ones as a file would hold them, the others as typed."""
    written: dict[str, object] = {}
    for key, value in fields.items():
        field = FIELDS[key]
        try:
            kept = field.parse(value)
        except Wrong:
            written[key] = value
            continue
        if kept != field.default:
            written[key] = field.check.typed(kept)
    return written
