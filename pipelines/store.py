"""Where a store keeps what: one folder with the lake, its companion, the history of runs and the writer's lock."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .errors import BusyError, StoreError

__all__ = ["ROOM_WANTED", "StorePaths", "default_store", "writer_lock"]

_PRIVATE_FOLDER = 0o700

# What a pointer holds: a companion's name, and nothing that leads out of the store.
_POINTER = re.compile(rb"companion-[0-9a-f]{16}\.sqlite\n")
# What to do where a device is full.
ROOM_WANTED = (
    "what it held before still answers; make room or name another folder with --store, and run again"
)

_BUILT_ANEW = "`uncompact reindex` builds it anew"


@dataclass(frozen=True, slots=True)
class StorePaths:
    """The places inside a store folder."""

    root: Path

    @property
    def lake(self) -> Path:
        """Folder of the Delta tables."""
        return self.root / "lake"

    @property
    def companion_pointer(self) -> Path:
        """File that names the present companion."""
        return self.root / "companion"

    @property
    def companion(self) -> Path:
        """The SQLite file with the full-text index: the one that the pointer names now.

        Raises ``StoreError`` when there is none, or the pointer names no file that is there.
        """
        before: Path | None = None
        while True:
            named = self._named_companion()
            if named.is_file():
                return named
            if named == before:
                raise StoreError(
                    self.companion_pointer, f"names {named.name}, which is not there", hint=_BUILT_ANEW
                )
            # It may have been replaced since the pointer was read.
            before = named

    def _named_companion(self) -> Path:
        try:
            content = self.companion_pointer.read_bytes()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise StoreError(
                self.companion_pointer,
                "no companion here",
                hint="`uncompact reindex` with the same --store makes one",
            ) from error
        except OSError as error:
            raise StoreError(self.companion_pointer, f"cannot be read: {error.strerror}") from error
        if not _POINTER.fullmatch(content):
            raise StoreError(self.companion_pointer, "damaged: it names no companion", hint=_BUILT_ANEW)
        return self.root / content.decode().strip()

    @property
    def runs(self) -> Path:
        """The history of runs, under a name that no search for logs stops at: a store may be below a folder of logs."""
        return self.root / "runs.ndjson"

    @property
    def tombstones(self) -> Path:
        """What was forgotten: hashes that keep it from being read again."""
        return self.root / "tombstones.json"

    @property
    def lock(self) -> Path:
        """File that the one writer holds locked."""
        return self.root / "writer.lock"


def default_store() -> Path:
    """Return the store used when none is named: ``UNCOMPACT_STORE`` or the user's data folder."""
    stated = os.environ.get("UNCOMPACT_STORE")
    if stated:
        return Path(stated).expanduser()
    # Who names a store need not wait for this import.
    from platformdirs import user_data_path

    return user_data_path("uncompact")


@contextmanager
def writer_lock(store: StorePaths, *, wait_s: float = 0) -> Generator[None]:
    """Hold the store's writer lock; the operating system frees it when the process dies.

    Makes the store folder, readable by its owner alone, and takes others' rights from one that is there. Raises
    ``BusyError`` when another process holds the lock for longer than ``wait_s``, and ``StoreError`` when the folder
    cannot be made or written.
    """
    previous = os.umask(0o077)
    try:
        with _held_lock(store, wait_s):
            yield
    except OSError as error:
        found, hint = _problem(error)
        raise StoreError(store.root, found, hint=hint) from error
    finally:
        os.umask(previous)


@contextmanager
def _held_lock(store: StorePaths, wait_s: float) -> Generator[None]:
    # Reading a store takes no lock: a command that only reads need not wait for this import.
    from filelock import FileLock, Timeout

    lock = FileLock(store.lock, timeout=wait_s, mode=0o600)
    try:
        store.root.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER)
        _make_private(store)
        lock.acquire()
    except Timeout as error:
        raise BusyError(
            f"{store.root}: another process is writing this store", hint="try again when it has ended"
        ) from error
    except (FileExistsError, NotADirectoryError) as error:
        raise StoreError(store.root, "is not a folder", hint="name a folder with --store") from error
    try:
        yield
    finally:
        lock.release()


def _make_private(store: StorePaths) -> None:
    """Take others' rights from a store folder of ours; one that holds nothing of ours yet is someone's own."""
    status = store.root.stat()
    held = os.listdir(store.root)
    is_ours = not held or any(path.name in held for path in (store.lake, store.lock, store.companion_pointer))
    if is_ours and status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) & 0o077:
        store.root.chmod(_PRIVATE_FOLDER)


def _problem(error: OSError) -> tuple[str, str]:
    """Say what was found and what would work when a store could not be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "no space left on the device", ROOM_WANTED
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "may not be written", "name another folder with --store"
    return f"cannot be used: {error.strerror or error}", ""
