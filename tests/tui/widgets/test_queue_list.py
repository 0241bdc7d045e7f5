import pytest
from rich.cells import cell_len

from eaas_tui.widgets.queue_list import QueueList
from tests.rig.pictures import a_job, a_picture, a_queue
from tests.rig.pilots import OneWidget, lines_of, widths

NOW = 1_748_772_720.0
QUEUES = [a_queue("训练", priority=50, waiting=1, paused=True), a_queue("x" * 70)]
PICTURE = a_picture(queues={queue.ref: queue for queue in QUEUES}, jobs={1: a_job(queue="训练")})


@pytest.mark.parametrize("size", [(20, 5), (80, 24), (120, 40), (200, 60)])
async def test_the_queues_fill_their_cells_whatever_their_names(size: tuple[int, int]) -> None:
    queues = QueueList()
    async with OneWidget(queues).run_test(size=size):
        queues.draw(PICTURE, NOW)

        assert widths(lines_of(queues)) == {size[0]}
        assert "训练" in lines_of(queues)[1]


async def test_wide_lists_say_how_long_the_oldest_job_waits() -> None:
    queues = QueueList()
    async with OneWidget(queues).run_test(size=(80, 24)):
        queues.draw(PICTURE, NOW)

        first = lines_of(queues)[1]
        assert first.split() == [">", "训练", "paused", "0", "0", "1", "12m", "50"]
        assert cell_len(first) == 80


async def test_the_selected_queue_stays_selected_when_the_order_changes() -> None:
    queues = QueueList()
    async with OneWidget(queues).run_test(size=(80, 24)) as pilot:
        queues.draw(PICTURE, NOW)
        await pilot.press("j")
        queues.draw(a_picture(queues={"default/new": a_queue("new", priority=99),
                                      **PICTURE.queues}), NOW)  # fmt: skip

        assert queues.selected == f"default/{'x' * 70}"
