"""What a run tells while it works: the stage it is in, and how far it got."""

from __future__ import annotations

from typing import Final, Literal, Protocol

__all__ = ["NO_PROGRESS", "NoProgress", "Progress", "Stage"]

Stage = Literal["discover", "read", "commit", "companion", "tidy"]


class Progress(Protocol):
    """Is told how far a run got, from one thread, possibly very often; it must neither fail nor wait.

    Bytes are those of the logs; in the stage ``companion``, characters of their texts.
    """

    def stage(self, name: Stage, total_bytes: int | None = None) -> None:
        """Begin a stage, or begin it again; ``None`` when nobody knows how much there is to do."""
        ...

    def advance(self, done_bytes: int, logs: int = 1) -> None:
        """Say what was done since the last call: a part of a log counts its bytes with ``logs=0``."""
        ...


class NoProgress:
    """Keeps it to itself."""

    def stage(self, name: Stage, total_bytes: int | None = None) -> None:
        """Do nothing."""

    def advance(self, done_bytes: int, logs: int = 1) -> None:
        """Do nothing."""


NO_PROGRESS: Final[Progress] = NoProgress()
