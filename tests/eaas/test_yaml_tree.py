import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas.yaml_tree import MAX_DEPTH, Tree, read_trees


def only(text: str) -> Tree:
    (tree,) = read_trees(text)
    return tree


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("off", "off"),
        ("0", 0),
        ("-7", -7),
        ("0755", "0755"),
        ("0o17", "0o17"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("1000:1000", "1000:1000"),
        ("08:30", "08:30"),
        ("2026-03-01", "2026-03-01"),
        ("0.5", 0.5),
        ("1.50", "1.50"),
        ("1e3", "1e3"),
        (".inf", ".inf"),
        ("12345678901234567890", "12345678901234567890"),
        ('"7"', "7"),
        ("'true'", "true"),
        ("|\n  a\n  b\n", "a\nb\n"),
    ],
)
def test_a_value_is_what_it_looks_like(text: str, value: object) -> None:
    tree = only(f"k: {text}")

    assert tree.value == {"k": value}
    assert type(tree.value["k"]) is type(value)


def test_a_number_is_written_as_it_was_typed() -> None:
    typed = ["0", "-1", "10", "0.001", "1.5", "-0", "007", "1.0", "3.14159265358979"]

    values = only(f"[{', '.join(typed)}]").value

    assert isinstance(values, list)
    assert [str(value) for value in values] == typed


def test_everything_has_its_place() -> None:
    tree = only("# c\na: 1\nb:\n  中: [x, y]\n")

    assert tree.line == 2
    assert tree.locate(("a",)) == (2, 4)
    assert tree.locate(("a",), key=True) == (2, 1)
    assert tree.locate(("b", "中", 1)) == (4, 10)
    assert tree.locate(("b", "missing")) == (4, 3)
    assert tree.locate(("missing",), key=True) == (2, 1)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a: 1\na: 2", (2, 1), "is there already, in line 1"),
        ("a: *x", (1, 4), "references don't exist here"),
        ("a: &x 1", (1, 4), "leave out &x: anchors don't exist here"),
        ("a: !!int 1", (1, 4), "leave out '!!int': tags don't exist here"),
        ("a: !x [1]", (1, 4), "leave out '!x': tags don't exist here"),
        ("<<: {a: 1}", (1, 1), "write the keys out: merging doesn't exist here"),
        ("? [a, {b: c}]\n: {d: e}", (1, 3), "a key must be text"),
        ("? *x\n: 1", (1, 3), "a key must be text"),
        ("&x a: 1", (1, 1), "leave out &x: anchors don't exist here"),
    ],
)
def test_what_job_files_do_not_have_is_refused(
    text: str, place: tuple[int, int], message: str
) -> None:
    tree = only(text)

    assert [(m.message, p) for m, p in tree.mistakes] == [(message, place)]


def test_a_repeated_key_keeps_its_first_value() -> None:
    assert only("a: {x: 1}\na: {y: 2}\nb: 3").value == {"a": {"x": 1}, "b": 3}


def test_reading_goes_on_after_a_document_that_is_broken() -> None:
    trees = list(read_trees("a: 1\n---\nb: 2\nb: 3\nc: d: e\n---\nf: 6\n--- # g\ng: [\n"))

    assert [(tree.value, tree.line, tree.broken) for tree in trees] == [
        ({"a": 1}, 1, False),
        (None, 3, True),
        ({"f": 6}, 7, False),
        (None, 9, True),
    ]
    assert [tree.syntax.line for tree in trees if tree.syntax] == [5, 10]
    assert [len(tree.mistakes) for tree in trees] == [0, 1, 0, 0]


def test_an_open_quote_ends_where_the_next_document_begins() -> None:
    trees = list(read_trees("a: 'x\n---\nb: 1\n"))

    assert [tree.value for tree in trees] == [None, {"b": 1}]


def test_nesting_has_an_end() -> None:
    deepest = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    tree = only(f"[{deepest}]\n")

    assert not only(deepest).broken
    assert tree.broken
    assert tree.syntax is not None
    assert tree.syntax.message == "this is nested more than 20 levels deep"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**17), 10**17) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text().filter(lambda k: k != "<<"), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.from_regex("[a-z]{1,5}", fullmatch=True), JSON))
def test_json_is_read_as_json(value: dict[str, object]) -> None:
    text = json.dumps(value, ensure_ascii=False)
    text = "".join(c if c.isprintable() or ord(c) > 0xFFFF else rf"\u{ord(c):04x}" for c in text)

    assert only(text).value == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_decimal_means_the_same_number_or_stays_text(number: float) -> None:
    value = only(f"k: {number!r}").value

    assert isinstance(value, dict)
    assert math.isclose(float(value["k"]), number, rel_tol=0, abs_tol=0)
