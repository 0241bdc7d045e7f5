from tests.rig.promql import Spoken, spoken_of, unknown

EXPORTED = {"size_bytes": {"node"}, "wait_seconds_bucket": {"queue", "le"}}


def test_an_expression_is_taken_apart_into_metrics_labels_and_matchers() -> None:
    expr = (
        "histogram_quantile(0.9, sum by (le, queue)"
        ' (rate(wait_seconds_bucket{queue=~"a|b{}"}[5m])))'
        " > 4 * 3600 unless on (node) size_bytes == 1e3"
    )

    assert spoken_of(expr) == Spoken(
        frozenset({"wait_seconds_bucket", "size_bytes"}),
        frozenset({"le", "queue", "node"}),
        (("wait_seconds_bucket", "queue"),),
    )


def test_what_is_exported_is_known() -> None:
    assert list(unknown('avg by (node) (size_bytes{node="a"}) or vector(0)', EXPORTED)) == []


def test_a_name_a_label_and_a_function_that_do_not_exist_are_found() -> None:
    wrong = {
        "size_byte": ["size_byte"],
        "wait_seconds": ["wait_seconds"],
        'size_bytes{pool="a"}': ["size_bytes{pool}"],
        "sum by (pool) (size_bytes)": ["label pool"],
        "ratte(size_bytes[5m])": ["ratte"],
    }

    assert {expr: list(unknown(expr, EXPORTED)) for expr in wrong} == wrong
