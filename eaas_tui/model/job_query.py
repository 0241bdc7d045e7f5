"""Which jobs a list shows and in which order, and the work to find that out done only once."""

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from eaas.lifecycle import ENDED, JobState
from eaas.views import JobView
from eaas_tui.model.columns import Cell
from eaas_tui.model.filters import Filter, FilterMistake, parse
from eaas_tui.model.kept_order import KeptOrder
from eaas_tui.model.order import DEFAULT, merged, ordered
from eaas_tui.model.past_found import PastFound

SPARE: Final = 1000
"""So many verdicts about jobs that are gone may be kept."""
NOTHING: Final[Mapping[int, JobView]] = MappingProxyType({})


class JobQuery(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asked to see."""

    text: str = ""
    """The filter as typed."""
    mine: bool = False
    state: str | None = None
    """Only jobs in this state."""
    ended: bool = False
    """Whether jobs that have ended are shown too."""
    sort: str = DEFAULT
    reverse: bool = False

    @property
    def shows_ended(self) -> bool:
        """Tell whether jobs that have ended could be shown."""
        return self.ended if self.state is None else self.state in ENDED

    @property
    def leaves_out_ended(self) -> bool:
        """Tell whether it leaves out what has ended although no state was asked for."""
        return not self.ended and self.state is None

    @property
    def is_narrowed(self) -> bool:
        """Tell whether it leaves out more than what has ended."""
        return bool(self.text or self.mine or self.state)

    def words(self) -> str:
        """Return what is asked for, for the line above the list."""
        parts = [self.text] if self.text else []
        parts += [f"state:{self.state}"] if self.state else []
        parts += ["mine"] if self.mine else []
        parts += ["with ended"] if self.ended else []
        sort = "" if self.sort == DEFAULT else f"  sort: {self.sort}{' v' if self.reverse else ''}"
        return f"filter: {' '.join(parts) or '(none)'}{sort}"


def next_state(query: JobQuery, jobs: Iterable[JobView]) -> JobQuery:
    """Return the query with the next state that any job is in, and after the last with none."""
    present = {job.state for job in jobs}
    states = [str(state) for state in JobState if state in present]
    later = states[states.index(query.state) + 1 :] if query.state in states else states
    if query.state is not None and query.state not in states:
        later = []
    return msgspec.structs.replace(query, state=later[0] if later else None)


def counts_line(finder: "JobFinder", *, marked: int, doing: str) -> list[Cell]:
    """Return the line above the list: how many of how many, by what, and how many are marked.

    What ended long ago is counted apart: of how many it is nobody knows before all of it came.
    ``doing`` says what of it is still to come.
    """
    line = [Cell(f"JOBS {finder.live_shown} of {finder.live}  ", "strong")]
    if finder.mistake is not None:
        line.append(Cell(f"{finder.mistake.text}  ", "bad"))
    line.append(Cell(finder.query.words()))
    if marked:
        line.append(Cell(f"  {marked} marked", "warn"))
    if finder.past or doing:
        shown = "" if finder.past_shown == finder.past else f"{finder.past_shown} of "
        words = f"  {shown}{finder.past} of the past{', ' if doing else ''}{doing}"
        line.append(Cell(words, "muted"))
    if finder.live_shown < finder.live and finder.query.leaves_out_ended:
        line.append(Cell("  ended hidden: f shows them", "muted"))
    return line


class JobFinder:
    """Answers queries; looks again only at jobs that have changed since the last answer."""

    def __init__(self) -> None:
        self.query = JobQuery()
        """What was asked last."""
        self.mistake: FilterMistake | None = None
        """What is wrong with the filter; the last one that was right holds meanwhile."""
        self.live = self.live_shown = 0
        """How many live jobs there are, whatever was asked, and how many of them are shown."""
        self.past = self.past_shown = 0
        """The same of those that ended long ago, as far as they came and are asked for."""
        self._filter = Filter("", (), (), [])
        self._asked: tuple[JobQuery, str | None] | None = None
        self._found_in: Mapping[int, JobView] | None = None
        self._found_with: tuple[object, ...] = ()
        self._found: Mapping[int, JobView] = NOTHING
        self._fit: dict[int, JobView] = {}
        self._unfit: dict[int, JobView] = {}
        """Jobs as they were when they were looked at, by what was found."""
        self._order: Final = KeptOrder()
        self._past_found: Final = PastFound()

    def find(
        self,
        query: JobQuery,
        live: Mapping[int, JobView],
        past: Mapping[int, JobView] = NOTHING,
        *,
        user: str | None,
        now: float,
        kept: Collection[int] = (),
    ) -> Mapping[int, JobView]:
        """Return the jobs to show by number, in order; ``live`` wins over ``past``, which is older.

        ``kept`` are numbers of jobs that stay although the query leaves them out now: the selected
        one does not vanish under a person's hands because it has just ended. When nothing has
        changed it is the very same answer as before.
        """
        asked = (query, user, len(past), tuple(kept))
        if live is self._found_in and asked == self._found_with:
            return self._found
        self._found_in, self._found_with = live, asked
        self._ask(query, user)
        if len(self._fit) + len(self._unfit) > 2 * len(live) + SPARE:
            self._fit, self._unfit = {}, {}
        shown = self._shown_of(live, query, user, kept)
        in_order = self._order.of(shown, query.sort, now=now, reverse=query.reverse)
        self.live, self.live_shown, self.past = len(live), len(shown), 0
        if past and query.shows_ended:
            in_order = self._with_past(in_order, query, live, past, user=user, kept=kept)
        self.past_shown = len(in_order) - len(shown)
        self._found = {job.id: job for job in in_order}
        return self._found

    @property
    def count(self) -> int:
        """Return how many jobs there were to choose from."""
        return self.live + self.past

    def _with_past(
        self,
        shown: list[JobView],
        query: JobQuery,
        live: Mapping[int, JobView],
        past: Mapping[int, JobView],
        *,
        user: str | None,
        kept: Collection[int],
    ) -> list[JobView]:
        """Return what is shown of the live jobs with what is shown of the past."""
        sort, reverse = query.sort, query.reverse
        asked = (query, user, self._filter.text)
        found = self._past_found.find(
            past, asked, lambda job: self._fits(job, query, user), sort=sort, reverse=reverse
        )
        newer = live.keys() & past.keys()
        self.past = len(past) - len(newer)
        stay = {id for id in kept if id in past and not self._fits(past[id], query, user)} - newer
        if newer:
            found = [job for job in found if job.id not in newer]
        if stay:
            shown = ordered([*shown, *(past[id] for id in stay)], sort, reverse=reverse)
        return merged(found, shown, sort, reverse=reverse)

    def _ask(self, query: JobQuery, user: str | None) -> None:
        self.query = query
        if self._asked == (query, user):
            return
        self._asked = (query, user)
        self._fit, self._unfit = {}, {}
        if query.text != self._filter.text or self.mistake is not None:
            answer = parse(query.text)
            self.mistake = answer if isinstance(answer, FilterMistake) else None
            self._filter = answer if isinstance(answer, Filter) else self._filter

    def _shown_of(
        self, live: Mapping[int, JobView], query: JobQuery, user: str | None, kept: Collection[int]
    ) -> list[JobView]:
        """Return the live jobs to be shown, and look only at those that are new or changed."""
        fit, unfit = self._fit, self._unfit
        for id, job in live.items():
            if fit.get(id) is not job and unfit.get(id) is not job:
                verdict = self._fits(job, query, user)
                known, other = (fit, unfit) if verdict else (unfit, fit)
                known[id] = job
                other.pop(id, None)
        return [job for id, job in live.items() if fit.get(id) is job or id in kept]

    def _fits(self, job: JobView, query: JobQuery, user: str | None) -> bool:
        return (
            (query.shows_ended or job.state not in ENDED)
            and (query.state is None or job.state == query.state)
            and (not query.mine or job.user == user)
            and self._filter.matches(job)
        )
