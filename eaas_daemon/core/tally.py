"""What live attempts hold, counted for everybody who can have a cap."""

from collections.abc import Iterator
from typing import Literal, NamedTuple, Self

from eaas.ids import JobUid, PoolName, UserName
from eaas_daemon.core.ask import ArrayLimit, limit_of
from eaas_daemon.core.model import Job, Value


class Use(NamedTuple):
    """Jobs that are placed, and the cards they hold."""

    jobs: int = 0
    gpus: int = 0

    def plus(self, jobs: int, gpus: int) -> Self:
        """Return this with that much more."""
        return type(self)(self.jobs + jobs, self.gpus + gpus)


NOTHING = Use()

Account = tuple[str, ...]


class CapPlace(Value, frozen=True, kw_only=True):
    """What comes free of a cap is kept for this job."""

    scope: str
    """``queue pool/queue`` or ``pool name``."""
    user: str
    """Whose cap it is; empty where it is the whole queue's."""
    what: Literal["jobs", "cards"]
    uid: JobUid


class Tally:
    """What is held by queue, by user of a queue, by user of a pool, and by arrays with a limit."""

    def __init__(self) -> None:
        self._uses: dict[Account, Use] = {}

    def add(self, job: Job) -> None:
        """Count a job that is placed."""
        self.count(job.pool, job.ref, job.user, 1, job.spec.gpus, limit_of(job))

    def remove(self, job: Job) -> None:
        """Count a job no more."""
        self.count(job.pool, job.ref, job.user, -1, -job.spec.gpus, limit_of(job))

    def count(
        self,
        pool: PoolName,
        ref: str,
        user: str,
        jobs: int,
        gpus: int,
        limit: ArrayLimit | None = None,
    ) -> None:
        """Count that much more of the user in this queue of the pool, and of an array."""
        accounts = [_queue(ref), _user(ref, user), _pool(pool, user)]
        if limit is not None:
            accounts.append(_array(limit.array))
        for account in accounts:
            use = self._uses.get(account, NOTHING).plus(jobs, gpus)
            if use == NOTHING:
                self._uses.pop(account, None)
            else:
                self._uses[account] = use

    def copy(self) -> "Tally":
        """Return one to count on with, while this stays as it is."""
        twin = Tally()
        twin._uses = dict(self._uses)
        return twin

    def of_queue(self, ref: str) -> Use:
        """Return what all jobs of the queue hold."""
        return self._uses.get(_queue(ref), NOTHING)

    def of_user(self, ref: str, user: str) -> Use:
        """Return what one user's jobs of the queue hold."""
        return self._uses.get(_user(ref, user), NOTHING)

    def of_pool_user(self, pool: PoolName, user: UserName | str) -> Use:
        """Return what one user's jobs hold in the whole pool."""
        return self._uses.get(_pool(pool, user), NOTHING)

    def of_array(self, array: int) -> Use:
        """Return what the tasks of an array hold that has a limit of its own."""
        return self._uses.get(_array(array), NOTHING)

    def users_of(self, pool: PoolName) -> set[str]:
        """Return who has jobs placed in the pool."""
        return {account[2] for account in self._uses if account[:2] == ("pool", pool)}

    def jobs(self) -> int:
        """Return how many jobs are placed in all queues."""
        return sum(use.jobs for account, use in self._uses.items() if account[0] == "queue")

    def __iter__(self) -> Iterator[tuple[Account, Use]]:
        """Yield every account that holds something."""
        return iter(self._uses.items())


def _queue(ref: str) -> Account:
    return ("queue", ref)


def _user(ref: str, user: str) -> Account:
    return ("user", ref, user)


def _pool(pool: str, user: str) -> Account:
    return ("pool", pool, user)


def _array(number: int) -> Account:
    return ("array", str(number))
