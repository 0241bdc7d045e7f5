"""Which jobs of the past a query shows, in its order: every page is looked at once."""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from eaas.views import JobView
from eaas_tui.model.order import merged, ordered


class PastFound:
    """Remembers the answer: what ended long ago does not change, there only comes more of it."""

    def __init__(self) -> None:
        self._past: Mapping[int, JobView] | None = None
        self._asked: object = None
        self._seen = 0
        self._shown: list[JobView] = []

    def find(
        self,
        past: Mapping[int, JobView],
        asked: object,
        shows: Callable[[JobView], bool],
        *,
        sort: str,
        reverse: bool,
    ) -> Sequence[JobView]:
        """Return the jobs that ``shows`` says yes to, in order.

        ``past`` only ever grows at its end; ``asked`` stands for ``shows`` and the order, and
        whenever it is another one, everything is looked at again.
        """
        if past is not self._past or asked != self._asked:
            self._past, self._asked = past, asked
            self._seen, self._shown = 0, []
        if len(past) > self._seen:
            fresh = [job for job in islice(past.values(), self._seen, None) if shows(job)]
            self._seen = len(past)
            few = ordered(fresh, sort, reverse=reverse)
            self._shown = merged(self._shown, few, sort, reverse=reverse) if self._shown else few
        return self._shown
