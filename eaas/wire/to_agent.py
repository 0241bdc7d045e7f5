"""What the controller says to an agent on its control link."""

from typing import Literal

import msgspec

from eaas.wire.codec import Codec


class ToAgent(msgspec.Struct, frozen=True, kw_only=True):
    """Any message of this direction."""


class Welcome(ToAgent, frozen=True, kw_only=True, tag="welcome"):
    """The greeting was accepted. The full wanted list follows."""

    protocol: int
    session: str
    """Names this connection; log links carry it too."""
    epoch: int
    life: str = ""
    """New with every start of a controller; empty: one that does not know of lives."""
    life_seq: int = 0
    """How far this life has come: the last change it has stored."""
    past_seq: int | None = None
    """How far this controller's past holds the life that the greeting named; None: not at all."""
    acked_seq: int
    """The highest spool sequence already committed here; 0 for none."""
    server_time: float
    """Unix seconds, to notice a wrong clock; never used to decide."""


class Refused(ToAgent, frozen=True, kw_only=True, tag="refused"):
    """The agent may not join. Its jobs run on; it tries again later."""

    code: str
    text: str


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that should end."""

    grace_s: float
    why: Literal["cancelled", "timed_out", "unwanted"]
    again: bool = False
    """Whether the job goes on in another attempt, later or elsewhere."""


class Rank(msgspec.Struct, frozen=True, kw_only=True):
    """Which part of a job on several nodes an attempt is, and where its first rank listens."""

    rank: int
    """From 0."""
    ranks: int
    """How many there are, each on a node of its own."""
    address: str
    """Of the first rank's node, as the other nodes reach it."""
    port: int
    """Chosen anew for every attempt of the whole."""
    whole: int
    """The number by which the job goes as a whole: its first rank's."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt that should run here, complete in itself."""

    uid: str
    number: int
    attempt: int
    epoch: int
    known: bool
    """True once the controller has heard of its start: an agent that does not hold it
    must answer ``lost`` and never start it."""
    user: str
    queue: str | None = None
    """``pool/queue``, where the job came in."""
    cards: tuple[str, ...]
    image: str | None = None
    image_digest: str | None = None
    command: tuple[str, ...] | str | None = None
    env: dict[str, str] = {}
    cpus: float | None = None
    memory_mib: int | None = None
    shm_mib: int | None = None
    mounts: tuple[str, ...] = ()
    pack: str | None = None
    """``sha256:...`` of the folder to unpack into a fresh workspace."""
    workdir: str | None = None
    run_as: str | None = None
    timeout_s: float | None = None
    log_cap_mib: int = 2048
    keep_s: float = 7 * 86400
    """How long the workspace stays after the job's end."""
    stop: Stop | None = None
    rank: Rank | None = None
    """Of a job on several nodes."""
    share_mib: int | None = None
    """The memory that it declared of its one card; None is the whole of every card."""


class Wanted(ToAgent, frozen=True, kw_only=True, tag="wanted"):
    """The desired state: everything (``full``), or what changed since the message before."""

    full: bool
    orders: tuple[Order, ...]
    """New or changed ones; with ``full`` all of them, and what is not listed should not run."""
    dropped: tuple[tuple[str, int], ...] = ()
    """(uid, attempt) whose end is committed here: forget them once their log is acknowledged."""
    job_ended: tuple[str, ...] = ()
    """Uids of jobs that are over for good, so that their workspace's keeping time begins."""
    keep_until: tuple[tuple[str, float], ...] = ()
    """(uid, Unix seconds): workspaces that a person asked to keep at least that long."""
    life_seq: int = 0
    """The controller's last stored change. An empty message only tells of that."""


class Ack(ToAgent, frozen=True, kw_only=True, tag="ack"):
    """Every fact up to here is committed."""

    spool_id: str
    seq: int


class SendFiles(ToAgent, frozen=True, kw_only=True, tag="send_files"):
    """POST a tar of this path of the job's workspace to ``/agent/v1/files/{request}``."""

    request: str
    uid: str
    path: str
    """Relative to the workspace; never leaves it."""


class CleanCard(ToAgent, frozen=True, kw_only=True, tag="clean_card"):
    """A person vouches for a card that looks dirty: what is on it now counts as its idle level."""

    uuid: str


AnyToAgent = Welcome | Refused | Wanted | Ack | SendFiles | CleanCard

TO_AGENT: Codec[AnyToAgent] = Codec(AnyToAgent)
