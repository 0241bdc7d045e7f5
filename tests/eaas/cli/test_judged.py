from pathlib import Path

import msgspec
import pytest

from eaas.cli.judged import folder_for
from eaas.errors import NotFound
from tests.eaas.cli.test_folders import FOLDER


def test_a_file_goes_to_the_chosen_folder_else_to_the_one_it_lies_in(tmp_path: Path) -> None:
    here = msgspec.structs.replace(FOLDER, path=str(tmp_path), pool="farm")
    (tmp_path / "link").symlink_to(tmp_path)
    folders = [FOLDER, here]

    assert folder_for(str(tmp_path / "a.yaml"), folders, None) == here
    assert folder_for(str(tmp_path / "link" / "a.yaml"), folders, None) == here
    assert folder_for(str(tmp_path / "a.yaml"), folders, "/srv/jobs/") == FOLDER
    with pytest.raises(NotFound, match="there are: /srv/jobs"):
        folder_for("a.yaml", folders, "/nowhere")


def test_any_folder_will_do_where_all_are_the_same_to_a_job() -> None:
    same = msgspec.structs.replace(FOLDER, path="/b", accepted=0)
    other = msgspec.structs.replace(FOLDER, path="/b", user="robot")

    assert folder_for("a.yaml", [FOLDER, same], None) == FOLDER
    assert folder_for("a.yaml", [FOLDER, other], None) is None
    assert folder_for("a.yaml", [], None) is None
