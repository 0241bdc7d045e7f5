"""The recordings that the console's tests are fed with: made by chance, always the same."""

from pathlib import Path

import pytest

from eaas.lifecycle import CardState, JobState
from eaas_tui.model.store import Store
from eaas_tui.recording import read_recording, replay_at_once
from tests.rig.recordings import FOLDER, RECORDINGS, WRITTEN, a_store_of, write


@pytest.mark.parametrize("name", WRITTEN)
def test_the_files_are_what_the_script_makes(name: str, tmp_path: Path) -> None:
    made = write(name, tmp_path).read_bytes()

    assert (FOLDER / f"{name}.jsonl").read_bytes() == made, "run python -m tests.rig.recordings"


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_and_the_script_make_the_same_picture(name: str) -> None:
    store = Store()

    replay_at_once(read_recording(FOLDER / f"{name}.jsonl"), store, name)

    assert store.picture == a_store_of(name)[0].picture


@pytest.mark.parametrize("name", RECORDINGS)
def test_no_card_is_held_by_two_jobs_and_every_running_job_holds_its_cards(name: str) -> None:
    picture = a_store_of(name)[0].picture

    claims = [
        (card.uuid, claim.job)
        for card in picture.cards()
        for claim in card.claims
        if card.state != CardState.SHARED
    ]
    held = [
        (card.uuid, job.id)
        for job in picture.jobs.values()
        if job.state in (JobState.RUNNING, JobState.UNKNOWN)
        for card in job.cards
    ]
    assert sorted(claims) == sorted(held)


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_numbers_in_line_have_no_gaps(name: str) -> None:
    jobs = a_store_of(name)[0].picture.jobs.values()

    for pool in {job.pool for job in jobs}:
        places = sorted(job.position or 0 for job in jobs if job.pool == pool and job.position)
        assert places == list(range(1, len(places) + 1))


def test_the_sizes_are_what_the_names_say() -> None:
    hundred = a_store_of("hundred_nodes")[0].picture
    thousands = a_store_of("ten_thousand_jobs")[0].picture

    assert (len(hundred.nodes), len(hundred.cards())) == (100, 800)
    assert len(thousands.jobs) == 10_000


def test_among_the_troubles_every_state_of_a_card_is_found() -> None:
    picture = a_store_of("troubles")[0].picture

    assert {card.state for card in picture.cards()} == set(map(str, CardState))
    assert {node.state for node in picture.nodes.values()} == {
        "Ready",
        "Offline",
        "Draining",
        "NeedsUpgrade",
    }
    assert JobState.UNKNOWN in {job.state for job in picture.jobs.values()}


def test_no_trouble_reaches_the_picture_as_a_control_character() -> None:
    picture = a_store_of("troubles")[0].picture

    shown = [job.name or "" for job in picture.jobs.values()]
    shown += [event.text for event in picture.events]
    assert all(text.isprintable() for text in shown)
    assert "red" in shown
