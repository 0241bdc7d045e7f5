from typing import Any, Literal, get_args, get_origin

import pytest

from eaas import reasons as r
from eaas.sentences import SENTENCES, sentence

PLACEHOLDERS: dict[type, Any] = {str: "x", int: 2048, float: 1.5}


def every_reason() -> list[type[r.Reason]]:
    found, todo = [], [r.Reason]
    while todo:
        kinds = todo.pop().__subclasses__()
        todo += kinds
        found += [kind for kind in kinds if kind is not r.NodeReason]
    return found


def filled(kind: type[r.Reason]) -> r.Reason:
    import msgspec

    return kind(
        **{field.encode_name: placeholder(field.type) for field in msgspec.structs.fields(kind)}
    )


def placeholder(kind: Any) -> Any:
    if get_origin(kind) is Literal:
        return get_args(kind)[0]
    if get_origin(kind) is tuple:
        return (placeholder(get_args(kind)[0]),)
    return PLACEHOLDERS.get(kind)


@pytest.mark.parametrize("kind", every_reason(), ids=lambda kind: str(kind.__name__))
def test_every_reason_has_a_sentence_that_its_fields_fill(kind: type[r.Reason]) -> None:
    said = sentence(filled(kind))

    assert said
    assert "{" not in said
    assert "None" not in said


def test_no_sentence_is_without_its_reason() -> None:
    assert {filled(kind).code for kind in every_reason()} == set(SENTENCES)


def test_memory_is_told_as_people_write_it() -> None:
    reason = r.CardsTooSmall(node="node-a", asked=40 * 1024, available=24 * 1024)

    assert sentence(reason) == "cards of node-a hold 24GiB at most, 40GiB asked for"


def test_a_limit_nobody_set_is_told_as_the_machines() -> None:
    reason = r.OutOfMemory(exit_code=137, limit_mib=None)

    assert sentence(reason) == "killed because it used more memory than the machine had"
