"""``schema``: what editors check files with."""

import click

from eaas.cli.group import Command
from eaas.cli.line import Line, prints
from eaas.cli.output import Lines


@click.command(cls=Command)
@prints
def schema_job(line: Line) -> None:
    """Print the job file's JSON schema.

    Editors check and complete job files with it: yaml-language-server takes it as $schema.
    """
    import msgspec

    from eaas.job_schema import job_schema

    schema = job_schema()
    text = msgspec.json.format(msgspec.json.encode(schema), indent=2).decode()
    line.out.answer(schema, lambda: [Lines(text.splitlines())])
