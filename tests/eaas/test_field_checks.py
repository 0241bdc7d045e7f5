import pytest

from eaas.field_checks import (
    Check,
    Choice,
    Duration,
    Memory,
    Mistake,
    Moment,
    Number,
    Text,
    Truth,
    Whole,
    Wrong,
    below,
    items_of,
    text_of,
)

NAME = Text(pattern="[a-z]([a-z-]*[a-z])?", rule="lower case", max_chars=8)
GPUS = Whole(minimum=0, maximum=64)
CPUS = Number(minimum=0.01, maximum=64.0)
SIZE = Memory(minimum_mib=6, maximum_mib=1024)
WAIT = Duration(minimum_s=1.0, maximum_s=3600.0)
WORD = Choice(choices=("fail", "wait"), aliases={"abort": "fail"})


@pytest.mark.parametrize(
    ("check", "value", "read"),
    [
        (NAME, "abc", "abc"),
        (GPUS, 2, 2),
        (GPUS, "2", 2),
        (CPUS, 8, 8.0),
        (CPUS, "0.50", 0.5),
        (SIZE, "1GiB", 1024),
        (WAIT, "1m", 60.0),
        (Moment(), "2026-03-01T08:00:00.1239Z", 1772352000.124),
        (Truth(), True, True),
        (Truth(), "false", False),
        (WORD, "wait", "wait"),
    ],
)
def test_what_is_right_is_read(check: Check, value: object, read: object) -> None:
    result = check.read(value)

    assert (type(result), result) == (type(read), read)
    assert check.read(check.typed(result)) == read


@pytest.mark.parametrize(
    ("check", "value", "message", "suggestion"),
    [
        (NAME, "Abc", "must be lower case, not 'Abc'", "abc"),
        (NAME, "A B ", "must be lower case, not 'A B '", "a-b"),
        (NAME, "123", "must be lower case, not '123'", None),
        (NAME, "a" * 9, "must be 8 characters at most, not 9", None),
        (NAME, "abc\n", r"must be lower case, not 'abc\n'", "abc"),
        (GPUS, "two", "must be a whole number from 0 to 64, not 'two'", None),
        (GPUS, True, "must be a whole number from 0 to 64, not true", None),
        (GPUS, 2.0, "must be a whole number from 0 to 64, not 2.0", "2"),
        (GPUS, -1, "must be a whole number from 0 to 64, not -1", None),
        (GPUS, float("nan"), "must be a whole number from 0 to 64, not nan", None),
        (CPUS, float("inf"), "must be a number from 0.01 to 64, not inf", None),
        (CPUS, False, "must be a number from 0.01 to 64, not false", None),
        (CPUS, [1], "must be a number from 0.01 to 64, not a list", None),
        (SIZE, 20, "20 has no unit: write 20GiB", "20GiB"),
        (SIZE, 1.5, "must be a size such as 20GiB or 512MiB, not 1.5", None),
        (SIZE, "1MiB", "must be from 6MiB to 1GiB, not '1MiB'", None),
        (WAIT, 90, "90 has no unit: write 90s, 90m or 90h", "90s"),
        (WAIT, "2h", "must be from 1s to 1h, not '2h'", None),
        (WAIT, {}, "must be a duration such as 90s, 12h or 1h30m, not a mapping", None),
        (Moment(), "now", "must be a time such as 2026-03-01T08:00:00Z, not 'now'", None),
        (Truth(), "yes", "must be true or false, not 'yes'", "true"),
        (Truth(), 0, "must be true or false, not 0", "false"),
        (Truth(), [], "must be true or false, not a list", None),
        (WORD, "wiat", "must be fail or wait, not 'wiat'", "wait"),
        (WORD, "abort", "must be fail or wait, not 'abort'", "fail"),
    ],
)
def test_what_is_wrong_is_refused_in_a_sentence(
    check: Check, value: object, message: str, suggestion: str | None
) -> None:
    with pytest.raises(Wrong) as refused:
        check.read(value)

    assert refused.value.mistakes == (Mistake(message, suggestion),)


@pytest.mark.parametrize("value", ["a\0b", "\ud800", True, None, {}, [], float("nan")])
def test_what_cannot_be_text_is_refused(value: object) -> None:
    with pytest.raises(Wrong):
        text_of(value)


def test_numbers_pass_for_the_text_they_were() -> None:
    assert [text_of(value) for value in (8080, -1, 0.001, "x")] == ["8080", "-1", "0.001", "x"]


def test_items_come_from_a_list_a_text_or_a_lone_value() -> None:
    assert items_of(["a", 1]) == ["a", 1]
    assert items_of("a, b") == ["a", "b"]
    assert items_of("a,b", separator=None) == ["a,b"]
    assert items_of(41) == [41]


def test_a_mistake_moves_below_the_value_around_it() -> None:
    inner = Mistake("bad", path=("HF_HOME",), on_key=True)

    assert below("env", [inner]) == [Mistake("bad", path=("env", "HF_HOME"), on_key=True)]
