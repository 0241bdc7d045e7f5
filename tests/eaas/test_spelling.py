import pytest

from eaas.spelling import nearest, shown

KEYS = ("gpus", "gpu_memory", "gpu_type", "mounts", "command")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("gpu_memroy", "gpu_memory"),
        ("GPU-Memory", "gpu_memory"),
        ("gpu memory", "gpu_memory"),
        ("gpu", "gpus"),
        ("volumes", "mounts"),
        ("xyzzy", None),
        ("", None),
    ],
)
def test_the_nearest_word_is_found(word: str, meant: str | None) -> None:
    assert nearest(word, KEYS, aliases={"volumes": "mounts"}) == meant


def test_an_endless_word_costs_no_more_than_a_long_one() -> None:
    assert nearest("x" * 1_000_000, KEYS) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nothing"),
        (True, "true"),
        (7, "7"),
        (1.5, "1.5"),
        ("a\x1b[31m\u202e", r"'a\x1b[31m\u202e'"),
        ("x" * 50, repr("x" * 39 + "…")),
        (10**50, "1" + "0" * 38 + "…"),
        ([1], "a list"),
        ({}, "a mapping"),
    ],
)
def test_a_wrong_value_is_repeated_short_and_escaped(value: object, text: str) -> None:
    assert shown(value) == text
