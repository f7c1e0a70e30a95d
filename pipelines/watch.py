"""Follow folders of logs: reindex once, then bring what changes into the store, round by round."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from .errors import BusyError, SourceError, StoreError
from .paths import display_path
from .reindex import reindex
from .sources import find_files
from .sources.records import Found
from .sync import sync_log

__all__ = ["Counts", "StopEvent", "WatchEvent", "watch_logs"]

_STEP_MS = 50
_TICK_MS = 100


class StopEvent(Protocol):
    """What ends a watch once it is set; a ``threading.Event`` is one."""

    def is_set(self) -> bool:
        """Tell whether to stop."""
        ...


@dataclass(slots=True)
class Counts:
    """What a round did: logs and entries brought in, and logs vanished, failed and left for the next round."""

    logs: int = 0
    entries: int = 0
    vanished: int = 0
    failed: int = 0
    busy: int = 0

    def to_dict(self) -> dict[str, int]:
        """Return the counts by name."""
        return {name: getattr(self, name) for name in self.__slots__}

    def add(self, other: Counts) -> None:
        """Add another round's counts."""
        for name, count in other.to_dict().items():
            setattr(self, name, getattr(self, name) + count)


@dataclass(slots=True)
class WatchEvent:
    """One round, or the end with the sums of all; seconds are wall time."""

    event: Literal["synced", "reindexed", "stopped"]
    counts: Counts = field(default_factory=Counts)
    seconds: float = 0.0
    warnings: list[str] = field(default_factory=list[str])

    def to_dict(self) -> dict[str, Any]:
        """Return the event's JSON form."""
        return {
            "event": self.event,
            "counts": self.counts.to_dict(),
            "seconds": round(self.seconds, 6),
            "warnings": self.warnings,
        }


def watch_logs(
    roots: Sequence[Path], store: Path, stop: StopEvent, *, debounce_s: float = 1.0
) -> Generator[WatchEvent]:
    """Reindex ``roots``, then yield an event for each round of changes until ``stop`` is set.

    A round begins ``debounce_s`` after the first change and takes all until then. A log that changed is synced
    into the companion; a new or a vanished one brings a reindex. While another process writes the store, what is
    left waits for the next round. The first reindex raises as ``reindex`` does, but for ``BusyError``; after it
    a failure is a warning of its round.
    """
    started = time.perf_counter()
    follower = _Follower([Path(os.path.abspath(root)) for root in roots], store)
    total = Counts()
    for _ in _rounds(follower, stop, debounce_s):
        begun = time.perf_counter()
        event = follower.round()
        if event is not None:
            event.seconds = time.perf_counter() - begun
            total.add(event.counts)
            yield event
    yield WatchEvent("stopped", total, time.perf_counter() - started)


def _rounds(follower: _Follower, stop: StopEvent, debounce_s: float) -> Generator[None]:
    """Yield whenever a round is due: at once, after changes, and while one is unfinished."""
    from watchfiles import watch

    due: float | None = None
    while not stop.is_set():
        # Roots that came, went or were replaced since need a new watcher, which may have missed changes.
        yield
        watched = follower.identities()
        due = time.monotonic() + debounce_s
        ticks = watch(
            *(path for path, identity in watched.items() if identity),
            watch_filter=None,
            debounce=_TICK_MS,
            step=_STEP_MS,
            rust_timeout=_TICK_MS,
            yield_on_timeout=True,
            stop_event=stop,
            ignore_permission_denied=True,
        )
        try:
            for changes in ticks:
                if follower.identities() != watched:
                    break
                if changes and due is None:
                    due = time.monotonic() + debounce_s
                if due is not None and time.monotonic() >= due:
                    yield
                    due = time.monotonic() + debounce_s if follower.is_behind else None
        except FileNotFoundError:
            continue


class _Follower:
    """What the store has been told of, as the stamps of each file."""

    def __init__(self, roots: Sequence[Path], store: Path) -> None:
        self._roots = roots
        self._store = store
        self._known: dict[Path, Found] | None = None
        self._was_behind = False
        self.is_behind = False

    def identities(self) -> dict[Path, tuple[int, int] | None]:
        """Return which file each root is now; ``None`` when it is not there."""
        return {root: _identity(root) for root in self._roots}

    def round(self) -> WatchEvent | None:
        """Bring in what changed; ``None`` when there is nothing to say."""
        # Files are stamped before they are read: what is written meanwhile is seen by the next round.
        found = {item.path: item for item in find_files(self._roots, _ignore)}
        self._was_behind, self.is_behind = self.is_behind, False
        if self._known is None or self._known.keys() != found.keys():
            return self._reindex(found)
        changed = [path for path in sorted(found) if found[path] != self._known[path]]
        event = WatchEvent("synced")
        for path in changed:
            try:
                self._sync(found[path], event)
            except StoreError:
                return self._reindex(found)
        return self._worth_telling(event)

    def _sync(self, item: Found, event: WatchEvent) -> None:
        assert self._known is not None
        try:
            result = sync_log(self._store, item.path)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 whatever is wrong with one log, the others go on
            event.counts.failed += 1
            event.warnings.append(f"{display_path(item.path)}: {_reason(error)}")
        else:
            if result.outcome == "busy":
                event.counts.busy += 1
                self.is_behind = True
                return
            event.counts.logs += result.outcome not in ("unchanged", "forgotten")
            event.counts.entries += result.entries
        self._known[item.path] = item

    def _reindex(self, found: dict[Path, Found]) -> WatchEvent | None:
        event = WatchEvent("reindexed")
        try:
            report = reindex(self._roots, self._store)
        except BusyError:
            self.is_behind = True
            event.counts.busy = 1
            return self._worth_telling(event)
        except Exception as error:
            # A watch outlives what may have passed by the next round.
            if self._known is None:
                raise
            event.counts.failed = 1
            event.warnings.append(_reason(error))
        else:
            event.counts = Counts(report.changed, report.entries_added, report.vanished, report.failed)
            event.warnings = report.warnings
        self._known = found
        return event

    def _worth_telling(self, event: WatchEvent) -> WatchEvent | None:
        """Leave out a round that did nothing, and all but the first of those that found the store busy."""
        counts = event.counts
        is_news = counts.logs or counts.failed or (counts.busy and not self._was_behind)
        return event if is_news else None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _reason(error: Exception) -> str:
    if isinstance(error, SourceError):
        return error.reason
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error) or type(error).__name__


def _ignore(_path: Path, _reason: str) -> None:
    """What cannot be looked at is named by the reindex."""
