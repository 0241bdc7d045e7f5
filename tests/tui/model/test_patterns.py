import pytest

from eaas_tui.model.patterns import BadPattern, compiled
from tests.rig.costs import costing


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^job-[0-9]+$", "job-42", True),
        ("^job-[0-9]+$", "my-job-42", False),
        ("LLAMA", "llama3-sft", True),
        (".*sft.*", "llama3-sft-1", True),
        (".*?sft", "llama3-sft-1", True),
        ("a.*b.*c", "a1b2c", True),
        (r"\.", "no dot", False),
        (r"v1\.*", "v1...", True),
        ("(foo|bar)-x", "bar-x", True),
        ("(?:ab){2}", "abab", True),
        ("(?i:X)y{2,3}", "xyy", True),
        ("[]a-]+z", "]-az", True),
        ("多模态", "训练-多模态", True),
        ("x{", "x{", True),
    ],
)
def test_a_pattern_is_searched_for(pattern: str, text: str, found: bool) -> None:
    assert compiled(pattern)(text) is found


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+b",
        "(a*)*$",
        "((a|aa)+)b",
        "(a|aa)+$",
        "(a?){30}a{30}",
        "(?:(x+x+)+y)",
        "(.*a){20}",
        "a?" * 30 + "a" * 30,
        "(a|aa)" * 20,
        "a.*b.*c.*d",
        r"(a+)\1+",
        "(?P<x>a)(?P=x)*",
        "(?x)(a+) +",
        "(a)?(?(1)b|c)",
        "x" * 300,
    ],
)
def test_what_could_take_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(BadPattern):
        compiled(pattern)


@pytest.mark.parametrize("pattern", ["(", "[a", "*", "a**", "(?<=a+)b", "a{3,2}", "\\", "(?z)"])
def test_what_is_no_pattern_is_a_sentence(pattern: str) -> None:
    with pytest.raises(BadPattern, match=r"is not a regular expression: "):
        compiled(pattern)


@pytest.mark.parametrize("pattern", ["a*a*b", "a?a?a?a?a*a*b", "(a|b|c)*d", "[a-z]*[a-z]*1"])
def test_the_slowest_that_is_allowed_still_ends_soon(pattern: str) -> None:
    try:
        search = compiled(pattern)
    except BadPattern:
        return
    with costing() as cost:
        assert not search("a" * 100_000)

    assert cost.s < 0.1
