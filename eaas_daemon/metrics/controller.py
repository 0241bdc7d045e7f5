"""The controller itself: who is connected, what it keeps on its disk, what it watches."""

import os
import platform
from collections.abc import Iterator
from pathlib import Path

from eaas.views import FolderView
from eaas_daemon.metrics.family import Family, counter, gauge, info
from eaas_daemon.metrics.live import SINCE
from eaas_daemon.metrics.moment import Moment


def controller_families(moment: Moment) -> Iterator[Family]:
    """Yield everything about the controller that is not counted while it happens."""
    version = (moment.version, platform.python_version())
    yield info("build", "The controller's version", ["version", "python_version"], [version])
    yield gauge(
        "engine_seq",
        "Number of the journal's newest line; a restart does not reset it",
        [],
        [((), moment.state.seq)],
    )
    yield gauge(
        "agents_connected", "Agents that are connected and welcome", [], [((), moment.agents)]
    )
    yield gauge(
        "stream_subscribers",
        "Consoles and programs that follow the stream",
        [],
        [((), moment.subscribers)],
    )
    yield from _disk(moment)
    yield from _folders(moment.folders)


def _disk(moment: Moment) -> Iterator[Family]:
    yield gauge(
        "log_stored",
        "What the jobs' logs take on the controller's disk",
        [],
        [((), moment.log_stored_bytes)],
        unit="bytes",
    )
    yield gauge(
        "log_budget",
        "What the jobs' logs may take; then the oldest ended ones go",
        [],
        [((), moment.log_budget_bytes)],
        unit="bytes",
    )
    yield gauge(
        "database",
        "What the database takes, its write-ahead log with it",
        [],
        [((), database_bytes(moment.database))],
        unit="bytes",
    )
    yield gauge(
        "home_free",
        "Room on the disk of the controller's data folder",
        [],
        [((), free_bytes(moment.database.parent))],
        unit="bytes",
    )


def database_bytes(path: Path) -> int | None:
    """Return what the database and the files beside it take, or None if that can't be seen."""
    try:
        names = [path, *path.parent.glob(f"{path.name}-*")]
        return sum(name.stat().st_size for name in names)
    except OSError:
        return None


def free_bytes(folder: Path) -> int | None:
    """Return what this user may still write there, or None if that can't be seen."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return None
    return disk.f_bavail * disk.f_frsize


def _folders(views: tuple[FolderView, ...]) -> Iterator[Family]:
    """Yield the watched folders; one that is watched twice, for two queues, counts as one."""
    paths = sorted({view.path for view in views})
    by_path = {path: [view for view in views if view.path == path] for path in paths}
    yield gauge(
        "folder_enabled",
        "1 while files are taken from the watched folder",
        ["folder"],
        [
            ((path,), all(view.state == "watching" for view in same))
            for path, same in by_path.items()
        ],
    )
    yield counter(
        "folder_files_accepted",
        f"Files of the watched folder that were accepted{SINCE}",
        ["folder"],
        [((path,), sum(view.accepted for view in same)) for path, same in by_path.items()],
    )
    yield counter(
        "folder_files_refused",
        f"Files of the watched folder that were refused{SINCE}",
        ["folder"],
        [((path,), sum(view.refused for view in same)) for path, same in by_path.items()],
    )
    yield gauge(
        "folder_files_left",
        "What lies in the watched folder and is not taken",
        ["folder"],
        [((path,), max(view.left for view in same)) for path, same in by_path.items()],
    )
    yield gauge(
        "folder_destination_wrong",
        "1 while the pool, queue or user that a watched folder's settings name is not there",
        ["folder"],
        [((path,), any(map(_is_doubtful, same))) for path, same in by_path.items()],
    )


def _is_doubtful(view: FolderView) -> bool:
    return view.state == "watching" and view.reason is not None
