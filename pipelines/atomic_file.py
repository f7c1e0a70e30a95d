"""A small file written as a whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

__all__ = ["replace_file"]


def replace_file(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Write a file beside ``path`` and put it in its place in one step; a link stays and its target is replaced.

    What is no regular file, such as a pipe, is written to. ``mode`` is for a new file, less the process's mask.
    Raises ``OSError``, with what was at ``path`` as it was.
    """
    target = Path(os.path.realpath(path))
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(target.stat().st_mode):
            target.write_bytes(data)
            return
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise
