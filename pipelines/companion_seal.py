"""A seal beside a companion: the stamps that its last writer left it with.

Who finds it broken knows that something else changed the file, and looks at all of it before trusting it. Damage that
leaves size and time as they were is for the checks that read everything.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["is_sealed", "seal", "stamps"]

# Two sizes and two times in nanoseconds, each of at most 19 digits.
_LENGTH = 79


def seal(path: Path) -> None:
    """Write down how a companion's file and its write-ahead log are now; without room it stays unsealed."""
    place = _place(path)
    with suppress(OSError):
        # Written over and never cut: file systems put what was cut and written again on the disk at once, which takes
        # longer than a sync may.
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, stamps(path))
        finally:
            os.close(descriptor)


def is_sealed(path: Path) -> bool:
    """Tell whether a companion is as its last writer left it."""
    try:
        return _place(path).read_bytes() == stamps(path)
    except OSError:
        return False


def stamps(path: Path) -> bytes:
    """Return size and time of a companion's file and of its write-ahead log."""
    both = f"{_stamp(path)} {_stamp(path.with_name(f'{path.name}-wal'))}"
    return f"{both:{_LENGTH}}\n".encode()


def _place(path: Path) -> Path:
    return path.with_name(f"{path.name}-seal")


def _stamp(path: Path) -> str:
    """Return size and time of a file; an empty one is as good as none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return "0"
    return f"{status.st_size}:{status.st_mtime_ns}" if status.st_size else "0"
