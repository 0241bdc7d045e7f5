import msgspec

from eaas.wire.to_client import Changes
from eaas_daemon.api.frames import Encodings, Frame, Ring, TwoForms


def forms(owner: str | None, word: str) -> TwoForms:
    """Return two forms of a view that is one word."""
    return TwoForms(owner, msgspec.Raw(b'"%s"' % word.encode()), msgspec.Raw(b'"-"'))


def a_frame(*owners: str, after: int = 0, seq: int = 1) -> Frame:
    """Return a frame with one job of each."""
    changes = Changes(after=after, seq=seq, at="now")
    return Frame(
        changes, tuple(forms(owner, f"of {owner}") for owner in owners), (forms(None, "n"),)
    )


def shown(encodings: Encodings, viewer: str | None) -> tuple[list[str], list[str]]:
    """Return the jobs and nodes in the frame as the viewer gets them."""
    frame = msgspec.json.decode(encodings.for_viewer(viewer))
    return frame["jobs"], frame["nodes"]


def test_everybody_sees_their_own_and_admins_see_all() -> None:
    encodings = Encodings(a_frame("ann", "bob"))

    assert shown(encodings, None) == (["of ann", "of bob"], ["n"])
    assert shown(encodings, "ann") == (["of ann", "-"], ["-"])
    assert shown(encodings, "eve") == (["-", "-"], ["-"])


def test_those_without_a_job_in_it_share_one_form() -> None:
    encodings = Encodings(a_frame("ann"))

    assert encodings.for_viewer("eve") is encodings.for_viewer("bob")
    assert encodings.for_viewer("ann") is not encodings.for_viewer("bob")


def test_a_ring_gives_what_follows_a_number_those_with_the_same_number_too() -> None:
    ring = Ring(max_frames=10, max_bytes=10_000, forgotten=0)
    frames = [a_frame(after=after, seq=seq) for after, seq in ((1, 2), (2, 2), (2, 5), (5, 6))]
    for frame in frames:
        assert isinstance(frame.message, Changes)
        ring.add(frame.message.after, frame.message.seq, frame)

    assert ring.since(2) == frames[1:]
    assert ring.since(5) == frames[3:]
    assert ring.since(6) == []


def test_a_ring_forgets_the_oldest_and_says_up_to_where() -> None:
    by_number = Ring(max_frames=2, max_bytes=10_000, forgotten=0)
    by_bytes = Ring(max_frames=10, max_bytes=2 * a_frame().size, forgotten=0)
    for ring in (by_number, by_bytes):
        for seq in range(1, 5):
            ring.add(seq - 1, seq, a_frame(after=seq - 1, seq=seq))

    assert by_number.forgotten == by_bytes.forgotten == 2
    assert len(by_number.since(2)) == len(by_bytes.since(2)) == 2
