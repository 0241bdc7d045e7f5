from pathlib import Path

import pytest

from eaas.settings.layers import settle
from eaas_daemon.config import ControllerConfig, config_from
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.settings import KEYS, Folders
from tests.eaas.settings.keys import refusal_of

FULL = {
    "path": "/srv/a",
    "pool": "lab",
    "queue": "night",
    "user": "ann",
    "log": True,
    "keep_days": "always",
}


def test_the_defaults_are_those_of_the_configuration() -> None:
    settings = settle("controller", KEYS, file=None, environ={}, typed={})

    assert config_from(settings) == ControllerConfig()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("prot: 7470", "did you mean port?"),
        ("port: many", "must be a whole number from 0 to 65535"),
        ("port: 70000", "must be a whole number"),
        ("names: gpu-1", "must be a list of names and addresses"),
        ("names: [a b]", "must be a host name"),
        ("members: some", "must be everybody or group"),
        ("insecure: yes", "must be true or false"),
        ("listen: here", "must be an address such as 127.0.0.1"),
        ("journal_days: 0", "must be a whole number from 1"),
        ("log_budget_mib: 0", "must be a whole number from 1"),
        ("folders: /srv", "must be a list"),
        ("folders: [[]]", "folders[0]: must be a path"),
        ("folders: [{pool: lab}]", "folders[0]: needs a path"),
        ("folders: [{path: jobs}]", "folders[0].path: must be a path from the root on"),
        ("folders: [{path: /a, pol: lab}]", "folders[0].pol: a watched folder has no such key"),
        ("folders: [/a, /b, {path: /a/}]", "folders[2].path: is the same folder as in entry 1"),
        ("folders: [/a/accepted/x, /a]", "folders[0].path: lies in accepted/, which belongs to"),
        ("folders: [/a, /a/x.yaml/b]", "folders[1].path: lies in /a, which takes everything"),
        ("folders: [{path: /a, log: yes}]", "must be true or false"),
        ("folders: [{path: /a, user: a b}]", "must be a user's name"),
        ("folders: [{path: /a, keep_days: 0}]", "must be a number of days from 1 on, or always"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, says: str) -> None:
    assert says in refusal_of(KEYS, tmp_path, text)


def test_folders_are_paths_or_have_keys_and_are_written_back_as_typed() -> None:
    assert set(FULL) == set(FolderSettings.__struct_fields__)

    found = Folders().read(["/srv/b", FULL])

    assert found[0] == FolderSettings(path=Path("/srv/b"))
    assert Folders().typed(found) == [{"path": "/srv/b"}, FULL]


def test_a_folder_may_lie_in_another() -> None:
    inner = "/srv/a/night"

    assert [each.path for each in Folders().read(["/srv/a", inner])] == [
        Path("/srv/a"),
        Path(inner),
    ]
