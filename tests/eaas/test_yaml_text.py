import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from eaas.yaml_text import yaml_text


@given(st.text())
def test_a_text_reads_back_as_it_was(text: str) -> None:
    assert yaml.safe_load(yaml_text({"command": text})) == {"command": text}


@pytest.mark.parametrize("text", ["a\x85", "a\u2028b", "a\r\nb", "\x85\n"])
def test_line_ends_of_other_worlds_are_kept(text: str) -> None:
    assert yaml.safe_load(yaml_text({"command": text})) == {"command": text}


def test_a_script_stands_as_a_block() -> None:
    assert yaml_text({"command": "a\nb\n"}) == "command: |\n  a\n  b\n"
