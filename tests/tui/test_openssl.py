import ast
import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from eaas_tui import openssl
from tests.rig.program import ROOT


def _said(code: str) -> Any:
    """Run the code in a Python of its own and return the value that it prints."""
    line = [sys.executable, "-c", code]
    return ast.literal_eval(subprocess.check_output(line, text=True, cwd=ROOT))


@pytest.mark.parametrize(
    ("server", "variable", "needed"),
    [
        ("https://pool:7470", None, True),
        ("pool", None, True),
        ("unix:/run/pool.sock", None, False),
        ("/run/pool.sock", "https://pool:7470", False),
        (None, "https://pool:7470", True),
        (None, "unix:/run/pool.sock", False),
        (None, None, False),
    ],
)
def test_it_is_needed_for_whatever_is_no_socket(
    tmp_path: Path, server: str | None, variable: str | None, needed: bool
) -> None:
    (tmp_path / "controller.sock").touch()
    environ = {"MINI_EAAS_HOME": str(tmp_path)}
    if variable is not None:
        environ["MINI_EAAS_SERVER"] = variable

    assert openssl.is_needed(environ, server=server, replay=False) is needed
    assert not openssl.is_needed(environ, server=server, replay=True)


def test_it_is_needed_where_no_socket_is_there_yet(tmp_path: Path) -> None:
    assert openssl.is_needed({"MINI_EAAS_HOME": str(tmp_path)}, server=None, replay=False)


def test_a_console_without_it_has_its_client_and_the_same_hashes() -> None:
    loaded, digest = _said(
        "from eaas_tui import openssl; openssl.leave_out()\n"
        "import eaas_tui.start, eaas_tui.source, hashlib, sys\n"
        "print(({n for n, m in sys.modules.items() if m}, hashlib.sha256(b'x').hexdigest()))"
    )

    assert {"aiohttp", "eaas.client"} <= loaded
    assert not loaded & {"ssl", "_ssl", "_hashlib"}
    assert digest == hashlib.sha256(b"x").hexdigest()


def test_what_was_imported_before_stays() -> None:
    code = "import ssl; from eaas_tui import openssl; openssl.leave_out()\n"
    kept, left_out = _said(f"{code}import ssl as s; print((s is ssl, openssl.is_left_out()))")

    assert kept
    assert not left_out


def test_hashes_that_only_openssl_has_keep_it() -> None:
    code = (
        "import sys; sys.modules['_sha1'] = None; from eaas_tui import openssl\n"
        "openssl.leave_out(); print(openssl.is_left_out())"
    )
    assert _said(code) is False
