"""The guide for a team, typed on hosts of their own, in the order in which it stands."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.rig.hosts import Host
from tests.rig.program import ROOT

GUIDE: Final = (ROOT / "docs" / "team.md").read_text()
HOSTS: Final = ("ctl", "big", "small", "desk")
STEP: Final = re.compile(r"<!-- on ([a-z ]+) -->\n```sh\n(.*?)```", re.DOTALL)
STARTED: Final = {
    "controller run": "until mini-eaas status; do sleep 0.1; done >/dev/null 2>&1\n",
    "agent run": "until grep -q 'linked to' run.log; do sleep 0.1; done\n",
}
"""A person looks whether what they started is there before they go on."""

Steps = Sequence[tuple[list[str], str]]


def steps() -> Steps:
    """Return the guide's blocks of commands, each with the hosts that it is typed on."""
    return [(hosts.split(), lines) for hosts, lines in STEP.findall(GUIDE)]


def typed_through(hosts: Sequence[Host]) -> str:
    """Type the whole guide, and return what the last block printed."""
    by_name = {host.name: host for host in hosts}
    token, said = "", ""
    for names, lines in steps():
        for name in names:
            said = typed(by_name[name], lines, ctl=by_name["ctl"].address, token=token)
            found = re.search(r"eaas1\.\S+", said)
            token = found[0] if found else token
    return said


def typed(host: Host, lines: str, *, ctl: str, token: str) -> str:
    """Type a block of the guide on a host, and return what it printed."""
    text = lines.replace("CTL", ctl).replace("TOKEN", token).replace("mini-eaas tui", "true")
    text = text.replace("agent run &", "agent run --runtime process >run.log 2>&1 &")
    text = text.replace("0.0.0.0 &", "0.0.0.0 >run.log 2>&1 &").replace("--user ann", "--user root")
    text += "".join(then for words, then in STARTED.items() if words in text)
    done = subprocess.run(
        [*host.inside, "bash", "-e", "-c", text],
        env={
            **host.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "MINI_EAAS_TOKEN": token if "login" in text else "",
        },
        cwd=host.home,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
    return done.stdout
