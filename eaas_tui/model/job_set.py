"""All jobs of one moment, and what was counted of them: asked again, it is not counted again.

Most pictures differ in readings alone and share their jobs, and there may be ten thousand.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

from eaas.views import JobView

T = TypeVar("T")


class JobSet(dict[int, JobView]):
    """Jobs by number; never changed once it is made."""

    __slots__ = ("known",)

    def __init__(self, jobs: Mapping[int, JobView]) -> None:
        super().__init__(jobs)
        self.known: dict[Hashable, Any] = {}
        """What ``once`` has found out, by its name."""


def once(jobs: Mapping[int, JobView], what: Hashable, count: Callable[[], T]) -> T:
    """Return what ``count`` finds out of these jobs, by the name of ``what`` for the next time."""
    if not isinstance(jobs, JobSet):
        return count()
    if what not in jobs.known:
        jobs.known[what] = count()
    found: T = jobs.known[what]
    return found
