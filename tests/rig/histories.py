"""Random histories of a pool, each made of one seed: by them the scheduler's word is tested.

A new kind of job, or of deed, is one more function in ``JOBS`` or ``DEEDS``.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Any, Final

from msgspec.structs import replace

from eaas.errors import EaasError
from eaas.ids import NodeName, PoolName
from eaas.job_spec import JobSpec, read_spec
from eaas.lifecycle import JobState
from eaas.units import utc_text
from eaas.wire.from_agent import CardReport
from eaas.wire.rest import SetPool, SetQueue
from eaas_daemon.core import events as e
from eaas_daemon.core.model import Job
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card, a_hello, an_inventory

CAROL: Final = e.Caller(user=type(ALICE.user)("carol"))
PEOPLE: Final = (ALICE, BOB, CAROL)
QUEUES: Final = ("default", "night")
CLEAN_S: Final = 2.0
"""How long it takes here until a card that was given back is read clean."""

Fields = dict[str, Any]


class History:
    """A house to which things happen; all of them follow from the seed."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.house = House()
        self.cards = {f"n{i + 1}": random.randint(1, 4) for i in range(random.randint(1, 3))}
        self.hellos = dict.fromkeys(self.cards, 0)
        self.faults: dict[str, dict[int, str]] = {name: {} for name in self.cards}
        for name in self.cards:
            self.hello(name)
        self.pools = ("a", "b")[: random.randint(1, 2)]
        for pool in self.pools:
            some = [name for name in self.cards if pool == "a" or random.random() < 0.7]
            self.house.pool(pool, *some)
            self.house.queue("night", pool=pool)
            for queue in QUEUES:
                self.set_queue(pool, queue, hold_after_s=random.choice([0.0, 60.0, 600.0]))
        self.house.do(e.Tick())

    # --- what happens

    def hello(self, name: str) -> None:
        """Let the node's agent come, or come again."""
        session = f"s-{name}"
        with_cards = an_inventory(*self.readings(name, clean=True), cpus=8, memory_mib=16384)
        hello = a_hello(name, with_cards)
        self.house.do(e.AgentSaidHello(session=session, address=None, hello=hello))

    def readings(self, name: str, *, clean: bool = False) -> list[CardReport]:
        """Return what the node reads of its cards now."""
        state = self.house.state
        jobs = state.placed.get(NodeName(name), {}).values()
        held = {card.uuid for job in jobs for card in job.attempts[-1].cards}
        cards = [a_card(i, node=name, gib=24 if i % 2 else 48) for i in range(self.cards[name])]
        return [
            replace(card, state=fault, text="as it is")
            if (fault := self.faults[name].get(card.index)) and not clean
            else replace(card, state="held" if card.uuid in held else "free")
            for card in cards
        ]

    def look(self) -> None:
        """Let every connected node send fresh readings, and the clock have its say."""
        for name in self.cards:
            self.house.beat(name, *self.readings(name))
        self.house.do(e.Tick())

    def set_queue(self, pool: str, queue: str, **settings: Any) -> None:
        """Change the queue."""
        about: dict[str, Any] = {"caller": ADMIN, "pool": pool, "name": queue}
        self.house.do(e.ChangeQueue(**about, settings=SetQueue(**settings)))

    def spec(self) -> JobSpec:
        """Return what somebody might ask for."""
        kinds = [kind for kind, weight in JOBS for _ in range(weight)]
        fields: Fields = {
            "image": "busybox",
            "command": "true",
            "pool": self.random.choice(self.pools),
            "queue": self.random.choice(QUEUES),
        }
        timeout = self.random.choice([None, "1m", "10m", "1h", "9h"])
        if timeout is not None:
            fields["timeout"] = timeout
        return read_spec({**fields, **self.random.choice(kinds)(self)})

    def caller(self) -> e.Caller:
        """Return who does something."""
        return self.random.choice(PEOPLE)

    def jobs(self, *states: JobState) -> list[Job]:
        """Return the jobs in one of these states, by number."""
        found = (job for job in self.house.state.jobs.values() if job.state in states)
        return sorted(found, key=lambda job: (job.number, job.array_index or 0))

    def waiting(self) -> list[Job]:
        """Return the jobs that wait."""
        return self.jobs(JobState.PENDING)

    def live(self) -> list[Job]:
        """Return the jobs that are placed."""
        return [job for job in self.jobs(*JobState) if job.live_attempt]

    def some(self, jobs: Sequence[Job]) -> Job | None:
        """Return one of the jobs, if there is any."""
        return self.random.choice(jobs) if jobs else None

    def happen(self) -> str:
        """Let one thing happen; return its name. What is refused has not happened."""
        deed = self.random.choice([deed for deed, weight in DEEDS for _ in range(weight)])
        with suppress(EaasError):
            deed(self)
        return deed.__name__.strip("_")

    def end(self, job: Job, exit_code: int = 0) -> None:
        """Let the attempt end; its node speaks of it if it can."""
        if job.state is JobState.STARTING:
            job = self.house.running(job)
        self.house.ended(job, exit_code=exit_code)


# --- kinds of jobs


def _plain(history: History) -> Fields:
    return {"gpus": history.random.choice([0, 1, 1, 1, 2, 3])}


def _wide(history: History) -> Fields:
    return {"gpus": history.random.choice([2, 3, 4])}


def _choosy(history: History) -> Fields:
    return {
        "gpus": history.random.randint(1, 2),
        "gpu_memory": history.random.choice(["20GiB", "40GiB", "80GiB"]),
        "nodes": history.random.choice([[], ["n1"]]),
    }


def _hungry(history: History) -> Fields:
    memory = history.random.choice(["1GiB", "8GiB", "16GiB"])
    return {
        "gpus": history.random.randint(0, 1),
        "cpus": history.random.choice([2, 4, 8]),
        "memory": memory,
    }


def _urgent(history: History) -> Fields:
    return {"gpus": history.random.randint(1, 3), "priority": history.random.randint(-2, 2)}


def _stubborn(history: History) -> Fields:
    restart = {"policy": "on-failure", "retries": 2, "backoff": "0s"}
    return {"gpus": 1, "restart": restart}


def _later(history: History) -> Fields:
    in_s = history.random.choice([5, 100, 4000])
    return {"gpus": 1, "not_before": utc_text(history.house.now + in_s)}


def _follower(history: History) -> Fields:
    first = history.some([*history.waiting(), *history.live()])
    how = history.random.choice(["fail", "wait"])
    after = [] if first is None else [first.number]
    return {"gpus": 1, "after": after, "after_failed": how}


def _sharing(history: History) -> Fields:
    memory = history.random.choice(["4GiB", "10GiB", "20GiB"])
    return {"gpus": 1, "share": True, "gpu_memory": memory}


def _ranks(history: History) -> Fields:
    return {"gpus": history.random.choice([0, 1, 2]), "num_nodes": 2}


JOBS: Final[Sequence[tuple[Callable[[History], Fields], int]]] = (
    (_plain, 6),
    (_wide, 3),
    (_choosy, 2),
    (_hungry, 2),
    (_urgent, 3),
    (_stubborn, 1),
    (_later, 1),
    (_follower, 1),
    (_sharing, 2),
    (_ranks, 1),
)


# --- kinds of deeds


def _submit(history: History) -> None:
    event = e.Submit(caller=history.caller(), specs=(history.spec(),), force=True)
    history.house.do(event)


def _begin(history: History) -> None:
    history.house.begin()


def _end(history: History) -> None:
    if (job := history.some(history.live())) is not None:
        history.end(job, exit_code=history.random.choice([0, 0, 1]))
        history.house.now += CLEAN_S
        history.look()


def _cancel(history: History) -> None:
    if (job := history.some([*history.waiting(), *history.live()])) is not None:
        history.house.do(e.Cancel(caller=ADMIN, number=job.number))


def _time(history: History) -> None:
    history.house.now += history.random.choice([1.0, 30.0, 300.0, 4000.0])
    history.look()


def _clock(history: History) -> None:
    history.house.now += history.random.choice([-3.0, -4000.0, 1e6, -1e6])
    history.house.now = max(1000.0, history.house.now)
    history.look()


def _caps(history: History) -> None:
    pool, queue = history.random.choice(history.pools), history.random.choice(QUEUES)
    pick = [None, None, 0, 1, 2, 3]
    names = ("max_running", "max_gpus", "max_per_user", "max_gpus_per_user")
    caps = {name: history.random.choice(pick) for name in history.random.sample(names, 2)}
    history.set_queue(pool, queue, **caps)
    mine = SetPool(max_gpus_per_user=history.random.choice([None, None, 2, 4]))
    history.house.do(e.ChangePool(caller=ADMIN, name=pool, settings=mine))


def _pause(history: History) -> None:
    pool, queue = history.random.choice(history.pools), history.random.choice(QUEUES)
    history.set_queue(pool, queue, paused=history.random.random() < 0.4)


def _order(history: History) -> None:
    if (job := history.some(history.waiting())) is None:
        return
    what = history.random.choice(["priority", "top", "move", "queue"])
    if what == "priority":
        priority = history.random.randint(-3, 3)
        history.house.do(e.SetPriority(caller=ADMIN, number=job.number, priority=priority))
    elif what == "top":
        history.house.do(e.PutOnTop(caller=ADMIN, number=job.number))
    elif what == "queue":
        priority = history.random.randint(0, 2)
        history.set_queue(job.pool, job.queue, priority=priority)
    else:
        pool = PoolName(history.random.choice(history.pools))
        queue = history.random.choice(QUEUES)
        history.house.do(e.Move(caller=ADMIN, number=job.number, pool=pool, queue=queue))


def _node(history: History) -> None:
    name = history.random.choice(list(history.cards))
    what = history.random.choice(["gone", "hello", "drain", "resume", "exclude", "include"])
    if what == "gone":
        session = f"s-{name}"
        history.house.do(e.AgentGone(node=NodeName(name), session=session, why="cut"))
    elif what == "hello":
        history.hello(name)
    elif what in ("drain", "resume"):
        draining = what == "drain"
        history.house.do(e.SetDraining(caller=ADMIN, node=name, draining=draining))
    else:
        excluded = what == "exclude"
        history.house.do(e.SetExcluded(caller=ADMIN, node=name, card="0", excluded=excluded))


def _card(history: History) -> None:
    name = history.random.choice(list(history.cards))
    index = history.random.randrange(history.cards[name])
    fault = history.random.choice([None, None, "foreign", "dirty", "sick"])
    history.faults[name].pop(index, None)
    if fault is not None:
        history.faults[name][index] = fault
    history.look()


DEEDS: Final[Sequence[tuple[Callable[[History], None], int]]] = (
    (_submit, 10),
    (_begin, 3),
    (_end, 4),
    (_cancel, 1),
    (_time, 2),
    (_clock, 1),
    (_caps, 1),
    (_pause, 1),
    (_order, 2),
    (_node, 2),
    (_card, 1),
)
