"""Errors a caller can act on.

UncompactError
├── SourceError      a log cannot be read as a session
├── StoreError       a lake or companion is missing, damaged or of another version
├── NotFoundError    no such session, leaf or project: says what exists
└── BusyError        another process is writing the store
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["BusyError", "NotFoundError", "SourceError", "StoreError", "UncompactError"]


class UncompactError(Exception):
    """Base of every error this package raises on purpose; ``hint`` says what would work."""

    kind = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nHint: {self.hint}" if self.hint else self.message


class SourceError(UncompactError):
    """A log file could not be read as a session."""

    kind = "source"

    def __init__(self, path: Path, reason: str, *, line: int | None = None, hint: str = "") -> None:
        place = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{place}: {reason}", hint=hint)
        self.path = path
        self.line = line
        self.reason = reason


class StoreError(UncompactError):
    """The store cannot be used as it is."""

    kind = "store"

    def __init__(self, place: Path, found: str, *, hint: str = "") -> None:
        super().__init__(f"{place}: {found}", hint=hint)
        self.place = place


class NotFoundError(UncompactError):
    """Something asked for by name is not in the store; ``existing`` names what is."""

    kind = "not-found"

    def __init__(self, what: str, name: str, existing: list[str], *, hint: str = "") -> None:
        shown = ", ".join(existing[:10]) or "none"
        more = f" and {len(existing) - 10} more" if len(existing) > 10 else ""
        super().__init__(f"no {what} {name!r}; there is: {shown}{more}", hint=hint)
        self.what = what
        self.name = name
        self.existing = existing


class BusyError(UncompactError):
    """Another process holds the store's writer lock."""

    kind = "busy"
