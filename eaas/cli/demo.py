"""A little stream of example jobs, so that a demo's pool looks alive."""

import argparse
import asyncio
import random
from collections.abc import Iterator
from typing import Any, Final

from eaas.client import Client
from eaas.errors import EaasError, Unreachable

MOST_OPEN: Final = 9
"""With so many jobs waiting or running, the demo adds none."""
PAUSE_S: Final = (2.0, 9.0)

_STEPS: Final = (
    'i=0; while [ $i -lt {steps} ]; do i=$((i+1)); echo "step $i of {steps}: loss 0.$((900-i*7))"; '
    "sleep 1; done"
)

EXAMPLES: Final[tuple[dict[str, Any], ...]] = (
    {"name": "finetune-7b", "gpus": 1, "gpu_memory": "20GiB"},
    {"name": "finetune-70b", "gpus": 4, "gpu_memory": "40GiB", "priority": 5},
    {"name": "render-frames", "gpus": 2},
    {"name": "evaluate", "gpus": 1, "priority": -5},
    {"name": "clean-data", "cpus": 1},
    {"name": "crashes-now-and-then", "gpus": 1, "fails": True},
)


def main() -> None:
    """Submit example jobs until a signal ends this."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pool", required=True)
    asyncio.run(keep_alive(parser.parse_args().pool, random.Random()))


async def keep_alive(pool: str, chance: random.Random) -> None:
    """Keep a few jobs of every kind in the pool, for ever."""
    async with Client() as client:
        for fields in jobs(pool, chance):
            try:
                if len((await client.jobs(pool=pool, limit=MOST_OPEN)).items) < MOST_OPEN:
                    await client.submit(fields)
            except Unreachable:
                pass  # the controller restarts now and then; the next job tries again
            except EaasError as error:
                print(f"{fields['name']} was refused: {error}", flush=True)
            await asyncio.sleep(chance.uniform(*PAUSE_S))


def jobs(pool: str, chance: random.Random) -> Iterator[dict[str, Any]]:
    """Yield example jobs for ever, in the job file's words."""
    while True:
        example = dict(chance.choice(EXAMPLES))
        ending = "; exit 1" if example.pop("fails", False) and chance.random() < 0.5 else ""
        command = _STEPS.format(steps=chance.randint(8, 45)) + ending
        yield {**example, "pool": pool, "command": command, "labels": {"demo": "yes"}}


if __name__ == "__main__":
    main()
