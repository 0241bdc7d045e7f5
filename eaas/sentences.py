"""The one catalogue of the sentences that tell reasons to people."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from eaas import reasons as r
from eaas.booking_words import booked_sentence
from eaas.gang_reasons import RanksLeft
from eaas.preempt_reasons import MakingRoom, Preempted
from eaas.units import format_duration, format_memory_mib, moment_text, rough_memory_mib

SENTENCES: Final[Mapping[str, str]] = {
    "pool_has_no_nodes": "pool {pool} has no node yet; mini-eaas pool add {pool} NODE adds one",
    "queue_paused": "queue {queue} is paused",
    "queue_full": "queue {queue} {cap}",
    "cap_reserved": "what the caps of queue {queue} still allow is kept for job {job} of {user}, "
    "which goes first",
    "user_cap": "in {where} {user} {cap}",
    "array_full": "array {array} may run {tasks} at once, its own limit, and runs {used}",
    "backoff": "starts attempt {attempt} at {until} at the earliest",
    "not_before": "starts at {until} at the earliest",
    "after_pending": "starts after {after}",
    "after_failed": "job {job}, which it was to start after, is {state}",
    "making_room": "starts on {node} {when}",
    "ranks_left": "all ranks are placed together, and {left}",
    "too_few_nodes": "{available} of the {asked} nodes that it needs at once could take it now",
    "pool_too_small": "pool {pool} has {available} node{s} that could ever take it, {asked} asked "
    "for at once",
    "not_planned_yet": "arrived a moment ago",
    "node_offline": "{node} is offline since {since}",
    "node_draining": "{node} is draining: it finishes its jobs and takes no new ones",
    "node_not_in_pool": "{node} is not in pool {pool}",
    "node_faulty": "{node} can't take work now: {text}",
    "too_few_free_cards": "{node} has {available} free card{s}, {asked} asked for",
    "too_few_cards": "{node} has {available} card{s}, {asked} asked for",
    "card_foreign": "card {card} of {node} is used from outside the pool: {text}",
    "card_dirty": "card {card} of {node} is not clean: {text}",
    "card_sick": "card {card} of {node} is sick: {text}",
    "card_reserved": "what is free on {node} is kept for job {job} of {user}, which goes first",
    "booking": "{booked}",
    "card_excluded": "card {card} of {node} is excluded by a person",
    "cards_too_small": "cards of {node} hold {available_memory} at most, {asked_memory} asked for",
    "too_little_card_memory": "the shared card of {node} with the most left, card {card}, has "
    "{available_memory} of its {of_memory} left, {asked_memory} asked for",
    "card_full_of_jobs": "card {card} of {node} has memory left, but {jobs} jobs share it, and "
    "no more may",
    "cards_not_shared": "{node} has no card of that kind that jobs may share",
    "share_too_large": "jobs may share {available_memory} of a card of {node} at most, "
    "{asked_memory} asked for",
    "wrong_model": "{node} has {available}, not {asked}",
    "too_little_cpu": "{node} has {available:g} CPU{s} left, {asked:g} asked for",
    "too_few_cpus": "{node} has {available:g} CPU{s}, {asked:g} asked for",
    "too_little_memory": "{node} has {available_memory} of memory left, {asked_memory} asked for",
    "memory_too_small": "{node} has {available_memory} of memory, {asked_memory} asked for",
    "runtime_cannot_run_images": "{node} has no container engine, so it can't run an image",
    "runtime_needs_an_image": "{node} runs containers, so the job must name an image",
    "no_account": "{node} can't run a plain process as {user}: it has no such user, or its agent "
    "is not root",
    "node_not_asked": "the job does not name {node} among its nodes",
    "no_ranks": "{node} takes no part in jobs on several nodes: {text}",
    "runtime_cannot_mount": "{node} has no container engine, so its jobs can't have mounts",
    "mount_missing": "{node} has no mount named {mount}",
    "mount_not_allowed": "mount {mount} of {node} is only for {allowed}",
    "mount_read_only": "mount {mount} of {node} is read-only: ask for {mount}:{target}:ro",
    "mount_without_folder": "mount {mount} of {node} has no folder of {user}",
    "mount_unavailable": "mount {mount} of {node} can't be used now: {text}",
    "exited": "exited with code {exit_code}",
    "out_of_memory": "killed because it used more memory than {limit}",
    "cancelled": "cancelled by {by}",
    "preempted": "preempted by {preemptor}",
    "timed_out": "stopped after its timeout of {timeout}",
    "start_failed": "{text}",
    "attempt_lost": "{text}",
    "node_silent": "{node} has been silent since {since}; the job may still run there",
    "rank_ended": "rank {rank} of this job {text}",
    "confirmed_dead": "{by} confirmed that {node} is dead",
}

SHORT_SILENCES: Final[Mapping[str, str]] = {
    "node_offline": "{node} has been silent for {silence}",
    "node_silent": "{node} has been silent for {silence}; the job may still run there",
}
"""What is said instead while the silence is too short to act upon."""


def sentence(reason: r.Reason) -> str:
    """Return the reason as an English sentence without a full stop."""
    fields: dict[str, Any] = msgspec.structs.asdict(reason)
    if isinstance(reason, r.QueueFull | r.UserCap):
        fields["cap"] = _cap_text(reason)
    if isinstance(reason, r.Booking):
        fields["booked"] = booked_sentence(reason)
    if isinstance(reason, r.ArrayFull):
        fields["tasks"] = "1 task" if reason.limit == 1 else f"{reason.limit} tasks"
    fields["s"] = "" if fields.get("available") == 1 else "s"
    template = SENTENCES[reason.code]
    rough = isinstance(reason, r.TooLittleCardMemory | r.ShareTooLarge)
    for key in ("asked", "available", "of"):
        if f"{key}_memory" in template and isinstance(fields.get(key), int):
            text = rough_memory_mib if rough and key == "available" else format_memory_mib
            fields[f"{key}_memory"] = text(fields[key])
    if isinstance(reason, r.AfterPending):
        fields["after"] = _jobs_text(reason.called or reason.jobs)
    if isinstance(reason, r.AfterFailed):
        fields["job"] = reason.called or reason.job
    if isinstance(reason, Preempted):
        fields["preemptor"] = (
            "a job of a more urgent queue"
            if reason.job is None
            else f"job {reason.called} of queue {reason.queue} ({reason.user})"
        )
    if isinstance(reason, MakingRoom):
        fields["when"] = _when_there_is_room(reason)
    if isinstance(reason, RanksLeft):
        fields["left"] = ", ".join(reason.ranks)
    if isinstance(reason, r.TimedOut):
        fields["timeout"] = format_duration(reason.timeout_s)
    if isinstance(reason, r.OutOfMemory):
        fields["limit"] = (
            f"its limit of {format_memory_mib(reason.limit_mib)}"
            if reason.limit_mib
            else "the machine had"
        )
    for key in ("until", "since"):
        if isinstance(at := fields.get(key), str):
            fields[key] = moment_text(at)
    if fields.get("since", "") is None:
        fields["since"] = "an unknown time"
    if fields.get("silent_s") is not None:
        fields["silence"] = format_duration(round(fields["silent_s"]))
        return SHORT_SILENCES[reason.code].format(**fields)
    return template.format(**fields)


def _jobs_text(numbers: tuple[int | str, ...]) -> str:
    if len(numbers) == 1:
        return f"job {numbers[0]} has succeeded"
    some = ", ".join(map(str, numbers[:5])) + ("" if len(numbers) <= 5 else " and others")
    return f"jobs {some} have succeeded"


def _when_there_is_room(reason: MakingRoom) -> str:
    if not reason.jobs:
        return "as soon as what was freed for it there is read clean"
    about = f"about {format_duration(max(1, round(reason.in_s)))}"
    named = [f"{job} ({user})" for job, user in zip(reason.called, reason.users, strict=True)]
    if len(named) == 1:
        return f"when job {named[0]} has been interrupted, {about}"
    return f"when jobs {', '.join(named)} have been interrupted, {about}"


def _cap_text(reason: r.QueueFull | r.UserCap) -> str:
    what = reason.what[:-1] if reason.limit == 1 else reason.what
    if reason.what == "jobs":
        return f"may run {reason.limit} {what} at once and runs {reason.used}"
    if reason.asked > reason.limit:
        return f"may hold {reason.limit} {what} at once; this job asks for {reason.asked}"
    return (
        f"may hold {reason.limit} {what} at once and holds {reason.used};"
        f" {reason.asked} more would be too many"
    )
