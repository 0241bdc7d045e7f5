import io

from eaas_daemon.intake.parser import Unread, framed, messages, read_file


def test_a_file_is_read_with_what_its_folder_gives() -> None:
    read = read_file(Unread(name="a.yaml", data=b"command: a\n"), {"pool": "lab", "queue": "night"})

    assert read.errors == ()
    assert read.content is not None
    (job,) = read.content.jobs
    assert (job.spec.pool, job.spec.queue) == ("lab", "night")


def test_a_bad_file_is_told_all_its_mistakes() -> None:
    read = read_file(Unread(name="a.yaml", data=b"comand: a\ngpus: many\n"), {})

    assert read.content is None
    assert [error.line for error in read.errors] == [1, 2]


def test_a_file_over_the_limit_is_told_so() -> None:
    (error,) = read_file(Unread(name="a.yaml", data=b"#" * 300_000), {}).errors

    assert "256 KiB at most" in error.message


def test_messages_stay_apart_and_half_a_one_is_none() -> None:
    stream = io.BytesIO(framed(b"one") + framed(b"two") + b"\0\0")

    assert list(messages(stream)) == [b"one", b"two"]
