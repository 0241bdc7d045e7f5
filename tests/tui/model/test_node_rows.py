from typing import Any

from msgspec.structs import replace

from eaas.booking_views import CardBookingView
from eaas.node_views import ImageView, LinkEndView, MountView
from eaas.units import parse_utc
from eaas.views import ConditionView, ReasonView
from eaas_tui.model.columns import Row, fit, text_of
from eaas_tui.model.node_rows import (
    IMAGES,
    MOST_MOUNTS,
    card_row,
    card_rows,
    image_rows,
    neighbour,
    node_facts,
    process_rows,
    who,
)
from tests.rig.pictures import a_card, a_held_card, a_node, a_picture, a_process
from tests.rig.views import a_claim

NOW = parse_utc("2025-06-01T10:12:00Z")


def words(row: Row) -> list[str]:
    return [text_of(cell) for cell in row.cells]


def test_a_card_shows_everything_that_is_known_of_it() -> None:
    assert words(card_row(a_held_card(2, user="bob", job=7))) == [
        "2", "▆ held", "██████▊   ", "68%", "55GiB", "80GiB", "61 C", "60 W", "job 7 of bob",
        "NVIDIA H100",
    ]  # fmt: skip


def test_what_is_not_known_of_a_card_is_a_dash() -> None:
    card = a_card(state="unknown", simulated=True, utilization_pct=None, memory_used_mib=None,
                  temperature_c=None, power_w=None)  # fmt: skip

    assert words(card_row(card))[1:] == [
        "? unknown", "----------", "-", "-", "80GiB", "-", "-", "-", "NVIDIA H100 (simulated)",
    ]  # fmt: skip


def test_a_card_that_nobody_may_have_says_why() -> None:
    reason = ReasonView(code="card_sick", text="Xid 79: fell off the bus")
    foreign = a_card(state="foreign", processes=(a_process("bob"), a_process("ann", pid=1)))

    assert "Xid 79: fell off the bus" in words(card_row(a_card(state="sick", reason=reason)))
    assert "ann, bob" in words(card_row(foreign))


def test_a_card_that_is_held_and_excluded_says_both() -> None:
    shut = ReasonView(code="card_excluded", text="excluded by root")

    cells = words(card_row(a_held_card(user="bob", job=7, reason=shut)))

    assert cells[1] == "x held"
    assert cells[8] == "job 7 of bob, excluded by root"


def test_a_shared_card_names_its_jobs_with_their_shares_and_what_is_to_be_known_of_it() -> None:
    text = "job 7 uses 9GiB of the 6GiB it declared"
    claims = a_claim(7, memory_mib=6144), a_claim(8, "bob", memory_mib=3072)
    reason = ReasonView(code="card_shared", text=text)

    cells = card_row(a_held_card(state="shared", claims=claims, reason=reason)).cells

    assert f"job 7 of alice (6.0G), job 8 of bob (3.0G), {text}" in map(text_of, cells)


def test_a_model_that_calls_itself_simulated_says_so_once() -> None:
    model = words(card_row(a_card(simulated=True, model="24 GiB card (simulated)")))[-1]

    assert model == "24 GiB card (simulated)"


def test_cards_stand_in_the_order_of_their_indices() -> None:
    node = a_node("n", a_card(1), a_card(0))

    assert card_rows(node).keys == ["GPU-n-0", "GPU-n-1"]


def test_a_process_without_a_job_is_told_apart() -> None:
    ours = a_process("root", pid=5, job=42, container="eaas-42-0190-1", command="python train.py")
    node = a_node("n", a_card(0, processes=(ours, a_process("bob"))))

    rows = process_rows(node)

    assert [words(rows.row_of(key)) for key in rows.keys] == [
        ["GPU 0", "5", "root", "1GiB", "42", "eaas-42-0190-1", "python train.py"],
        ["GPU 0", "4711", "bob", "1GiB", "none", "-", "python"],
    ]
    assert process_rows(node, "GPU-other").keys == []


def test_images_stand_by_name_with_their_size() -> None:
    image = ImageView(name="pytorch:2.8", digest="sha256:" + "ab" * 32, size_mib=8192)
    rows = image_rows(a_node("n", images=(image,)))

    assert words(rows.row_of(rows.keys[0])) == ["pytorch:2.8", "8GiB", "sha256:abababababab"]


def test_a_narrow_list_of_images_has_room_for_their_names_rather_than_digests() -> None:
    widths = {IMAGES[index].key: width for index, width in fit(IMAGES, 40)}

    assert "digest" not in widths
    assert widths["name"] > 30


def test_a_node_tells_what_it_is_and_what_is_wrong() -> None:
    trouble = ConditionView(code="disk_full", text="2 GiB left", since="2025-06-01T10:00:00Z")
    node = a_node("n", labels={"gpu": "h100"}, conditions=(trouble,))

    assert node_facts(node, NOW) == [
        "n  Ready  Docker 28.0  version 0.1.0  at 10.0.0.7  connected",
        "cpus 8/64  memory 64G/256G  pools default  labels gpu=h100",
        "! disk_full: 2 GiB left",
    ]


def test_only_a_node_that_is_silent_says_when_it_was_seen() -> None:
    assert "seen 12m ago" in node_facts(a_node("n", state="Offline"), NOW)[0]
    assert "never seen" in node_facts(a_node("n", state="Offline", last_seen_at=None), NOW)[0]
    assert "connected" in node_facts(a_node("n", state="Draining"), NOW)[0]


def test_a_node_says_how_its_last_connection_ended() -> None:
    end = LinkEndView(
        at="2025-06-01T10:00:00Z", why="ping timeout", by="nobody", address="10.0.0.4"
    )

    for state in ("Ready", "Offline"):
        node = a_node("n", state=state, last_end=end)
        assert node_facts(node, NOW)[2] == (
            "last connection ended: ping timeout, 12m ago, from 10.0.0.4"
        )


def test_a_node_says_what_it_has_to_mount_first_what_nobody_can_have() -> None:
    node = a_node(
        "n",
        mounts=(
            a_mount("data", read_only=True),
            a_mount("home", per_user=True),
            a_mount("scratch", available=False, reason="no such folder", users=("ann", "bob"),
                    queues=("batch",)),
        ),
    )  # fmt: skip

    assert node_facts(node, NOW)[2:] == [
        "! mount scratch: for ann, bob in batch, read and write, not available: no such folder",
        "mount data: for everybody, read only, available",
        "mount home: for each user's own folder, read and write, available",
    ]


def test_many_mounts_leave_the_cards_their_room() -> None:
    mounts = (*map(a_mount, "abcdef"), a_mount("g", available=False, reason="gone"))

    told = node_facts(a_node("n", mounts=mounts), NOW)[2:]

    assert len(told) == MOST_MOUNTS
    assert told[0].startswith("! mount g: ")
    assert told[-1] == "4 more mounts: mini-eaas node show n lists them"


def a_mount(name: str, **but: Any) -> MountView:
    plain = MountView(name=name, read_only=False, available=True, reason=None, users=(), queues=(),
                      per_user=False)  # fmt: skip
    return replace(plain, **but)


def test_the_neighbours_of_a_node_go_round() -> None:
    picture = a_picture(a_node("a"), a_node("b"))

    assert [neighbour(picture, name, 1) for name in ("a", "b", "gone", None)] == [
        "b",
        "a",
        "a",
        "a",
    ]
    assert neighbour(a_picture(), "a", 1) == "a"


def test_for_whom_a_card_is_booked_stands_beside_who_has_it() -> None:
    booked = CardBookingView(
        id=3, whose="bob", start="2026-03-01T14:00:00.000Z", end="2026-03-01T17:00:00.000Z"
    )

    free = who(replace(a_card(0), bookings=(booked,)))
    held = who(replace(a_held_card(0), bookings=(booked,)))

    assert free == "booked for bob from 2026-03-01 14:00:00 UTC"
    assert held.endswith(", booked for bob from 2026-03-01 14:00:00 UTC")
