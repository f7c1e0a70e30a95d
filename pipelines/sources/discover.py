"""Folders to files that may be logs: stat only, any depth, no link loops."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from ..errors import SourceError
from ..paths import file_stamps
from .records import Found

__all__ = ["find_file", "find_files"]

_SUFFIX = ".jsonl"
_NOT_REGULAR = "not a regular file"


def find_file(path: Path) -> Found:
    """Stat one file. Raises ``OSError`` when it is not there, ``SourceError`` when it is no regular file."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise SourceError(path, _NOT_REGULAR)
    return _found(path, status)


def find_files(
    roots: Sequence[Path],
    report: Callable[[Path, str], None],
    report_empty: Callable[[Path], None] = lambda _root: None,
) -> Iterator[Found]:
    """Yield the ``.jsonl`` files below ``roots`` (or a root itself), each real file once.

    Links are followed after all else, so that a file goes by its own name when it has one below a root. What
    cannot be read, and what is no regular file, goes to ``report`` with a reason; nothing is fatal. A root below
    which there is nothing to yield or to report goes to ``report_empty``.
    """
    seen: set[tuple[int, int]] = set()
    fruitful: set[Path] = set()
    pending = [(root, root) for root in reversed(roots) if not root.is_symlink()]
    links = [(root, root) for root in reversed(roots) if root.is_symlink()]

    def tell(root: Path, path: Path, reason: str) -> None:
        fruitful.add(root)
        report(path, reason)

    while pending or links:
        path, root = pending.pop() if pending else links.pop()
        try:
            status = path.stat()
        except OSError as error:
            tell(root, path, error.strerror or "cannot be read")
            continue
        identity = (status.st_dev, status.st_ino)
        is_folder = stat.S_ISDIR(status.st_mode)
        if not (is_folder or path.suffix == _SUFFIX or path == root):
            continue
        if identity in seen:
            # Another root, or another name, had it.
            fruitful.add(root)
            continue
        seen.add(identity)
        if is_folder:
            for child, is_link in _children(path, partial(tell, root)):
                (links if is_link else pending).append((child, root))
        elif stat.S_ISREG(status.st_mode):
            fruitful.add(root)
            yield _found(path, status)
        else:
            tell(root, path, _NOT_REGULAR)
    for root in roots:
        if root not in fruitful:
            report_empty(root)


def _found(path: Path, status: os.stat_result) -> Found:
    return Found(path, *file_stamps(status))


def _children(folder: Path, report: Callable[[Path, str], None]) -> list[tuple[Path, bool]]:
    """List a folder in reverse order of names, each with whether it is a link."""
    try:
        with os.scandir(folder) as entries:
            children = [(entry.name, entry.is_symlink()) for entry in entries]
    except OSError as error:
        report(folder, error.strerror or "cannot be read")
        return []
    return [(folder / name, is_link) for name, is_link in sorted(children, reverse=True)]
