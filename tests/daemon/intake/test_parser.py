import io
import time
from itertools import pairwise

import pytest

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


BOMB = "a: &a [x, x]\n" + "".join(
    f"{to}: &{to} [{', '.join([f'*{of}'] * 9)}]\n" for of, to in pairwise("abcdefghi")
)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (BOMB.encode(), "references"),
        (b"a: 1\n" * 200_000, "256 KiB at most"),
        (b"command: " + b"[" * 5_000 + b"]" * 5_000, "deep"),
        (b"command: a\ncommand: b\n", "command"),
        (b"\x7fELF" + bytes(range(256)) * 1000, "no text"),
    ],
    ids=["aliases", "1 MiB", "depth", "a key twice", "binary"],
)
def test_what_is_made_to_hurt_is_refused_within_50_ms(data: bytes, words: str) -> None:
    begin = time.process_time()
    read = read_file(Unread(name="a.yaml", data=data), {})
    took_s = time.process_time() - begin

    assert read.content is None
    assert any(words in error.message for error in read.errors)
    assert took_s < 0.05
