import timeit

from eaas_tui.model.cleaning import MAX_TEXT, Cleaner, line, typed
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

    assert min(timeit.repeat(lambda: clean(job), number=100, repeat=20)) / 100 < 30e-6
