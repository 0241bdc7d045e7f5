"""The steps of an installation, done."""

import asyncio
import os
import pwd
import subprocess
import time
from collections.abc import Mapping
from functools import singledispatch
from pathlib import Path
from typing import Final

from eaas.cli.setup.facts import last_words, own_environ
from eaas.cli.setup.steps import (
    Backup,
    FirstPool,
    Join,
    Linger,
    MakeFolder,
    MakeUser,
    PutFile,
    RemoveFile,
    RemoveUser,
    Start,
    Step,
    Stop,
    Systemctl,
)
from eaas.client import Address, Client
from eaas.errors import EaasError, Unreachable
from eaas.tokens import Token

ANSWER_S: Final = 60.0
LOOK_EVERY_S: Final = 0.05
LIMIT_S: Final = 300.0
KEPT_BACKUPS: Final = 5
NOT_ENTERED: Final = "agents"
"""In a data folder it holds workspaces, which belong to whoever submitted the jobs."""


class StepFailed(EaasError):
    """A step of the installation did not succeed; running install.sh again goes on from there."""

    code = "step_failed"


class Means:
    """What steps are done with: the environment, and the token that is told to nobody else."""

    def __init__(self, environ: Mapping[str, str], token: Token | None = None) -> None:
        self.environ: Final = environ
        self.token: Final = token


@singledispatch
def do(step: Step, means: Means) -> None:
    """Do the step; raise ``StepFailed``, another ``EaasError`` or ``OSError``."""
    raise NotImplementedError(step)


@do.register
def _(step: MakeUser, means: Means) -> None:
    shell = "/usr/sbin/nologin"
    words = ("--system", "--user-group", "--home-dir", str(step.home), "--no-create-home")
    _run("useradd", *words, "--shell", shell, "--comment", step.comment, step.name)


@do.register
def _(step: MakeFolder, means: Means) -> None:
    step.path.mkdir(parents=True, exist_ok=True)
    step.path.chmod(step.mode)
    if step.owner is None:
        return
    user = pwd.getpwnam(step.owner)
    if step.path.stat().st_uid != user.pw_uid:
        _give(step.path, user.pw_uid, user.pw_gid)


def _give(folder: Path, uid: int, gid: int) -> None:
    """Let the folder and what is in it belong to the user; links are not followed."""
    for place, folders, files, handle in os.fwalk(folder):
        if place == str(folder) and NOT_ENTERED in folders:
            folders.remove(NOT_ENTERED)
        for name in (*folders, *files):
            os.chown(name, uid, gid, dir_fd=handle, follow_symlinks=False)
        os.fchown(handle, uid, gid)


@do.register
def _(step: PutFile, means: Means) -> None:
    step.path.parent.mkdir(parents=True, exist_ok=True)
    part = step.path.with_name(f".{step.path.name}.part")
    part.write_text(step.text)
    part.chmod(0o644)
    part.replace(step.path)


@do.register
def _(step: Backup, means: Means) -> None:
    command = (str(step.python), "-m", "eaas_daemon.backup", str(step.target))
    _run_as(step.owner, step.home, means, *command)
    copies = sorted(step.target.parent.glob("controller-*.db"))
    for copy in copies[:-KEPT_BACKUPS]:
        copy.unlink()


@do.register
def _(step: Stop, means: Means) -> None:
    if not step.home.exists():
        return
    words = ("-m", "eaas.cli.setup.launch", "--stop", *step.program.split())
    _run_as(step.owner, step.home, means, str(step.python), *words)


@do.register
def _(step: Start, means: Means) -> None:
    _run_as(step.owner, step.home, means, *step.command)


@do.register
def _(step: Systemctl, means: Means) -> None:
    try:
        _run(*step.command)
    except StepFailed as error:
        if step.may_fail:
            return
        of = "--user -u" if step.for_user else "-u"
        raise StepFailed(
            f"{error.sentence}\njournalctl {of} {step.order[-1]} -n 20 says more"
        ) from error


@do.register
def _(step: Linger, means: Means) -> None:
    try:
        _run("loginctl", "enable-linger")
    except StepFailed as error:
        raise StepFailed(
            f"{error.sentence}\nUntil root runs `loginctl enable-linger {_me()}`, it only runs "
            "while you are logged in"
        ) from error


@do.register
def _(step: Join, means: Means) -> None:
    assert means.token is not None, "checked before anything was changed"
    words = ("join", "--server", step.server, "--state-dir", str(step.state_dir))
    environ = {
        **own_environ(means.environ, step.home),
        "MINI_EAAS_TOKEN": str(means.token),
        "MINI_EAAS_AGENT_LOG_FORMAT": "text",
    }
    _run(str(step.program), *words, "--config", str(step.settings), environ=environ)


@do.register
def _(step: FirstPool, means: Means) -> None:
    asyncio.run(_first_pool(step))


async def _first_pool(step: FirstPool) -> None:
    deadline = time.monotonic() + ANSWER_S
    async with Client(Address(socket=step.socket)) as client:
        while True:
            try:
                if not await client.pools():
                    await client.create_pool(step.pool)
                return
            except Unreachable:
                if time.monotonic() > deadline:
                    raise
            await asyncio.sleep(LOOK_EVERY_S)


@do.register
def _(step: RemoveFile, means: Means) -> None:
    step.path.unlink(missing_ok=True)


@do.register
def _(step: RemoveUser, means: Means) -> None:
    _run("userdel", step.name)


def _run_as(owner: str | None, home: Path, means: Means, *command: str) -> None:
    """Run the command as this user, who is told nothing of the person's environment."""
    if owner is None:
        _run(*command, environ=own_environ(means.environ, home))
        return
    user = pwd.getpwnam(owner)
    environ = {"PATH": os.defpath, "HOME": str(home), "MINI_EAAS_HOME": str(home)}
    _run(*command, environ=environ, user=user)


def _run(
    *command: str,
    environ: Mapping[str, str] | None = None,
    user: pwd.struct_passwd | None = None,
) -> None:
    """Run the command to its end; raise ``StepFailed`` with its last words."""
    groups = None if user is None else os.getgrouplist(user.pw_name, user.pw_gid)
    try:
        done = subprocess.run(
            command,
            env=environ,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LIMIT_S,
            user=None if user is None else user.pw_uid,
            group=None if user is None else user.pw_gid,
            extra_groups=groups,
            umask=0o022,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StepFailed(f"{command[0]} can't be run: {error}") from error
    if done.returncode:
        raise StepFailed(last_words(done.stderr) or f"{command[0]} failed")


def _me() -> str:
    return pwd.getpwuid(os.getuid()).pw_name
