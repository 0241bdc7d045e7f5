"""Whose fault it is when an engine or a registry says no, by its own words. Pure."""

import re
from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from eaas_agent.runtimes.port import StartFailed

Fault = Literal["user", "node"]


class Rule(msgspec.Struct, frozen=True):
    """Words that, when an engine says them, mean one thing."""

    words: re.Pattern[str]
    code: str
    fault: Fault


def _rule(words: str, code: str, fault: Fault) -> Rule:
    return Rule(re.compile(words, re.IGNORECASE), code, fault)


PULL_RULES: Final = (
    _rule(r"no space left on device|disk quota", "disk_full", "node"),
    _rule(r"toomanyrequests|too many requests|rate limit", "image_unreachable", "node"),
    _rule(
        r"manifest unknown|not found: manifest|manifest for .* not found|name unknown"
        r"|repository name not known|does not exist|invalid reference|no such image",
        "image_missing",
        "user",
    ),
    _rule(
        r"denied|unauthorized|no basic auth|authentication required|forbidden|\b40[13]\b",
        "image_denied",
        "user",
    ),
    _rule(
        r"no matching manifest|does not match the specified platform",
        "image_wrong_platform",
        "node",
    ),
)
"""First match wins. Docker Hub says "denied" and "does not exist" in one breath: missing."""

START_RULES: Final = (
    _rule(r"no space left on device|disk quota", "disk_full", "node"),
    _rule(r"bind source path does not exist", "mount_unavailable", "node"),
    _rule(r"unsatisfied condition|requirement error", "image_needs_newer_driver", "user"),
    _rule(
        r"nvidia-container-cli|CDI device injection|could not select device driver"
        r"|(unknown|invalid) runtime",
        "cards_not_given",
        "node",
    ),
    _rule(
        r"unable to find user|no matching entries in passwd|invalid user|unable to find group",
        "run_as_bad",
        "user",
    ),
    _rule(
        r"(mkdir|lstat) .*(not a directory|permission denied|no such file)|chdir|working directory",
        "workdir_bad",
        "user",
    ),
    _rule(r"minimum memory limit", "memory_too_small", "user"),
    _rule(
        r"executable file not found|exec format error"
        r"|exec:? .*(no such file|permission denied)",
        "bad_command",
        "user",
    ),
)

NO_COMMAND: Final = frozenset({126, 127})
"""What the engine reports for a command that is not executable, or not there."""


def pull_failed(image: str, words: str, *, status: int | None) -> StartFailed | None:
    """Return the final failure of a pull, or None when trying again may help.

    ``status`` is the engine's HTTP status, None when the words came inside the stream.
    """
    rule = _first(PULL_RULES, words)
    if rule is None and status == 404:
        rule = _rule("", "image_missing", "user")
    if rule is None and status == 400:
        rule = _rule("", "image_bad_name", "user")
    if rule is None or rule.code == "image_unreachable":
        return None
    return StartFailed(f"image {image}: {words.strip()}", code=rule.code, fault=rule.fault)


def start_failed(name: str, words: str, *, exit_code: int | None = None) -> StartFailed:
    """Return why a container could not be created or started; ``exit_code`` as its state has it."""
    rule = _first(START_RULES, words)
    if rule is None and exit_code in NO_COMMAND:
        rule = _rule("", "bad_command", "user")
    code, fault = (rule.code, rule.fault) if rule else ("engine_error", "node")
    return StartFailed(
        f"{name} did not start: {words.strip()}",
        code=code,
        fault=fault,
        exit_code=exit_code if code == "bad_command" else None,
    )


def _first(rules: Sequence[Rule], words: str) -> Rule | None:
    return next((rule for rule in rules if rule.words.search(words)), None)
