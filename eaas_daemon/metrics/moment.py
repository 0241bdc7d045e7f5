"""What one scrape shows: everything as it stood between two steps, to be written bit by bit."""

from pathlib import Path

import msgspec

from eaas.views import FolderView
from eaas_daemon.core.state import State


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """A still picture: the pool may go on while it is looked at."""

    state: State
    """Still: nothing changes in it."""
    now: float
    version: str
    database: Path
    subscribers: int
    agents: int
    log_stored_bytes: int
    log_budget_bytes: int
    folders: tuple[FolderView, ...]
