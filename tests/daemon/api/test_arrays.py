from tests.daemon.api.served import House

ARRAY = {"image": "busybox", "command": "true", "array": "0-5%2"}


async def test_an_array_is_one_answer_and_a_job_for_each_index(house: House) -> None:
    await house.node("n1")
    await house.pool("default", "n1")

    status, view = await house.ask("POST", "/api/v1/jobs", ARRAY)
    _, listed = await house.ask("GET", "/api/v1/jobs")
    _, task = await house.ask("GET", "/api/v1/jobs/1%5B4%5D")

    assert (status, view["id"], view["ref"], view["array"]) == (201, 1, "1[0]", 1)
    assert [job["ref"] for job in listed["items"]] == [f"1[{index}]" for index in range(6)]
    assert (task["id"], task["array_index"], task["state"]) == (5, 4, "Pending")
    assert task["spec"]["array"] == "0-5%2"
    assert task["reason"]["code"] == "array_full"


async def test_the_same_key_gives_the_same_array(house: House) -> None:
    await house.pool()
    first = await house.ask("POST", "/api/v1/jobs", ARRAY, Idempotency_Key="k")
    again = await house.ask("POST", "/api/v1/jobs", ARRAY, Idempotency_Key="k")

    assert (first[0], again[0], again[1]["id"]) == (201, 200, 1)
    assert house.state.next_number == 7


async def test_an_array_is_shown_together(house: House) -> None:
    await house.node("n1")
    await house.pool("default", "n1")
    await house.ask("POST", "/api/v1/jobs", ARRAY)

    _, array = await house.ask("GET", "/api/v1/jobs/1/array")

    assert (array["count"], array["at_most"], array["state"]) == (6, 2, "Running")
    assert array["states"] == {"Pending": 4, "Starting": 2}
    assert [(one["ref"], one["state"], one["node"]) for one in array["tasks"]] == [
        ("1[0-1]", "Starting", "n1"),
        ("1[2-5]", "Pending", None),
    ]
    assert array["tasks"][1]["reason"]["code"] == "array_full"


async def test_the_number_steers_all_tasks_and_a_name_those_it_names(house: House) -> None:
    await house.pool()
    await house.ask("POST", "/api/v1/jobs", ARRAY)

    one = await house.ask("PATCH", "/api/v1/jobs/1%5B0%5D", {"priority": 3})
    some = await house.ask("POST", "/api/v1/jobs/1%5B4-5%5D/cancel")
    same = await house.ask("PATCH", "/api/v1/jobs/1?one=1", {"priority": 4})
    whole = await house.ask("PATCH", "/api/v1/jobs/1", {"priority": 7})
    rest = await house.ask("POST", "/api/v1/jobs/1/cancel")

    assert (one[0], one[1]["ref"], one[1]["priority"]) == (200, "1[0]", 3)
    assert (same[1]["ref"], same[1]["priority"]) == ("1[0]", 4)
    assert (some[1]["changed"], some[1]["left"]) == (2, 0)
    assert (whole[1]["changed"], whole[1]["left"]) == (4, 2)
    assert rest[1]["array"]["states"] == {"Cancelled": 6}


async def test_names_that_mean_nothing_are_told_so(house: House) -> None:
    await house.pool()
    await house.ask("POST", "/api/v1/jobs", ARRAY)
    await house.ask("POST", "/api/v1/jobs", {"image": "busybox"})

    answers = [
        await house.ask("GET", "/api/v1/jobs/1%5B9%5D"),
        await house.ask("GET", "/api/v1/jobs/7/array"),
        await house.ask("GET", "/api/v1/jobs/2/array"),
        await house.ask("GET", "/api/v1/jobs/9/array"),
        await house.ask("POST", "/api/v1/jobs/7%5B0-1%5D/cancel"),
    ]

    assert [(status, problem["detail"]) for status, problem in answers] == [
        (404, "array 1 has no task 9; it has 0-5"),
        (404, "job 7 is no array"),
        (404, "job 2 is no array; 1 is"),
        (404, "there is no job 9"),
        (404, "job 7 is no array, so it has no task 0"),
    ]


async def test_why_an_array_waits_is_told_by_its_first_task_in_line(house: House) -> None:
    await house.node("n1")
    await house.pool("default", "n1")
    await house.ask("POST", "/api/v1/jobs", ARRAY)

    _, whole = await house.ask("GET", "/api/v1/jobs/1/why")
    _, first = await house.ask("GET", "/api/v1/jobs/1%5B0%5D/why")

    assert (whole["job"], first["job"]) == (3, 1)
    assert whole["text"] == (
        "job 1[2] waits: array 1 may run 2 tasks at once, its own limit, and runs 2"
    )
