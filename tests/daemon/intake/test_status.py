import yaml

from eaas.errors import FieldError
from eaas_daemon.intake.status import again_text, error_text, orders_text


def test_a_refused_file_is_told_every_mistake_with_its_place() -> None:
    errors = [
        FieldError(field="gpu", message="unknown key gpu", line=3, column=1, suggestion="gpus"),
        FieldError(field="", message="two\n\x1b[31mlines"),
    ]

    text = error_text("a.yaml", errors, "2026-12-01T00:00:00Z")

    assert text == (
        "a.yaml was refused at 2026-12-01T00:00:00Z. Mend it and put it into the folder again.\n"
        "\n"
        "line 3, column 1: unknown key gpu (did you mean gpus?)\n"
        "two lines\n"
    )


def test_nobody_is_told_to_mend_what_is_right() -> None:
    text = error_text(
        "9.cancel", [FieldError(field="", message="there is no job 9")], "t", mend=False
    )

    assert text == "9.cancel was refused at t.\n\nthere is no job 9\n"


def test_what_became_of_orders_is_one_document_each() -> None:
    documents = list(yaml.safe_load_all(orders_text({42: "cancelled", 43: "priority 10"})))

    assert documents == [
        {"final": True, "job": 42, "done": "cancelled"},
        {"final": True, "job": 43, "done": "priority 10"},
    ]


def test_a_file_that_came_again_is_told_what_to_do() -> None:
    assert "jobs 4, 5 already stand for it" in again_text([4, 5], "now")
    assert "mini-eaas job retry 4" in again_text([4, 5], "now")
