import msgspec
import pytest

from eaas.views import JobView
from eaas.why_views import WhyNodeView
from eaas_tui.model import cleaning
from eaas_tui.model.cleaning import MAX_TEXT, Cleaner, line, typed
from tests.rig.costs import cost_s
from tests.rig.views import a_card, a_job, a_node, a_reason, a_snapshot

ESCAPE = "\x1b]0;owned\x07\x1b[2J\u202e"


def test_what_is_clean_comes_back_as_the_same_object() -> None:
    clean, job, node = Cleaner(), a_job(), a_node("n1", a_card())

    assert clean(job) is job
    assert clean(node) is node


def test_what_is_clean_in_another_script_comes_back_as_the_same_object() -> None:
    job = a_job(name="训练-多模态", user="王芳")

    assert Cleaner()(job) is job


def test_a_text_is_cleaned_wherever_it_stands() -> None:
    dirty = a_job(
        name=f"tr{ESCAPE}ain",
        reason=a_reason(text=f"{ESCAPE}full"),
        spec={"image": f"{ESCAPE}busybox", "labels": {f"{ESCAPE}k": f"v{ESCAPE}"}},
    )

    cleaned = Cleaner()(dirty)

    assert cleaned == a_job(
        name="train",
        reason=a_reason(text="full"),
        spec={"image": "busybox", "labels": {"k": "v"}},
    )


def test_a_spec_without_anything_nested_is_cleaned_by_key_and_value() -> None:
    clean, plain = Cleaner(), {"gpus": 2, "image": "busybox", "nice": True, "name": None}

    assert clean(a_job(spec=dict(plain))).spec == plain
    for dirty in ({f"na{ESCAPE}me": "a"}, {"name": f"a{ESCAPE}"}):
        assert clean(a_job(spec={"gpus": 2} | dirty)).spec == {"gpus": 2, "name": "a"}


def test_an_equal_reason_of_the_next_job_is_the_same_object_and_a_dirty_one_never() -> None:
    clean = Cleaner()
    first = clean(a_job(reason=a_reason(text="full"))).reason

    assert clean(a_job(reason=a_reason(text="full"))).reason is first
    for _ in range(2):
        assert clean(a_job(reason=a_reason(text=f"full{ESCAPE}"))).reason is first


def test_what_lies_deep_in_tuples_is_cleaned_too() -> None:
    snapshot = a_snapshot(nodes=(a_node("n1", a_card(model=f"RTX{ESCAPE}"), pools=("a\x1b[1m",)),))

    cleaned = Cleaner()(snapshot)

    assert cleaned == a_snapshot(nodes=(a_node("n1", a_card(model="RTX"), pools=("a",)),))


def test_no_text_stays_longer_than_any_screen_shows() -> None:
    job = Cleaner()(a_job(reason=a_reason(text="x" * 5000)))

    assert job.reason is not None
    assert job.reason.text == "x" * MAX_TEXT


def test_a_script_keeps_its_lines_but_a_name_is_one_line() -> None:
    assert typed("set -e\nexit 1\x1b[m") == "set -e\nexit 1"
    assert line("two\nlines") == "two lines"


def test_a_spec_that_nests_without_end_ends() -> None:
    deep: list[object] = []
    for _ in range(900):
        deep = [deep]

    assert str(typed(deep)).count("[") < 20


def test_a_job_costs_less_than_30_microseconds() -> None:
    clean, job = Cleaner(), a_job(state="Running")
    clean(job)

    assert cost_s(lambda: clean(job), times=100) < 30e-6


def test_what_many_jobs_have_in_common_is_kept_once() -> None:
    clean = Cleaner()
    decode = msgspec.json.Decoder(JobView).decode
    one, other = (clean(decode(msgspec.json.encode(a_job(id, "Running")))) for id in (1, 2))
    waits, too = (clean(decode(msgspec.json.encode(a_job(id)))) for id in (3, 4))

    assert one.user is other.user
    assert one.spec["image"] is other.spec["image"]
    assert waits.reason is too.reason
    assert one == a_job(1, "Running")


def test_no_more_is_remembered_than_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleaning, "MAX_SHARED", 2)
    clean = Cleaner()

    users = [clean(a_job(id, user=f"user {id % 9}")).user for id in range(20)]

    assert users == [f"user {id % 9}" for id in range(20)]


def test_what_a_node_lacks_is_a_number_or_a_text_and_either_is_taken() -> None:
    def lacking(asked: int | str, available: int | str) -> WhyNodeView:
        return WhyNodeView(
            node="n1",
            code="too_few_cards",
            text="n1 has 0 cards",
            asked=asked,
            available=available,
            never=False,
        )

    clean, evil = Cleaner(), "H100\x1b[2J"

    assert clean(lacking(1, 0)) == lacking(1, 0)
    assert clean(lacking(evil, 0)) == lacking("H100", 0)
