"""One meaning for each exit code, whichever program ends by it."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from eaas.errors import EaasError, FieldError, Invalid, Mistyped, NotFound, Unreachable
from eaas.exit_codes import REFUSED, UNREACHABLE, USAGE, code_of
from eaas.settings.layers import WrongSettings
from eaas.tokens import BadToken, new_token
from tests.rig.pool import CLI
from tests.rig.program import ROOT

TOKEN: Final = str(new_token("join", "b" * 52))
PERSONS: Final = str(new_token("person", "b" * 52))
NOBODY: Final = ("--server", "127.0.0.1:1")
AGENT: Final = ("-m", "eaas_agent")
CONTROLLER: Final = ("-m", "eaas_daemon")
HERE: Final = ("--simulate", "1x8GiB", "--runtime", "process")

TABLE: Final = (
    ("config", AGENT, 0),
    ("config", CONTROLLER, 0),
    ("status", None, UNREACHABLE),
    (("status", *NOBODY), None, UNREACHABLE),
    (("status", *NOBODY, "--token", "rubbish"), None, UNREACHABLE),
    (("status", "--server", "ftp://x"), None, USAGE),
    (("status", "--server", "http://big:7470", "--token", PERSONS), None, USAGE),
    (("login", "127.0.0.1:1", "--token", "rubbish"), None, USAGE),
    (("login", "127.0.0.1:1", "--token", TOKEN), None, USAGE),
    (("login", "127.0.0.1:1", "--token", PERSONS), None, UNREACHABLE),
    (("config", "show", "agent", "--cpus", "no"), None, USAGE),
    (("config", "show", "console"), None, USAGE),
    (("controller", "backup", "copy.db"), None, REFUSED),
    (("controller", "run", "--port", "no"), None, USAGE),
    (("controller", "run", "--listen", "example.org"), None, USAGE),
    (("controller", "run", "--log-level", "x"), None, USAGE),
    (("run", "--cpus", "0"), AGENT, USAGE),
    (("run", "--runtime", "podman"), AGENT, USAGE),
    (("run", "--bogus"), AGENT, USAGE),
    (("controller", "run", "--config", "none.yaml"), None, USAGE),
    (("agent", "run", "--config", "none.yaml"), None, USAGE),
    (("agent", "run", "--token-file", "none", *NOBODY), None, USAGE),
    (("run", *NOBODY, "--token", "rubbish", *HERE), AGENT, USAGE),
    (("run", *NOBODY, "--token", PERSONS, *HERE), AGENT, USAGE),
    (("run", "--server", "ftp://x", *HERE), AGENT, USAGE),
    (("run", *NOBODY, *HERE), AGENT, REFUSED),
    (("join", *HERE), AGENT, USAGE),
    (("join", *NOBODY, "--token", "rubbish", *HERE), AGENT, USAGE),
    (("join", *NOBODY, "--token", TOKEN, *HERE), AGENT, UNREACHABLE),
    (("check", *NOBODY, "--token", TOKEN), AGENT, UNREACHABLE),
    ("check", AGENT, UNREACHABLE),
)


@pytest.mark.parametrize(
    ("words", "module", "code"),
    TABLE,
    ids=lambda value: " ".join(value)[:60].replace("/", "|") if isinstance(value, tuple) else None,
)
def test_what_is_wrong_decides_the_code_and_not_which_program_says_it(
    tmp_path: Path, words: str | tuple[str, ...], module: tuple[str, ...] | None, code: int
) -> None:
    line = [words] if isinstance(words, str) else list(words)
    command = [str(CLI)] if module is None else [sys.executable, *module]
    ended = subprocess.run(
        [*command, *line],
        env={"MINI_EAAS_HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (ended.returncode, "Traceback" in ended.stderr) == (code, False), ended.stderr


def test_a_kind_of_error_has_its_code() -> None:
    mistake = (FieldError(field="x", message="x: no"),)
    found = [
        code_of(error)
        for error in (
            BadToken("no"),
            WrongSettings(mistake),
            Mistyped("no"),
            Invalid(mistake),
            NotFound("no"),
            Unreachable("no"),
            EaasError("no"),
        )
    ]

    assert found == [USAGE, USAGE, USAGE, REFUSED, REFUSED, UNREACHABLE, REFUSED]
