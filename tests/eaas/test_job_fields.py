import re

import msgspec
import pytest

from eaas.field_checks import Wrong
from eaas.job_fields import ALIASES, FIELDS, flag_fields, nested
from eaas.job_spec import JobSpec


def test_the_table_and_the_spec_agree_on_every_default() -> None:
    kept = {field.name: getattr(JobSpec(), field.name) for field in msgspec.structs.fields(JobSpec)}
    kept.pop("pack")  # the other meaning of `with`

    assert {field.attribute: field.default for field in FIELDS.values()} == kept


def test_every_field_explains_itself() -> None:
    for field in FIELDS.values():
        assert field.help.endswith("."), field.key
        assert field.label, field.key
        assert field.kind, field.key
        assert field.flag or field.inner, field.key


def test_no_two_fields_share_a_flag() -> None:
    flags = [field.flag for field in flag_fields()]

    assert len(flags) == len(set(flags))
    assert {"--retries", "--backoff", "--cmd", "--with", "--gpu-memory"} <= set(flags)


def test_only_a_truth_has_a_flag_without_a_value() -> None:
    assert {field.key for field in flag_fields() if not field.metavar} == {"share"}


def test_words_of_other_tools_lead_to_keys_that_exist() -> None:
    assert set(ALIASES.values()) <= set(FIELDS)
    assert not set(ALIASES) & set(FIELDS)


def test_dotted_keys_are_nested_as_in_a_file() -> None:
    flags = {"gpus": "1", "restart.retries": "3", "restart.backoff": "5s"}

    assert nested(flags) == {"gpus": "1", "restart": {"retries": "3", "backoff": "5s"}}


def test_a_field_reads_with_its_own_check() -> None:
    assert FIELDS["gpu_memory"].parse("20GiB") == 20480


@pytest.mark.parametrize("name", ["训练-多模态 2", "café_3", "名" * 63, "e"])
def test_a_name_may_be_in_any_script(name: str) -> None:
    check = FIELDS["name"].check

    assert check.read(name) == name
    assert re.search(str(check.schema()["pattern"]), name)


@pytest.mark.parametrize(
    "name", ["a\u200bb", "x\u202ey", "a\u3164b", "名" * 64, "-a", "x ", "a\x1b[m"]
)
def test_a_name_has_nothing_nobody_can_see(name: str) -> None:
    with pytest.raises(Wrong):
        FIELDS["name"].check.read(name)
