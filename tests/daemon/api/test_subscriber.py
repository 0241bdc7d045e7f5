import pytest

from eaas_daemon.api import subscriber as module
from eaas_daemon.api.subscriber import Subscriber


def taken(subscriber: Subscriber) -> list[bytes]:
    """Return everything that waits."""
    frames = []
    while (frame := subscriber.take()) is not None:
        frames.append(frame)
    return frames


def test_frames_before_the_snapshot_are_not_for_it() -> None:
    subscriber = Subscriber(None)
    subscriber.offer(b"early")
    subscriber.begin(b"snapshot")
    subscriber.offer(b"later")

    assert taken(subscriber) == [b"snapshot", b"later"]


@pytest.mark.parametrize(("name", "limit"), [("MAX_WAITING_FRAMES", 3), ("MAX_WAITING_BYTES", 12)])
async def test_one_too_slow_loses_what_waits_until_it_starts_over(
    monkeypatch: pytest.MonkeyPatch, name: str, limit: int
) -> None:
    monkeypatch.setattr(module, name, limit)
    subscriber = Subscriber(None)
    subscriber.begin(b"snap")
    for _ in range(4):
        subscriber.offer(b"1234")

    await subscriber.wait()
    assert (subscriber.fell_behind, taken(subscriber)) == (True, [])
    subscriber.offer(b"lost")
    subscriber.begin(b"a snapshot of any length")
    assert (subscriber.fell_behind, taken(subscriber)) == (False, [b"a snapshot of any length"])


def test_a_long_snapshot_leaves_the_changes_after_it_their_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_WAITING_BYTES", 12)
    subscriber = Subscriber(None, pieces=True)
    subscriber.begin(b"a first piece")
    subscriber.offer(b"a change")
    subscriber.go_on(b"the other piece")

    assert taken(subscriber) == [b"a first piece", b"a change", b"the other piece"]


def test_whoever_was_given_up_gets_no_piece_of_the_snapshot_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_WAITING_FRAMES", 1)
    subscriber = Subscriber(None, pieces=True)
    subscriber.begin(b"a first piece")
    subscriber.offer(b"too much")
    subscriber.go_on(b"the other piece")

    assert taken(subscriber) == []
