import stat
from pathlib import Path

import pytest

from eaas.paths import Paths
from eaas_daemon.home import HomeUnusable, prepare_home


def a_home(tmp_path: Path) -> Paths:
    return Paths(home=tmp_path / "home", socket=tmp_path / "home" / "controller.sock")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_others_may_pass_through_to_the_socket_and_look_at_nothing(tmp_path: Path) -> None:
    paths = a_home(tmp_path)

    prepare_home(paths)

    assert mode(paths.home) == 0o711
    private = (paths.job_logs, paths.job_samples, paths.packs, paths.logs, paths.run)
    assert {mode(folder) for folder in private} == {0o700}
    assert mode(paths.inbox) == 0o1770


def test_what_a_person_set_for_the_inbox_stays(tmp_path: Path) -> None:
    paths = a_home(tmp_path)
    prepare_home(paths)
    paths.inbox.chmod(0o1777)

    prepare_home(paths)

    assert mode(paths.inbox) == 0o1777


def test_a_home_that_cannot_be_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")

    with pytest.raises(HomeUnusable, match="home can't be used"):
        prepare_home(a_home(tmp_path))


def test_a_home_whose_name_no_answer_could_hold_is_refused(tmp_path: Path) -> None:
    home = Path(f"{tmp_path}/\udcff")

    with pytest.raises(HomeUnusable, match=r"udcff' can't be used: its name is not UTF-8"):
        prepare_home(Paths(home=home, socket=home / "controller.sock"))
    assert not home.exists()
