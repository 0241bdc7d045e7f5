"""The first start of a controller that others can reach, in a terminal and without one."""

import re
import sys
from pathlib import Path

from eaas.ids import UserName
from eaas.tokens import read_token
from eaas_daemon.first_words import first_words
from tests.daemon.api.served import a_house
from tests.rig.program import Program
from tests.rig.terminal import RealTerminal

OPS = UserName("ops")
OPEN = ("run", "--listen", "0.0.0.0", "--port", "0")


async def test_two_tokens_are_made_and_both_let_in(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        words = await first_words(
            house.engine, "a" * 52, "https://ctl:7470", OPS, house.clock.now()
        )

        tokens = [read_token(text) for text in re.findall(r"eaas1\.\S+", words)]
        known = [house.state.credentials[token.id] for token in tokens]
    assert [credential.role for credential in known] == ["admin", "agent"]
    assert [credential.uses_left for credential in known] == [None, 20]
    assert all(c.secret_hash == t.secret_hash for c, t in zip(known, tokens, strict=True))
    assert "mini-eaas login https://ctl:7470" in words
    assert f"agent join --server https://ctl:7470 --token {tokens[1]}" in words


def test_a_terminal_is_told_once_and_a_log_never(tmp_path: Path) -> None:
    environ = {"MINI_EAAS_HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    with RealTerminal(sys.executable, "-m", "eaas_daemon", *OPEN, environ=environ) as first:
        first.await_text("This is shown once.", "agent join --server https://")
    with RealTerminal(sys.executable, "-m", "eaas_daemon", *OPEN, environ=environ) as second:
        second.await_text("listening on")
        assert b"eaas1." not in bytes(second.written)

    logged = Program(
        "eaas_daemon", *OPEN, environ={**environ, "MINI_EAAS_HOME": str(tmp_path / "l")}
    )
    logged.await_words("token create --role agent")
    logged.terminate()
    assert "eaas1." not in logged.words
