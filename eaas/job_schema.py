"""The JSON Schema of a job, for editors and for programs that write jobs."""

from typing import Final

from eaas.folder_file import CANCEL, PRIORITY
from eaas.job_field import JobField
from eaas.job_fields import FIELDS, MAX_PRIORITY
from eaas.job_file import KEY_CHECK, KEY_FIELD, LOG_FIELD

SCHEMA_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


_ORDERS: Final = {
    "anyOf": [
        {"required": [CANCEL]},
        {"required": [PRIORITY], "properties": {PRIORITY: {"type": "object"}}},
    ]
}
"""A document of orders about jobs that are there."""
_JOB: Final = {
    "anyOf": [{"required": ["image"]}, {"required": ["command"]}],
    "dependentRequired": {
        "gpu_type": ["gpus"],
        "gpu_memory": ["gpus"],
        "share": ["gpu_memory"],
    },
}
_NUMBER: Final = {"type": ["integer", "string"], "pattern": "^[1-9][0-9]*$", "minimum": 1}
_CANCEL: Final = {
    "anyOf": [
        {**_NUMBER, "pattern": "^ *[1-9][0-9]*( *, *[1-9][0-9]*)* *$"},
        {"type": "array", "items": _NUMBER},
    ],
    "title": "Cancel",
    "description": "Only in a watched folder: cancel these jobs, 42 or [42, 43].",
}
_PRIORITIES: Final = {
    "type": "object",
    "propertyNames": {"pattern": "^[1-9][0-9]*$"},
    "additionalProperties": {
        "type": "integer",
        "minimum": -MAX_PRIORITY,
        "maximum": MAX_PRIORITY,
    },
}


def job_schema() -> dict[str, object]:
    """Return the schema of one job as YAML files and REST bodies hold it (draft 2020-12).

    A file for a watched folder may hold orders instead, which it takes too.
    """
    properties = {key: _property(field) for key, field in FIELDS.items()}
    properties[PRIORITY] = _or_priorities(properties[PRIORITY])
    return {
        "$schema": SCHEMA_DIALECT,
        "$id": "urn:mini-eaas:job",
        "title": "Mini EaaS job",
        "description": "What a person asks for: an image, a command, cards, and how to run it.",
        "type": "object",
        "additionalProperties": False,
        "if": _ORDERS,
        "then": {
            "propertyNames": {"enum": [CANCEL, PRIORITY]},
            "properties": {PRIORITY: {"type": "object"}},
        },
        "else": _JOB,
        "properties": {
            **properties,
            CANCEL: _CANCEL,
            KEY_FIELD: {
                **KEY_CHECK.schema(),
                "description": "The same key with the same body is the same job (files only).",
            },
            LOG_FIELD: {
                "type": "boolean",
                "description": "In a watched folder: true puts the log beside the file at the "
                "end, false does not, whatever the folder's settings say.",
            },
        },
    }


def _or_priorities(schema: dict[str, object]) -> dict[str, object]:
    """Return the schema of a priority that is a job's own, or of orders in its place."""
    kept = ("title", "default")
    said = {key: schema[key] for key in kept}
    own = {key: value for key, value in schema.items() if key not in (*kept, "description")}
    words = f"{schema['description']} In a watched folder also {{JOB: NUMBER}}, of jobs there are."
    return {**said, "description": words, "anyOf": [own, _PRIORITIES]}


def _property(field: JobField) -> dict[str, object]:
    schema = {**field.check.schema(), "title": field.label, "description": field.help}
    if field.default not in (None, (), {}):
        schema["default"] = field.check.typed(field.default)
    return schema
