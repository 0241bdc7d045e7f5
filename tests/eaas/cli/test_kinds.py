import math

import click
import pytest

from eaas.cli.kinds import Duration, JobName, JobPath, Label, Lifetime, QueueRef


def test_arguments_are_read_as_they_are_meant() -> None:
    assert Duration().convert("1h30m", None, None) == 5400
    assert Lifetime().convert("24h", None, None) == 86400
    assert Lifetime().convert("never", None, None) == math.inf
    assert Lifetime().convert("0s", None, None) == 0
    assert JobName().convert("42", None, None) == "42"
    assert JobName().convert("42[0-3]", None, None) == "42[0-3]"
    assert QueueRef().convert("p/q", None, None) == ("p", "q")
    assert Label().convert("a=b=c", None, None) == ("a", "b=c")
    assert Label().convert("a-", None, None) == ("a", None)
    assert Label().convert("a=", None, None) == ("a", "")
    assert JobPath().convert("42:a:b", None, None) == ("42", "a:b")
    assert JobPath().convert("42[7]:out", None, None) == ("42[7]", "out")


@pytest.mark.parametrize(
    ("kind", "typed", "sentence"),
    [
        (Duration(), "90", "90 has no unit"),
        (Lifetime(), "ever", "must be a duration"),
        (JobName(), "-1", "'-1' is no job number"),
        (JobName(), "²", "is no job number"),
        (JobName(), "9" * 30, "is no job number"),
        (QueueRef(), "p", "write POOL/QUEUE"),
        (Label(), "=x", "write KEY=VALUE"),
        (JobPath(), "x:y", "write ID:PATH"),
    ],
)
def test_what_is_none_says_what_one_looks_like(
    kind: click.ParamType[object], typed: str, sentence: str
) -> None:
    with pytest.raises(click.BadParameter, match=sentence):
        kind.convert(typed, None, None)
