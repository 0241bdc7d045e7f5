"""The controller's folder, and who may look into it."""

from eaas.errors import EaasError
from eaas.paths import Paths


class HomeUnusable(EaasError):
    """The controller's folder can't be used; the sentence says why."""

    code = "home_unusable"


def prepare_home(paths: Paths) -> None:
    """Make the folder, its parts and the inbox, with the modes that keep others out.

    Others may pass through to reach the socket, where the kernel names them, and can list nothing.
    """
    try:
        str(paths.home).encode()
    except UnicodeEncodeError as error:
        home = ascii(str(paths.home))
        raise HomeUnusable(f"{home} can't be used: its name is not UTF-8") from error
    try:
        paths.home.mkdir(parents=True, exist_ok=True)
        paths.home.chmod(0o711)
        for folder in (paths.job_logs, paths.job_samples, paths.packs, paths.logs, paths.run):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o700)
        if not paths.inbox.exists():
            paths.inbox.mkdir()
            paths.inbox.chmod(0o1770)
    except OSError as error:
        raise HomeUnusable(f"{paths.home} can't be used: {error.strerror}") from error
