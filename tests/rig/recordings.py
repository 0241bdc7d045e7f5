"""Recorded streams for the console's tests: made here, by seeded chance, always the same.

``python -m tests.rig.recordings`` writes the smaller ones into ``tests/recordings``, where
``mini-eaas tui --replay`` finds them too; the larger ones are made when they are asked for.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from eaas.node_views import CardProcessView, ImageView
from eaas.units import utc_text
from eaas.views import ConditionView, PhaseView
from eaas_tui.model.store import Store
from eaas_tui.recording import Recorded, Recorder, replay_at_once
from tests.rig.scene import Scene, run_all
from tests.rig.views import AT, a_claim, a_reason

FOLDER: Final = Path(__file__).parents[1] / "recordings"

USERS: Final = ("alice", "bob", "chen", "dawei", "王芳", "李雷", "eve")
NAMES: Final = (
    "llama3-sft",
    "qwen2-dpo",
    "eval-mmlu",
    "vit-large",
    "训练-多模态",
    "渲染-第3集",
    "whisper-asr",
    "a-very-long-name-for-an-experiment-that-somebody-numbered-by-hand",
)
PROJECTS: Final = ("llm", "vision", "speech", "render", "eval", "demo", "course", "infra")
IMAGES: Final = ("pytorch/pytorch:2.8", "vllm/vllm-openai:v0.9", "blender:4.4", "busybox")


def small() -> list[Recorded]:
    """One machine with two cards: a job is pulled, runs and ends; another waits for it."""
    scene = Scene(1)
    scene.node("workstation", 2, images=(_an_image("pytorch/pytorch:2.8"),))
    first = scene.submit("alice", "finetune-qwen", spec={"timeout": "12h"}, timeout_s=43200.0)
    scene.start(first, ran_s=3725.0)
    second = scene.submit("bob", "render-intro", gpus=1)
    third = scene.submit("alice", "渲染-第3集", gpus=2, priority=10)
    scene.begin()
    scene.start(second)
    for share in (0, 30, 60, 90):
        pulling = PhaseView(
            name="pulling", done_bytes=share << 25, total_bytes=100 << 25, eta_s=10.0 - share / 10
        )
        scene.alter_job(second, state="Starting", phase=pulling)
        scene.step()
    scene.alter_job(second, state="Running", phase=None)
    scene.step()
    scene.end(second, "Succeeded")
    scene.step()
    scene.end(first, "Failed", exit_code=137, oom_killed=True, reason=_out_of_memory())
    scene.start(third)
    scene.step()
    scene.step()
    return scene.recorded


def busy() -> list[Recorded]:
    """Eight nodes, 64 cards, three queues, 130 jobs of seven people; something always happens."""
    scene = Scene(2)
    for name, settings in (
        ("prod", {"priority": 10, "max_gpus": 48}),
        ("dev", {"max_gpus": 24, "max_per_user": 4, "timeout_s": 14400.0}),
        ("batch", {"priority": -10, "preemptible": True, "paused": True}),
    ):
        scene.queue(name, **settings)
    for number in range(8):
        scene.node(f"node{number:02}", 8, model="NVIDIA H100 80GB HBM3", gib=80)
    ids = _submit_many(scene, 130, queues=("prod", "dev", "batch", "default"))
    run_all(scene, ids[:60])
    for id in ids[:8]:
        if scene.jobs[id].state == "Running":
            scene.end(id, scene.chance.choice(("Succeeded", "Failed", "Cancelled", "TimedOut")))
    scene.begin()
    for _ in range(2):
        running = [job.id for job in scene.jobs.values() if job.state == "Running"]
        scene.end(scene.chance.choice(running))
        for job in list(scene.jobs.values()):
            if job.state == "Pending" and scene.start(job.id):
                break
        _submit_many(scene, 2)
        scene.step()
    return scene.recorded


def troubles() -> list[Recorded]:
    """Everything that can be wrong with nodes, cards, jobs and the texts in them."""
    scene = Scene(3)
    for name in ("gpu-a", "gpu-b", "gpu-c", "render-农场-一号机-with-a-name-without-end"):
        scene.node(name, 4)
    scene.node("laptop", 0, runtime="process", engine=None)
    scene.node("new-box", 2, pool="lab")
    ids = _submit_many(scene, 14)
    run_all(scene, ids[:6])
    _sicken(scene)
    _break_nodes(scene)
    _dirty_texts(scene)
    scene.alter_job(ids[10], reason=a_reason("after_failed", "job 2 failed, and it comes after"))
    scene.alter_job(ids[11], reason=a_reason("queue_paused", "queue default/default is paused"))
    scene.alter_job(ids[12], reason=a_reason("cards_too_small", "no card holds 48GiB"))
    scene.begin()
    scene.step()
    scene.step()
    return scene.recorded


def hundred_nodes() -> list[Recorded]:
    """A hundred nodes with eight cards each, in three pools."""
    scene = Scene(4)
    for number in range(100):
        pool = ("default", "lab", "render")[number % 3]
        scene.node(f"node{number:03}", 8, pool=pool, model="NVIDIA A100-SXM4-80GB", gib=80)
    ids = _submit_many(scene, 300, pools=("default", "lab", "render"))
    run_all(scene, ids)
    for number in range(0, 100, 13):
        scene.alter_card(f"node{number:03}", number % 8, **_SICK)
    scene.alter_node("node042", state="Offline")
    scene.begin()
    scene.step()
    return scene.recorded


def ten_thousand_jobs() -> list[Recorded]:
    """Ten thousand jobs before 64 cards."""
    scene = Scene(5)
    for number in range(8):
        scene.node(f"node{number:02}", 8)
    ids = _submit_many(scene, 10_000, queues=("default", "prod", "dev"))
    run_all(scene, ids[:40])
    scene.begin()
    scene.step()
    return scene.recorded


def empty() -> list[Recorded]:
    """A controller that was installed a moment ago: a pool, and nothing in it."""
    scene = Scene(6)
    scene.queue("default")
    scene.begin()
    return scene.recorded


def booked() -> list[Recorded]:
    """Two machines; a class runs, a demo and an exam are ahead, and of the demo a card is held."""
    scene = Scene(7)
    for name in ("lab-a", "lab-b"):
        scene.node(name, 4)
    scene.queue("class")
    for user, gpus in (("chen", 2), ("王芳", 1)):
        scene.start(scene.submit(user, "vit-large", gpus=gpus))
    lesson: dict[str, Any] = {"user": None, "queue": "class"}
    scene.book("lab-b", 3, -3600.0, 3600.0, id=4, state="running", note="lesson 3", **lesson)
    scene.book("lab-a", 4, 7200.0, 14400.0, id=7, user="bob", note="demo for the visitors")
    scene.book("lab-b", 4, 86400.0, 97200.0, id=9, note="exam, 期末考试", **lesson)
    scene.begin()
    scene.step()
    return scene.recorded


RECORDINGS: Final[Mapping[str, Callable[[], list[Recorded]]]] = MappingProxyType(
    {
        made.__name__: made
        for made in (empty, small, busy, troubles, hundred_nodes, ten_thousand_jobs, booked)
    }
)
WRITTEN: Final = ("empty", "small", "busy", "troubles")
"""Those that stand in files."""


def a_store_of(name: str) -> tuple[Store, float]:
    """Return a store that has heard the whole recording, and the time it is in it."""
    store = Store()
    at = replay_at_once(RECORDINGS[name](), store, name)
    return store, at


def _submit_many(
    scene: Scene, count: int, *, queues: tuple[str, ...] = ("default",), pools: tuple[str, ...] = ()
) -> list[int]:
    chance = scene.chance
    for pool in pools or ("default",):
        for queue in queues:
            scene.queue(queue, pool)
    return [
        scene.submit(
            chance.choice(USERS),
            f"{chance.choice(NAMES)}-{number}",
            gpus=chance.choice((0, 1, 1, 1, 2, 4, 8)),
            pool=chance.choice(pools or ("default",)),
            queue=chance.choice(queues),
            priority=chance.choice((0, 0, 0, 10, -10)),
            created_at=utc_text(scene.at - chance.uniform(0, 200_000)),
            timeout_s=chance.choice((None, None, 3600.0 * 24)),
            spec={"image": chance.choice(IMAGES), "labels": {"project": chance.choice(PROJECTS)}},
        )
        for number in range(count)
    ]


_SICK: Final = MappingProxyType(
    {
        "state": "sick",
        "reason": a_reason("card_sick", "Xid 79: the card has fallen off the bus"),
        "utilization_pct": None,
        "memory_used_mib": None,
        "temperature_c": None,
        "power_w": None,
    }
)


def _sicken(scene: Scene) -> None:
    process = CardProcessView(
        pid=4711,
        user="mallory",
        command="python3 -m jupyter notebook --port 8888",
        memory_mib=10240,
        container=None,
        job=None,
    )
    text = "python3 of mallory (pid 4711) holds 10GiB"
    scene.alter_card("gpu-c", 0, **_SICK)
    scene.alter_card(
        "gpu-c",
        1,
        state="foreign",
        reason=a_reason("card_foreign", text),
        processes=(process,),
        memory_used_mib=10240,
        utilization_pct=37,
    )
    text = "11GiB are held by no process"
    scene.alter_card(
        "gpu-c", 2, state="dirty", reason=a_reason("card_dirty", text), memory_used_mib=11264
    )
    scene.alter_card(
        "gpu-c", 3, state="excluded", reason=a_reason("card_excluded", "excluded by a person")
    )
    long = "render-农场-一号机-with-a-name-without-end"
    claims = (
        a_claim(901, "王芳", memory_mib=8192),
        a_claim(902, "a.user.with.a.very.long.name", memory_mib=4096),
    )
    scene.alter_card(
        long, 3, state="shared", claims=claims, memory_claimed_mib=12288, utilization_pct=88
    )


def _break_nodes(scene: Scene) -> None:
    since = utc_text(AT - 5400)
    silent = a_reason("card_unknown", "its node is silent")
    for card in scene.nodes["gpu-b"].cards:
        scene.alter_card("gpu-b", card.index, state="unknown", reason=silent)
    scene.alter_node("gpu-b", state="Offline", last_seen_at=since)
    for id in scene.nodes["gpu-b"].jobs:
        text = f"gpu-b has been silent since {since}; the job may still run there"
        scene.alter_job(id, state="Unknown", reason=a_reason("node_silent", text))
    text = "/var/lib/docker has 1.2GiB left"
    full = ConditionView(code="disk_full", text=text, since=since)
    scene.alter_node("gpu-c", conditions=(full,))
    scene.alter_node("laptop", state="Draining")
    scene.alter_node("new-box", state="NeedsUpgrade", version="0.0.9")


def _dirty_texts(scene: Scene) -> None:
    """Texts that would move the cursor, set the title, answer back or reorder what is read."""
    scene.submit("eve", "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[0m", spec={"image": "a\x9b6n"})
    scene.submit("mallory", "txt.\u202egpj.exe \x1b]52;c;ZXZpbA==\x07")
    scene.submit("w" * 60, "训练" * 60, reason=a_reason(text="理由" * 200))
    scene.submit("bob", "[red]not markup[/red] [link=file:///etc/passwd]x")
    scene.tell("note", "\x1bP$q q\x1b\\ a journal line that asks the terminal \x1b[6n")


def _an_image(name: str) -> ImageView:
    return ImageView(name=name, digest=f"sha256:{'0' * 64}", size_mib=7500)


def _out_of_memory() -> object:
    return a_reason("out_of_memory", "killed because it used more memory than its limit of 32GiB")


def write(name: str, folder: Path) -> Path:
    """Write one recording; return its file."""
    path = folder / f"{name}.jsonl"
    path.unlink(missing_ok=True)
    with Recorder(path, tell=print) as recorder:
        for one in RECORDINGS[name]():
            recorder.write(one)
    path.chmod(0o644)
    return path


def main() -> None:
    """Write those that stand in files."""
    FOLDER.mkdir(exist_ok=True)
    for name in WRITTEN:
        path = write(name, FOLDER)
        print(f"{path.stat().st_size >> 10:6} KiB  {path}")


if __name__ == "__main__":
    main()
