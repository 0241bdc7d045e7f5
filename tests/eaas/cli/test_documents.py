import json

from eaas.job_schema import job_schema
from tests.eaas.cli.conftest import Type


def test_the_schema_is_printed_for_editors(typing: Type) -> None:
    expected = json.loads(json.dumps(job_schema()))

    assert json.loads(typing("schema", "job").out) == expected
    assert json.loads(typing("schema", "job", "-o", "json").out) == expected
