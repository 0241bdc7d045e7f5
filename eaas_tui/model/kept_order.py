"""An order that is kept: of thousands of jobs some hundreds change, and only these are sorted."""

from bisect import bisect, bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from operator import attrgetter, is_not, itemgetter
from typing import Final, TypeVar

from eaas.views import JobView
from eaas_tui.model.order import DEFAULT, Place, ordered, place_of

MUCH: Final = 4
"""Where more than one in so many jobs has changed, all are sorted."""
NUMBER: Final = attrgetter("id")

T = TypeVar("T")


class KeptOrder:
    """Answers as ``ordered`` does, and remembers the answer and each job's place in it."""

    def __init__(self) -> None:
        self._asked: tuple[str, bool] | None = None
        self._jobs: dict[int, JobView] = {}
        """The jobs of the last answer, by number."""
        self._rising: list[JobView] = []
        self._places: list[Place] = []
        """Of each of those that rise."""

    def of(
        self,
        jobs: Sequence[JobView],
        sort: str = DEFAULT,
        *,
        now: float = 0.0,
        reverse: bool = False,
    ) -> list[JobView]:
        """Return the jobs, each of another number, in that order.

        ``now`` is Unix seconds, for sorting by the time that jobs have run: there nothing is kept.
        """
        place = place_of(sort, reverse=reverse)
        if place is None:
            self._asked = None
            return ordered(jobs, sort, now=now, reverse=reverse)
        before = map(self._jobs.get, map(NUMBER, jobs))
        changed = list(compress(jobs, map(is_not, jobs, before)))
        if (sort, reverse) != self._asked or len(changed) * MUCH > len(jobs):
            self._asked = (sort, reverse)
            listed = ordered(jobs, sort, reverse=reverse)
            self._jobs = {job.id: job for job in jobs}
            self._rising = listed[::-1] if reverse else listed
            self._places = [place(job) for job in self._rising]
        else:
            self._take_out(jobs, changed, place)
            self._put_in(changed, place)
        return self._rising[::-1] if reverse else list(self._rising)

    def _take_out(
        self,
        jobs: Sequence[JobView],
        changed: Sequence[JobView],
        place: Callable[[JobView], Place],
    ) -> None:
        """Forget what is gone, and what is another now as it was before."""
        out = [self._jobs.pop(job.id) for job in changed if job.id in self._jobs]
        if len(self._jobs) > len(jobs) - len(changed):
            gone = self._jobs.keys() - set(map(NUMBER, jobs))
            out += [self._jobs.pop(id) for id in gone]
        at = sorted(bisect_left(self._places, place(job)) for job in out)
        self._rising, self._places = _without(self._rising, at), _without(self._places, at)

    def _put_in(self, changed: Sequence[JobView], place: Callable[[JobView], Place]) -> None:
        """Put what is new where it belongs."""
        rising: list[JobView] = []
        places: list[Place] = []
        done = 0
        for at, job in sorted(((place(job), job) for job in changed), key=itemgetter(0)):
            to = bisect(self._places, at, done)
            rising += self._rising[done:to]
            places += self._places[done:to]
            rising.append(job)
            places.append(at)
            done = to
        self._rising = rising + self._rising[done:]
        self._places = places + self._places[done:]
        self._jobs.update((job.id, job) for job in changed)


def _without(items: list[T], at: Iterable[int]) -> list[T]:
    """Return the items but for those at these indexes, which ascend."""
    kept: list[T] = []
    done = 0
    for index in at:
        kept += items[done:index]
        done = index + 1
    return kept + items[done:]
