from eaas.progress import Progress


class Hands:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def test_only_waiting_work_counts_and_every_step_begins_the_count_anew() -> None:
    clock = Hands()
    progress = Progress(clock)
    seen = [progress.idle_s()]

    progress.waits()
    clock.at += 2
    progress.waits()
    seen.append(progress.idle_s())
    progress.moved(more=True)
    clock.at += 1
    seen.append(progress.idle_s())
    progress.moved(more=False)
    clock.at += 5
    seen.append(progress.idle_s())

    assert seen == [0.0, 2.0, 1.0, 0.0]
