import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from eaas.errors import Unavailable
from eaas.ids import NodeName
from eaas.wire import from_agent as wire
from eaas.wire.codec import PROTOCOL_MAX
from eaas.wire.to_agent import (
    Ack,
    AnyToAgent,
    Order,
    Refused,
    SendFiles,
    Wanted,
    Welcome,
)
from eaas_daemon.agents.roster import TELL_HOW_FAR_S, FilesRefused, Roster
from eaas_daemon.core import events as e
from eaas_daemon.core.effects import Effect
from eaas_daemon.core.model import Job
from eaas_daemon.core.orders import order_for
from tests.rig.builders import ADMIN, ALICE, House, a_card, a_hello, an_inventory

N1 = NodeName("n1")


class Ear:
    """A connection that remembers what it was told."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.heard: list[AnyToAgent] = []
        self.closed = False

    def send(self, message: AnyToAgent) -> None:
        self.heard.append(message)

    def close(self) -> None:
        self.closed = True

    def new(self) -> list[AnyToAgent]:
        """Return what was heard since the last time."""
        heard, self.heard = self.heard, []
        return heard


class Spoken(House):
    """A house whose steps are told to a roster, as the engine does."""

    def __init__(self) -> None:
        super().__init__()
        self.roster = Roster(self.state, lambda: self.now)

    def told(self, effects: Sequence[Effect] | None = None) -> None:
        """Tell the roster of the last step."""
        self.roster(self.changes, self.effects if effects is None else effects)

    def greeted(self, session: str = "s-n1", **but: Any) -> Ear:
        """Let an agent connect and say hello."""
        ear = Ear(session)
        self.roster.open(ear)
        hello = replace(a_hello("n1", an_inventory(a_card(0))), **but)
        self.do(e.AgentSaidHello(session=session, address=None, hello=hello))
        self.told()
        return ear


@pytest.fixture
def house() -> Spoken:
    house = Spoken()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    return house


def orders(house: Spoken, *jobs: Job) -> tuple[Order, ...]:
    return tuple(order_for(house.job(job.number), 1) for job in jobs)


def test_an_agent_is_welcomed_and_then_told_everything_that_should_run(house: Spoken) -> None:
    job = house.running(house.submit())

    ear = house.greeted()

    assert ear.new() == [
        Welcome(
            protocol=PROTOCOL_MAX,
            session="s-n1",
            epoch=1,
            life_seq=house.state.seq,
            acked_seq=1,
            server_time=house.now,
        ),
        Wanted(full=True, orders=orders(house, job), life_seq=house.state.seq),
    ]


def test_a_placed_job_is_told_in_the_step_that_places_it(house: Spoken) -> None:
    ear = house.greeted()
    ear.new()

    job = house.submit()
    house.told()

    assert ear.new() == [Wanted(full=False, orders=orders(house, job), life_seq=house.state.seq)]


def test_a_shorter_grace_is_told_at_once(house: Spoken) -> None:
    job = house.running(house.submit())
    ear = house.greeted()
    for grace_s in (20.0, 5.0):
        house.do(e.Cancel(caller=ALICE, number=job.number, grace_s=grace_s))
        house.told()

    graces = [
        order.stop.grace_s
        for message in ear.new()
        if isinstance(message, Wanted)
        for order in message.orders
        if order.stop is not None
    ]
    assert graces == [20.0, 5.0]


def test_an_end_is_told_in_one_message_and_its_facts_are_acknowledged(house: Spoken) -> None:
    ear = house.greeted()
    job = house.running(house.submit())
    ear.new()

    house.ended(job)
    house.told()

    over = Wanted(
        full=False,
        orders=(),
        dropped=((job.uid, 1),),
        job_ended=(job.uid,),
        life_seq=house.state.seq,
    )
    assert ear.new() == [Ack(spool_id="spool-n1", seq=2), over]


def test_an_agent_is_told_to_keep_a_workspace_in_the_wanted_list(house: Spoken) -> None:
    ear = house.greeted()
    job = house.ended(house.running(house.submit()))
    house.do(e.Keep(caller=ALICE, number=job.number, for_s=1e7))
    ear.new()

    house.told()

    until = house.now + 1e7
    assert ear.new() == [
        Wanted(full=False, orders=(), keep_until=((job.uid, until),), life_seq=house.state.seq)
    ]


def test_a_stranger_is_refused_and_closed(house: Spoken) -> None:
    ear = house.greeted("s2", instance="twin")

    (refused,) = ear.new()
    assert isinstance(refused, Refused)
    assert (refused.code, ear.closed) == ("twin", True)


def test_a_new_connection_of_the_same_agent_closes_the_old_one(house: Spoken) -> None:
    old = house.greeted("s2")
    new = house.greeted("s3")

    house.submit()
    house.told()

    assert (old.closed, new.closed) == (True, False)
    assert len(old.new()) == 2
    assert len(new.new()) == 3


def test_the_end_of_an_old_connection_does_not_silence_the_new_one(house: Spoken) -> None:
    old = house.greeted("s2")
    new = house.greeted("s3")
    new.new()

    house.roster.closed(old)
    house.submit()
    house.told()

    assert len(new.new()) == 1


def test_what_ends_in_the_step_of_the_greeting_is_told_after_the_full_list(house: Spoken) -> None:
    job = house.running(house.submit())
    ear = Ear("s2")
    house.roster.open(ear)
    fact = wire.AttemptEnded(
        uid=job.uid, attempt=1, cause="exited", exit_code=0, finished_at=house.now
    )
    facts = wire.Facts(spool_id="spool-n1", facts=(wire.Spooled(2, fact),))

    house.do(
        e.AgentSaidFacts(node=N1, session="s-n1", facts=facts),
        e.AgentSaidHello(session="s2", address=None, hello=a_hello("n1", an_inventory(a_card(0)))),
    )
    house.told()

    welcome, full, over = ear.new()
    assert isinstance(welcome, Welcome)
    assert welcome.acked_seq == 2
    assert full == Wanted(full=True, orders=(), life_seq=house.state.seq)
    assert over == Wanted(
        full=False,
        orders=(),
        dropped=((job.uid, 1),),
        job_ended=(job.uid,),
        life_seq=house.state.seq,
    )


def test_a_removed_node_is_refused_and_closed(house: Spoken) -> None:
    ear = house.greeted()
    ear.new()

    house.do(e.RemoveNode(caller=ADMIN, node="n1"))
    house.told()

    (refused,) = ear.new()
    assert isinstance(refused, Refused)
    assert (refused.code, ear.closed) == ("removed", True)


def test_nobody_hears_what_is_for_a_node_that_is_not_connected(house: Spoken) -> None:
    house.submit()

    house.told()

    assert house.job(1).attempts[0].node == "n1"


def test_only_the_live_session_of_an_agent_counts(house: Spoken) -> None:
    house.greeted("s2")

    assert house.roster.is_session("uid-n1", "s2")
    assert not house.roster.is_session("uid-n1", "s-n1")
    assert not house.roster.is_session("uid-n2", "s2")


# --- files


async def test_files_are_asked_for_and_a_refusal_comes_back(house: Spoken) -> None:
    ear = house.greeted()
    ear.new()

    request, refusal = house.roster.ask_for_files(N1, "uid", "out.txt")
    house.roster.files_failed(wire.FilesFailed(request=request, text="there is no out.txt"))

    assert ear.new() == [SendFiles(request=request, uid="uid", path="out.txt")]
    with pytest.raises(FilesRefused, match=r"there is no out\.txt"):
        await refusal


async def test_a_served_request_is_forgotten(house: Spoken) -> None:
    house.greeted()
    request, refusal = house.roster.ask_for_files(N1, "uid", ".")

    house.roster.files_done(request)
    house.roster.files_failed(wire.FilesFailed(request=request, text="too late"))

    with pytest.raises(asyncio.CancelledError):
        await refusal


def test_no_files_come_from_a_node_that_is_not_connected(house: Spoken) -> None:
    with pytest.raises(Unavailable, match="n1 is not connected"):
        house.roster.ask_for_files(N1, "uid", ".")


def test_idle_agents_hear_now_and_then_how_far_the_controller_is(house: Spoken) -> None:
    ear = house.greeted()
    ear.new()
    told = house.roster.told_seq(house.state.nodes[N1].uid)
    house.pool("another")
    house.told()
    assert ear.new() == []
    assert told is not None
    assert told < house.state.seq

    house.now += TELL_HOW_FAR_S
    house.told()

    assert ear.new() == [Wanted(full=False, orders=(), life_seq=house.state.seq)]
    assert house.roster.told_seq(house.state.nodes[N1].uid) == house.state.seq
    assert house.roster.told_seq("somebody else") is None
