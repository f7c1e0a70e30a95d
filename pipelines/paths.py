"""Paths as a store keeps them."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["display_path", "file_stamps", "is_gone"]

# Times after the year 2262 and inodes of some network file systems do not fit into a signed column of 64 bits.
_LARGEST = (1 << 63) - 1


def display_path(path: Path) -> str:
    """Write a path as text: bytes that are not UTF-8 become U+FFFD."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def file_stamps(status: os.stat_result) -> tuple[int, int, int, int]:
    """Return what ``stat`` says of a file's content: size, modification and change time (ns), inode."""
    return (
        status.st_size,
        min(status.st_mtime_ns, _LARGEST),
        min(status.st_ctime_ns, _LARGEST),
        status.st_ino & _LARGEST,
    )


def is_gone(path: str) -> bool:
    """Tell whether nothing is at a path; what a closed folder hides is not gone."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
