"""What a person asks of the controller: one wish after the other, each with its answer shown."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, cast

from eaas.errors import EaasError
from eaas.lifecycle import ENDED
from eaas.node_views import NodeView
from eaas.safe_text import safe_text
from eaas.views import JobView, QueueView
from eaas.wire.rest import SetQueue
from eaas_tui.model.picture import Picture

if TYPE_CHECKING:
    from eaas.client import Client

PRIORITY_LEAST: Final = -100
PRIORITY_MOST: Final = 100
AT_ONCE: Final = 8
"""How many jobs of one wish are asked about at the same time."""

NAMED: Final = 8
"""How many of the jobs that were refused are named one by one."""

Severity = Literal["information", "warning", "error"]
JobCall = Callable[["Client", int], Awaitable[JobView]]


class Notify(Protocol):
    """Shows a person one sentence; ``App.notify`` is one."""

    def __call__(self, message: str, *, severity: Severity, markup: bool, about: str) -> None:
        """Show the sentence, in the place of the last one about the same."""


class Actions:
    """Carries out what people ask for, in the order they asked.

    Every method returns at once; the controller's answer, or its refusal, is shown by ``notify``
    when it comes. While the picture is not live nothing is sent, and the notice says why.
    """

    def __init__(
        self,
        *,
        client: Callable[[], "Client | None"],
        picture: Callable[[], Picture],
        start: Callable[[Coroutine[Any, Any, None]], object],
        notify: Notify,
        view_only: bool = False,
    ) -> None:
        self._client: Final = client
        self._picture: Final = picture
        self._start: Final = start
        self._notify: Final = notify
        self._view_only: Final = view_only
        self._turn: Final = asyncio.Lock()
        self._wanted: Final[dict[int, tuple[int, JobView | None]]] = {}
        """Priorities that were asked for: the next ``+`` builds on them, not on the picture, which
        may be older. With the answer comes the view that they outdate; None before it.
        """

    def refusal(self) -> str | None:
        """Return why nothing can be asked for now, or None when it can."""
        link = self._picture().link
        if self._view_only:
            return "this console only looks: it was started with --view-only"
        if link.state == "replay":
            return "this is a recording: nothing can be done to it"
        if link.state != "live" or self._client() is None:
            why = f" ({link.text})" if link.text else ""
            return f"the controller does not answer{why}; try again when it does"
        return None

    # --- jobs

    def cancel(self, ids: Sequence[int], *, grace_s: float | None = None) -> None:
        """End the jobs; those that have ended are left as they are."""
        self._jobs(
            "cancel",
            ids,
            lambda client, id: client.cancel(id, grace_s=grace_s),
            said=lambda job: f"is {job.state}",
            done="cancelled",
        )

    def priority(self, ids: Sequence[int], *, by: int = 0, to: int | None = None) -> None:
        """Change the jobs' priorities by an amount, or set them."""
        if (refusal := self.refusal()) is not None:
            self._refuse(refusal)
            return
        wanted = {id: to if to is not None else self._priority_of(id) + by for id in ids}
        wanted = {id: _within_limits(priority) for id, priority in wanted.items()}
        self._wanted.update({id: (priority, None) for id, priority in wanted.items()})
        self._jobs(
            "priority",
            ids,
            lambda client, id: self._set_priority(client, id, wanted[id]),
            said=lambda job: f"has priority {job.priority}",
            done="given another priority",
        )

    def top(self, ids: Sequence[int]) -> None:
        """Make the jobs the next of their queues; the first of them goes first."""
        self._jobs(
            "top",
            list(reversed(ids)),
            lambda client, id: client.top(id),
            said=lambda job: f"is number {job.position} in line" if job.position else _state(job),
            done="put to the top",
            at_once=1,
        )

    def move(self, ids: Sequence[int], queue: str) -> None:
        """Let the jobs wait in another queue, ``pool/queue``."""
        self._jobs(
            "move",
            ids,
            lambda client, id: client.patch(id, queue=queue),
            said=lambda job: f"is in {job.pool}/{job.queue}",
            done=f"moved to {queue}",
        )

    def retry(self, ids: Sequence[int]) -> None:
        """Let ended jobs run once more."""
        self._jobs(
            "retry", ids, lambda client, id: client.retry(id), said=_state, done="waiting again"
        )

    def keep(self, ids: Sequence[int], *, for_s: float) -> None:
        """Keep the jobs' workspaces for this long from now."""
        self._jobs(
            "keep",
            ids,
            lambda client, id: client.keep(id, for_s=for_s),
            said=lambda job: job.workspace or "keeps its workspace",
            done="keeping their workspaces",
        )

    # --- queues, nodes, cards

    def pause_queue(self, ref: str, *, paused: bool = True) -> None:
        """Start nothing more from the queue ``pool/queue``, or go on."""
        pool, _, name = ref.partition("/")
        settings = SetQueue(paused=paused)

        def said(queue: QueueView) -> str:
            return f"queue {queue.ref} is {'paused' if queue.paused else 'open'}"

        self._one(lambda client: client.set_queue(pool, name, settings), said)

    def drain(self, node: str) -> None:
        """Let the node finish its jobs and take no new ones."""
        self._one(lambda client: client.drain(node), _node)

    def resume(self, node: str) -> None:
        """Let the node take jobs again."""
        self._one(lambda client: client.resume(node), _node)

    def exclude_card(self, node: str, card: str) -> None:
        """Keep jobs off a card, named by UUID."""
        self._one(lambda client: client.exclude_card(node, card), lambda view: _card(view, card))

    def include_card(self, node: str, card: str) -> None:
        """Offer a card again that a person excluded."""
        self._one(lambda client: client.include_card(node, card), lambda view: _card(view, card))

    def clean_card(self, node: str, card: str) -> None:
        """Say that a dirty card is clean now."""
        self._one(lambda client: client.clean_card(node, card), lambda view: _card(view, card))

    def cancel_booking(self, id: int) -> None:
        """Give back what is booked."""
        self._one(
            lambda client: client.cancel_booking(id), lambda view: f"booking {view.id} is cancelled"
        )

    # --- how it is done

    def _one(self, call: "Callable[[Client], Awaitable[Any]]", said: Callable[[Any], str]) -> None:
        async def carry_out(client: "Client") -> None:
            self._say(said(await call(client)))

        self._ask(carry_out)

    def _jobs(
        self,
        deed: str,
        ids: Sequence[int],
        call: JobCall,
        *,
        said: Callable[[JobView], str],
        done: str,
        at_once: int = AT_ONCE,
    ) -> None:
        if not ids:
            self._say("No job is selected", severity="warning")
            return

        about = f"{deed} {sorted(ids)}"

        async def carry_out(client: "Client") -> None:
            outcomes = await _each(client, ids, call, at_once)
            if isinstance(only := outcomes[0], EaasError) and len(ids) == 1:
                raise only
            if isinstance(only, JobView) and len(ids) == 1:
                self._say(f"job {only.ref} {said(only)}", about=about)
                return
            self._say(*_of_all(ids, outcomes, done), about=about)

        self._ask(carry_out)

    def _ask(self, carry_out: "Callable[[Client], Awaitable[None]]") -> None:
        """Carry it out when its turn comes."""
        if (refusal := self.refusal()) is not None:
            self._refuse(refusal)
            return
        self._start(self._in_turn(carry_out))

    async def _in_turn(self, carry_out: "Callable[[Client], Awaitable[None]]") -> None:
        async with self._turn:
            client = self._client()
            if client is None:
                self._refuse(self.refusal() or "the connection was closed")
                return
            try:
                await carry_out(client)
            except EaasError as error:
                self._say(error.sentence, severity="error")

    async def _set_priority(self, client: "Client", id: int, priority: int) -> JobView:
        try:
            job = await client.patch(id, priority=priority)
        except EaasError:
            self._wanted.pop(id, None)
            raise
        seen = self._picture().jobs.get(id)
        if seen is None:
            self._wanted.pop(id, None)
        elif self._wanted.get(id) == (priority, None):
            self._wanted[id] = (priority, seen)
        return job

    def _priority_of(self, id: int) -> int:
        """Return what the job's priority is, or will be once everything asked for is done."""
        job = self._picture().jobs.get(id)
        if (wanted := self._wanted.get(id)) is not None and wanted[1] in (None, job):
            return wanted[0]
        self._wanted.pop(id, None)
        return 0 if job is None else job.priority

    def _refuse(self, refusal: str) -> None:
        self._say(f"Not done: {refusal}", severity="warning")

    def _say(self, text: str, severity: Severity = "information", *, about: str = "") -> None:
        self._notify(safe_text(text), severity=severity, markup=False, about=about)


class _Acting(Protocol):
    actions: Actions


def actions_of(app: object) -> Actions:
    """Return the actions of the console's app."""
    return cast(_Acting, app).actions


def client_of(app: object) -> "Client | None":
    """Return the app's way to the controller; None before there is one, and in a replay."""
    return cast("Client | None", getattr(app, "client", None))


async def _each(
    client: "Client", ids: Sequence[int], call: JobCall, at_once: int
) -> list[JobView | EaasError]:
    """Ask about every job, so many at a time; a refusal of one leaves the others be."""

    async def ask(id: int) -> JobView | EaasError:
        try:
            return await call(client, id)
        except EaasError as error:
            return error

    outcomes: list[JobView | EaasError] = []
    for begin in range(0, len(ids), at_once):
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(id)) for id in ids[begin : begin + at_once]]
        outcomes += [task.result() for task in tasks]
    return outcomes


def _of_all(
    ids: Sequence[int], outcomes: Sequence[JobView | EaasError], done: str
) -> tuple[str, Severity]:
    """Return in a sentence what became of all of them, and how bad that is."""
    refused = {
        id: outcome
        for id, outcome in zip(ids, outcomes, strict=True)
        if isinstance(outcome, EaasError)
    }
    text = f"{len(ids) - len(refused)} of {len(ids)} jobs {done}"
    if not refused:
        return text, "information"
    text += f"; refused {_named(sorted(refused))}: {refused[min(refused)].sentence}"
    return text, "error"


def _named(ids: Sequence[int]) -> str:
    """Return the first of the numbers, and how many more there are."""
    more = len(ids) - NAMED
    named = ", ".join(map(str, ids[:NAMED]))
    return f"{named} and {more} more" if more > 0 else named


def _within_limits(priority: int) -> int:
    return max(PRIORITY_LEAST, min(PRIORITY_MOST, priority))


def _state(job: JobView) -> str:
    return f"is {job.state}" if job.state in ENDED else f"is {job.state} in {job.pool}/{job.queue}"


def _node(node: NodeView) -> str:
    return f"node {node.name} is {node.state}"


def _card(node: NodeView, uuid: str) -> str:
    card = next((card for card in node.cards if card.uuid == uuid), None)
    return _node(node) if card is None else f"card {card.index} of {node.name} is {card.state}"
