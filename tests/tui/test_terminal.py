import os
import termios
import threading
from collections.abc import Iterator

import pytest

from eaas_tui.terminal import PROBE, block_cells, is_terminal


@pytest.fixture
def pty_ends() -> Iterator[tuple[int, int]]:
    master, slave = os.openpty()
    yield master, slave
    os.close(slave)
    os.close(master)


def answering(master: int, answer: bytes) -> threading.Thread:
    """A terminal that reads the question and says where its cursor is."""

    def answer_once() -> None:
        heard = b""
        while b"\x1b[6n" not in heard:
            heard += os.read(master, 64)
        os.write(master, answer)

    thread = threading.Thread(target=answer_once)
    thread.start()
    return thread


@pytest.mark.parametrize(("answer", "cells"), [(b"\x1b[7;2R", 1), (b"\x1b[7;3R", 2)])
def test_the_probe_reads_how_far_a_block_moved_the_cursor(
    pty_ends: tuple[int, int], answer: bytes, cells: int
) -> None:
    master, slave = pty_ends
    terminal = answering(master, b"key" + answer)

    assert block_cells(slave, slave, within_s=5) == cells

    terminal.join()


def test_a_terminal_that_says_nothing_is_not_waited_for(pty_ends: tuple[int, int]) -> None:
    _, slave = pty_ends

    assert block_cells(slave, slave, within_s=0.01) is None


def test_the_probe_leaves_the_terminal_as_it_was(pty_ends: tuple[int, int]) -> None:
    _, slave = pty_ends
    before = termios.tcgetattr(slave)

    block_cells(slave, slave, within_s=0.01)

    assert termios.tcgetattr(slave) == before


def test_a_pipe_is_no_terminal(pty_ends: tuple[int, int]) -> None:
    _, slave = pty_ends
    reader, writer = os.pipe()

    assert is_terminal(slave)
    assert not is_terminal(slave, writer)

    os.close(reader)
    os.close(writer)


def test_the_probe_is_one_block_and_one_question() -> None:
    assert PROBE.count("█") == 1
    assert PROBE.endswith("\x1b[6n")
