"""What happened to a log since it was last read: from ``stat`` alone where that can tell, else from a few blocks.

A file whose size, both times and inode are unchanged is unchanged: the change time cannot be set back. Otherwise
samples of what was consumed are compared, so that the cost does not grow with the log.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .sources.records import Found

__all__ = ["Change", "SourceState", "detect_change", "sample_digest"]

Change = Literal["unchanged", "touched", "appended", "rewritten"]

_HEAD_BYTES = 4096
_TAIL_BYTES = 64 * 1024
_BLOCK_BYTES = 4096
_BLOCKS = 14


@dataclass(frozen=True, slots=True)
class SourceState:
    """A log as it was read: ``consumed`` is the byte after its last complete line, ``digest`` samples up to there."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    consumed: int
    digest: str

    def same_file(self, found: Found) -> bool:
        """Tell whether ``stat`` says that nothing was written since."""
        return (self.size, self.mtime_ns, self.ctime_ns, self.inode) == (
            found.size,
            found.mtime_ns,
            found.ctime_ns,
            found.inode,
        )


def detect_change(state: SourceState, found: Found) -> Change:
    """Say what happened to a log: ``touched`` is other times or another inode, but the same bytes.

    Reads at most about 128 KiB. An append is taken for one when the sampled bytes before it are as they were; what
    a rewrite changes only between samples, ``reindex --verify`` finds. Raises ``OSError`` when the file cannot be
    read.
    """
    if state.same_file(found):
        return "unchanged"
    if found.size < state.consumed or sample_digest(found.path, state.consumed) != state.digest:
        return "rewritten"
    return "touched" if found.size == state.size else "appended"


def sample_digest(path: Path, consumed: int) -> str:
    """Hash the head, the last 64 KiB and 14 blocks in between of a file's first ``consumed`` bytes: 32 hex digits."""
    digest = hashlib.sha256(consumed.to_bytes(8, "big"))
    with path.open("rb") as file:
        for start, size in _samples(consumed):
            file.seek(start)
            digest.update(file.read(size))
    return digest.hexdigest()[:32]


def _samples(consumed: int) -> list[tuple[int, int]]:
    if consumed <= _HEAD_BYTES + _TAIL_BYTES + _BLOCKS * _BLOCK_BYTES:
        return [(0, consumed)]
    between = consumed - _HEAD_BYTES - _TAIL_BYTES
    blocks = [
        (_HEAD_BYTES + between * number // _BLOCKS // _BLOCK_BYTES * _BLOCK_BYTES, _BLOCK_BYTES)
        for number in range(_BLOCKS)
    ]
    return [(0, _HEAD_BYTES), *blocks, (consumed - _TAIL_BYTES, _TAIL_BYTES)]
