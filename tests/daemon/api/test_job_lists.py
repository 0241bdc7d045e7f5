import base64
from typing import Any

import pytest

from eaas.wire.rest import SetQueue
from eaas_daemon.core import events as e
from tests.daemon.api.served import House
from tests.rig.builders import ADMIN, a_card


async def ids(house: House, query: str = "", *, user: str = "ann") -> tuple[list[int], str | None]:
    """Return the numbers of a page and the next cursor."""
    status, page = await house.ask("GET", f"/api/v1/jobs{query}", user=user)
    assert status == 200, page
    return [view["id"] for view in page["items"]], page["next"]


async def paged(house: House, query: str) -> list[int]:
    """Return the numbers of all pages."""
    found, cursor = await ids(house, query)
    while cursor is not None:
        more, cursor = await ids(house, f"{query}&cursor={cursor}")
        found += more
    return found


async def a_busy_house(house: House) -> None:
    """Let 1 run, 2 and 3 be over, 4 to 7 wait: 6 in a queue that goes before, 5 with priority."""
    await house.node("n1", a_card(0))
    await house.pool("default", "n1")
    settings = SetQueue(priority=5)
    await house.engine.ask(
        e.CreateQueue(caller=ADMIN, pool="default", name="urgent", settings=settings)
    )
    await house.submit(gpus=1)
    for user in ("ann", "bob"):
        number = await house.submit(user, gpus=1)
        await house.ask("POST", f"/api/v1/jobs/{number}/cancel", user=user)
    for extra in ({}, {"priority": 1}, {"queue": "urgent"}, {}):
        await house.submit("bob", gpus=1, **extra)


async def test_by_default_it_is_what_has_not_ended_in_the_order_of_the_line(house: House) -> None:
    await a_busy_house(house)

    assert await ids(house) == ([1, 6, 5, 4, 7], None)
    assert await paged(house, "?limit=2") == [1, 6, 5, 4, 7]


async def test_a_page_goes_on_where_the_last_one_ended_though_jobs_have_gone(house: House) -> None:
    await a_busy_house(house)
    first, cursor = await ids(house, "?limit=3")
    await house.ask("POST", "/api/v1/jobs/5/cancel", user="bob")

    rest, _ = await ids(house, f"?limit=3&cursor={cursor}")

    assert (first, rest) == ([1, 6, 5], [4, 7])


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?all=1", [7, 6, 5, 4, 3, 2, 1]),
        ("?state=Cancelled", [3, 2]),
        ("?state=cancelled,Starting", [3, 2, 1]),
        ("?state=Cancelled&state=Starting", [3, 2, 1]),
        ("?state=Pending", [6, 5, 4, 7]),
        ("?user=ann", [1]),
        ("?user=bob&all=1", [7, 6, 5, 4, 3]),
        ("?queue=urgent", [6]),
        ("?queue=default/urgent", [6]),
        ("?queue=other/urgent", []),
        ("?pool=default&queue=default", [1, 5, 4, 7]),
        ("?all=1&limit=2", [7, 6]),
    ],
)
async def test_a_list_can_be_narrowed(house: House, query: str, found: list[int]) -> None:
    await a_busy_house(house)

    assert (await ids(house, query))[0] == found


async def test_stored_pages_follow_each_other(house: House) -> None:
    await a_busy_house(house)

    assert await paged(house, "?all=1&limit=3") == [7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("query", "field", "suggestion"),
    [
        ("?state=Runing", "state", "Running"),
        ("?limit=0", "limit", None),
        ("?limit=x", "limit", None),
        ("?cursor=!!", "cursor", None),
        ("?cursor=x&all=1", "cursor", None),
        (f"?cursor={base64.b64encode(b'[' * 2000).decode()}&all=1", "cursor", None),
        ("?all=yes", "all", None),
    ],
)
async def test_a_wrong_parameter_is_named(
    house: House, query: str, field: str, suggestion: Any
) -> None:
    status, problem = await house.ask("GET", f"/api/v1/jobs{query}")

    assert status == 422
    [error] = problem["errors"]
    assert (error["field"], error["suggestion"]) == (field, suggestion)
