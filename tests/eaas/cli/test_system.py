import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from eaas.node_views import CardClaimView, CardProcessView, CardView
from eaas.views import EventView, ReasonView, StatusView
from tests.eaas.cli.conftest import Type
from tests.rig.stand_in import AT, StandIn, a_change, a_snapshot

STATUS = StatusView(
    version="0.1.0",
    epoch=1,
    started_at=AT,
    seq=5,
    pools=1,
    nodes=2,
    nodes_ready=1,
    cards_total=4,
    cards_free=3,
    waiting=2,
    running=1,
    home="/h",
    address=None,
    user="ada",
    role="admin",
)
FREE = CardView(
    uuid="GPU-0",
    index=0,
    node="n1",
    model="RTX 3090",
    state="free",
    simulated=False,
    offered=True,
    reason=None,
    memory_total_mib=24576,
    memory_used_mib=512,
    memory_claimed_mib=0,
    utilization_pct=0,
    temperature_c=31,
    power_w=20.5,
    claims=(),
    processes=(),
    sampled_at=AT,
)


def card(**changes: Any) -> CardView:
    return msgspec.structs.replace(FREE, **changes)


def test_status_is_one_glance(typing: Type, controller: StandIn) -> None:
    controller.answers["GET /api/v1/status"] = STATUS
    out = typing("status").out

    for words in ("1 of 2 ready", "3 of 4 free", "1 running, 2 waiting", "ada (admin)"):
        assert words in out
    told = json.loads(typing("status", "-o", "json").out)
    assert told == json.loads(msgspec.json.encode(STATUS))


def test_a_card_is_one_line_with_who_holds_it(typing: Type, controller: StandIn) -> None:
    held = card(
        index=1,
        state="held",
        claims=(CardClaimView(job=7, attempt=1, user="bob", memory_mib=None),),
        utilization_pct=93,
    )
    foreign = card(
        index=2,
        state="foreign",
        processes=(
            CardProcessView(
                pid=99, user=None, command="python", memory_mib=1, container=None, job=None
            ),
        ),
        reason=ReasonView(code="card_foreign", text="used from outside"),
        memory_used_mib=None,
        utilization_pct=None,
        temperature_c=None,
    )
    shared = card(
        index=4,
        state="shared",
        claims=(
            CardClaimView(job=8, attempt=1, user="bob", memory_mib=6144),
            CardClaimView(job=9, attempt=1, user="ada", memory_mib=3072, ref="2[7]"),
        ),
        memory_used_mib=4096,
        memory_claimed_mib=9216,
    )
    cards = [FREE, held, foreign, card(index=3, simulated=True), shared]
    controller.answers["GET /api/v1/cards"] = {"items": cards, "next": None}
    lines = typing("gpus").out.splitlines()

    assert len(lines) == 6
    assert "bob (job 8: 6GiB), ada (job 2[7]: 3GiB)" in lines[5]
    assert "4GiB of 24GiB, 9GiB declared" in lines[5]
    assert "512MiB of 24GiB" in lines[1]
    assert "bob (job 7)" in lines[2]
    assert "93%" in lines[2]
    assert "somebody (pid 99 python)" in lines[3]
    assert "? of 24GiB" in lines[3]
    assert "used from outside" in lines[3]
    assert "RTX 3090 (simulated)" in lines[4]


def test_events_are_lines_and_as_json_a_page(typing: Type, controller: StandIn) -> None:
    event = EventView(seq=3, at=AT, kind="job", text="job 1 began", job=1, node=None, user="ada")
    controller.answers["GET /api/v1/events"] = {"items": [event], "next": None}

    assert typing("events").out == "2026-03-01 08:00:00 UTC  job 1 began\n"
    assert json.loads(typing("events", "-o", "json").out)["items"][0]["seq"] == 3


def test_events_are_followed_as_json_lines_each_of_them_once(
    controller: StandIn, home: Path
) -> None:
    first, second = (
        EventView(seq=seq, at=AT, kind="job", text=f"{seq}", job=1, node=None, user=None)
        for seq in (3, 4)
    )
    page = {"items": [first], "next": None}
    controller.answers["GET /api/v1/events"] = page
    change = msgspec.structs.replace(a_change(after=3), events=(first, second))
    controller.frames[:] = [[a_snapshot(seq=3), change, a_change(after=4)], []]
    words = [str(Path(sys.executable).with_name("mini-eaas")), "events", "--follow", "-o", "json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=os.environ, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=20)

    assert [json.loads(line)["seq"] for line in lines] == [3, 4]
    assert (process.returncode, rest) == (130, "")
