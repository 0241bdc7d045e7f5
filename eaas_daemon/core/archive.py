"""What is stored and not in memory any more, as the core asks for it."""

from typing import Protocol

from eaas.ids import JobUid
from eaas.lifecycle import JobState
from eaas_daemon.core.changes import KeyRow
from eaas_daemon.core.model import Job


class Archive(Protocol):
    """Looks up what is stored and not in memory any more. The controller's only writer asks it."""

    def job_by_uid(self, uid: JobUid) -> Job | None:
        """Return the stored job."""

    def job_by_number(self, number: int) -> Job | None:
        """Return the stored job."""

    def find_key(self, user: str, key: str) -> KeyRow | None:
        """Return the stored idempotency key."""

    def ended_states(self, first: int, last: int) -> dict[int, JobState]:
        """Return how the stored jobs with these numbers ended that have ended, by number."""


class NoArchive:
    """Nothing is stored."""

    def job_by_uid(self, uid: JobUid) -> Job | None:
        """Return None."""

    def job_by_number(self, number: int) -> Job | None:
        """Return None."""

    def find_key(self, user: str, key: str) -> KeyRow | None:
        """Return None."""

    def ended_states(self, first: int, last: int) -> dict[int, JobState]:
        """Return nothing."""
        return {}
