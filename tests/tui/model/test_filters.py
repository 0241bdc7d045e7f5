from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas.views import JobView
from eaas_tui.model.filters import Filter, FilterMistake, parse
from tests.rig.costs import cost_s
from tests.rig.views import a_job, a_reason

JOBS = (
    a_job(41, "Running", name="llama3-sft", user="bob", node="node03", spec={"gpus": 4}),
    a_job(42, name="训练-多模态", user="王芳", queue="train", position=1),
    a_job(
        43,
        "Failed",
        name=None,
        user="bobby",
        pool="gpu",
        reason=a_reason(text="killed because it used more memory than its limit"),
        spec={"image": "pytorch/pytorch:2.8", "labels": {"project": "Qwen", "tier": "1"}},
        priority=-5,
    ),
    a_job(44, "Unknown", name="eval two", spec={"gpus": 8, "labels": {"project": "other"}}),
)


def found(text: str) -> list[int]:
    filter = parse(text)
    assert isinstance(filter, Filter), filter
    return [job.id for job in filter.select(JOBS)]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", [41, 42, 43, 44]),
        ("   ", [41, 42, 43, 44]),
        ("LLAMA", [41]),
        ("bob", [41, 43]),
        ("bob killed", [43]),
        ("多模态", [42]),
        ("42", [42]),
        ("pytorch:2.8", [43]),
        ('"eval two"', [44]),
        ("default/train", [42]),
        ("!bob", [42, 44]),
        ("!bob !王芳", [44]),
        ("user:bob", [41, 43]),
        ("user:bobb,王", [42, 43]),
        ("USER:BOB !user:bobby", [41]),
        ("state:run,wait", [41, 42]),
        ("state:ended", [43]),
        ("!state:ended,unk", [41, 42]),
        ("pool:gpu", [43]),
        ("queue:train", [42]),
        ("queue:gpu/", [43]),
        ("node:node0", [41]),
        ("gpu:>=4", [41, 44]),
        ("gpu:4", [41]),
        ("gpus:!=0 gpus:<8", [41, 42, 43]),
        ("priority:<0", [43]),
        ("label:project", [43, 44]),
        ("label:project=q", [43]),
        ("label:nothing", []),
        ("!label:project", [41, 42]),
        ("reason:memory", [43]),
        ("image:pytorch", [42, 43]),
        ("name:eval", [44]),
        ("~^llama[0-9]", [41]),
        ("!~^bob", [42, 44]),
    ],
)
def test_a_filter_finds(text: str, ids: list[int]) -> None:
    assert found(text) == ids


@pytest.mark.parametrize(
    "text", ["user:", "gpu:>=", "gpu:", "!", "~", "state:", "!user:", "label:", "user:,", '"']
)
def test_what_is_still_being_typed_leaves_nothing_out(text: str) -> None:
    assert found(text) == [41, 42, 43, 44]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("state:foo", "state:foo is no state; there are pending, starting, running"),
        ("gpu:many", "gpu:many is not a number to compare with; write gpu:>=4"),
        ("usr:bob", "usr: is nothing to filter by; did you mean user:?"),
        ("~(", "~( is not a regular expression: missing ), unterminated subpattern"),
        ("~(a+)+", "~(a+)+ has a repeat of something that varies, which could take for ever"),
    ],
)
def test_a_mistake_is_a_sentence(text: str, sentence: str) -> None:
    mistake = parse(text)

    assert isinstance(mistake, FilterMistake)
    assert mistake.text.startswith(sentence)


@given(st.text(max_size=40))
def test_nothing_that_is_typed_makes_it_fail(text: str) -> None:
    filter = parse(text)

    if isinstance(filter, Filter):
        filter.select(JOBS)


@pytest.mark.parametrize(
    "text", ["job-9", "nothing-like-it", "user:bob state:run", "~9$", "gpu:>=1 !bob job"]
)
def test_ten_thousand_jobs_are_filtered_within_15_milliseconds(text: str) -> None:
    jobs: list[JobView] = [a_job(id, "Running", **_various(id)) for id in range(10_000)]
    filter = parse(text)
    assert isinstance(filter, Filter)

    assert cost_s(lambda: filter.select(jobs)) < 0.015 * 2  # twice: others use the caches too


def _various(id: int) -> dict[str, Any]:
    return {"user": f"user{id % 20}", "node": f"node{id % 30:02}", "name": f"job-{id}"}


def test_the_tasks_of_an_array_are_found_by_its_number() -> None:
    tasks = [a_job(id, array=7, array_index=id - 7) for id in (7, 8, 9)]
    filter = parse("array:7")

    assert isinstance(filter, Filter)
    assert filter.select([*tasks, *JOBS]) == tasks
