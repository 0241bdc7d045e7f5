"""The past is looked at once, however often the list is drawn."""

from eaas.views import JobView
from eaas_tui.model.past_found import PastFound
from tests.rig.stand_in import a_job


class Look:
    """Says yes to ada's jobs, and remembers which it was asked about."""

    def __init__(self) -> None:
        self.at: list[int] = []

    def __call__(self, job: JobView) -> bool:
        self.at.append(job.id)
        return job.user == "ada"


def a_page(*ids: int) -> dict[int, JobView]:
    return {id: a_job(id, "Failed", user="ada" if id % 2 else "bob") for id in ids}


def found(
    finder: PastFound, past: dict[int, JobView], look: Look, asked: str = "ada", sort: str = "id"
) -> list[int]:
    return [job.id for job in finder.find(past, asked, look, sort=sort, reverse=False)]


def test_every_page_is_looked_at_once_and_falls_into_place() -> None:
    finder, look = PastFound(), Look()
    past = a_page(9, 8, 7)
    assert found(finder, past, look) == [7, 9]
    assert found(finder, past, look) == [7, 9]

    past.update(a_page(6, 5, 4))

    assert found(finder, past, look) == [5, 7, 9]
    assert look.at == [9, 8, 7, 6, 5, 4]


def test_another_question_or_another_past_begins_anew() -> None:
    finder, look = PastFound(), Look()
    past = a_page(3, 2, 1)
    found(finder, past, look)

    assert found(finder, past, look, "all of ada's") == [1, 3]
    assert found(finder, a_page(5), look) == [5]
    assert look.at == [3, 2, 1, 3, 2, 1, 5]
