from collections.abc import Mapping
from pathlib import Path

import pytest

from eaas.errors import Invalid
from eaas.settings.layers import Settings, settle
from tests.eaas.settings.keys import KEYS


def settled(
    text: str | None = None,
    tmp_path: Path | None = None,
    environ: Mapping[str, str] | None = None,
    **typed: object,
) -> Settings:
    file = None
    if text is not None:
        assert tmp_path is not None
        file = tmp_path / "lamp.yaml"
        file.write_text(text)
    return settle("lamp", KEYS, file=file, environ=environ or {}, typed=typed)


def mistakes(
    text: str | None = None,
    tmp_path: Path | None = None,
    environ: Mapping[str, str] | None = None,
    **typed: object,
) -> list[str]:
    with pytest.raises(Invalid) as refused:
        settled(text, tmp_path, environ, **typed)
    return refused.value.sentence.splitlines()


def test_each_layer_wins_over_the_one_before_and_every_value_knows_where_it_is_from(
    tmp_path: Path,
) -> None:
    text = "port: 1\n\nlevel: high\nlabels: {a: b}\n"
    environ = {"MINI_EAAS_LAMP_PORT": "2", "MINI_EAAS_LAMP_LABELS": "{rack: 3, on: 'yes'}"}
    found = settled(text, tmp_path, environ, port=3, place=None)

    assert {name: (each.value, each.source) for name, each in found.by_name.items()} == {
        "port": (3, "--port"),
        "place": (None, "default"),
        "level": ("high", f"{tmp_path}/lamp.yaml:3"),
        "labels": ({"rack": "3", "on": "yes"}, "$MINI_EAAS_LAMP_LABELS"),
        "secret": (None, "default"),
    }
    assert found["port"] == 3


def test_a_variable_named_after_the_key_wins_over_its_other_names() -> None:
    both = {"LAMP_SECRET": "other", "MINI_EAAS_LAMP_SECRET": "own"}

    assert settled(environ=both)["secret"] == "own"
    assert settled(environ={"LAMP_SECRET": "other"}).by_name["secret"].source == "$LAMP_SECRET"


@pytest.mark.parametrize("given", ["s3cret with blanks", " s3cret"])
def test_a_secret_that_is_refused_is_not_repeated(given: str) -> None:
    message = "is not whole: copy all of it once more, without blanks in it"

    assert mistakes(secret=given) == [f"--secret: {message}"]
    assert mistakes(environ={"LAMP_SECRET": given}) == [f"$LAMP_SECRET: {message}"]


def test_an_empty_variable_says_nothing() -> None:
    assert settled(environ={"MINI_EAAS_LAMP_PORT": "", "MINI_EAAS_LAMP_X": ""})["port"] == 70


def test_every_mistake_of_a_file_is_named_at_its_place_in_order(tmp_path: Path) -> None:
    text = "prot: 1\nport: many\nzzz: 2\nlabels:\n  a b: c\nplace:\nsecret: x\nlevel: &a high\n"
    at = f"{tmp_path}/lamp.yaml"

    assert mistakes(text, tmp_path) == [
        f"{at}:1:1: prot: there is no such key; did you mean port?",
        f"{at}:2:7: port: must be a whole number from 0 to 65535, not 'many'",
        f"{at}:3:1: zzz: there is no such key; there are port, place, level, labels",
        f"{at}:5:3: labels.'a b': a label's name must be 1 to 63 letters, digits and . _ / - "
        "inside",
        f"{at}:6:7: place: has no value: write one, or leave the key out",
        f"{at}:7:1: secret: must not stand in a file that others may read",
        f"{at}:8:8: level: leave out &a: anchors don't exist here",
    ]


def test_mistakes_in_variables_and_options_name_these_and_come_with_those_of_the_file(
    tmp_path: Path,
) -> None:
    environ = {
        "MINI_EAAS_LAMP_LEVEL": "hihg",
        "MINI_EAAS_LAMP_PROT": "1",
        "MINI_EAAS_LAMP_LABELS": "{a: [",
    }
    said = mistakes("port: -1\n", tmp_path, environ, place="here")

    assert [line.split(": ")[0] for line in said] == [
        f"{tmp_path}/lamp.yaml:1:7",
        "$MINI_EAAS_LAMP_LEVEL",
        "$MINI_EAAS_LAMP_LABELS",
        "$MINI_EAAS_LAMP_PROT",
        "--place",
    ]
    assert "must be low or high, not 'hihg'; did you mean high?" in said[1]
    assert said[3].endswith("there is no such variable; did you mean MINI_EAAS_LAMP_PORT?")
