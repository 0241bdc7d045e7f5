"""Judges the cards of this node sample by sample, and writes the reports of them."""

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from eaas.ids import CardUuid, JobNumber
from eaas.lifecycle import CardState
from eaas.wire import from_agent as wire
from eaas.wire.to_agent import Order
from eaas_agent.cards.port import CardProcess, CardReading, CardsPicture
from eaas_agent.cards.sharing import DEFAULT_SHARING, Excess, ShareRules, excess, shareable_mib
from eaas_agent.cards.simulated import Holder
from eaas_agent.cards.verdict import (
    DEFAULT_RULES,
    NEW_CARD,
    CardClaim,
    CardHistory,
    CardRules,
    CardVerdict,
    accepted,
    card_state,
    observe,
    released,
)
from eaas_agent.machine import session_of
from eaas_agent.model import Attempt

ToldState = Literal["free", "held", "foreign", "dirty", "sick", "unknown"]

_TOLD: Final[Mapping[CardState, ToldState]] = {
    CardState.FREE: "free",
    CardState.HELD: "held",
    CardState.SHARED: "held",
    CardState.FOREIGN: "foreign",
    CardState.DIRTY: "dirty",
    CardState.SICK: "sick",
}

SIMULATED_RULES: Final = CardRules(clean_samples=0)
"""A pretended card leaves nothing behind."""


class CardDesk:
    """Keeps what must be remembered of every card."""

    def __init__(
        self, rules: CardRules = DEFAULT_RULES, sharing: ShareRules = DEFAULT_SHARING
    ) -> None:
        self.sharing = sharing
        """Another value counts from the next report on."""
        self._rules = rules
        self._histories: dict[CardUuid, CardHistory] = {}
        self._claims: dict[CardUuid, list[CardClaim]] = {}
        self._holders: dict[CardUuid, dict[str, Holder]] = {}
        self._uids: dict[str, str] = {}
        """The job's uid by the handle of its attempt."""
        self._overusers: dict[CardUuid, tuple[JobNumber, ...]] = {}

    def claims_are(self, attempts: Iterable[Attempt]) -> None:
        """Take over which live attempts hold which cards."""
        claims: dict[CardUuid, list[CardClaim]] = {}
        holders: dict[CardUuid, dict[str, Holder]] = {}
        self._uids = {}
        for attempt in attempts:
            if not attempt.live:
                continue
            if attempt.handle is not None:
                self._uids[_owner_of_handle(attempt.handle)] = attempt.order.uid
            for uuid in map(CardUuid, attempt.order.cards):
                load = Holder(_pid_of(attempt.handle), attempt.order.share_mib)
                holders.setdefault(uuid, {})[attempt.order.uid] = load
                claims.setdefault(uuid, []).append(_claim_of(attempt.order))
        for uuid in self._claims.keys() - claims.keys():
            self._histories[uuid] = released(self._history(uuid), self._rules)
        self._claims, self._holders = claims, holders

    def holders(self) -> dict[CardUuid, dict[str, Holder]]:
        """Return who holds each claimed card, by the job's uid."""
        return self._holders

    def observe(self, picture: CardsPicture) -> None:
        """Count one more sample."""
        if picture.state != "ok":
            return
        for reading in picture.cards:
            self._histories[reading.uuid] = observe(
                self._history(reading.uuid),
                reading,
                claims=self._claims.get(reading.uuid, ()),
                ours=self._ours,
                sampled_at=picture.sampled_at,
                rules=self._rules,
            )

    def vouched(self, uuid: CardUuid, picture: CardsPicture) -> None:
        """Take a person's word that what is on the card now is its idle level."""
        for reading in picture.cards:
            if reading.uuid == uuid:
                self._histories[uuid] = accepted(self._history(uuid), reading)

    def reports(self, picture: CardsPicture, now: float) -> tuple[wire.CardReport, ...]:
        """Return every card as this node judges it."""
        return tuple(self._report(reading, picture, now) for reading in picture.cards)

    def _report(self, reading: CardReading, picture: CardsPicture, now: float) -> wire.CardReport:
        verdict = card_state(
            reading,
            claims=self._claims.get(reading.uuid, ()),
            history=self._history(reading.uuid),
            ours=self._ours,
            now=now,
            answering=picture.state == "ok",
            rules=self._rules,
        )
        history = self._history(reading.uuid)
        beyond = self._excess(reading, history)
        return wire.CardReport(
            uuid=reading.uuid,
            index=reading.index,
            model=reading.model,
            state=_told(verdict),
            text="; ".join(filter(None, (beyond.text, verdict.text))) or None,
            memory_total_mib=reading.memory_total_mib,
            memory_used_mib=reading.memory_used_mib,
            utilization_pct=reading.utilization_pct,
            temperature_c=reading.temperature_c,
            power_w=reading.power_w,
            processes=None
            if reading.processes is None
            else tuple(self._process(process) for process in reading.processes),
            simulated=reading.simulated,
            share_mib=shareable_mib(reading, history, self._rules, self.sharing),
            over_mib=beyond.over_mib,
            overusers=beyond.overusers,
        )

    def _excess(self, reading: CardReading, history: CardHistory) -> Excess:
        found = excess(
            reading,
            self._claims.get(reading.uuid, ()),
            owner=self._uid_of,
            idle_mib=self._rules.idle_at_most_mib if history.idle_mib is None else history.idle_mib,
            before=self._overusers.get(reading.uuid, ()),
            rules=self._rules,
        )
        self._overusers[reading.uuid] = found.overusers
        return found

    def _process(self, process: CardProcess) -> wire.CardProcess:
        return wire.CardProcess(
            pid=process.pid,
            memory_mib=process.memory_mib,
            user=process.user,
            command=process.command,
            container=process.container,
            uid=self._uid_of(process),
        )

    def _ours(self, process: CardProcess) -> bool:
        return self._uid_of(process) is not None

    def _uid_of(self, process: CardProcess) -> str | None:
        if not self._uids:
            return None
        if process.container is not None:
            return self._uids.get(process.container)
        return self._uids.get(str(session_of(process.pid)))

    def _history(self, uuid: CardUuid) -> CardHistory:
        return self._histories.get(uuid, NEW_CARD)


def _told(verdict: CardVerdict) -> ToldState:
    """Return the state in the words of the wire; shared and excluded are the controller's words."""
    return _TOLD.get(verdict.state, "unknown")


def _claim_of(order: Order) -> CardClaim:
    return CardClaim(
        job=JobNumber(order.number),
        attempt=order.attempt,
        memory_mib=order.share_mib,
        uid=order.uid,
    )


def _owner_of_handle(handle: str) -> str:
    """Return what ties a process to an attempt: the container's id, or the shim's session."""
    return handle.partition(":")[0]


def _pid_of(handle: str | None) -> int | None:
    owner = "" if handle is None or ":" not in handle else _owner_of_handle(handle)
    return int(owner) if owner.isdigit() else None
