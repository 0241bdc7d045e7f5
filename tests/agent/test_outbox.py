import asyncio

from eaas.ids import JobUid
from eaas.wire.from_agent import AttemptStopping, Beat, Facts, Progress, Spooled
from eaas_agent.outbox import Outbox
from eaas_agent.runtimes.port import AttemptKey, Phase
from eaas_agent.spool import Spool

KEY = AttemptKey(JobUid("job"), 1)


def an_outbox(now: list[float] | None = None) -> Outbox:
    clock = [0.0] if now is None else now
    spool = Spool("spool", last_seq=0, lookup=lambda after, limit: ())
    return Outbox(spool, monotonic=lambda: clock[0])


def a_beat() -> Beat:
    return Beat(memory_used_mib=1, loop_lag_s=0.0, cards=(), sampled_at=None)


async def test_facts_come_before_everything_else() -> None:
    outbox = an_outbox()
    outbox.connected(0)
    outbox.say(a_beat())
    outbox.spool.committed([Spooled(1, AttemptStopping(uid="job", attempt=1, at=0.0))])
    outbox.wake()

    messages = await outbox.next_messages()

    assert [type(message) for message in messages] == [Facts, Beat]


async def test_passing_messages_die_with_their_connection() -> None:
    outbox = an_outbox()
    outbox.say(a_beat())
    outbox.connected(0)
    outbox.say(a_beat())
    outbox.disconnected()
    outbox.connected(0)
    beat = a_beat()
    outbox.say(beat)

    assert await outbox.next_messages() == [beat]


async def test_only_the_newest_progress_counts() -> None:
    outbox = an_outbox()
    outbox.connected(0)
    for done in range(5):
        outbox.progress(KEY, Phase(name="pulling", done_bytes=done, total_bytes=4))

    async with asyncio.timeout(5):
        messages = await outbox.next_messages()

    assert messages == [Progress(uid="job", attempt=1, name="pulling", done_bytes=4, total_bytes=4)]


async def test_progress_waits_its_turn() -> None:
    outbox = an_outbox()
    outbox.connected(0)
    outbox.progress(KEY, Phase(name="pulling"))
    await outbox.next_messages()

    outbox.progress(KEY, Phase(name="creating"))
    await asyncio.sleep(0)
    outbox.say(a_beat())

    assert [type(message) for message in await outbox.next_messages()] == [Beat]
    outbox.disconnected()


async def test_progress_of_a_settled_attempt_is_not_sent() -> None:
    outbox = an_outbox()
    outbox.connected(0)
    outbox.progress(KEY, Phase(name="starting"))
    outbox.settled(KEY)
    beat = a_beat()
    await asyncio.sleep(0.01)
    outbox.say(beat)

    assert await outbox.next_messages() == [beat]
