from eaas.units import parse_utc
from eaas_tui.model.columns import Row, text_of
from eaas_tui.model.queue_rows import oldest_wait, queue_row, queue_rows
from tests.rig.pictures import a_job, a_picture, a_queue

SUBMITTED = "2025-06-01T10:00:00Z"
NOW = parse_utc("2025-06-01T10:12:00Z")


def words(row: Row) -> list[str]:
    return [text_of(cell) for cell in row.cells]


def test_a_queue_tells_its_caps_beside_its_counts() -> None:
    queue = a_queue("train", running=3, max_running=8, gpus_held=5, waiting=2, priority=10)

    row = queue_row(queue, since=parse_utc(SUBMITTED), now=NOW, name_only=True)

    assert words(row) == ["train", "open", "3/8", "5", "2", "12m", "10"]


def test_a_paused_queue_says_so_in_a_word() -> None:
    row = queue_row(a_queue(paused=True), since=None, now=NOW, name_only=False)

    assert words(row)[:2] == ["default/default", "paused"]
    assert words(row)[5] == "-"


def test_the_oldest_wait_counts_only_what_waits() -> None:
    jobs = {
        1: a_job(1, created_at="2025-06-01T09:00:00Z", state="Running"),
        2: a_job(2, created_at=SUBMITTED),
        3: a_job(3, created_at="2025-06-01T10:05:00Z"),
    }

    assert oldest_wait(jobs) == {"default/default": parse_utc(SUBMITTED)}


def test_the_most_urgent_queue_of_a_pool_comes_first() -> None:
    queues = [a_queue("slow"), a_queue("prod", priority=50), a_queue("a", pool="another")]
    picture = a_picture(queues={queue.ref: queue for queue in queues})

    assert queue_rows(picture, NOW).keys == ["another/a", "default/prod", "default/slow"]
