"""The check for the jobs that another one is to follow."""

from typing import ClassVar, Final

from eaas.field_checks import Check, Whole, items_of, wrong
from eaas.job_lists import at_most, distinct, each
from eaas.job_ref import job_ref
from eaas.spelling import shown

MAX_AFTER: Final = 1000


class JobNames(Check, frozen=True, kw_only=True):
    """Other jobs: numbers, and tasks of arrays such as ``42[7]`` or ``42[0-3]``."""

    kind: ClassVar[str] = "integers"

    def read(self, value: object) -> tuple[int | str, ...]:
        return distinct(each(at_most(MAX_AFTER, items_of(value)), _name))

    def typed(self, value: tuple[int | str, ...]) -> object:
        return list(value)

    def schema(self) -> dict[str, object]:
        pattern = r"^ *[0-9]+(\[[0-9:-]+\])? *$"
        item = {"type": ["integer", "string"], "pattern": pattern, "minimum": 1}
        return {"anyOf": [item, {"type": "array", "items": item}]}


def _name(value: object) -> int | str:
    if not isinstance(value, str) or "[" not in value:
        number: int = Whole(minimum=1, maximum=2**53).read(value)
        return number
    ref = job_ref(value.strip())
    if ref is None or ref.number < 1:
        raise wrong(f"must be a job's number, or a task such as 42[7], not {shown(value)}")
    return str(ref)
