"""What needs no controller: the job file's schema, and a check of job files."""

from pathlib import Path

import click

from eaas.cli.group import Command
from eaas.cli.line import Line, prints
from eaas.cli.output import Lines
from eaas.cli.words import many
from eaas.errors import FieldError, Invalid


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


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@prints
def folder_check(line: Line, files: tuple[str, ...]) -> None:
    """Check job files.

    Every mistake is named with its line; nothing is submitted.
    """
    from msgspec.structs import replace

    from eaas.job_file import read_job_file
    from eaas.job_spec import spec_as_typed

    errors: list[FieldError] = []
    sentences: list[str] = []
    jobs: dict[str, list[dict[str, object]]] = {}
    for file in files:
        try:
            documents = read_job_file(Path(file).read_bytes(), name=file)
            jobs[file] = [spec_as_typed(document.spec) for document in documents]
        except Invalid as error:
            where = f"{file}: " if len(files) > 1 else ""
            errors += [replace(one, message=where + one.message) for one in error.errors]
            sentences.append(error.sentence)
    if errors:
        raise Invalid(
            tuple(errors), "\n".join(sentences), where=files[0] if len(files) == 1 else ""
        )
    said = [f"{file}: {many(len(found), 'job')}" for file, found in jobs.items()]
    items = [{"file": file, "jobs": found} for file, found in jobs.items()]
    line.out.answer({"items": items, "next": None}, lambda: [Lines(said)])
