"""What is wrong with where a folder's settings send its jobs, before a file is refused for it."""

import pwd

from eaas.errors import EaasError
from eaas.job_spec import JobSpec
from eaas_daemon.core.admission import queue_for
from eaas_daemon.core.state import State
from eaas_daemon.intake.settings import FolderSettings


def is_on_host(user: str) -> bool:
    """Tell whether this host knows the user; this may ask a directory and takes its time."""
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True


def wrong_destination(state: State, settings: FolderSettings, *, on_host: bool) -> str | None:
    """Return what is wrong with the folder's pool, queue or user, all in one sentence.

    ``on_host``: its user is one of this host. What a folder does not say is no matter of this.
    """
    wrong = [*_queue(state, settings), *_user(state, settings, on_host=on_host)]
    return "; ".join(wrong) or None


def _queue(state: State, settings: FolderSettings) -> list[str]:
    given = settings.defaults
    if not given:
        return []
    try:
        _, queue = queue_for(state, JobSpec(pool=given.get("pool"), queue=_name(settings)))
    except EaasError as error:
        return [f"its jobs would be refused unless they say where they go: {error.sentence}"]
    user = settings.user
    if user is not None and queue.allow and user not in queue.allow:
        return [f"its jobs would be refused: queue {queue.ref} is for {', '.join(queue.allow)}"]
    return []


def _name(settings: FolderSettings) -> str:
    return settings.queue or "default"


def _user(state: State, settings: FolderSettings, *, on_host: bool) -> list[str]:
    user = settings.user
    if user is None or on_host or any(c.user == user for c in state.credentials.values()):
        return []
    return [f"its jobs are {user}'s, whom neither this host nor a token knows: is the name right?"]
