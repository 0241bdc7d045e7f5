"""The child that talks to NVIDIA's driver.

Run as ``python -m eaas_agent.cards.nvml_child [PERIOD_S [KNOWN]]`` with stdin held open.
Prints one JSON line (a ``Sample``) per period on stdout, and ends when its stdin closes. Only this
process ever loads the driver's library, so whatever that does (crash, hang, mismatch) ends here.
KNOWN is a JSON ``Sample`` of the child before, so that a lost card keeps its name.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from eaas_agent.cards.nvml_answers import RawCard, Refused, meaning
from eaas_agent.cards.nvml_driver import NvmlDriver
from eaas_agent.cards.nvml_reading import Sample, compose, no_picture, remember_xids
from eaas_agent.cards.port import CardLink, CardsPicture
from eaas_agent.cards.processes import ProcessFacts, UserNames, describe

RENEW_AFTER_S: Final = 60.0
"""A child that misses a card ends after this time: only a new one sees a card that was reset."""


class Sampler:
    """Makes one sample after the other from an open driver."""

    def __init__(self, driver: NvmlDriver, before: Sample, clock: Callable[[], float]) -> None:
        self._driver = driver
        self._before = before
        self._clock = clock
        self._names = UserNames()
        self._skip_unseen = runs_under_windows()
        self._version = driver.version()
        self._links: tuple[CardLink, ...] = ()
        self._linked: tuple[object, ...] | None = None

    def sample(self) -> Sample | Refused:
        """Return the next sample, or the refusal of a driver that went away as a whole."""
        count = self._driver.count()
        if isinstance(count, Refused):
            return count
        answers = [self._driver.card(index) for index in range(count)]
        self._look_around(answers)
        now = self._clock()
        xids = remember_xids(self._before.xids, self._driver.xids(), now)
        answers, facts = self._who(answers)
        self._before = compose(
            answers,
            before=self._before,
            facts=facts,
            xids=xids,
            links=self._links,
            driver=self._version,
            now=now,
        )
        return self._before

    def _look_around(self, answers: Sequence[RawCard]) -> None:
        """Learn links and watch for Xids, again only when other cards answer than before."""
        answering = tuple(raw.uuid for raw in answers if raw.lost is None)
        if answering != self._linked:
            if self._linked is None:
                self._driver.watch_xids(answers)
            self._links = self._driver.links(answers)
            self._linked = answering

    def _who(self, answers: list[RawCard]) -> tuple[list[RawCard], dict[int, ProcessFacts]]:
        """Return the answers and who their pids are; on WSL without the pids of Windows."""
        pids = {
            each.pid
            for raw in answers
            if not isinstance(raw.processes, Refused)
            for each in raw.processes
        }
        facts = {pid: fact for pid in pids if (fact := describe(pid, self._names)) is not None}
        if self._skip_unseen:
            answers = [_without_unseen(raw, facts) for raw in answers]
        return answers, facts


def serve(driver: NvmlDriver, before: Sample, period_s: float, out: BinaryIO) -> None:
    """Write a sample each period until the driver is gone or a lost card asks for a new child."""
    refused = driver.open()
    if refused is not None:
        return write(
            out,
            Sample(picture=no_picture(refused, time.time()), known=before.known, xids=before.xids),
        )
    sampler = Sampler(driver, before, time.time)
    began = due = time.monotonic()
    while True:
        sample = sampler.sample()
        if (
            isinstance(sample, Refused)
            and meaning(sample) == "uninitialized"
            and driver.open() is None
        ):
            sample = sampler.sample()
        if isinstance(sample, Refused):
            return write(
                out,
                Sample(
                    picture=no_picture(sample, time.time()), known=before.known, xids=before.xids
                ),
            )
        before = sample
        write(out, sample)
        if sample.picture.state != "ok" or (
            _misses_a_card(sample.picture) and due - began > RENEW_AFTER_S
        ):
            return None
        due = max(due + period_s, time.monotonic())
        time.sleep(max(0.0, due - time.monotonic()))


def write(out: BinaryIO, sample: Sample) -> None:
    """Write one sample as one line of JSON."""
    out.write(msgspec.json.encode(sample) + b"\n")
    out.flush()


def runs_under_windows() -> bool:
    """Tell whether this is WSL, where the driver lists pids of Windows too."""
    try:
        return "microsoft" in Path("/proc/sys/kernel/osrelease").read_text().lower()
    except OSError:
        return False


def end_with_the_parent() -> None:
    """End this process when stdin closes, even while the driver hangs."""
    while os.read(0, 4096):
        pass
    os._exit(0)


def main(argv: Sequence[str]) -> int:
    """Run until the parent, the driver or the pipe ends it."""
    period_s = float(argv[0]) if argv else 1.0
    nothing = Sample(picture=CardsPicture(state="unknown", sampled_at=0.0))
    before = msgspec.json.decode(argv[1], type=Sample) if len(argv) > 1 else nothing
    threading.Thread(target=end_with_the_parent, daemon=True).start()
    try:
        serve(NvmlDriver(), before, period_s, sys.stdout.buffer)
    except BrokenPipeError:
        os._exit(0)
    return 0


def _misses_a_card(picture: CardsPicture) -> bool:
    return picture.text is not None or any(card.lost for card in picture.cards)


def _without_unseen(raw: RawCard, facts: dict[int, ProcessFacts]) -> RawCard:
    if isinstance(raw.processes, Refused):
        return raw
    seen = tuple(each for each in raw.processes if each.pid in facts)
    return msgspec.structs.replace(raw, processes=seen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
