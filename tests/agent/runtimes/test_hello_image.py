import io
import sys
import tarfile
from pathlib import Path

import pytest

from eaas_agent.runtimes.hello_image import PLACES, is_static_elf, root_tar


def test_only_an_executable_that_needs_no_library_is_static(tmp_path: Path) -> None:
    script, cut = tmp_path / "script", tmp_path / "cut"
    script.write_text("#!/bin/sh\n")
    cut.write_bytes(b"\x7fELF\x02\x01")

    assert [is_static_elf(path) for path in (script, cut, tmp_path / "none")] == [False] * 3


@pytest.mark.skipif(sys.platform != "linux", reason="looks at this machine's programs")
def test_this_machines_busybox_is_static_and_its_shell_is_not_needed() -> None:
    busybox = next((place for place in PLACES if place.exists()), None)
    if busybox is None:
        pytest.skip("no busybox on this machine")

    assert is_static_elf(busybox)


def test_the_image_has_a_shell_and_comes_out_the_same_each_time(tmp_path: Path) -> None:
    busybox = tmp_path / "busybox"
    busybox.write_bytes(b"program")

    made = root_tar(busybox, ["sh", "echo"])

    assert made == root_tar(busybox, ["sh", "echo"])
    with tarfile.open(fileobj=io.BytesIO(made)) as tar:
        assert tar.getmember("bin/sh").linkname == "busybox"
        assert tar.getmember("bin/busybox").mode == 0o755
        assert tar.getmember("tmp").mode == 0o1777
