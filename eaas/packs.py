"""Packs a folder for a job: the same content gives the same bytes, and so the same hash.

A pack is a plain tar. Compressed bytes would depend on the zlib of the machine that packs, and
most packs are a few source files that travel over a unix socket or a local network.
"""

import hashlib
import os
import stat
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
from pathspec import GitIgnoreSpec

from eaas.errors import EaasError, TooLarge
from eaas.units import format_memory_mib

MAX_PACK_BYTES: Final = 512 << 20
IGNORE_FILES: Final = (".gitignore", ".eaasignore")
"""Read in this order in every folder, so that ``!weights/`` in the second takes a folder back in.
"""
PACKED_AT: Final = 315_532_800
"""Every entry's time, 1980-01-01: a fresh clone packs the same, and zip can store it."""
LARGEST_NAMED: Final = 5


class CannotPack(EaasError):
    """The folder can't be packed; the sentence names the file and the fact."""

    code = "cannot_pack"
    http_status = 422


class Pack(msgspec.Struct, frozen=True, kw_only=True):
    """A packed folder, as a file that lives until the ``with packed(...)`` block ends."""

    path: Path
    hash: str
    """``sha256:`` and 64 hex digits; what the job's ``with`` becomes."""
    size_bytes: int
    files: int
    left_out: tuple[str, ...]
    """Links that point outside the folder, and what is neither file, folder nor link."""


class Entry(msgspec.Struct, frozen=True):
    """Something to pack."""

    name: str
    """Relative to the folder, with ``/``."""
    path: Path
    size_bytes: int
    link: str | None = None
    is_folder: bool = False


class Listing(msgspec.Struct, frozen=True):
    """What a folder would pack: the entries by name, and what can't come along."""

    entries: tuple[Entry, ...]
    left_out: tuple[str, ...]


@contextmanager
def packed(folder: Path, *, max_bytes: int = MAX_PACK_BYTES) -> Iterator[Pack]:
    """Pack the folder into a temporary file and yield it.

    Rules of ``.gitignore`` and ``.eaasignore`` count in every folder they stand in; ``.git``
    never comes along. Raises ``CannotPack`` and, over the limit, ``TooLarge``.
    """
    listing = list_folder(folder)
    _refuse_too_large(folder, listing.entries, max_bytes)
    with tempfile.NamedTemporaryFile(prefix="eaas-pack-", suffix=".tar") as file:
        with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for entry in listing.entries:
                add_to(tar, entry)
        file.flush()
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        yield Pack(
            path=Path(file.name),
            hash=f"sha256:{digest}",
            size_bytes=file.tell(),
            files=sum(not entry.is_folder for entry in listing.entries),
            left_out=listing.left_out,
        )


def list_folder(folder: Path) -> Listing:
    """Return what of the folder would be packed."""
    root = Path(os.path.realpath(folder))
    if not root.is_dir():
        raise CannotPack(f"there is no folder {folder}")
    entries: list[Entry] = []
    left_out: list[str] = []
    _walk(root, root, (), entries, left_out)
    return Listing(tuple(sorted(entries, key=_name)), tuple(sorted(left_out)))


def points_inside(root: str, at: str, target: str) -> bool:
    """Tell whether a link standing at ``at`` (a path below ``root``) stays below ``root``.

    The words of the target and where it really leads must both stay inside; ``root`` is a real
    path.
    """
    if os.path.isabs(target):
        return False
    joined = os.path.join(os.path.dirname(at), target)
    inside = os.path.join(root, "")
    words, real = os.path.normpath(joined), os.path.realpath(joined)
    return all(path == root or path.startswith(inside) for path in (words, real))


def add_to(tar: tarfile.TarFile, entry: Entry) -> None:
    """Add one entry with nobody's name and nobody's clock on it."""
    info = tarfile.TarInfo(entry.name)
    info.mtime, info.mode = PACKED_AT, 0o755
    if entry.link is not None:
        info.type, info.linkname = tarfile.SYMTYPE, entry.link
        tar.addfile(info)
    elif entry.is_folder:
        info.type = tarfile.DIRTYPE
        tar.addfile(info)
    else:
        _add_file(tar, info, entry)


_Rules = tuple[tuple[Path, GitIgnoreSpec], ...]
"""Ignore rules with the folder they stand in, outermost first."""


def _walk(
    root: Path, folder: Path, outer: _Rules, entries: list[Entry], left_out: list[str]
) -> None:
    rules = (*outer, *_rules_of(folder))
    for found in _listed(folder):
        path = Path(found.path)
        is_folder = found.is_dir(follow_symlinks=False)
        if found.name == ".git" or _ignored(path, rules, is_folder=is_folder):
            continue
        try:
            entry = _entry(root, path, found)
        except OSError as error:
            why = (error.strerror or "it changed while it was packed").lower()
            raise CannotPack(f"can't pack {path}: {why}") from error
        if entry is None:
            left_out.append(path.relative_to(root).as_posix())
            continue
        entries.append(entry)
        if is_folder:
            _walk(root, path, rules, entries, left_out)


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        raise CannotPack(f"can't read the folder {folder}: {error.strerror}") from error


def _rules_of(folder: Path) -> _Rules:
    lines: list[str] = []
    for name in IGNORE_FILES:
        file = folder / name
        try:
            if file.is_file():
                lines += file.read_text(errors="surrogateescape").splitlines()
        except OSError as error:
            raise CannotPack(f"can't read {file}: {error.strerror}") from error
    return ((folder, GitIgnoreSpec.from_lines(lines)),) if lines else ()


def _ignored(path: Path, rules: _Rules, *, is_folder: bool) -> bool:
    """Tell what the innermost rule file that has an opinion says, as git does."""
    for folder, spec in reversed(rules):
        name = path.relative_to(folder).as_posix()
        verdict = spec.check_file(f"{name}/" if is_folder else name).include
        if verdict is not None:
            return verdict
    return False


def _entry(root: Path, path: Path, found: os.DirEntry[str]) -> Entry | None:
    """Return what to pack; None for what can't come along."""
    name = path.relative_to(root).as_posix()
    if found.is_symlink():
        target = os.readlink(path)
        inside = points_inside(str(root), str(path), target)
        return Entry(name, path, 0, link=target) if inside else None
    if found.is_dir():
        return Entry(name, path, 0, is_folder=True)
    if found.is_file():
        return Entry(name, path, found.stat().st_size)
    return None


def _refuse_too_large(folder: Path, entries: tuple[Entry, ...], max_bytes: int) -> None:
    total = sum(entry.size_bytes for entry in entries)
    if total <= max_bytes:
        return
    largest = ", ".join(f"{name} ({_mib(size)})" for name, size in _largest(entries))
    raise TooLarge(
        f"{folder} holds {_mib(total)} and a pack may hold {_mib(max_bytes)}; the largest: "
        f"{largest}. Leave files out with a .eaasignore, or put data into a mount"
    )


def _largest(entries: tuple[Entry, ...]) -> list[tuple[str, int]]:
    """Return the largest things directly in the folder, a folder with all it holds."""
    sizes: dict[str, int] = {}
    folders = {entry.name for entry in entries if entry.is_folder}
    for entry in entries:
        top = entry.name.partition("/")[0]
        shown = f"{top}/" if top in folders else top
        sizes[shown] = sizes.get(shown, 0) + entry.size_bytes
    return sorted(sizes.items(), key=lambda item: (-item[1], item[0]))[:LARGEST_NAMED]


def _mib(size_bytes: int) -> str:
    return format_memory_mib(max(1, round(size_bytes / (1 << 20))))


def _add_file(tar: tarfile.TarFile, info: tarfile.TarInfo, entry: Entry) -> None:
    try:
        with _opened(entry.path) as file:
            found = os.fstat(file.fileno())
            info.size = found.st_size
            info.mode = 0o755 if found.st_mode & stat.S_IXUSR else 0o644
            tar.addfile(info, file)
    except OSError as error:
        why = error.strerror or "it changed while it was packed"
        raise CannotPack(f"can't pack {entry.name}: {why}") from error


def _opened(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb")


def _name(entry: Entry) -> str:
    return entry.name
