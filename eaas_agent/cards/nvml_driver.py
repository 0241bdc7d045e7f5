"""Ask NVIDIA's driver through pynvml; every refusal comes back as a value.

Only the child process imports this: a lost card has killed monitors, ``nvmlInit`` has hung, and
a loaded library is never unloaded.
"""

import ctypes
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import pynvml

from eaas.ids import CardUuid
from eaas_agent.cards.nvml_answers import (
    RawCard,
    RawMemory,
    RawProcess,
    Refused,
    is_misread,
    link_kind,
    meaning,
    union_by_pid,
)
from eaas_agent.cards.port import CardLink


class NvmlDriver:
    """One initialized driver. ``open`` once; a second one needs a new process."""

    def __init__(self) -> None:
        self._refused_for_good: dict[tuple[int, str], Refused] = {}
        self._events: Any = None
        self._watched: dict[int, CardUuid] = {}

    def open(self) -> Refused | None:
        """Load and initialize the driver; return its refusal, if it refuses."""
        answer = ask(pynvml.nvmlInit)
        return answer if isinstance(answer, Refused) else None

    def version(self) -> str | None:
        """Return the driver's version, or None when it does not say."""
        answer = ask(pynvml.nvmlSystemGetDriverVersion)
        return None if isinstance(answer, Refused) else answer

    def count(self) -> int | Refused:
        """Return how many cards the driver counts, lost ones among them."""
        answer: int | Refused = ask(pynvml.nvmlDeviceGetCount)
        return answer

    def card(self, index: int) -> RawCard:
        """Return every answer about the card at an index.

        Once a handle has failed it isn't used again in this round: some drivers crash on it.
        """
        handle = ask(pynvml.nvmlDeviceGetHandleByIndex, index)
        if isinstance(handle, Refused):
            return _lost(index, handle)
        asked = _CardQuestions(index, handle, self._refused_for_good)
        answers = RawCard(
            index=index,
            uuid=asked("uuid", pynvml.nvmlDeviceGetUUID, essential=True),
            model=asked("model", pynvml.nvmlDeviceGetName),
            minor=asked("minor", pynvml.nvmlDeviceGetMinorNumber),
            memory=asked.memory(),
            utilization_pct=asked(
                "utilization", lambda h: int(pynvml.nvmlDeviceGetUtilizationRates(h).gpu)
            ),
            temperature_c=asked(
                "temperature",
                lambda h: pynvml.nvmlDeviceGetTemperature(h, pynvml.NVML_TEMPERATURE_GPU),
            ),
            power_mw=asked("power", pynvml.nvmlDeviceGetPowerUsage),
            processes=asked.processes(),
            mig_on=asked("mig", lambda h: pynvml.nvmlDeviceGetMigMode(h)[0] == 1),
            remap_pending=asked("remap", lambda h: bool(pynvml.nvmlDeviceGetRemappedRows(h)[2])),
            remap_failed=asked("remap", lambda h: bool(pynvml.nvmlDeviceGetRemappedRows(h)[3])),
        )
        return _lost(index, asked.lost) if asked.lost else answers

    def links(self, cards: Sequence[RawCard]) -> tuple[CardLink, ...]:
        """Return how close each pair of the cards that answer is."""
        handles = {
            raw.uuid: handle
            for raw in cards
            if not isinstance(raw.uuid, Refused)
            and not isinstance(handle := ask(pynvml.nvmlDeviceGetHandleByIndex, raw.index), Refused)
        }
        return tuple(
            CardLink(
                a=CardUuid(a),
                b=CardUuid(b),
                kind=link_kind(
                    level=ask(pynvml.nvmlDeviceGetTopologyCommonAncestor, one, other),
                    nvlink=ask(
                        pynvml.nvmlDeviceGetP2PStatus, one, other, pynvml.NVML_P2P_CAPS_INDEX_NVLINK
                    )
                    == pynvml.NVML_P2P_STATUS_OK,
                ),
            )
            for (a, one), (b, other) in combinations(handles.items(), 2)
        )

    def watch_xids(self, cards: Sequence[RawCard]) -> None:
        """Begin to collect the cards' Xids; a driver without events has none to tell."""
        events = ask(pynvml.nvmlEventSetCreate)
        if isinstance(events, Refused):
            return
        for raw in cards:
            handle = ask(pynvml.nvmlDeviceGetHandleByIndex, raw.index)
            if isinstance(handle, Refused) or isinstance(raw.uuid, Refused):
                continue
            ask(
                pynvml.nvmlDeviceRegisterEvents,
                handle,
                pynvml.nvmlEventTypeXidCriticalError,
                events,
            )
            self._watched[_address(handle)] = CardUuid(raw.uuid)
        self._events = events

    def xids(self) -> list[tuple[CardUuid, int]]:
        """Return the Xids that came since the last call, at most a hundred."""
        seen: list[tuple[CardUuid, int]] = []
        while self._events is not None and len(seen) < 100:
            event = ask(pynvml.nvmlEventSetWait_v2, self._events, 0)
            if isinstance(event, Refused):
                break
            uuid = self._watched.get(_address(event.device))
            if uuid is not None:
                seen.append((uuid, int(event.eventData)))
        return seen


class _CardQuestions:
    """The questions of one round to one card; ``lost`` is set by the first answer that says so."""

    def __init__(
        self, index: int, handle: Any, refused_for_good: dict[tuple[int, str], Refused]
    ) -> None:
        self.lost: Refused | None = None
        self._index = index
        self._handle = handle
        self._refused_for_good = refused_for_good

    def __call__(self, name: str, call: Callable[[Any], Any], *, essential: bool = False) -> Any:
        """Return the answer or the refusal; what was refused for good isn't asked again."""
        refused = self.lost or self._refused_for_good.get((self._index, name))
        if refused is not None:
            return refused
        answer = ask(call, self._handle)
        if isinstance(answer, Refused):
            self._note(name, answer, essential=essential)
        return answer

    def memory(self) -> RawMemory | Refused:
        """Return the memory, by the newer call if it can be: the older counts the driver's own."""

        def newer(handle: Any) -> RawMemory:
            info = pynvml.nvmlDeviceGetMemoryInfo(handle, version=pynvml.nvmlMemory_v2)
            return RawMemory(total=info.total, used=info.used, reserved=info.reserved)

        def older(handle: Any) -> RawMemory:
            info = pynvml.nvmlDeviceGetMemoryInfo(handle)
            return RawMemory(total=info.total, used=info.used)

        answer: RawMemory | Refused = self("memory_v2", newer, essential=True)
        if isinstance(answer, Refused) and meaning(answer) == "never":
            return self("memory", older, essential=True)  # type: ignore[no-any-return]
        return answer

    def processes(self) -> tuple[RawProcess, ...] | Refused:
        """Return who computes, draws or uses MPS on the card; the first list must answer."""
        compute = self._list("ComputeRunningProcesses", essential=True)
        if isinstance(compute, Refused):
            return compute
        others = [
            self._list(kind) for kind in ("GraphicsRunningProcesses", "MPSComputeRunningProcesses")
        ]
        return union_by_pid([compute, *(each for each in others if not isinstance(each, Refused))])

    def _list(self, kind: str, *, essential: bool = False) -> list[RawProcess] | Refused:
        answer = self._list_version(f"{kind}_v3", essential=essential)
        if isinstance(answer, Refused) and answer.code == pynvml.NVML_ERROR_INSUFFICIENT_SIZE:
            answer = self._list_version(
                f"{kind}_v3", essential=essential
            )  # a burst of new processes
        misread = not isinstance(answer, Refused) and is_misread(answer)
        if misread or (isinstance(answer, Refused) and meaning(answer) == "never"):
            return self._list_version(f"{kind}_v2", essential=essential)
        return answer

    def _list_version(self, name: str, *, essential: bool) -> list[RawProcess] | Refused:
        def listed(handle: Any) -> list[RawProcess]:
            call = getattr(pynvml, f"nvmlDeviceGet{name}")
            return [
                RawProcess(pid=each.pid, memory_bytes=each.usedGpuMemory) for each in call(handle)
            ]

        return self(name, listed, essential=essential)  # type: ignore[no-any-return]

    def _note(self, name: str, refused: Refused, *, essential: bool) -> None:
        said = meaning(refused)
        if said == "never":
            self._refused_for_good[self._index, name] = refused
        if said == "lost" and (essential or refused.code != pynvml.NVML_ERROR_UNKNOWN):
            self.lost = refused


def ask(call: Callable[..., Any], *args: Any) -> Any:
    """Return the driver's answer, or its refusal as a value."""
    try:
        return call(*args)
    except pynvml.NVMLError as error:
        return Refused(code=int(error.value), text=str(error))


def _lost(index: int, refused: Refused) -> RawCard:
    return RawCard(
        index=index,
        lost=refused,
        **dict.fromkeys(_ANSWERS, refused),
    )


_ANSWERS = tuple(name for name in RawCard.__struct_fields__ if name not in ("index", "lost"))


def _address(handle: Any) -> int:
    return ctypes.cast(handle, ctypes.c_void_p).value or 0
