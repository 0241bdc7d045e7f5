"""Whether a mount of agent.yaml can be given to jobs now, and which folder a job gets.

Blocking, for as long as the file system takes to answer; a network's may take for ever.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from eaas_agent.homes import home_of, people_in
from eaas_agent.named_folders import Mount
from eaas_agent.safe_folder import OpenFolder, Unfit, opened


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """What mounts are measured by on this node."""

    owners: frozenset[int]
    """Uids of those who may own the folders, and all on the way to them."""
    own: Path
    """The agent's folder: workspaces and tokens lie in it, and no job may reach them."""


def places_of(own: Path, my_uid: int) -> Places:
    """Return what counts for an agent that runs as this user: root's folders, else its own too."""
    return Places(owners=frozenset({0, my_uid}), own=own.absolute())


def look(mount: Mount, places: Places) -> tuple[str, ...] | None:
    """Return who has a folder in a per-user mount, else None; raise ``Unfit``."""
    with _at_hand(mount, places) as folder:
        return people_in(folder) if mount.per_user and not mount.create else None


def source_for(mount: Mount, user: str, places: Places) -> Path:
    """Return the folder that a job of the user is given; raise ``Unfit``, or ``NoHome``."""
    with _at_hand(mount, places) as folder:
        if mount.per_user:
            return folder.path / home_of(user, folder, create=mount.create)
        return folder.path


@contextmanager
def _at_hand(mount: Mount, places: Places) -> Iterator[OpenFolder]:
    if mount.path.is_relative_to(places.own) or places.own.is_relative_to(mount.path):
        raise Unfit(f"{mount.path} and the agent's own folder {places.own} lie in one another")
    try:
        with opened(mount.path, places.owners) as folder:
            if mount.must_be_mounted and not folder.is_mounted:
                raise Unfit(f"nothing is mounted at {mount.path}")
            if mount.per_user:
                folder.keep_still()
            os.statvfs(folder.fd)  # what is known of the folder alone may be an old answer
            yield folder
    except OSError as error:
        raise Unfit(f"{mount.path} can't be read: {error.strerror}") from error
