"""Very many files at once."""

import asyncio
import os
import time
from pathlib import Path
from typing import Final

from eaas_daemon.intake.settings import FolderSettings
from tests.daemon.api.served import a_house
from tests.daemon.intake.folders import JOB, a_folder, until

FILES: Final = 1000
MOST_S: Final = 0.25
"""What the loop may be held, counted in its own processor time: others use the machine too."""


class Holds:
    """Measures how long the loop works without looking up: what it does between two looks."""

    def __init__(self) -> None:
        self.longest_s = 0.0

    async def measure(self) -> None:
        """Measure until cancelled."""
        before = time.thread_time()
        while True:
            await asyncio.sleep(0.005)
            now = time.thread_time()
            self.longest_s = max(self.longest_s, now - before)
            before = now


async def test_a_thousand_files_become_a_thousand_jobs_and_hold_up_nobody(tmp_path: Path) -> None:
    path, holds = a_folder(tmp_path), Holds()
    for number in range(FILES):
        (path / f"{number}.yaml").write_text(f"name: job-{number}\n{JOB}")
        os.utime(path / f"{number}.yaml", (1, 1))
    async with a_house(tmp_path) as house:
        await house.pool("default")
        intake = house.parts.intake
        house.engine.listen(intake)
        intake.watch([FolderSettings(path=path)])
        await asyncio.sleep(0)
        working = [asyncio.create_task(work) for work in (intake.work(), holds.measure())]
        await until(lambda: intake.views()[0].accepted == FILES)
        for task in working:
            task.cancel()
        await asyncio.wait(working)

        jobs = [house.job(number) for number in range(1, FILES + 1)]
        assert {job.spec.name for job in jobs} == {f"job-{number}" for number in range(FILES)}
        assert house.state.job_by_number(FILES + 1) is None

    assert len(list((path / "accepted").glob("*.status.yaml"))) == FILES
    assert holds.longest_s < MOST_S
