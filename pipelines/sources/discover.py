"""Folders to files that may be logs: stat only, any depth, no link loops."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from .records import Found

__all__ = ["find_file", "find_files"]

_SUFFIX = ".jsonl"
# Times after the year 2262 and inodes of some network file systems do not fit into a signed column of 64 bits.
_LARGEST = (1 << 63) - 1


def find_file(path: Path) -> Found:
    """Stat one file. Raises ``OSError`` when it is not there."""
    return _found(path, path.stat())


def find_files(root: Path, report: Callable[[Path, str], None]) -> Iterator[Found]:
    """Yield the ``.jsonl`` files below ``root`` (or ``root`` itself), each real file once.

    Links are followed after all else, so that a file goes by its own name when it has one below ``root``. What
    cannot be read, and what is no regular file, goes to ``report`` with a reason; nothing is fatal.
    """
    seen: set[tuple[int, int]] = set()
    pending = [root]
    links: list[Path] = []
    while pending or links:
        path = pending.pop() if pending else links.pop()
        try:
            status = path.stat()
        except OSError as error:
            report(path, error.strerror or "cannot be read")
            continue
        identity = (status.st_dev, status.st_ino)
        is_folder = stat.S_ISDIR(status.st_mode)
        if identity in seen or not (is_folder or path.suffix == _SUFFIX or path == root):
            continue
        seen.add(identity)
        if is_folder:
            for child, is_link in _children(path, report):
                (links if is_link else pending).append(child)
        elif stat.S_ISREG(status.st_mode):
            yield _found(path, status)
        else:
            report(path, "not a regular file")


def _found(path: Path, status: os.stat_result) -> Found:
    return Found(
        path=path,
        size=status.st_size,
        mtime_ns=min(status.st_mtime_ns, _LARGEST),
        ctime_ns=min(status.st_ctime_ns, _LARGEST),
        inode=status.st_ino & _LARGEST,
    )


def _children(folder: Path, report: Callable[[Path, str], None]) -> list[tuple[Path, bool]]:
    """List a folder in reverse order of names, each with whether it is a link."""
    try:
        with os.scandir(folder) as entries:
            children = [(entry.name, entry.is_symlink()) for entry in entries]
    except OSError as error:
        report(folder, error.strerror or "cannot be read")
        return []
    return [(folder / name, is_link) for name, is_link in sorted(children, reverse=True)]
