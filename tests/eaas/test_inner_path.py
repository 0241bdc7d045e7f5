import pytest

from eaas.field_checks import Wrong
from eaas.inner_path import read_inner_path


@pytest.mark.parametrize("path", ["/", "/data", "/data/a b/中"])
def test_a_plain_absolute_path_is_taken(path: str) -> None:
    assert read_inner_path(path) == path


@pytest.mark.parametrize(
    ("path", "suggestion"),
    [
        ("data", None),
        ("", None),
        ("/a\nb", None),
        ("/a" * 600, None),
        ("/data/", "/data"),
        ("//data", "/data"),
        ("/data/../etc", "/etc"),
        ("/../..", "/"),
    ],
)
def test_any_other_path_is_refused(path: str, suggestion: str | None) -> None:
    with pytest.raises(Wrong) as refused:
        read_inner_path(path)

    assert refused.value.mistakes[0].suggestion == suggestion
