"""Unpacks a tar from elsewhere without ever writing outside its folder."""

import os
import shutil
import stat
import tarfile
from pathlib import Path
from typing import IO, Final

from eaas.errors import EaasError
from eaas.packs import points_inside

PIECE_BYTES: Final = 1 << 20


class UnsafeTar(EaasError):
    """The tar is no tar, is cut short, or reaches out of its folder; the sentence says where."""

    code = "unsafe_tar"
    http_status = 422


def unpack(file: IO[bytes], dest: Path, *, rename: str | None = None) -> list[Path]:
    """Unpack the tar stream into ``dest`` and return what was left out, as paths in the tar.

    Files, folders and links that stay inside come in; a link that leads out, a device or a pipe
    is left out. ``rename`` takes the place of the first part of every name. Existing files are
    replaced, never written through. Modes keep their ``rwx`` bits; owner and set-id bits do not
    travel. Raises ``UnsafeTar`` for a name that points out of the folder.
    """
    dest.mkdir(parents=True, exist_ok=True)
    root = Path(os.path.realpath(dest))
    left_out: list[Path] = []
    try:
        with tarfile.open(fileobj=file, mode="r|*") as tar:
            for member in tar:
                if not _place(tar, member, root, rename):
                    left_out.append(Path(member.name))
    except (tarfile.TarError, EOFError) as error:
        raise UnsafeTar(f"the tar can't be read: {error}") from error
    return left_out


def _place(tar: tarfile.TarFile, member: tarfile.TarInfo, root: Path, rename: str | None) -> bool:
    """Create the member below the root; return False for what is left out."""
    parts = [part for part in member.name.split("/") if part not in ("", ".")]
    if member.name.startswith("/") or ".." in parts:
        raise UnsafeTar(f"the tar names {member.name}, which is outside its folder")
    if not parts:
        return True
    path = root.joinpath(rename or parts[0], *parts[1:])
    _make_parents(root, path.parent, member)
    if member.isdir():
        _make_folder(path, member)
    elif member.issym():
        return _make_link(root, path, member)
    elif member.isfile():
        _make_file(tar, path, member)
    else:
        return False
    return True


def _make_parents(root: Path, parent: Path, member: tarfile.TarInfo) -> None:
    real = Path(os.path.realpath(parent))
    if real != root and root not in real.parents:
        raise UnsafeTar(f"the tar puts {member.name} behind a link that leads outside its folder")
    parent.mkdir(parents=True, exist_ok=True)


def _make_folder(path: Path, member: tarfile.TarInfo) -> None:
    if path.is_symlink():
        path.unlink()
    path.mkdir(exist_ok=True)
    path.chmod(member.mode & 0o777 | stat.S_IRWXU)


def _make_link(root: Path, path: Path, member: tarfile.TarInfo) -> bool:
    if not points_inside(str(root), str(path), member.linkname):
        return False
    if path.is_dir() and not path.is_symlink():
        raise UnsafeTar(f"the tar has a link {member.name} where a folder stands")
    path.unlink(missing_ok=True)
    path.symlink_to(member.linkname)
    return True


def _make_file(tar: tarfile.TarFile, path: Path, member: tarfile.TarInfo) -> None:
    source = tar.extractfile(member)
    assert source is not None, "isfile() was asked before"
    if path.is_dir() and not path.is_symlink():
        raise UnsafeTar(f"the tar has a file {member.name} where a folder stands")
    path.unlink(missing_ok=True)
    mode = member.mode & 0o777 | stat.S_IRUSR | stat.S_IWUSR
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
        shutil.copyfileobj(source, target, PIECE_BYTES)
        os.fchmod(target.fileno(), mode)
    os.utime(path, (member.mtime, member.mtime))
