"""The one table of what a job may say: file keys, REST fields, flags, form and schema use it."""

from collections.abc import Iterator, Mapping
from typing import Final

from eaas.field_checks import Choice, Duration, Memory, Moment, Number, Text, Truth, Whole
from eaas.ids import NAME_PATTERN
from eaas.job_after import JobNames
from eaas.job_array import JobArray
from eaas.job_field import JobField
from eaas.job_lists import Environment, Labels, Nodes
from eaas.job_mounts import Mounts
from eaas.job_values import Array, Command, Folder, Image, RunAs, Workdir
from eaas.restart import RESTART_CHECKS, Restart, Restarts

MAX_GPUS: Final = 64
MAX_PRIORITY: Final = 100
_TIB_MIB: Final = 1024 * 1024
_YEAR_S: Final = 365 * 86400.0


_RESTART_FIELDS: Final = (
    JobField(
        key="restart.policy",
        attribute="policy",
        label="Restart",
        check=RESTART_CHECKS["policy"],
        help="never or on-failure (default: never).",
        default="never",
    ),
    JobField(
        key="restart.retries",
        attribute="retries",
        label="Retries",
        check=RESTART_CHECKS["retries"],
        help="How often a job that failed by itself is started again (with on-failure: 3).",
        default=0,
        flag="--retries",
        metavar="N",
    ),
    JobField(
        key="restart.backoff",
        attribute="backoff_s",
        label="Backoff",
        check=RESTART_CHECKS["backoff"],
        help="The wait before the first retry (default: 30s).",
        default=30.0,
        flag="--backoff",
        metavar="DURATION",
    ),
)

_UNSEEN: Final = r"[\u115f\u1160\u17b4\u17b5\u3164\uffa0]"
"""Letters that nobody can see."""
_ALNUM: Final = r"[^\x00-/:-@\[-`{-\xbf]"
_IN_NAME: Final = r"[^\x00-\x1f!-,/:-@\[-\^`{-\xbf]"
"""Editors know ``\\w`` as ASCII only, so they are told which signs can't stand in a name."""

_TABLE: Final = (
    JobField(
        key="name",
        attribute="name",
        label="Name",
        check=Text(
            pattern=rf"(?!.*{_UNSEEN})[^\W_]([\w. -]{{0,61}}[\w.-])?",
            for_editors=rf"{_ALNUM}({_IN_NAME}{{0,61}}(?! ){_IN_NAME})?",
            rule="letters of any script, digits, blanks and . _ - inside",
            max_chars=63,
        ),
        help="A name for people; it need not be unique.",
        flag="--name",
        metavar="NAME",
    ),
    JobField(
        key="pool",
        attribute="pool",
        label="Pool",
        check=Text(pattern=NAME_PATTERN.pattern, rule="a pool's name", max_chars=63),
        help="The pool to run in (default: the only one there is, else `default`).",
        flag="--pool",
        metavar="POOL",
    ),
    JobField(
        key="queue",
        attribute="queue",
        label="Queue",
        check=Text(
            pattern=rf"({NAME_PATTERN.pattern}/)?{NAME_PATTERN.pattern}",
            rule="a queue's name or POOL/QUEUE",
            max_chars=127,
        ),
        help="The queue of that pool, or POOL/QUEUE (default: default).",
        default="default",
        flag="--queue",
        metavar="QUEUE",
    ),
    JobField(
        key="image",
        attribute="image",
        label="Image",
        check=Image(),
        help="The container image; without one the job runs as a plain process.",
        flag="--image",
        metavar="IMAGE",
    ),
    JobField(
        key="command",
        attribute="command",
        label="Command",
        check=Command(),
        help="Text for /bin/sh -c, or a list that is executed as it stands.",
        flag="--cmd",
        metavar="TEXT",
    ),
    JobField(
        key="gpus",
        attribute="gpus",
        label="GPUs",
        check=Whole(minimum=0, maximum=MAX_GPUS),
        help="How many cards; 0 is CPU only (default: 0).",
        default=0,
        flag="--gpus",
        metavar="N",
    ),
    JobField(
        key="gpu_type",
        attribute="gpu_type",
        label="GPU type",
        check=Text(pattern=r"[^\x00-\x1f\x7f]*[^\x00-\x20\x7f]", rule="a model", max_chars=63),
        help="Part of the card's model or of a node's label, in any case.",
        flag="--gpu-type",
        metavar="MODEL",
    ),
    JobField(
        key="gpu_memory",
        attribute="gpu_memory_mib",
        label="GPU memory",
        check=Memory(maximum_mib=4 * _TIB_MIB),
        help="The least memory of each card; with `share`, how much of one card.",
        flag="--gpu-memory",
        metavar="SIZE",
    ),
    JobField(
        key="share",
        attribute="share",
        label="Share a card",
        check=Truth(),
        help="Take only `gpu_memory` of one card; others may run beside it.",
        default=False,
        flag="--share",
    ),
    JobField(
        key="cpus",
        attribute="cpus",
        label="CPUs",
        check=Number(minimum=0.01, maximum=4096.0),
        help="Processor cores; fractions are fine.",
        flag="--cpus",
        metavar="N",
    ),
    JobField(
        key="memory",
        attribute="memory_mib",
        label="Memory",
        check=Memory(minimum_mib=6, maximum_mib=64 * _TIB_MIB),
        help="Main memory, beyond which the job is killed.",
        flag="--memory",
        metavar="SIZE",
    ),
    JobField(
        key="shm_size",
        attribute="shm_mib",
        label="Shared memory",
        check=Memory(maximum_mib=64 * _TIB_MIB),
        help="The size of /dev/shm, which data loaders use.",
        flag="--shm-size",
        metavar="SIZE",
    ),
    JobField(
        key="env",
        attribute="env",
        label="Environment",
        check=Environment(),
        help="Environment variables.",
        default={},
        flag="--env",
        metavar="KEY=VALUE",
        repeated=True,
    ),
    JobField(
        key="mounts",
        attribute="mounts",
        label="Mounts",
        check=Mounts(),
        help="Mounts that the node's owner has named, as NAME:/path[:ro|:rw].",
        default=(),
        flag="--mount",
        metavar="NAME:/PATH",
        repeated=True,
    ),
    JobField(
        key="with",
        attribute="with_folder",
        label="With folder",
        check=Folder(),
        help="A folder to pack now and unpack into /workspace; REST takes its sha256 name.",
        flag="--with",
        metavar="DIR",
    ),
    JobField(
        key="workdir",
        attribute="workdir",
        label="Working folder",
        check=Workdir(),
        help="Where the command starts (default: /workspace, the job's own folder).",
        flag="--workdir",
        metavar="PATH",
    ),
    JobField(
        key="run_as",
        attribute="run_as",
        label="Run as",
        check=RunAs(),
        help="Numeric user id, or user and group id.",
        flag="--run-as",
        metavar="UID[:GID]",
    ),
    JobField(
        key="timeout",
        attribute="timeout_s",
        label="Timeout",
        check=Duration(minimum_s=0.001, maximum_s=10 * _YEAR_S),
        help="How long one attempt may run.",
        flag="--timeout",
        metavar="DURATION",
    ),
    JobField(
        key="restart",
        attribute="restart",
        label="Restart",
        check=Restarts(),
        help="What follows when the job fails by itself: never or on-failure (default: never).",
        default=Restart(),
        inner=_RESTART_FIELDS,
    ),
    JobField(
        key="priority",
        attribute="priority",
        label="Priority",
        check=Whole(minimum=-MAX_PRIORITY, maximum=MAX_PRIORITY),
        help="From -100 to 100; higher goes first within the queue (default: 0).",
        default=0,
        flag="--priority",
        metavar="N",
    ),
    JobField(
        key="after",
        attribute="after",
        label="After",
        check=JobNames(),
        help="Jobs that must have succeeded first; of an array all tasks: 41, or 42[7].",
        default=(),
        flag="--after",
        metavar="ID",
        repeated=True,
    ),
    JobField(
        key="after_failed",
        attribute="after_failed",
        label="If one fails",
        check=Choice(choices=("fail", "wait")),
        help="Whether this job then fails too (default) or waits until it is retried.",
        default="fail",
        flag="--after-failed",
        metavar="fail|wait",
    ),
    JobField(
        key="not_before",
        attribute="not_before",
        label="Not before",
        check=Moment(),
        help="The earliest start: 2026-03-01T08:00:00Z.",
        flag="--not-before",
        metavar="TIME",
    ),
    JobField(
        key="array",
        attribute="array",
        label="Array",
        check=Array(),
        help="Run once for each index: 0-9 or 0-9,12; 0-99%8 runs 8 at once at most.",
        default=JobArray(),
        flag="--array",
        metavar="INDICES",
    ),
    JobField(
        key="num_nodes",
        attribute="num_nodes",
        label="Number of nodes",
        check=Whole(minimum=1, maximum=64),
        help="How many nodes at once, each with all that is asked for (default: 1).",
        default=1,
        flag="--num-nodes",
        metavar="N",
    ),
    JobField(
        key="nodes",
        attribute="nodes",
        label="Nodes",
        check=Nodes(),
        help="Only these nodes.",
        default=(),
        flag="--node",
        metavar="NODE",
        repeated=True,
    ),
    JobField(
        key="labels",
        attribute="labels",
        label="Labels",
        check=Labels(),
        help="Words of your own to find jobs by.",
        default={},
        flag="--label",
        metavar="KEY=VALUE",
        repeated=True,
    ),
)

FIELDS: Final[Mapping[str, JobField]] = {field.key: field for field in _TABLE}
"""Every field by its key, in the order people read them."""

ALIASES: Final[Mapping[str, str]] = {
    "cmd": "command", "args": "command", "script": "command", "run": "command",
    "entrypoint": "command", "container": "image", "docker_image": "image",
    "num_gpus": "gpus", "cards": "gpus", "accelerators": "gpus", "gpu_model": "gpu_type",
    "vram": "gpu_memory", "gpu_mem": "gpu_memory", "cpu": "cpus", "cores": "cpus",
    "mem": "memory", "ram": "memory", "memory_mib": "memory", "shm": "shm_size",
    "environment": "env", "envs": "env", "volumes": "mounts", "volume": "mounts",
    "folder": "with", "context": "with", "working_dir": "workdir", "cwd": "workdir",
    "user": "run_as", "uid": "run_as", "time_limit": "timeout", "walltime": "timeout",
    "time": "timeout", "retry": "restart", "retries": "restart", "backoff": "restart",
    "depends_on": "after", "dependency": "after", "node": "nodes", "nodelist": "nodes",
    "hosts": "nodes", "tags": "labels", "partition": "queue", "project": "labels",
}  # fmt: skip
"""What neighbouring tools call things, for "did you mean"."""


def flag_fields() -> Iterator[JobField]:
    """Yield every field that has a flag, those below ``restart`` too."""
    for field in _TABLE:
        yield from (inner for inner in (field, *field.inner) if inner.flag is not None)


def nested(values: Mapping[str, object]) -> dict[str, object]:
    """Return values under dotted keys (from flags or a form) as a job file would nest them."""
    fields: dict[str, object] = {}
    for key, value in values.items():
        outer, _, inner = key.partition(".")
        if not inner:
            fields[outer] = value
            continue
        below = fields.get(outer)
        fields[outer] = {**(below if isinstance(below, Mapping) else {}), inner: value}
    return fields
