"""Whether the agent's state folder is the one it was, or a copy of one that another agent works on.

A copy has the same identity, and its attempts are processes and containers of the other. Within one
boot a folder keeps its inode wherever it is renamed to; a copy has another. After a reboot nothing
of before runs, and the controller tells two agents of one identity apart.
"""

from pathlib import Path
from typing import Final

import msgspec

from eaas.errors import EaasError

KEY: Final = "place"
"""Under this the ledger remembers it."""


class CopiedState(EaasError):
    """The state folder is a copy, or was moved while something of it ran."""

    code = "copied_state"


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a state folder was seen last."""

    boot_id: str
    path: str
    device: int
    inode: int

    @property
    def text(self) -> str:
        """Return it as it is kept."""
        return msgspec.json.encode(self).decode()

    def is_still_there(self) -> bool:
        """Tell whether the very folder is still at its path."""
        try:
            found = Path(self.path).stat()
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == (self.device, self.inode)


def place_of(state_dir: Path, boot_id: str) -> Place:
    """Return where the folder is now."""
    found = state_dir.stat()
    return Place(
        boot_id=boot_id,
        path=str(state_dir.absolute()),
        device=found.st_dev,
        inode=found.st_ino,
    )


def refuse_a_copy(before: str | None, now: Place, *, has_live: bool) -> None:
    """Raise ``CopiedState`` where an agent would take another's jobs for its own leftovers.

    ``before`` is what the ledger remembers; ``has_live`` tells whether it lists attempts that may
    run.
    """
    if before is None:
        return
    was = msgspec.json.decode(before, type=Place)
    if was.boot_id != now.boot_id or (was.device, was.inode) == (now.device, now.inode):
        return
    if was.is_still_there():
        raise CopiedState(
            f"{now.path} is a copy of {was.path}, and only one of both can be the node: on the "
            f"copy, remove the state folder (rm -r {now.path}) and let it join anew"
        )
    if has_live:
        raise CopiedState(
            f"{now.path} was copied from {was.path} while jobs of it ran, and their processes know "
            f"only that one: move it back, or wait until they have ended and restart the machine"
        )
