"""``job submit``: a job from a file, from flags, or from a file with flags on top."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from eaas.cli import complete
from eaas.cli.draw_jobs import dry_run_picture
from eaas.cli.following import detached, follow, hint, telling, verdict
from eaas.cli.group import Command
from eaas.cli.line import FAILED, Line, asks
from eaas.cli.log_printer import LogPrinter
from eaas.cli.output import Lines
from eaas.cli.requests import Request, requests_from
from eaas.client import Client
from eaas.job_field import JobField
from eaas.job_fields import flag_fields, nested
from eaas.lifecycle import JobState
from eaas.views import JobView
from eaas.wire.rest import BatchAnswer

ARGV_KEY: Final = "eaas.argv"
QUOTE_IT: Final = (
    "put the command in quotes or after --: --cmd 'python train.py', or -- python train.py"
)
JOB_FILE_ENDINGS: Final = (".yaml", ".yml", ".json")
"""What a file is called that may stand beside ``--cmd``."""
NAMES: Final = {"pool": complete.pools, "queue": complete.queues, "nodes": complete.nodes}


class SubmitCommand(Command):
    """Takes everything after ``--`` as the job's own command, and knows an unquoted ``--cmd``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what stands before ``--``; keep what stands behind it."""
        own = args
        if "--" in args:
            own, ctx.meta[ARGV_KEY] = args[: args.index("--")], args[args.index("--") + 1 :]
        try:
            return super().parse_args(ctx, list(own))
        except click.UsageError as error:
            if _has_loose_words(own) and not isinstance(error, click.BadParameter):
                raise click.UsageError(QUOTE_IT, ctx) from error
            raise


def _flag(field: JobField) -> click.Option:
    assert field.flag is not None
    words = [field.flag, field.key.replace(".", "__")]
    if not field.metavar:
        return click.Option(words, is_flag=True, help=field.help)
    return click.Option(
        words,
        metavar=field.metavar,
        multiple=field.repeated,
        help=field.help,
        shell_complete=NAMES.get(field.key),
    )


@asks
async def _submit(
    line: Line,
    client: Client,
    /,
    file: str | None,
    dry_run: bool,
    force: bool,
    following: bool,
    idempotency_key: str | None,
    **flags: Any,
) -> int | None:
    requests = requests_from(file, _fields(flags, file), key=idempotency_key)
    if (following or dry_run) and len(requests) > 1:
        what = "--follow follows" if following else "--dry-run tries"
        raise click.UsageError(f"{what} one job; {file} holds {len(requests)}")
    if following and "array" in requests[0].fields:
        raise click.UsageError("--follow follows one job, not an array; mini-eaas job wait does")
    if dry_run:
        return await _try(line, client, requests[0])
    jobs = await _sent(line, client, requests, force=force)
    if following:
        return await _followed(line, client, jobs[0])
    answer = jobs[0] if len(jobs) == 1 else BatchAnswer(items=jobs)
    line.out.answer(answer, lambda: [Lines([str(job.id) for job in jobs])])
    return None


submit: Final = SubmitCommand(
    "submit",
    callback=_submit,
    params=[
        click.Argument(["file"], required=False, metavar="[FILE|-]"),
        *map(_flag, flag_fields()),
        click.Option(
            ["--dry-run"], is_flag=True, help="Say what would become of it; exit 1 if nothing."
        ),
        click.Option(["--force"], is_flag=True, help="Submit even what no known card could hold."),
        click.Option(
            ["--follow", "following"], is_flag=True, help="Print its log; exit 0 if it Succeeded."
        ),
        click.Option(
            ["--idempotency-key"], metavar="K", help="The same key and job is the same job."
        ),
    ],
    options_metavar="[OPTIONS]",
    help="""Submit a job from a file or from flags.

    FILE is a job file, - reads one from stdin; flags on top of a file win. The command goes into
    --cmd 'in quotes', or behind the flags: mini-eaas job submit --gpus 1 -- python train.py
    """,
)


def _fields(flags: dict[str, Any], file: str | None) -> dict[str, object]:
    """Return what the flags and the words after ``--`` say, as a job file would nest it."""
    argv: list[str] | None = click.get_current_context().meta.get(ARGV_KEY)
    typed = {
        name.replace("__", "."): list(value) if isinstance(value, tuple) else value
        for name, value in flags.items()
        if value not in (None, (), False)
    }
    _check_file(file, has_command="command" in typed)
    if argv is not None:
        if not argv:
            raise click.UsageError("there is no command after --")
        if "command" in typed:
            raise click.UsageError("the command is given twice: with --cmd, and after --")
        typed["command"] = argv
    if file is None and not typed:
        raise click.UsageError("name a job file, or say what to run: --image, --cmd, or -- COMMAND")
    return nested(typed)


def _check_file(file: str | None, *, has_command: bool) -> None:
    """Refuse a FILE that isn't there, or that is the second word of an unquoted ``--cmd``."""
    if file is None or file == "-":
        return
    is_there = Path(file).exists()
    if has_command and not (is_there and Path(file).suffix in JOB_FILE_ENDINGS):
        raise click.UsageError(QUOTE_IT)
    if not is_there:
        raise click.UsageError(f"there is no job file {file}; a command goes after --")


def _has_loose_words(args: Sequence[str]) -> bool:
    """Tell whether something stands behind ``--cmd WORD`` that is no flag of ours."""
    if "--cmd" not in args:
        return False
    rest = args[args.index("--cmd") + 2 :]
    ours = {field.flag for field in flag_fields()}
    return bool(rest) and rest[0] not in ours


async def _try(line: Line, client: Client, request: Request) -> int:
    if request.folder is not None:
        hash, _ = await client.upload_folder(request.folder)
        request = request.packed_as(hash)
    dry = await client.dry_run(request.fields)
    line.out.answer(dry, lambda: dry_run_picture(dry))
    return 0 if dry.valid and dry.would != "never" else FAILED


async def _sent(
    line: Line, client: Client, requests: list[Request], *, force: bool
) -> list[JobView]:
    """Upload the folders, each once, and submit everything."""
    hashes: dict[Path, str] = {}
    for folder in {request.folder for request in requests if request.folder is not None}:
        hashes[folder], left_out = await client.upload_folder(folder)
        if left_out:
            line.out.remark(f"left out of {folder}, as they lead out of it: {', '.join(left_out)}")
    ready = [
        request if request.folder is None else request.packed_as(hashes[request.folder])
        for request in requests
    ]
    if len(ready) == 1:
        key = ready[0].key
        return [await client.submit(ready[0].fields, idempotency_key=key, force=force)]
    jobs = [request.fields for request in ready]
    return await client.submit_batch(jobs, idempotency_key=ready[0].key, force=force)


async def _followed(line: Line, client: Client, job: JobView) -> int:
    line.out.remark(str(job.id))
    if not line.out.is_table:
        line.out.item(job, lambda: "")
    printer = LogPrinter(line.out, job.id, "both")
    ended = None
    try:
        async with telling(client, line.out, job.id):
            ended = await follow(client, printer, job.id)
    finally:
        if ended is None:
            detached(job.id)
    if not line.out.is_table:
        line.out.item(ended, lambda: "")
    if ended.state == JobState.SUCCEEDED:
        return 0
    advice = hint(ended)
    line.out.remark(verdict(ended) + (f"\n{advice}" if advice else ""))
    return FAILED
