"""The folders beside a lake: where it is rebuilt, what could not be read of it, and that it may be damaged."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["damaged_folders", "is_suspect", "real_folder", "suspect_lake", "trust_lake", "work_folder"]


def real_folder(root: Path) -> Path:
    """Return the lake's own folder: ``root`` may be a link to another disk."""
    return Path(os.path.realpath(root))


def work_folder(root: Path) -> Path:
    """Return the folder where a lake is rebuilt."""
    real = real_folder(root)
    return real.with_name(f"{real.name}.repair")


def damaged_folders(root: Path) -> list[Path]:
    """Return the folders that hold what repairs could not read."""
    real = real_folder(root)
    if not real.parent.is_dir():
        return []
    return sorted(path for path in real.parent.iterdir() if path.name.startswith(f"{real.name}.damaged-"))


def suspect_lake(root: Path) -> None:
    """Note that reading the lake failed, so that the next run reads it through before it writes; as far as possible."""
    with suppress(OSError):
        _mark(root).touch()


def is_suspect(root: Path) -> bool:
    """Tell whether reading the lake failed since it was last read through."""
    return _mark(root).exists()


def trust_lake(root: Path) -> None:
    """Take the note back."""
    _mark(root).unlink(missing_ok=True)


def _mark(root: Path) -> Path:
    real = real_folder(root)
    return real.with_name(f"{real.name}.suspect")
