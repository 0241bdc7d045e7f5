"""The agent's side of the driver's child, against the real pynvml on a stand-in for the driver."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from eaas.ids import CardUuid
from eaas_agent.cards.nvml import NvmlCards, Patience
from eaas_agent.cards.port import CardLink, CardProcess, CardReading, CardsPicture
from tests.rig.nvml_standin import StandIn, card, uuid_of

QUICK = Patience(period_s=0.1, start_s=8.0, silence_s=5.0, retry_s=0.2, respawn_s=0.02)
IMPATIENT = Patience(period_s=0.1, start_s=0.8, silence_s=0.5, retry_s=10.0, respawn_s=0.02)


async def test_two_healthy_cards_are_read_with_everything_the_driver_says(machine: StandIn) -> None:
    machine.says("driver=550.54.15", "count=2", *card(0), *card(1, utilization=97), "link.0.1=10")

    async with watching(machine) as cards:
        picture = await answer(cards)

    assert (picture.state, picture.text, picture.driver) == ("ok", None, "550.54.15")
    assert picture.cards == (a_reading(0), a_reading(1, utilization_pct=97))
    assert picture.links == (CardLink(a=uuid(0), b=uuid(1), kind="bridge"),)


async def test_cards_on_nvlink_say_so(machine: StandIn) -> None:
    machine.says("count=2", *card(0), *card(1), "link.0.1=30", "nvlink.0.1=1")

    async with watching(machine) as cards:
        assert [link.kind for link in (await answer(cards)).links] == ["nvlink"]


async def test_a_lost_card_stays_listed_and_its_neighbour_is_read_on(machine: StandIn) -> None:
    machine.says("count=2", *card(0), *card(1))
    async with watching(machine) as cards:
        await answer(cards)
        machine.says("count=2", *card(0, error=15), *card(1, temperature=70))
        picture = await until(
            cards, lambda it: it.cards[0].lost and it.cards[1].temperature_c == 70
        )

        assert picture.cards[0].fault == "card 0 is lost: the driver says 'GPU is lost' (code 15)"
        assert (picture.cards[0].uuid, picture.cards[0].processes) == (uuid(0), None)
        assert picture.cards[1] == a_reading(1, temperature_c=70)

        machine.says("count=2", *card(0), *card(1))
        await until(cards, lambda it: it.cards[0] == a_reading(0))


async def test_a_lost_card_stays_listed_through_a_new_child(machine: StandIn) -> None:
    machine.says("count=2", *card(0), *card(1))
    async with watching(machine) as cards:
        await answer(cards)
        machine.says("count=2", *card(0, error=999), *card(1))
        await until(cards, lambda it: it.cards[0].lost)
        before = child_of_this_process()
        assert before is not None
        os.kill(before, signal.SIGKILL)
        await until(cards, lambda _: child_of_this_process() not in (None, before))

        picture = await until(cards, lambda it: it.state == "ok")

    assert [each.uuid for each in picture.cards] == [uuid(0), uuid(1)]
    assert [each.lost for each in picture.cards] == [True, False]


async def test_a_lost_card_that_was_never_seen_is_named_in_the_text(machine: StandIn) -> None:
    machine.says("count=2", *card(0, error=15), *card(1))

    async with watching(machine) as cards:
        picture = await answer(cards)

    assert [each.uuid for each in picture.cards] == [uuid(1)]
    assert picture.text == "not listed, because no UUID is known for it: card 0 does not answer"


async def test_a_card_that_tells_no_memory_has_none_and_says_why(machine: StandIn) -> None:
    refusals = {"error.nvmlDeviceGetMemoryInfo": 3, "error.nvmlDeviceGetMemoryInfo_v2": 3}
    machine.says("count=1", *card(0, **refusals, processes="4000000:300"))

    async with watching(machine) as cards:
        reading = (await answer(cards)).cards[0]

    assert (reading.memory_total_mib, reading.memory_used_mib, reading.fault) == (None, None, None)
    assert reading.processes == (CardProcess(pid=4000000, memory_mib=300),)
    assert reading.notes == (
        "the driver does not say how much memory there is: it is shared with the host",
    )


async def test_an_old_driver_without_the_newer_calls_is_read_by_the_older_ones(
    machine: StandIn,
) -> None:
    missing = [
        f"error.nvmlDeviceGet{name}=13"
        for name in ("MemoryInfo_v2", "ComputeRunningProcesses_v3", "GraphicsRunningProcesses_v3")
    ]
    machine.says("count=1", *missing, *card(0, processes="4000001:700", graphics="4000002:-"))

    async with watching(machine) as cards:
        reading = (await answer(cards)).cards[0]

    assert reading.memory_used_mib == 605
    assert reading.processes == (
        CardProcess(pid=4000001, memory_mib=700),
        CardProcess(pid=4000002, memory_mib=None),
    )


async def test_the_wide_process_list_of_driver_535_is_read_rightly(machine: StandIn) -> None:
    machine.says("count=1", "wide_v3=1", *card(0, processes="4000001:100,4000002:200,4000003:300"))

    async with watching(machine) as cards:
        processes = (await answer(cards)).cards[0].processes

    assert processes == tuple(CardProcess(pid=4000000 + n, memory_mib=100 * n) for n in (1, 2, 3))


async def test_a_process_is_known_by_its_user_and_command(machine: StandIn) -> None:
    machine.says("count=1", *card(0, processes=f"{os.getpid()}:512"))

    async with watching(machine) as cards:
        processes = (await answer(cards)).cards[0].processes

    assert processes is not None
    assert processes[0].command == own_command()
    assert processes[0].user is not None


async def test_values_the_driver_refuses_are_none(machine: StandIn) -> None:
    machine.says(
        "count=1",
        *card(0),
        "error.nvmlDeviceGetPowerUsage=3",
        "error.nvmlDeviceGetUtilizationRates=6",
        "error.nvmlDeviceGetTemperature=999",
    )

    async with watching(machine) as cards:
        reading = (await answer(cards)).cards[0]

    assert reading == a_reading(0, power_w=None, utilization_pct=None, temperature_c=None)


async def test_an_xid_makes_a_card_sick_and_an_application_s_own_does_not(
    machine: StandIn,
) -> None:
    machine.says("count=2", *card(0), *card(1), "event=1:48")
    async with watching(machine) as cards:
        picture = await until(cards, lambda it: it.cards[1].fault is not None)
        assert [each.fault for each in picture.cards] == [None, "card 1 reported Xid 48"]

        told = child_of_this_process()
        assert told is not None
        os.kill(told, signal.SIGKILL)  # the next child is told of it
        machine.says("count=2", *card(0, temperature=50), *card(1), "event=0:31")
        picture = await until(cards, lambda it: it.cards[0].temperature_c == 50)
        assert [each.fault for each in picture.cards] == [None, "card 1 reported Xid 48"]


async def test_a_driver_updated_under_a_loaded_one_offers_nothing(machine: StandIn) -> None:
    machine.says("error.nvmlInitWithFlags=18")

    async with watching(machine) as cards:
        picture = cards.picture()

    assert (picture.state, picture.cards) == ("unknown", ())
    assert picture.text is not None
    assert "a reboot is needed" in picture.text


async def test_a_driver_that_hangs_at_the_start_is_unknown_and_asked_anew(
    machine: StandIn,
) -> None:
    machine.says("delay.nvmlInitWithFlags=600000")

    began = time.monotonic()
    async with watching(machine, IMPATIENT) as cards:
        assert cards.picture().state == "unknown"
        assert time.monotonic() - began < 5.0

        machine.says("count=1", *card(0))
        picture = await until(cards, lambda it: it.state == "ok")

    assert picture.cards == (a_reading(0),)


async def test_a_driver_that_falls_silent_makes_its_cards_unknown_until_it_answers(
    machine: StandIn,
) -> None:
    machine.says("count=1", *card(0))
    async with watching(machine, IMPATIENT) as cards:
        await answer(cards)
        hung = child_of_this_process()
        machine.says("delay.nvmlDeviceGetUtilizationRates=600000", "count=1", *card(0))
        picture = await until(cards, lambda it: it.state == "unknown")
        assert [each.uuid for each in picture.cards] == [uuid(0)]

        machine.says("count=1", *card(0))
        await until(cards, lambda it: it.state == "ok")
        assert child_of_this_process() not in (None, hung)


async def test_a_killed_child_is_replaced_and_leaves_no_zombie(machine: StandIn) -> None:
    machine.says("count=1", *card(0))
    async with watching(machine) as cards:
        killed = child_of_this_process()
        assert killed is not None
        os.kill(killed, signal.SIGKILL)
        machine.says("count=1", *card(0, used_mib=777))

        await until(cards, lambda it: it.cards[0].memory_used_mib == 777)

        assert not Path(f"/proc/{killed}").exists()
        assert child_of_this_process() != killed
    assert child_of_this_process() is None


async def test_a_driver_that_crashes_its_reader_is_never_believed(machine: StandIn) -> None:
    machine.says("crash=nvmlDeviceGetUUID", "count=1", *card(0))
    async with watching(machine) as cards:
        picture = await until(cards, lambda it: "crashes" in (it.text or ""))
        assert (picture.state, picture.cards) == ("unknown", ())

        machine.says("count=1", *card(0))
        await until(cards, lambda it: it.cards == (a_reading(0),))


async def test_a_driver_that_comes_later_is_found(bare_machine: StandIn) -> None:
    bare_machine.says("count=1", *card(0))
    async with watching(bare_machine) as cards:
        picture = cards.picture()
        assert (picture.state, picture.text) == (
            "none",
            "no NVIDIA driver on this machine: libnvidia-ml.so.1 is not there",
        )

        bare_machine.install()
        await until(cards, lambda it: it.state == "ok" and it.cards == (a_reading(0),))


async def test_a_driver_that_is_unloaded_leaves_its_cards_listed_as_unknown(
    machine: StandIn,
) -> None:
    machine.says("count=1", *card(0))
    async with watching(machine) as cards:
        machine.says("error.nvmlInitWithFlags=9", "error.nvmlDeviceGetCount_v2=1")
        picture = await until(cards, lambda it: it.text is not None and "not loaded" in it.text)

    assert (picture.state, [each.uuid for each in picture.cards]) == ("unknown", [uuid(0)])


async def test_closing_before_the_start_or_twice_does_nothing(machine: StandIn) -> None:
    cards = NvmlCards(env=machine.env)
    await cards.close()
    await cards.start()
    await cards.close()
    await cards.close()
    assert child_of_this_process() is None


@asynccontextmanager
async def watching(machine: StandIn, patience: Patience = QUICK) -> AsyncIterator[NvmlCards]:
    cards = NvmlCards(env=machine.env, patience=patience)
    await cards.start()
    try:
        yield cards
    finally:
        await cards.close()


async def answer(cards: NvmlCards) -> CardsPicture:
    return await until(cards, lambda it: it.state == "ok")


async def until(cards: NvmlCards, holds: Callable[[CardsPicture], bool]) -> CardsPicture:
    async with asyncio.timeout(20):
        picture = cards.picture()
        while not holds(picture):
            picture = await cards.changed()
    return picture


def a_reading(index: int, **answers: object) -> CardReading:
    values: dict[str, object] = {
        "uuid": uuid(index),
        "index": index,
        "minor": index,
        "model": "NVIDIA GeForce RTX 3090",
        "memory_total_mib": 24576,
        "memory_used_mib": 5,
        "utilization_pct": 0,
        "temperature_c": 35,
        "power_w": 21.5,
        "processes": (),
        "memory_reserved_mib": 600,
    } | answers
    return CardReading(**values)  # type: ignore[arg-type]


def uuid(index: int) -> CardUuid:
    return CardUuid(uuid_of(index))


def child_of_this_process() -> int | None:
    """Return the pid of the child that reads the cards."""
    for task in Path("/proc/self/task").iterdir():
        for pid in _read(task / "children").split():
            if b"nvml_child" in _read(Path(f"/proc/{pid.decode()}/cmdline")):
                return int(pid)
    return None


def _read(file: Path) -> bytes:
    """Return what the kernel tells, or nothing of what has just ended."""
    try:
        return file.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def own_command() -> str:
    words = Path("/proc/self/cmdline").read_bytes().decode().replace("\0", " ").strip()
    return words[:200]
