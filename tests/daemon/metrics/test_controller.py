import os
import platform
from pathlib import Path

from eaas_daemon.metrics.controller import database_bytes, free_bytes
from tests.rig.builders import House
from tests.rig.metrics import a_folder, a_moment, scraped


def test_the_controller_tells_its_version_and_who_is_connected() -> None:
    house = House()
    house.pool("default")

    found = scraped(a_moment(house.state, subscribers=3, agents=2))

    python = platform.python_version()
    assert found.value("build_info", version="0.1.0", python_version=python) == 1
    assert (found.value("stream_subscribers"), found.value("agents_connected")) == (3, 2)
    assert found.value("engine_seq") == house.state.seq > 0


def test_the_database_is_counted_with_the_files_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "controller.db"
    path.write_bytes(b"x" * 100)
    (tmp_path / "controller.db-wal").write_bytes(b"x" * 23)
    (tmp_path / "controller.lock").write_bytes(b"x" * 1000)

    moment = a_moment(House().state, database=path, log_stored_bytes=7, log_budget_bytes=70)
    found = scraped(moment)

    assert found.value("database_bytes") == 123
    assert (found.value("log_stored_bytes"), found.value("log_budget_bytes")) == (7, 70)
    assert 0 < (found.value("home_free_bytes") or 0) <= os.statvfs(tmp_path).f_blocks * 4096 * 1024


def test_what_can_not_be_seen_has_no_series() -> None:
    nowhere = Path("/nowhere/controller.db")

    found = scraped(a_moment(House().state, database=nowhere))

    assert database_bytes(nowhere) is None
    assert free_bytes(nowhere.parent) is None
    assert found.value("database_bytes") is None
    assert found.value("home_free_bytes") is None


def test_a_folder_that_is_watched_for_two_queues_is_one_folder() -> None:
    folders = (
        a_folder("/srv/jobs", queue="a", accepted=3, refused=1, left=2, reason="no queue a"),
        a_folder("/srv/jobs", queue="b", accepted=4, state="disabled", reason="gone"),
        a_folder("/srv/other"),
    )

    found = scraped(a_moment(House().state, folders=folders))

    assert found.rows("folder_enabled", "folder") == {"/srv/jobs": 0, "/srv/other": 1}
    assert found.value("folder_files_accepted_total", folder="/srv/jobs") == 7
    assert found.value("folder_files_refused_total", folder="/srv/jobs") == 1
    assert found.rows("folder_files_left", "folder") == {"/srv/jobs": 2, "/srv/other": 0}
    assert found.rows("folder_destination_wrong", "folder") == {"/srv/jobs": 1, "/srv/other": 0}
