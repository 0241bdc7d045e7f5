"""The guides: that for a team typed on hosts of their own, that for a class on a pool."""

import asyncio
import json
import os
import re
import subprocess
from textwrap import dedent

import pytest

from eaas.job_file import read_job_file
from tests.rig.guide import HOSTS, steps, typed_through
from tests.rig.hosts import hosts_on_a_network
from tests.rig.pool import CLI, Installation
from tests.rig.program import ROOT


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes network namespaces")
def test_a_team_comes_up_by_typing_the_guide() -> None:
    assert [hosts for hosts, _ in steps()] == [
        ["ctl"],
        ["ctl"],
        ["big", "small"],
        ["ctl"],
        ["ctl"],
        ["desk"],
    ]
    with hosts_on_a_network(*HOSTS) as hosts:
        said = typed_through(hosts)

    assert said.splitlines()[-1] in {"big", "small"}


async def test_a_class_has_its_queue_cards_and_tokens_by_what_the_guide_says(
    empty: Installation,
) -> None:
    text = (ROOT / "docs" / "teaching.md").read_text()
    blocks = re.findall(r"^ *```(sh|yaml)\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    typed = "".join(dedent(lines) for kind, lines in blocks if kind == "sh")
    [job] = [dedent(lines) for kind, lines in blocks if kind == "yaml"]
    empty.start_controller()
    await empty.add_agent("lab", simulate="4x24GiB")

    await asyncio.to_thread(
        subprocess.run,
        ["bash", "-e", "-c", typed.replace("seq -w 30", "seq -w 29 30")],
        env={**empty.environ, "PATH": f"{CLI.parent}:{os.environ['PATH']}"},
        check=True,
        capture_output=True,
        timeout=60,
    )

    queue = json.loads(empty.said("queue", "show", "default/class", "-o", "json"))
    assert (queue["max_running"], queue["max_per_user"]) == (4, 1)
    assert (queue["timeout_s"], queue["max_timeout_s"]) == (600, 1200)
    [booking] = json.loads(empty.said("book", "list", "-o", "json"))["items"]
    assert (booking["queue"], booking["gpus"], booking["missing"]) == ("class", 4, 0)
    tokens = json.loads(empty.said("token", "list", "-o", "json"))["items"]
    assert {token["user"] for token in tokens} == {"student29", "student30"}
    [document] = read_job_file(job)
    assert (document.spec.queue, document.spec.gpus) == ("class", 1)
    for order in ("pause", "resume"):
        assert f"`mini-eaas queue {order} default/class`" in " ".join(text.split())
        empty.said("queue", order, "default/class")
