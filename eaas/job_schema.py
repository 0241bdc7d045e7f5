"""The JSON Schema of a job, for editors and for programs that write jobs."""

from typing import Final

from eaas.job_fields import FIELDS, JobField
from eaas.job_file import KEY_CHECK, KEY_FIELD, LOG_FIELD

SCHEMA_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def job_schema() -> dict[str, object]:
    """Return the schema of one job as YAML files and REST bodies hold it (draft 2020-12)."""
    return {
        "$schema": SCHEMA_DIALECT,
        "$id": "urn:mini-eaas:job",
        "title": "Mini EaaS job",
        "description": "What a person asks for: an image, a command, cards, and how to run it.",
        "type": "object",
        "additionalProperties": False,
        "anyOf": [{"required": ["image"]}, {"required": ["command"]}],
        "dependentRequired": {
            "gpu_type": ["gpus"],
            "gpu_memory": ["gpus"],
            "share": ["gpu_memory"],
        },
        "properties": {
            **{key: _property(field) for key, field in FIELDS.items()},
            KEY_FIELD: {
                **KEY_CHECK.schema(),
                "description": "The same key with the same body is the same job (files only).",
            },
            LOG_FIELD: {
                "type": "boolean",
                "description": "In a watched folder: put the log beside the file at the end.",
            },
        },
    }


def _property(field: JobField) -> dict[str, object]:
    schema = {**field.check.schema(), "title": field.label, "description": field.help}
    if field.default not in (None, (), {}):
        schema["default"] = field.check.typed(field.default)
    return schema
