from msgspec.structs import replace

from eaas_tui.model.first_steps import jobs_text, nodes_text
from eaas_tui.model.picture import EMPTY, Link
from tests.rig.pictures import a_job, a_node, a_picture


def test_an_empty_pool_says_what_to_type() -> None:
    said = nodes_text(a_picture()) + jobs_text(a_picture())

    assert all(f"mini-eaas {words}" in said for words in ("up", "pool add", "job submit"))


def test_with_a_node_and_a_job_there_is_nothing_to_say_of_nodes() -> None:
    picture = a_picture(a_node("n"), jobs={1: a_job(1)})

    assert nodes_text(picture) == ""
    assert "2 shows all jobs" in jobs_text(picture)


def test_without_a_controller_it_says_so_instead() -> None:
    away = replace(a_picture(), link=Link(state="away", since=0.0, text="connection refused"))

    assert "connection refused" in nodes_text(away)
    assert "Looking for the controller" in nodes_text(EMPTY)
    assert jobs_text(EMPTY) == ""
