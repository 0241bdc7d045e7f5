from pathlib import Path

import pytest

from eaas.field_checks import Wrong
from eaas.settings.host_path import HostPath


def test_a_path_is_given_from_the_root_or_from_a_home_on() -> None:
    assert HostPath().read("/srv/jobs/") == Path("/srv/jobs")
    assert HostPath().read("~/jobs") == Path.home() / "jobs"
    assert HostPath().typed(Path("/srv")) == "/srv"


@pytest.mark.parametrize("value", ["jobs", "./jobs", "/srv/../etc", "~nobody-like-this/x", [], ""])
def test_anything_else_is_refused(value: object) -> None:
    with pytest.raises(Wrong):
        HostPath().read(value)
