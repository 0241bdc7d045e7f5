from pathlib import Path

import pytest

from eaas_agent.settings import KEYS
from tests.eaas.settings.keys import refusal_of


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("runtim: docker", "did you mean runtime?"),
        ("runtime: podman", "must be docker or process or auto"),
        ("cpus: none", "must be a number"),
        ("cpus: 0", "must be a number"),
        ("name: Node A", "must be lower case"),
        ("mounts: [/data]", "must be `name: /path`"),
        ("mounts: {data: ../x}", "mounts.data: must be a path from the root on"),
        ("mounts: {data: '/a/../etc'}", "must be a path from the root on"),
        ("mounts: {data: '/a:x'}", "must end with :ro or :rw"),
        ("mounts: {A b: /a}", "can't be a mount's name"),
        ("mounts: {a: {path: /a, user: ada}}", "mounts.a.user: is no key of a mount"),
        ("mounts: {a: {users: [ada]}}", "mounts.a: needs a path"),
        ("labels: {a b: c}", "a label's name"),
        ("log_cap: 2 parsecs", "log_cap: "),
        ("keep: long", "keep: "),
        ("state_dir: here", "must be a path from the root on"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, line: str, says: str) -> None:
    assert says in refusal_of(KEYS, tmp_path, line)
