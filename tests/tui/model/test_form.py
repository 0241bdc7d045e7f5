import pytest
import yaml
from hypothesis import given

from eaas.errors import Invalid
from eaas.job_fields import FIELDS
from eaas.job_spec import JobSpec, read_spec, spec_as_typed
from eaas_tui.model.form import (
    GROUPS,
    SHOWN,
    Form,
    beside,
    form_from_yaml,
    form_of,
    hidden_in,
)
from tests.eaas.test_job_spec import SPECS


def filled(**texts: str) -> Form:
    form = Form()
    for key, text in texts.items():
        form = form.typed(key, text)
    return form


def same_job(read: JobSpec, spec: JobSpec) -> bool:
    """Tell whether it is the same job; a blank before a command that looks like a list is not."""
    command = spec.command
    if isinstance(command, str) and read.command == f" {command}":
        return spec_as_typed(read) == {**spec_as_typed(spec), "command": f" {command}"}
    return read == spec


def test_every_field_of_a_job_has_its_one_place() -> None:
    placed = [key for keys in GROUPS.values() for key in keys]

    assert {key.partition(".")[0] for key in placed} == set(FIELDS)
    assert len(placed) == len(set(placed))
    assert SHOWN["restart.retries"].label == "Retries"


@given(SPECS)
def test_a_job_comes_back_from_the_form_as_it_was(spec: JobSpec) -> None:
    form = form_of(spec_as_typed(spec))

    assert form.mistakes() == {}
    assert same_job(read_spec(form.fields()), spec)
    assert not form.is_dirty


@given(SPECS)
def test_a_job_comes_back_from_the_file_that_the_form_wrote(spec: JobSpec) -> None:
    again, count = form_from_yaml(form_of(spec_as_typed(spec)).as_yaml())

    assert count == 1
    assert same_job(read_spec(again.fields()), spec)


@given(SPECS)
def test_what_was_cleaned_is_good_and_clean(spec: JobSpec) -> None:
    form, _ = form_of(spec_as_typed(spec)).cleaned()

    assert form.cleaned() == (form, ())


def test_what_is_typed_becomes_the_job_files_own_values() -> None:
    form = filled(
        command="python train.py",
        gpus="2",
        gpu_memory="20GiB",
        env='HF_HOME=/data/hf\n  NOTE = "two  words "\nEMPTY=\n',
        mounts="datasets:/data:ro\n",
        nodes="node-a, node-b,",
        labels="project=qwen",
        **{"restart.retries": "2"},
    )

    assert form.mistakes() == {}
    assert form.job() == {
        "command": "python train.py",
        "gpus": 2,
        "gpu_memory": "20GiB",
        "env": {"HF_HOME": "/data/hf", "NOTE": "two  words ", "EMPTY": ""},
        "mounts": ["datasets:/data:ro"],
        "restart": {"policy": "on-failure", "retries": 2, "backoff": "30s"},
        "nodes": ["node-a", "node-b"],
        "labels": {"project": "qwen"},
    }


def test_every_mistake_stands_beside_its_field() -> None:
    form = filled(
        command="true",
        gpus="many",
        memory="32",
        env="A=1\nEAAS_X=2\nA=3",
        mounts="/home:/data",
        queue="a/b",
        pool="c",
        **{"restart.policy": "never", "restart.retries": "x"},
    )

    mistakes = form.mistakes()

    assert set(mistakes) == {"gpus", "memory", "env", "mounts", "queue", "restart.retries"}
    assert mistakes["gpus"] == "must be a whole number from 0 to 64, not 'many'"
    assert mistakes["memory"] == "32 has no unit: write 32GiB; did you mean 32GiB?"
    assert mistakes["env"] == "A is there twice"


def test_a_line_that_is_no_pair_is_said_to_be_none() -> None:
    assert filled(command="x", env="A=1\nB").mistakes() == {
        "env": "env[1]: must be KEY=VALUE, not 'B'"
    }


def test_a_job_with_nothing_to_run_says_so_beside_the_command() -> None:
    assert Form().mistakes() == {"command": "a job needs an image, a command, or both"}


def test_blanks_are_nothing() -> None:
    assert filled(name="  ", command="a", nodes=" , ").job() == {"command": "a"}


def test_a_form_is_dirty_while_it_differs_from_what_was_opened() -> None:
    opened = form_of({"command": "a"})
    changed = opened.typed("command", "b")

    assert changed.is_dirty
    assert not changed.typed("command", "a").is_dirty
    assert Form().typed("name", "x").typed("name", "") == Form()


def test_when_a_job_runs_and_in_how_many_parts_is_typed_as_in_a_file() -> None:
    form = filled(
        command="a",
        gpus="1",
        gpu_memory="8GiB",
        share="true",
        after="41, 42,",
        after_failed="wait",
        not_before="2026-03-01T09:00:00+01:00",
        array="0-9%2",
        num_nodes="1",
    )

    assert form.mistakes() == {}
    assert form.job() == {
        "command": "a",
        "gpus": 1,
        "gpu_memory": "8GiB",
        "share": True,
        "after": [41, 42],
        "after_failed": "wait",
        "not_before": "2026-03-01T08:00:00.000Z",
        "array": "0-9%2",
    }


def test_what_is_wrong_with_when_and_in_how_many_parts_stands_beside_it() -> None:
    form = filled(
        command="a", share="true", after="4l", not_before="tomorrow", array="9-0", num_nodes="0"
    )

    assert set(form.mistakes()) == {"share", "after", "not_before", "array", "num_nodes"}


def test_what_its_owner_hides_is_left_out() -> None:
    spec = {"command": None, "env": None, "gpus": 1}

    assert form_of(spec).texts == {"gpus": "1"}
    assert hidden_in(spec) == ("command", "env")


def test_a_command_that_is_a_list_stays_one() -> None:
    form = form_of({"command": ["echo", "a b", "c\n"]})

    assert form.text("command") == '["echo", "a b", "c\\n"]'
    assert form.job() == {"command": ["echo", "a b", "c\n"]}


def test_a_command_that_only_looks_like_a_list_is_no_list() -> None:
    assert form_of({"command": '["x"]'}).job() == {"command": ' ["x"]'}
    assert form_of({"command": "[ -f x ]"}).job() == {"command": "[ -f x ]"}


def test_the_file_is_readable_and_says_only_what_is_not_usual() -> None:
    form = filled(command="set -e\npython train.py\n", gpus="1", queue="default", priority="0")

    assert form.as_yaml() == "command: |\n  set -e\n  python train.py\ngpus: 1\n"


def test_a_form_with_mistakes_is_written_all_the_same() -> None:
    form = filled(gpus="many", memory="2048MiB", env="A=1\nB", **{"restart.retries": "0"})

    assert yaml.safe_load(form.as_yaml()) == {
        "gpus": "many",
        "memory": "2GiB",
        "env": ["A=1", "B"],
    }
    assert Form().as_yaml() == ""


def test_the_first_job_of_a_file_is_taken_with_its_key() -> None:
    form, count = form_from_yaml("command: a\nkey: k1\n---\ncommand: b\n")

    assert (form.job(), form.key, count) == ({"command": "a"}, "k1", 2)
    assert form.as_yaml() == "command: a\nkey: k1\n"


def test_a_bad_file_says_every_mistake_with_its_line() -> None:
    with pytest.raises(Invalid) as refused:
        form_from_yaml("command: a\ngpus: x\nmemory: 3\n", name="job.yaml")

    assert [error.line for error in refused.value.errors] == [2, 3]


def test_hidden_characters_are_taken_out_and_named() -> None:
    form, lost = form_of({"command": "a\t\u202eb\x1b[2J\nc", "name": "x"}).cleaned()

    assert form.text("command") == "a\tb\nc"
    assert lost == ("command",)
    assert not form.is_dirty


def test_the_controllers_mistakes_stand_beside_their_fields_too() -> None:
    with pytest.raises(Invalid) as refused:
        read_spec({"command": "a", "after": ["x"], "num_nodes": 0})

    assert set(beside(refused.value.errors)) == {"after", "num_nodes"}
