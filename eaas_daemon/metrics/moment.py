"""What one scrape shows: everything as it stood between two steps, to be written elsewhere."""

from pathlib import Path

import msgspec

from eaas.views import FolderView
from eaas_daemon.core.state import State


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """A still picture. Whoever has it may read it in another thread."""

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
