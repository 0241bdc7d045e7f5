"""What can be said of a watched folder in controller.yaml."""

from pathlib import Path
from typing import Annotated

import msgspec

KEEP_DAYS = 90


class FolderSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of ``folders:``."""

    path: Path
    pool: str | None = None
    """Where jobs go that name no pool."""
    queue: str | None = None
    """The queue of those jobs, unless they name one."""
    user: str | None = None
    """Whose jobs they are; None: the file's owner's, by the name this host has for the uid."""
    log: bool = False
    """Put a job's log beside its file when it ends, unless the file says ``log: false``."""
    keep_days: Annotated[int, msgspec.Meta(ge=1)] | None = KEEP_DAYS
    """How long accepted files stay after their jobs have ended, and refused ones; None: always."""

    @property
    def defaults(self) -> dict[str, str]:
        """Return the job keys that a file need not have."""
        given = {"pool": self.pool, "queue": self.queue}
        return {key: value for key, value in given.items() if value is not None}
