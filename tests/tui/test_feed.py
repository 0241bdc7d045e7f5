import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from eaas.errors import EaasError, NotFound, Unauthenticated, Unreachable
from eaas.sample_views import CardSamplesView, NodeSamplesView
from eaas.units import utc_text
from eaas.views import ConditionView, EventView, Page, StatusView
from eaas.wire.to_client import AnyToClient, Snapshot, SnapshotJobs
from eaas_tui.feed import LONGEST_WAIT_S, Backoff, follow
from eaas_tui.model.picture import Link, Picture
from eaas_tui.model.store import Store
from eaas_tui.recording import Recorder, read_recording, replay_at_once
from tests.rig.pool import an_installation
from tests.rig.views import AT, a_card, a_job, a_node, a_snapshot, an_event, changes


def a_status(seq: int = 1, **but: Any) -> StatusView:
    counts = ["pools", "nodes", "nodes_ready", "cards_total", "cards_free", "waiting", "running"]
    values: dict[str, Any] = {
        **dict.fromkeys(counts, 0),
        "version": "0.1.0",
        "epoch": 1,
        "started_at": "2026-01-01T00:00:00.000Z",
        "seq": seq,
        "home": "/home",
        "address": None,
        "user": "alice",
        "role": "member",
    }
    return StatusView(**{**values, **but})


class Call:
    """One connection: what the controller answers, then how it breaks."""

    def __init__(self, *said: AnyToClient | EaasError | OSError, seq: int = 1) -> None:
        self.said = said
        self.status = a_status(seq)


class Script:
    """A controller that does what a test says, call by call."""

    def __init__(self, *calls: Call | EaasError, journal: tuple[EventView, ...] = ()) -> None:
        self.calls = list(calls)
        self.journal = journal
        self.past: list[NodeSamplesView] | None = None
        self.samples_asked = 0
        self.asked_after: list[int | None] = []
        self.over = asyncio.Event()

    async def status(self) -> StatusView:
        if not self.calls:
            self.over.set()
            await asyncio.Event().wait()
        call = self.calls[0]
        if isinstance(call, EaasError):
            del self.calls[0]
            raise call
        return call.status

    async def samples(self) -> list[NodeSamplesView]:
        self.samples_asked += 1
        if self.past is None:
            raise NotFound("an older controller has no samples")
        return self.past

    async def events(self, **_: int | None) -> Page[EventView]:
        return Page(list(self.journal))

    async def stream(
        self, after: int | None = None, *, patience_s: float | None = None, pieces: bool = False
    ) -> AsyncGenerator[AnyToClient, None]:
        assert pieces, "the console takes long snapshots in pieces"
        self.asked_after.append(after)
        call = self.calls.pop(0)
        assert isinstance(call, Call)
        for said in call.said:
            await asyncio.sleep(0)  # as a socket would
            if isinstance(said, Exception):
                raise said
            yield said


CUT = Unreachable("the controller ended the stream")


class Console:
    """A store, the links it went through, and the waits between connections."""

    def __init__(self) -> None:
        self.store = Store()
        self.links: list[Link] = []
        self.waits_s: list[float] = []
        self.now = AT

    def seen(self) -> None:
        link = self.store.picture.link
        if not self.links or self.links[-1] != link:
            self.links.append(link)

    async def pause(self, seconds: float) -> None:
        self.waits_s.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    async def hear(self, script: Script, **more: Any) -> None:
        """Follow the script to its end."""
        clock: Callable[[], float] = lambda: self.now  # noqa: E731
        pause: Callable[[float], Awaitable[None]] = self.pause
        task = asyncio.create_task(
            follow(
                script,
                self.store,
                self.seen,
                clock=clock,
                chance=lambda: 1.0,
                pause=pause,
                **more,
            )
        )
        async with asyncio.timeout(10):
            await script.over.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    def states(self) -> list[str]:
        return [link.state for link in self.links]


async def test_the_first_frame_makes_the_console_live() -> None:
    console = Console()

    await console.hear(Script(Call(a_snapshot(jobs=(a_job(1),)), CUT)))

    assert console.states() == ["connecting", "live", "away"]
    assert console.store.picture.jobs == {1: a_job(1)}
    assert console.store.picture.user == "alice"


LOST = "6 of 8 nodes fell silent within a minute"
MASS_LOSS = ConditionView(code="mass_loss", text=LOST, since="2026-01-01T00:00:00.000Z")


async def test_what_is_wrong_with_the_whole_stays_when_the_connection_comes_back() -> None:
    console, again = Console(), Call(changes(5), CUT)
    again.status = a_status(5, conditions=(MASS_LOSS,))

    await console.hear(Script(Call(a_snapshot(3), CUT), again))

    assert console.store.picture.conditions == (MASS_LOSS,)


async def test_a_mass_loss_and_its_end_are_followed_in_the_journal() -> None:
    lost = an_event(4, LOST, kind="controller.mass_loss")
    over = an_event(5, "they are back", kind="controller.mass_loss_over")
    begun, ended = Console(), Console()

    await begun.hear(Script(Call(a_snapshot(3), changes(4, events=(lost,)), CUT, seq=3)))
    await ended.hear(
        Script(
            Call(a_snapshot(3), changes(4, events=(lost,)), changes(5, events=(over,)), CUT, seq=3)
        )
    )

    assert [one.text for one in begun.store.picture.conditions] == [LOST]
    assert ended.store.picture.conditions == ()


async def test_a_mass_loss_of_the_past_in_the_journal_is_not_one_now() -> None:
    console = Console()
    journal = (an_event(2, LOST, kind="controller.mass_loss"),)

    await console.hear(Script(Call(a_snapshot(3), CUT, seq=3), journal=journal))

    assert console.store.picture.events == journal
    assert console.store.picture.conditions == ()


async def test_after_a_cut_it_says_since_when_and_why_and_keeps_the_picture() -> None:
    console = Console()

    refused = Unreachable("no controller answers (connection refused)")
    await console.hear(Script(Call(a_snapshot(jobs=(a_job(1),)), CUT), refused, refused))

    assert console.links[-1] == Link(
        state="away", since=AT, text="no controller answers (connection refused)"
    )
    assert console.now > AT
    assert not console.store.picture.is_live
    assert console.store.picture.jobs == {1: a_job(1)}


async def test_it_goes_on_where_it_stopped() -> None:
    console, script = (
        Console(),
        Script(
            Call(a_snapshot(3), changes(4, jobs=(a_job(1),)), CUT),
            Call(changes(5, jobs=(a_job(2),)), CUT, seq=5),
        ),
    )

    await console.hear(script)

    assert script.asked_after == [None, 4]
    assert list(console.store.picture.jobs) == [1, 2]


async def test_a_controller_of_another_epoch_is_asked_for_everything() -> None:
    again = Call(a_snapshot(3, epoch=2), CUT)
    again.status = a_status(3, epoch=2)
    script = Script(Call(a_snapshot(9), CUT), again)

    await Console().hear(script)

    assert script.asked_after == [None, None]


async def test_where_nothing_has_happened_it_is_live_without_a_frame() -> None:
    console = Console()

    await console.hear(Script(Call(a_snapshot(3), CUT, seq=3), Call(CUT, seq=3)))

    assert console.states() == ["connecting", "live", "away", "live", "away"]


async def test_a_refusal_is_told_apart_from_silence() -> None:
    console = Console()

    await console.hear(Script(Unauthenticated("this token was revoked")))

    assert console.links[-1].state == "refused"
    assert console.links[-1].text == "this token was revoked"


async def test_a_broken_socket_is_a_cut_like_any_other() -> None:
    console = Console()

    await console.hear(Script(Call(a_snapshot(), ConnectionResetError("reset by peer"))))

    assert console.links[-1].text == "the connection broke: reset by peer"


async def test_waits_grow_up_to_a_limit_and_begin_anew_once_it_was_reached() -> None:
    console = Console()

    await console.hear(Script(*[CUT] * 7, Call(a_snapshot(), CUT)))

    assert console.waits_s == [0.2, 0.4, 0.8, 1.6, 3.2, LONGEST_WAIT_S, LONGEST_WAIT_S, 0.2]


def test_consoles_do_not_all_knock_at_the_same_time() -> None:
    assert Backoff(lambda: 0.0).next_s() == 0.1
    assert Backoff(lambda: 0.5).next_s() == pytest.approx(0.15)


async def test_the_journal_of_the_time_before_is_fetched_with_each_snapshot() -> None:
    console = Console()
    script = Script(
        Call(a_snapshot(3), changes(4, events=(an_event(4),)), CUT),
        journal=(an_event(2), an_event(3)),
    )

    await console.hear(script)

    assert [event.seq for event in console.store.picture.events] == [2, 3, 4]


async def test_a_snapshot_in_pieces_is_shown_and_gone_on_from_when_it_is_whole() -> None:
    console = Console()
    begin = replace(a_snapshot(3, jobs=(a_job(1),)), whole=False)
    half, rest = (SnapshotJobs(jobs=(a_job(id),), last=id == 3) for id in (2, 3))
    script = Script(
        Call(begin, half, CUT, seq=3),
        Call(begin, half, changes(4, jobs=(a_job(1, "Running"),)), rest, CUT, seq=3),
        Call(CUT, seq=4),
        journal=(an_event(2),),
    )

    await console.hear(script)

    assert console.states() == ["connecting", "away", "live", "away", "live", "away"]
    assert script.asked_after == [None, None, 4]
    picture = console.store.picture
    assert picture.jobs == {1: a_job(1, "Running"), 2: a_job(2), 3: a_job(3)}
    assert [event.seq for event in picture.events] == [2]


async def test_it_outlives_a_hundred_restarts() -> None:
    console = Console()
    script = Script(
        *(Call(a_snapshot(seq, jobs=(a_job(seq),)), CUT, seq=seq) for seq in range(1, 101))
    )

    await console.hear(script)

    assert console.store.picture.jobs == {100: a_job(100)}
    assert len(script.asked_after) == 100


async def test_what_was_heard_is_recorded_and_makes_the_same_picture(tmp_path: Path) -> None:
    console, again = Console(), Store()
    script = Script(Call(a_snapshot(3), changes(4, jobs=(a_job(1),)), CUT), journal=(an_event(2),))

    with Recorder(tmp_path / "r.jsonl", tell=print) as recorder:
        await console.hear(script, recorder=recorder)
    replay_at_once(read_recording(tmp_path / "r.jsonl"), again)

    first, second = console.store.picture, again.picture
    assert (first.jobs, first.events, first.user) == (second.jobs, second.events, second.user)


class Watched:
    """A store that a test can wait for."""

    def __init__(self) -> None:
        self.store = Store()
        self._changed = asyncio.Event()

    def seen(self) -> None:
        self._changed.set()

    async def until(self, holds: Callable[[Picture], bool]) -> Picture:
        async with asyncio.timeout(30):
            while not holds(self.store.picture):
                self._changed.clear()
                await self._changed.wait()
        return self.store.picture


async def test_a_real_controller_that_is_killed_comes_back_as_it_is_then() -> None:
    watched = Watched()
    async with an_installation() as pool:
        pool.start_controller()
        await pool.add_agent("n1", simulate="2x24GiB")
        async with pool.client() as client, asyncio.TaskGroup() as tasks:
            ear = tasks.create_task(follow(client, watched.store, watched.seen))
            job = await client.submit({"command": "sleep 600", "gpus": 1})
            await watched.until(lambda picture: _state(picture, job.id) == "Running")

            pool.controller.kill()
            away = await watched.until(lambda picture: picture.link.state == "away")
            assert away.link.text is not None
            assert _state(away, job.id) == "Running"

            pool.start_controller()
            await watched.until(lambda picture: picture.is_live)
            await client.cancel(job.id, grace_s=0)
            await watched.until(lambda picture: _state(picture, job.id) == "Cancelled")
            fresh = Store()
            async with aclosing(client.stream()) as frames:
                first = await anext(frames)
            assert isinstance(first, Snapshot)
            fresh.apply(first, 0.0)
            same = await watched.until(lambda picture: picture.queues == fresh.picture.queues)
            assert same.nodes.keys() == fresh.picture.nodes.keys()
            assert job.id in {event.job for event in same.events}
            ear.cancel()


def _state(picture: Picture, id: int) -> str | None:
    job = picture.jobs.get(id)
    return None if job is None else job.state


async def test_what_cards_did_before_the_console_began_is_fetched_once_a_connection() -> None:
    console = Console()
    script = Script(
        Call(a_snapshot(3, nodes=(a_node("n1", a_card(0)),)), changes(4), changes(5), CUT),
        Call(changes(6), changes(7), CUT, seq=6),
    )
    card = CardSamplesView(uuid="GPU-n1-0", utilization_pct=(10,), memory_used_mib=(0,))
    script.past = [
        NodeSamplesView(
            node="n1",
            at=utc_text(AT + 10),
            begin_at=utc_text(AT),
            every_s=10,
            cpus_used=(0,),
            memory_used_mib=(0,),
            cards=(card,),
        )
    ]

    await console.hear(script)

    assert script.samples_asked == 2
    assert set(console.store.picture.samples["GPU-n1-0"].utilization_pct) == {10}
