from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from eaas.sample_views import CardSamplesView, NodeSamplesView
from eaas.views import ConditionView
from eaas.wire.to_client import AnyToClient, ManyReadings, SnapshotJobs
from eaas_tui.model.picture import EMPTY, Link, Picture
from eaas_tui.model.store import KEPT_ENDED, KEPT_EVENTS, Store
from tests.rig.costs import cost_s
from tests.rig.views import (
    AT,
    a_booking,
    a_card,
    a_job,
    a_node,
    a_pool,
    a_queue,
    a_snapshot,
    an_event,
    changes,
    readings,
)


def a_store(*frames: AnyToClient) -> Store:
    store = Store()
    for frame in frames:
        store.apply(frame, AT)
    return store


def test_before_the_first_frame_the_picture_is_empty() -> None:
    assert Store().picture is EMPTY


def test_a_snapshot_is_shown_whole() -> None:
    pool, queue, node, job = a_pool("default", "n1"), a_queue(), a_node("n1", a_card()), a_job(7)

    picture = a_store(
        a_snapshot(5, pools=(pool,), queues=(queue,), nodes=(node,), jobs=(job,))
    ).picture

    assert picture == Picture(
        seq=5,
        link=EMPTY.link,
        pools={"default": pool},
        queues={"default/default": queue},
        nodes={"n1": node},
        jobs={7: job},
    )


def test_of_a_snapshot_in_pieces_nothing_is_shown_before_it_is_whole() -> None:
    store = a_store(a_snapshot(jobs=(a_job(1), a_job(2))))
    store.apply(replace(a_snapshot(5, jobs=(a_job(3),)), whole=False), AT)
    store.apply(changes(6, jobs=(a_job(4), a_job(3, "Succeeded"))), AT)
    store.link("away", None, AT)

    before = store.picture
    store.apply(SnapshotJobs(jobs=(a_job(5),), last=True), AT)

    assert (list(before.jobs), before.link.state) == ([1, 2], "away")
    assert store.picture.jobs == {3: a_job(3, "Succeeded"), 4: a_job(4), 5: a_job(5)}
    assert store.picture.seq == 6


def test_changes_replace_add_and_remove() -> None:
    store = a_store(
        a_snapshot(
            pools=(a_pool("a"), a_pool("b")),
            queues=(a_queue("q", "a"), a_queue("q", "b")),
            nodes=(a_node("n1"), a_node("n2")),
            jobs=(a_job(1), a_job(2)),
        ),
        changes(
            2,
            pools=(a_pool("a", "n1"),),
            nodes=(a_node("n3"),),
            jobs=(a_job(1, "Running"),),
            gone_pools=("b",),
            gone_queues=("b/q",),
            gone_nodes=("n2",),
        ),
    )

    picture = store.picture

    assert picture.seq == 2
    assert picture.pools == {"a": a_pool("a", "n1")}
    assert list(picture.queues) == ["a/q"]
    assert list(picture.nodes) == ["n1", "n3"]
    assert picture.jobs == {1: a_job(1, "Running"), 2: a_job(2)}


def test_bookings_come_and_go_with_the_stream() -> None:
    one, two = a_booking(1), a_booking(2)

    began = a_store(a_snapshot(bookings=(one,)))
    changed = a_store(a_snapshot(bookings=(one,)), changes(2, bookings=(two,), gone_bookings=(1,)))

    assert began.picture.bookings == {1: one}
    assert changed.picture.bookings == {2: two}
    changed.apply(a_snapshot(3), AT)
    assert changed.picture.bookings == {}


def test_a_picture_never_changes_afterwards() -> None:
    store = a_store(a_snapshot(jobs=(a_job(1),)))
    before = store.picture

    store.apply(changes(2, jobs=(a_job(2),)), AT)

    assert list(before.jobs) == [1]
    assert list(store.picture.jobs) == [1, 2]


def test_a_new_picture_shares_what_has_not_changed() -> None:
    store = a_store(a_snapshot(nodes=(a_node(),), queues=(a_queue(),), jobs=(a_job(1),)))
    before = store.picture
    assert store.picture is before

    store.apply(changes(2, jobs=(a_job(2),)), AT)

    assert store.picture.nodes is before.nodes
    assert store.picture.queues is before.queues
    assert store.picture.jobs[1] is before.jobs[1]


def test_readings_move_the_cards_of_their_node_and_its_numbers() -> None:
    store = a_store(
        a_snapshot(nodes=(a_node("n1", a_card(0)), a_node("n2", a_card(0, "n2")))),
        readings("n1", a_card(0, utilization_pct=93), cpus_used=2.0, memory_used_mib=None),
    )

    picture = store.picture

    moved = a_node("n1", a_card(0, utilization_pct=93), cpus_used=2.0, memory_used_mib=None)
    assert picture.nodes == {"n1": moved, "n2": a_node("n2", a_card(0, "n2"))}
    assert picture.samples["GPU-n1-0"].utilization_pct == (93,)
    assert picture.seq == 1


def test_the_readings_of_several_nodes_may_come_together() -> None:
    snapshot = a_snapshot(nodes=(a_node("n1", a_card(0)), a_node("n2", a_card(0, "n2"))))
    one, other = readings("n1", a_card(0, utilization_pct=93)), readings("n2")

    together = a_store(snapshot, ManyReadings(readings=(one, other))).picture

    assert together == a_store(snapshot, one, other).picture


def test_readings_of_a_node_nobody_has_heard_of_are_left_alone() -> None:
    assert a_store(a_snapshot(), readings("n9", a_card())).picture.samples == {}


def test_a_job_that_ended_stays_until_so_many_others_have() -> None:
    store = a_store(a_snapshot(jobs=(a_job(1),)), changes(2, jobs=(a_job(1, "Failed"),)))

    for number in range(2, KEPT_ENDED + 2):
        store.apply(changes(number + 1, jobs=(a_job(number, "Succeeded"),)), AT)

    assert len(store.picture.jobs) == KEPT_ENDED
    assert 1 not in store.picture.jobs
    assert 2 in store.picture.jobs


def test_a_job_that_is_retried_is_no_longer_one_that_ended() -> None:
    store = a_store(a_snapshot(), changes(2, jobs=(a_job(1, "Failed"),)))
    store.apply(changes(3, jobs=(a_job(1, "Pending"),)), AT)

    for number in range(2, KEPT_ENDED + 10):
        store.apply(changes(number + 2, jobs=(a_job(number, "Succeeded"),)), AT)

    assert store.picture.jobs[1].state == "Pending"


def test_after_another_snapshot_only_jobs_seen_to_end_remain_beside_it() -> None:
    store = a_store(
        a_snapshot(jobs=(a_job(1), a_job(2))),
        changes(2, jobs=(a_job(1, "Failed"),), events=(an_event(2),)),
        a_snapshot(9, jobs=(a_job(3),)),
    )

    assert store.picture.jobs == {1: a_job(1, "Failed"), 3: a_job(3)}
    assert store.picture.events == (an_event(2),)


def test_after_a_restore_from_a_backup_nothing_of_before_remains() -> None:
    store = a_store(
        a_snapshot(),
        changes(9, jobs=(a_job(1, "Failed"),), events=(an_event(9),)),
        a_snapshot(4, epoch=2),
    )

    assert store.picture == replace(EMPTY, seq=4)


def test_events_heard_twice_are_shown_once_and_older_ones_come_before() -> None:
    store = a_store(a_snapshot(), changes(5, events=(an_event(4), an_event(5))))

    store.apply(changes(6, events=(an_event(5), an_event(6))), AT)
    store.apply(changes(6, events=(an_event(2), an_event(3))), AT)

    assert [event.seq for event in store.picture.events] == [2, 3, 4, 5, 6]


def test_only_the_newest_events_are_kept() -> None:
    events = tuple(an_event(seq) for seq in range(1, KEPT_EVENTS + 11))

    kept = a_store(a_snapshot(), changes(2, events=events)).picture.events

    assert kept == events[10:]


def test_the_link_remembers_since_when_it_is_so() -> None:
    store = Store()

    store.link("away", "no controller answers", 100.0)
    store.link("away", "connection refused\x1b[2J", 105.0)
    assert store.picture.link == Link(state="away", since=100.0, text="connection refused")

    store.link("live", None, 110.0)
    assert store.picture.link == Link(state="live", since=110.0)
    assert store.picture.is_live


def test_the_same_link_makes_no_new_picture() -> None:
    store = Store()
    store.link("away", "gone", 100.0)
    before = store.picture

    store.link("away", "gone", 101.0)

    assert store.picture is before


def test_who_is_looking_is_in_the_picture() -> None:
    store = Store()

    store.knows("alice\x1b[m", is_admin=True)

    assert (store.picture.user, store.picture.is_admin) == ("alice", True)


def test_what_is_wrong_with_the_whole_is_in_the_picture_also_before_a_snapshot_is_whole() -> None:
    store = a_store(a_snapshot(3))
    lost = ConditionView(code="mass_loss", text="\x1b[m6 of 8 nodes fell silent", since="")
    store.apply(a_snapshot(4, whole=False), AT)

    store.stands((lost,), 4)

    assert [one.text for one in store.picture.conditions] == ["6 of 8 nodes fell silent"]


def test_everything_is_clean_when_it_is_shown() -> None:
    store = a_store(a_snapshot(nodes=(a_node("n\x1b[2J1", a_card()),), jobs=(a_job(name="\x07x"),)))
    store.apply(readings("n\x1b[2J1", a_card(model="\x1b[1mRTX")), AT)
    store.apply(changes(2, events=(an_event(2, "by \x1b]52;c;AAAA\x07bob"),)), AT)

    picture = store.picture

    assert picture.nodes["n1"].cards[0].model == "RTX"
    assert picture.jobs[1].name == "x"
    assert picture.events[0].text == "by bob"


STATES = st.sampled_from(["Pending", "Running", "Succeeded", "Failed"])
SOME = st.integers(0, 3)
FRAMES = st.lists(
    st.one_of(
        st.builds(lambda n, v: ("jobs", n, v), SOME, STATES),
        st.builds(lambda n, v: ("nodes", n, v), SOME, st.sampled_from(["Ready", "Offline"])),
        st.builds(lambda n, v: ("queues", n, v), SOME, st.booleans()),
        st.builds(lambda n, v: ("gone_nodes", n, v), SOME, st.none()),
        st.builds(lambda n, v: ("gone_queues", n, v), SOME, st.none()),
        st.builds(lambda n, v: ("readings", n, v), SOME, st.integers(0, 100)),
    ),
    max_size=30,
)


class Truth:
    """What the controller knows, and how it would say so."""

    def __init__(self) -> None:
        self.seq = 1
        self.known: dict[str, dict[str, Any]] = {"jobs": {}, "nodes": {}, "queues": {}}

    def take(self, kind: str, number: int, value: Any) -> AnyToClient | None:
        name = f"x{number}"
        if kind == "readings":
            if (node := self.known["nodes"].get(name)) is None:
                return None
            cards = (a_card(number, name, utilization_pct=value),)
            self.known["nodes"][name] = replace(
                node, cards=cards, cpus_used=float(value), memory_used_mib=value
            )
            return readings(name, *cards, cpus_used=float(value), memory_used_mib=value)
        self.seq += 1
        if kind.startswith("gone_"):
            self.known[kind[5:]].pop(name, None)
            return changes(self.seq, **{kind: (self._ref(kind, name),)})
        view: Any
        if kind == "jobs":
            view = a_job(number, value)
        else:
            view = a_node(name, state=value) if kind == "nodes" else a_queue(name, paused=value)
        self.known[kind][name] = view
        return changes(self.seq, **{kind: (view,)})

    def snapshot(self) -> AnyToClient:
        jobs = [job for job in self.known["jobs"].values() if job.state in ("Pending", "Running")]
        views = {kind: tuple(views.values()) for kind, views in self.known.items()}
        return a_snapshot(self.seq, **{**views, "jobs": tuple(jobs)})

    @staticmethod
    def _ref(kind: str, name: str) -> str:
        return f"default/{name}" if kind == "gone_queues" else name


@given(FRAMES)
@settings(max_examples=100, deadline=None)
def test_a_snapshot_and_what_changed_since_is_what_a_fresh_snapshot_says(
    happened: list[tuple[str, int, Any]],
) -> None:
    truth = Truth()
    store = a_store(a_snapshot())
    for kind, number, value in happened:
        if (frame := truth.take(kind, number, value)) is not None:
            store.apply(frame, AT)

    followed, fresh = store.picture, a_store(truth.snapshot()).picture

    assert followed.seq == fresh.seq
    assert (followed.nodes, followed.queues) == (fresh.nodes, fresh.queues)
    unended = {id: job for id, job in followed.jobs.items() if job.finished_at is None}
    assert unended == fresh.jobs


def test_fifty_of_ten_thousand_jobs_change_within_two_milliseconds() -> None:
    store = a_store(a_snapshot(jobs=tuple(a_job(id) for id in range(10_000))))
    store.apply(changes(2, jobs=tuple(a_job(id, "Succeeded") for id in range(100))), AT)
    change = changes(3, jobs=tuple(a_job(id, "Running") for id in range(5000, 5050)))

    def update() -> Picture:
        store.apply(change, AT)
        return store.picture

    assert cost_s(update) < 2e-3


def test_what_cards_did_before_is_filled_in_by_the_age_of_it_whatever_the_clocks_say() -> None:
    store = a_store(a_snapshot(nodes=(a_node("n1", a_card(0, memory_total_mib=1000)),)))
    view = NodeSamplesView(
        node="n1",
        at="2030-01-01T00:00:20Z",
        begin_at="2030-01-01T00:00:00Z",
        every_s=10,
        cpus_used=(0, 0),
        memory_used_mib=(0, 0),
        cards=tuple(
            CardSamplesView(uuid=uuid, utilization_pct=(10, 20), memory_used_mib=(100, 500))
            for uuid in ("GPU-n1-0", "GPU-gone")
        ),
    )
    before = store.picture

    store.fill([view, replace(view, node="n9"), replace(view, begin_at=None)], AT)

    assert before.samples == {}
    assert list(store.picture.samples) == ["GPU-n1-0"]
    samples = store.picture.samples["GPU-n1-0"]
    assert samples.utilization_pct == (10, 10, 20, 20)
    assert samples.memory_pct == (10, 10, 50, 50)
