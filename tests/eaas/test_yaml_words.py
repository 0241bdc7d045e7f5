import pytest
import yaml

from eaas.errors import FieldError
from eaas.yaml_words import syntax_mistake


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "suggestion"),
    [
        ("a:\n\t- b", 2, 1, "this line is indented with a tab: use blanks", None),
        ("a:\n  b: 1\n \tc: 2", 3, 2, "this line is indented with a tab: use blanks", None),
        ("中文: a: b", 1, 6, "a value with a colon and a blank inside must be in quotes", None),
        (
            "a: 1\n b: 2",
            2,
            3,
            "this line is indented too deep: the line above already has its value",
            None,
        ),
        ("a b\nc: 1", 2, 2, "the line above is no `key: value`", None),
        ("x: 1\nfoo\nbar: 1", 2, 1, "this line is no `key: value`", None),
        ("a: @x y", 1, 4, "a value that begins with '@' must be in quotes", '"@x y"'),
        ('a: `"', 1, 4, "a value that begins with '`' must be in quotes", None),
        ('a: "b\nc', 1, 4, "the quote that opens here is never closed", None),
        ("a: 'b\n---\nc: 1", 1, 4, "the quote that opens here is never closed", None),
        ("a: [1, 2", 1, 4, "the [ that opens here lacks its ], or a comma inside", None),
        ("a: {b: 1", 1, 4, "the { that opens here lacks its }, or a comma inside", None),
        ("a: - b", 1, 4, "a list begins on its own line: put the - on the next one", None),
        ("- a\nb: 1", 2, 1, "this line is no item of the list above: begin it with -", None),
        ("a: ]", 1, 4, "a value is missing here", None),
        (
            "a: 'it's'",
            1,
            8,
            "something stands after the closing quote; inside '...' a ' is written twice",
            None,
        ),
        (
            "a: |\n    x\n  y\n",
            3,
            3,
            "the indentation of this line fits none of the lines above",
            None,
        ),
        (
            'a: "\\q"',
            1,
            5,
            "\\ means something else in double quotes: write \\\\, or single quotes",
            None,
        ),
        ("a: &", 1, 5, "a value that begins with & or * must be in quotes", None),
        ("[" * 2000, 1, 1001, "this is nested too deep", None),
        (
            "%FOO\n---\n",
            1,
            5,
            "a line that begins with % is an instruction to YAML, and none is known here",
            None,
        ),
    ],
)
def test_a_syntax_error_is_said_in_plain_words_where_one_would_look(
    text: str, line: int, column: int, message: str, suggestion: str | None
) -> None:
    with pytest.raises(yaml.MarkedYAMLError) as refused:
        list(yaml.parse(text, Loader=yaml.CSafeLoader))

    assert syntax_mistake(refused.value, text.split("\n"), lines_before=10) == FieldError(
        field="", message=message, line=line + 10, column=column, suggestion=suggestion
    )
