"""Where a store keeps what: one folder with the lake, its companion and the writer's lock."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path

from .errors import BusyError, StoreError

__all__ = ["StorePaths", "default_store", "writer_lock"]

_PRIVATE_FOLDER = 0o700


@dataclass(frozen=True, slots=True)
class StorePaths:
    """The places inside a store folder."""

    root: Path

    @property
    def lake(self) -> Path:
        """Folder of the Delta tables."""
        return self.root / "lake"

    @property
    def companion(self) -> Path:
        """The SQLite file with the full-text index."""
        return self.root / "companion.sqlite"

    @property
    def lock(self) -> Path:
        """File that the one writer holds locked."""
        return self.root / "writer.lock"


def default_store() -> Path:
    """Return the store used when none is named: ``UNCOMPACT_STORE`` or the user's data folder."""
    stated = os.environ.get("UNCOMPACT_STORE")
    return Path(stated).expanduser() if stated else user_data_path("uncompact")


@contextmanager
def writer_lock(store: StorePaths, *, wait_s: float = 0) -> Generator[None]:
    """Hold the store's writer lock; the operating system frees it when the process dies.

    Makes the store folder, readable by its owner alone. Raises ``BusyError`` when another process holds the
    lock for longer than ``wait_s``, and ``StoreError`` when the folder cannot be made or written.
    """
    # Reading a store takes no lock: a command that only reads need not wait for this import.
    from filelock import FileLock, Timeout

    previous = os.umask(0o077)
    try:
        store.root.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER)
        with FileLock(store.lock, timeout=wait_s, mode=0o600):
            yield
    except Timeout as error:
        raise BusyError(
            f"{store.root}: another process is writing this store", hint="try again when it has ended"
        ) from error
    except (FileExistsError, NotADirectoryError) as error:
        raise StoreError(store.root, "is not a folder", hint="name a folder with --store") from error
    except PermissionError as error:
        raise StoreError(store.root, "may not be written", hint="name another folder with --store") from error
    except OSError as error:
        raise StoreError(store.root, f"cannot be used: {error.strerror or error}") from error
    finally:
        os.umask(previous)
