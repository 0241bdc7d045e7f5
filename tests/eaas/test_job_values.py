import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas.field_checks import Check, Wrong
from eaas.job_array import array_of
from eaas.job_values import Array, Command, Folder, Image, RunAs, Workdir
from tests.rig.costs import costing

PACK = "sha256:" + "0123456789abcdef" * 4


@pytest.mark.parametrize(
    "image",
    [
        "busybox",
        "mini-eaas/hello:1",
        "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime",
        "registry.local:5000/team/app:v1",
        "localhost/app",
        "ghcr.io/a/b__c@" + PACK,
        "Registry.Example.com/app",
    ],
)
def test_an_image_is_named_as_registries_do(image: str) -> None:
    assert Image().read(image) == image


@pytest.mark.parametrize(
    ("image", "suggestion"),
    [
        ("", None),
        ("-x", None),
        ("a b", None),
        ("busybox ", "busybox"),
        ("PyTorch/pytorch", "pytorch/pytorch"),
        ("docker://busybox", "busybox"),
        ("https://ghcr.io/a/b", "ghcr.io/a/b"),
        ("a//b", None),
        ("a:", None),
        ("a@sha256:12", None),
        ("a\nb", None),
        ("a" * 256, None),
        ("é", None),
    ],
)
def test_what_no_registry_would_take_is_refused(image: str, suggestion: str | None) -> None:
    with pytest.raises(Wrong) as refused:
        Image().read(image)

    assert refused.value.mistakes[0].suggestion == suggestion


@pytest.mark.parametrize("text", ["a" * 254 + "!", "a-" * 127 + "!", "a." * 127 + "!", "a/" * 127])
def test_no_image_name_takes_long_to_refuse(text: str) -> None:
    with costing() as cost, pytest.raises(Wrong):
        Image().read(text)

    assert cost.s < 0.1


def test_a_command_is_a_text_or_a_list() -> None:
    assert Command().read("python train.py\n") == "python train.py\n"
    assert Command().read(["sleep", 10]) == ("sleep", "10")
    assert Command().typed(("sleep", "10")) == ["sleep", "10"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("", "must not be empty"),
        (" \n", "must not be empty"),
        ([], "must begin with the program to run"),
        (["", "x"], "must begin with the program to run"),
        (True, "must be text: put true in quotes"),
        ({"a": 1}, "must be text, not a mapping"),
        (["a", ["b"]], "must be text, not a list"),
        ("a\0b", "must not contain NUL characters or halves of characters"),
        (
            "x" * 70_000,
            "must be 64 KiB at most, not 69 KiB: "
            "put it in a script and send that along using `with`",
        ),
        (
            ["x" * 40_000] * 2,
            "must be 64 KiB at most, not 79 KiB: "
            "put it in a script and send that along using `with`",
        ),
    ],
)
def test_a_command_that_cannot_run_is_refused(value: object, message: str) -> None:
    with pytest.raises(Wrong) as refused:
        Command().read(value)

    assert refused.value.mistakes[0].message == message


@pytest.mark.parametrize(
    ("check", "value", "read"),
    [
        (Folder(), ".", "."),
        (Folder(), "../my code", "../my code"),
        (Folder(), PACK, PACK),
        (Workdir(), "/workspace/src", "/workspace/src"),
        (RunAs(), "1000:1000", "1000:1000"),
        (RunAs(), 1000, "1000"),
        (RunAs(), "0", "0"),
    ],
)
def test_folders_and_users_are_read(check: Check, value: object, read: str) -> None:
    assert check.read(value) == read


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (Folder(), ""),
        (Folder(), "a\nb"),
        (Folder(), "sha256:12"),
        (Workdir(), "src"),
        (Workdir(), "/a/../b"),
        (RunAs(), "root"),
        (RunAs(), "1000:users"),
        (RunAs(), "01"),
        (RunAs(), "4294967295"),
        (RunAs(), -1),
        (RunAs(), True),
    ],
)
def test_wrong_folders_and_users_are_refused(check: Check, value: object) -> None:
    with pytest.raises(Wrong):
        check.read(value)


@pytest.mark.parametrize(
    ("typed", "indices"),
    [
        ("0-3", (0, 1, 2, 3)),
        ("7", (7,)),
        ("5, 1-2", (1, 2, 5)),
        (["0-1", 4], (0, 1, 4)),
        ([1, 3, 5], (1, 3, 5)),
        ("0-10:5", (0, 5, 10)),
        ("0-9:4, 3-4", (0, 3, 4, 8)),
        ("0-9%3", tuple(range(10))),
    ],
)
def test_an_array_lists_its_indices(typed: object, indices: tuple[int, ...]) -> None:
    assert tuple(Array().read(typed)) == indices


@pytest.mark.parametrize(
    ("value", "suggestion"),
    [
        (10, "0-9"),
        ("3-1", "1-3"),
        ("a", None),
        ("", None),
        ("0-10000", None),
        (True, None),
        ("0-9:0", None),
        ("0-9%", None),
        ("0-9%0", None),
        ("0-9%two", None),
        ("%4", None),
        ("0-9%4,12", None),
        (["0-9%4"], None),
    ],
)
def test_an_array_that_is_none_is_refused(value: object, suggestion: str | None) -> None:
    with pytest.raises(Wrong) as refused:
        Array().read(value)

    assert refused.value.mistakes[0].suggestion == suggestion


@given(st.sets(st.integers(0, 999_999), min_size=1, max_size=50))
def test_a_written_array_reads_back_as_itself(indices: set[int]) -> None:
    kept = array_of(indices, at_most=len(indices))

    assert Array().read(Array().typed(kept)) == kept


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("0-10000", "must be 10000 indices at most, not 10001: submit several arrays"),
        ("0-9%0", "must say after % how many tasks may run at once, such as 0-99%8"),
        ("0-9:0", "must go on in steps of 1 or more"),
        (",".join(str(n * n) for n in range(600)), "must be 256 pieces such as 0-9 or 12 at most"),
    ],
)
def test_what_is_wrong_with_an_array_is_said_in_a_sentence(typed: str, words: str) -> None:
    with pytest.raises(Wrong) as refused:
        Array().read(typed)

    assert refused.value.mistakes[0].message.startswith(words)
