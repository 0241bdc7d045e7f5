import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas.job_fields import FIELDS
from eaas_tui.model.form_text import clean, text_from, twice, value_from

ENV = FIELDS["env"]
VALUES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(st.dictionaries(st.from_regex("[A-Z_]{1,5}", fullmatch=True), VALUES, min_size=1))
def test_any_value_of_a_variable_comes_back(pairs: dict[str, str]) -> None:
    assert value_from(ENV, text_from(ENV, pairs)) == pairs


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("/data/hf", "A=/data/hf"),
        ("a = b", "A=a = b"),
        ("", "A="),
        ("two\nlines", 'A="two\\nlines"'),
        (" x", 'A=" x"'),
        ('"x', 'A="\\"x"'),
        ("训练", "A=训练"),
        ("\u202ex", 'A="\\u202ex"'),
    ],
)
def test_a_value_is_quoted_only_where_it_must_be(value: str, line: str) -> None:
    assert text_from(ENV, {"A": value}) == line


@pytest.mark.parametrize(
    ("line", "value"),
    [('A="b c"', "b c"), ("A='b'", "'b'"), ('A="b" c', '"b" c'), ("A=b=c", "b=c"), ("A= b ", "b")],
)
def test_a_line_is_read_as_people_write_it(line: str, value: str) -> None:
    assert value_from(ENV, line) == {"A": value}


def test_several_items_stand_on_lines_or_between_commas() -> None:
    assert text_from(FIELDS["mounts"], ["a:/a", "b:/b"]) == "a:/a\nb:/b"
    assert text_from(FIELDS["nodes"], ["a", "b"]) == "a, b"
    assert value_from(FIELDS["nodes"], "a,b , c") == ["a", "b", "c"]


def test_a_name_given_twice_is_found() -> None:
    assert twice("A=1\nB=2\n A =3") == "A"
    assert twice("A=1\nB=2") is None


def test_tabs_and_lines_stay_only_where_lines_are_typed() -> None:
    assert clean("command", "a:\n\tb\x1b]0;t\x07\r\n") == "a:\n\tb\n"
    assert clean("name", "a\tb\n") == "a b "
