"""The companion's files: each build has a name of its own, and a pointer names the one that counts.

Two builds never share a name: a reader of the older one keeps the write-ahead log and the shared memory that belong
to it. Only who holds the writer's lock makes, names or removes a build.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

from .atomic_file import replace_file
from .errors import StoreError
from .store import StorePaths

__all__ = ["new_generation", "present_companion", "publish", "remove_generation", "remove_strays"]

_SIDES = ("", "-journal", "-seal", "-shm", "-wal")
_OURS = re.compile(r"(companion-[0-9a-f]{16}\.sqlite)(?:-journal|-seal|-shm|-wal)?|\.companion\.\d+\.new")


def new_generation(paths: StorePaths) -> Path:
    """Return a name that no companion of the store had before.

    Raises ``StoreError`` when the pointer could not name it: something that is no file is in its place.
    """
    if paths.companion_pointer.exists() and not paths.companion_pointer.is_file():
        raise StoreError(
            paths.companion_pointer,
            "is not the file that names the companion",
            hint="remove it and run `uncompact reindex`",
        )
    return paths.root / f"companion-{secrets.token_hex(8)}.sqlite"


def present_companion(paths: StorePaths) -> Path | None:
    """Return the companion that the pointer names; ``None`` when there is none or it names none."""
    try:
        return paths.companion
    except StoreError:
        return None


def publish(paths: StorePaths, built: Path) -> None:
    """Make a build the store's companion, once all of it is on the disk, and remove the one it replaces."""
    before = present_companion(paths)
    _flush(built)
    _flush(paths.root)
    replace_file(paths.companion_pointer, f"{built.name}\n".encode(), mode=0o600)
    _flush(paths.root)
    # Nothing of what a session's owner had forgotten may stay until the next run.
    if before is not None and before != built:
        remove_generation(before)


def remove_generation(path: Path) -> None:
    """Remove a companion's file first and what stands beside it then; see ``connect_current``."""
    for side in _SIDES:
        _remove(path.with_name(path.name + side))


def remove_strays(paths: StorePaths) -> None:
    """Remove what killed builds and replaced companions left in the store folder."""
    present = present_companion(paths)
    # A file comes before what stands beside it.
    for name in sorted(os.listdir(paths.root)):
        found = _OURS.fullmatch(name)
        if found is not None and (present is None or found[1] != present.name):
            _remove(paths.root / name)


def _remove(path: Path) -> None:
    # A folder of that name is nothing we made.
    with suppress(FileNotFoundError, IsADirectoryError, PermissionError):
        path.unlink()


def _flush(path: Path) -> None:
    """Have the operating system put a file, or a folder's list of files, on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
