"""The command ``mini-eaas``: its tree of commands, and how it ends."""

import sys
from typing import Final

import click

from eaas.cli.group import Entry, Group
from eaas.cli.verb import Verb

JOB: Final = Group(
    "job",
    "Submit jobs, follow them, and steer them.",
    {
        "submit": Entry("eaas.cli.jobs_submit:submit", "Submit a job from a file or from flags."),
        "list": Entry("eaas.cli.jobs:list_jobs", "List jobs that have not ended."),
        "show": Entry("eaas.cli.jobs:show", "Show everything about a job."),
        "why": Entry("eaas.cli.jobs:why", "Say why a job waits, and what would help."),
        "wait": Entry("eaas.cli.jobs:wait", "Wait until jobs have ended."),
        "logs": Entry("eaas.cli.logs:logs", "Print what a job wrote."),
        "cp": Entry("eaas.cli.cp:cp", "Copy files out of a job's workspace."),
        "cancel": Entry("eaas.cli.jobs_steer:cancel", "Stop jobs, or take them out of the line."),
        "priority": Entry("eaas.cli.jobs_steer:priority", "Change a waiting job's priority."),
        "top": Entry("eaas.cli.jobs_steer:top", "Make a job the next of its queue."),
        "move": Entry("eaas.cli.jobs_steer:move", "Move a waiting job to another queue."),
        "retry": Entry("eaas.cli.jobs_steer:retry", "Run an ended job once more."),
        "keep": Entry("eaas.cli.jobs_steer:keep", "Keep a job's workspace for longer."),
    },
)

POOL: Final = Group(
    "pool",
    "Make pools and say which nodes belong to them.",
    {
        "create": Entry("eaas.cli.pools:create", "Create an empty pool."),
        "list": Entry("eaas.cli.pools:list_pools", "List the pools."),
        "show": Entry("eaas.cli.pools:show", "Show a pool and its queues."),
        "set": Entry("eaas.cli.pools:change", "Change what users may have of a pool."),
        "delete": Entry("eaas.cli.pools:delete", "Delete a pool."),
        "add": Entry("eaas.cli.pools:add", "Put a node into a pool."),
        "remove": Entry("eaas.cli.pools:remove", "Take a node out of a pool."),
    },
)

QUEUE: Final = Group(
    "queue",
    "Make queues, limit them, pause them.",
    {
        "create": Entry("eaas.cli.queues:create", "Create a queue."),
        "set": Entry("eaas.cli.queues:change", "Change a queue's priority and limits."),
        "show": Entry("eaas.cli.queues:show", "Show a queue."),
        "list": Entry("eaas.cli.queues:list_queues", "List the queues."),
        "pause": Entry("eaas.cli.queues:pause", "Start no more jobs of a queue."),
        "resume": Entry("eaas.cli.queues:resume", "Start jobs of a paused queue again."),
        "delete": Entry("eaas.cli.queues:delete", "Delete a queue."),
    },
)

NODE: Final = Group(
    "node",
    "Look at nodes, and say what may run on them.",
    {
        "list": Entry("eaas.cli.nodes:list_nodes", "List the nodes."),
        "show": Entry("eaas.cli.nodes:show", "Show a node, its cards and its images."),
        "drain": Entry("eaas.cli.nodes:drain", "Let a node finish its jobs and take no more."),
        "resume": Entry("eaas.cli.nodes:resume", "Let a drained node take jobs again."),
        "remove": Entry("eaas.cli.nodes:remove", "Forget a node that is gone."),
        "label": Entry("eaas.cli.nodes:label", "Set or remove labels of a node."),
        "confirm-dead": Entry(
            "eaas.cli.nodes:confirm_dead", "Say that a node is dead, so its jobs may run elsewhere."
        ),
        "exclude-card": Entry("eaas.cli.nodes:exclude_card", "Keep jobs off a card."),
        "include-card": Entry("eaas.cli.nodes:include_card", "Offer an excluded card again."),
        "clean-card": Entry("eaas.cli.nodes:clean_card", "Say that a dirty card is clean now."),
    },
)

FOLDER_RULES: Final = """A job file (NAME.yaml or NAME.yml, several jobs with --- between them) that
is moved into a watched folder is submitted. It then lies in accepted/ as JOB-NAME.yaml;
JOB-NAME.yaml.status.yaml beside it follows the job, and JOB-NAME.yaml.log comes at its end if the
file says log: true. A file with mistakes lies in refused/, with NAME.yaml.error.txt beside it.

An empty file JOB.cancel, like 42.cancel, cancels that job; a file with cancel: [42, 43] or
priority: {42: 10} does as much for several. Deleting or editing an accepted file changes nothing.

The same file again is the same job; new content, or another key: in it, is a new one."""

CONTROLLER: Final = Group(
    "controller",
    "Run the controller.",
    {
        "run": Entry("eaas.cli.programs:controller_run", "Run the controller in the foreground."),
        "backup": Entry(
            "eaas.cli.programs:controller_backup", "Copy the controller's database to a file."
        ),
        "restore": Entry(
            "eaas.cli.programs:controller_restore", "Let a stopped controller go on from a backup."
        ),
    },
)
AGENT: Final = Group(
    "agent",
    "Run a node's agent.",
    {
        "run": Entry("eaas.cli.programs:agent_run", "Run an agent in the foreground."),
        "join": Entry("eaas.cli.programs:agent_join", "Become a node of a controller elsewhere."),
        "check": Entry(
            "eaas.cli.programs:agent_check", "See whether this machine reaches its controller."
        ),
    },
)

TOKEN: Final = Group(
    "token",
    "Let machines and people in from elsewhere.",
    {
        "create": Entry("eaas.cli.tokens:create", "Make a token; it is shown once."),
        "list": Entry("eaas.cli.tokens:list_tokens", "List tokens."),
        "revoke": Entry("eaas.cli.tokens:revoke", "Let a token let nobody in any more."),
    },
)

BOOK: Final = Verb(
    "book",
    Entry("eaas.cli.bookings:book", "Book cards for a class or a demo."),
    {
        "list": Entry("eaas.cli.bookings:list_bookings", "List the bookings."),
        "show": Entry("eaas.cli.bookings:show", "Show a booking and its cards."),
        "cancel": Entry("eaas.cli.bookings:cancel", "Give back what is booked."),
    },
)

CLI: Final = Group(
    "mini-eaas",
    "A handful of GPU machines as one private pool.",
    {
        "up": Entry("eaas.cli.up:up", "Start a whole pool on this machine."),
        "down": Entry("eaas.cli.down:down", "Stop the pool's programs on this machine."),
        "status": Entry("eaas.cli.system:status", "Show the controller in one glance."),
        "gpus": Entry("eaas.cli.system:gpus", "Show every card: who has a free one."),
        "tui": Entry("eaas.cli.programs:tui", "Open the full-screen console."),
        "job": JOB,
        "pool": POOL,
        "queue": QUEUE,
        "node": NODE,
        "book": BOOK,
        "token": TOKEN,
        "login": Entry("eaas.cli.login:login", "Keep a controller elsewhere, and who you are."),
        "logout": Entry("eaas.cli.login:logout", "Forget a controller elsewhere."),
        "audit": Entry("eaas.cli.tokens:audit", "Show what was done to the pool, and by whom."),
        "image": Group(
            "image",
            "Look at the images on the nodes.",
            {"list": Entry("eaas.cli.images:list_images", "List images and where they lie.")},
        ),
        "events": Entry("eaas.cli.system:events", "Show what happened."),
        "config": Group(
            "config",
            "Look at this installation's settings.",
            {"show": Entry("eaas.cli.settings:config_show", "Show every setting and its source.")},
        ),
        "schema": Group(
            "schema",
            "Print schemas for editors.",
            {"job": Entry("eaas.cli.documents:schema_job", "Print the job file's JSON schema.")},
        ),
        "folder": Group(
            "folder",
            "Check files for watched folders, and list these.",
            {
                "check": Entry("eaas.cli.folders:check", "Check job files for a watched folder."),
                "list": Entry("eaas.cli.folders:list_folders", "List the watched folders."),
            },
            rules=FOLDER_RULES,
        ),
        "controller": CONTROLLER,
        "agent": AGENT,
        "setup": Entry("eaas.cli.setup.command:setup", "Install a role here.", hidden=True),
        "completion": Entry("eaas.cli.programs:completion", "Print a shell's completion script."),
    },
)


def main(argv: list[str] | None = None) -> None:
    """Run the command line and exit with the documented code."""
    sys.exit(run(sys.argv[1:] if argv is None else argv))


def run(argv: list[str]) -> int:
    """Run one command line and return its exit code."""
    from eaas.errors import EaasError
    from eaas.stdout import written

    def refused(error: EaasError | click.ClickException) -> int:
        from eaas.cli.exits import report

        return report(error, argv)

    def done() -> int:
        try:
            code = CLI.main(args=argv, prog_name=_program(), standalone_mode=False)
            return code if isinstance(code, int) else 0
        except (EaasError, click.ClickException) as error:
            return refused(error)
        except (KeyboardInterrupt, click.Abort):
            return 130
        except SystemExit as end:  # how click answers a reader that has gone
            raise BrokenPipeError from end

    _ready_stdout()
    return written(done, refused)


def _program() -> str:
    """Return the name to show: ``eaas`` when called so, else ``mini-eaas``."""
    name = sys.argv[0].rpartition("/")[2]
    return name if name == "eaas" else "mini-eaas"


def _ready_stdout() -> None:
    """Let every text be written: to nowhere without a stdout, with ? for what it can't express."""
    import io
    import os

    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
