"""What the controller is asked about one job beside the stream: why it waits, its journal."""

from collections.abc import Callable
from typing import Final, Protocol

from textual.widget import Widget

from eaas.errors import EaasError
from eaas.lifecycle import ENDED
from eaas.safe_text import safe_text
from eaas.views import EventView, JobView, Page
from eaas.why_views import WhyView
from eaas_tui.model.cleaning import Cleaner

EVENTS_SHOWN: Final = 500


class JobClient(Protocol):
    """What is asked of the client."""

    async def job(self, id: int) -> JobView:
        """Return the job."""
        ...

    async def why(self, id: int) -> WhyView:
        """Return why the job is where it is."""
        ...

    async def events(
        self, *, after: int | None = None, limit: int | None = None, job: int | None = None
    ) -> Page[EventView]:
        """Return lines of the journal."""
        ...


class JobFacts:
    """Asks about one job when something about it changed, and keeps the last answers.

    Everything asked for is cleaned here, where it enters the console.
    """

    def __init__(
        self,
        owner: Widget,
        id: int,
        client: Callable[[], JobClient | None],
        on_change: Callable[[], None],
    ) -> None:
        self.id: Final = id
        self.job: JobView | None = None
        """As the controller gave it, for a job that the stream does not tell of any more."""
        self.why: WhyView | None = None
        self.events: tuple[EventView, ...] = ()
        self.trouble = ""
        self._owner: Final = owner
        self._client: Final = client
        self._on_change: Final = on_change
        self._clean: Final = Cleaner()

    def look_up(self) -> None:
        """Ask for the job itself."""
        if (client := self._client()) is not None:
            self._owner.run_worker(self._job(client), group="job", exclusive=True)

    def ask_why(self, job: JobView) -> None:
        """Ask why the job waits, if it has not ended."""
        client = self._client()
        if client is not None and job.state not in ENDED:
            self._owner.run_worker(self._why(client), group="why", exclusive=True)

    def ask_events(self) -> None:
        """Ask for the job's lines of the journal."""
        if (client := self._client()) is not None:
            self._owner.run_worker(self._events(client), group="events", exclusive=True)

    def heard(self, events: tuple[EventView, ...]) -> None:
        """Add what the stream tells of the job since."""
        newest = self.events[-1].seq if self.events else 0
        fresh = tuple(one for one in events if one.job == self.id and one.seq > newest)
        if fresh:
            self.events = (*self.events, *fresh)[-EVENTS_SHOWN:]

    async def _job(self, client: JobClient) -> None:
        try:
            self.job = self._clean(await client.job(self.id))
            self.trouble = ""
        except EaasError as error:
            self.trouble = safe_text(error.sentence)
        self._on_change()

    async def _why(self, client: JobClient) -> None:
        try:
            self.why = self._clean(await client.why(self.id))
        except EaasError:
            return  # the status line tells that the controller is away; the old answer stays
        self._on_change()

    async def _events(self, client: JobClient) -> None:
        try:
            page = await client.events(job=self.id, limit=EVENTS_SHOWN)
        except EaasError:
            return
        later, self.events = self.events, tuple(self._clean(event) for event in page.items)
        self.heard(later)
        self._on_change()
