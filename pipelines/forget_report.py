"""What forgetting takes from a store: sessions, entries, text, and what of it also stands in sessions that are kept."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import polars as pl

from .lake import LakeSnapshot

__all__ = ["ForgetReport", "ForgottenLog", "KeptCopies", "measure_sessions"]

_SESSION_COLUMNS = ("session_key", "session_id", "path", "project", "entries", "state")


@dataclass(frozen=True, slots=True)
class ForgottenLog:
    """A session that goes: its key and id, its log and what became of it, its entries."""

    session: str
    session_id: str
    path: str
    project: str
    entries: int
    state: str

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> ForgottenLog:
        """Make it of a ``sessions`` row."""
        return cls(*(row[name] for name in _SESSION_COLUMNS))


@dataclass(frozen=True, slots=True)
class KeptCopies:
    """A session that stays, and how many of the forgotten entries it has, too."""

    session: str
    session_id: str
    path: str
    entries: int


@dataclass(slots=True)
class ForgetReport:
    """What a forget did or, with ``dry_run``, would do.

    ``text_bytes`` is the UTF-8 of all entries' texts. ``disk_bytes`` is what the store's folder shrank by; of a dry
    run it is an estimate, by the share of the text. ``copied_entries`` are those that also stand in sessions that are
    ``kept``; ``without_time`` counts the sessions that no date chooses because no entry of theirs has a time;
    ``finished`` counts logs of an earlier forget that had not come to its end.
    """

    dry_run: bool
    forgotten: list[ForgottenLog] = field(default_factory=list[ForgottenLog])
    entries: int = 0
    text_bytes: int = 0
    disk_bytes: int = 0
    copied_entries: int = 0
    kept: list[KeptCopies] = field(default_factory=list[KeptCopies])
    without_time: int = 0
    finished: int = 0
    warnings: list[str] = field(default_factory=list[str])

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {
            "dry_run": self.dry_run,
            "sessions": len(self.forgotten),
            "entries": self.entries,
            "text_bytes": self.text_bytes,
            "disk_bytes": self.disk_bytes,
            "forgotten": [asdict(log) for log in self.forgotten],
            "copies": {"entries": self.copied_entries, "sessions": [asdict(one) for one in self.kept]},
            "without_time": self.without_time,
            "finished": self.finished,
            "warnings": self.warnings,
        }


def measure_sessions(
    report: ForgetReport,
    snapshot: LakeSnapshot,
    chosen: Sequence[Mapping[str, Any]],
    all_rows: Iterable[Mapping[str, Any]],
) -> None:
    """Fill in what ``chosen`` sessions hold, and where copies of it are kept."""
    keys = {row["session_key"] for row in chosen}
    report.forgotten = [ForgottenLog.of(row) for row in chosen]
    report.entries = sum(row["entries"] for row in chosen)
    going = _of(snapshot, keys).select("copy_key", text_bytes=pl.col("text").str.len_bytes()).collect()
    report.text_bytes = int(going["text_bytes"].sum())
    staying = (
        snapshot.scan("entries")
        .filter(~pl.col("session_key").is_in(list(keys)))
        .select("session_key", "copy_key")
        .join(going.lazy(), on="copy_key", how="semi")
        .unique()
        .collect(engine="streaming")
    )
    report.copied_entries = going.join(staying, on="copy_key", how="semi").height
    counts = dict(staying.group_by("session_key").len().iter_rows())
    report.kept = [
        KeptCopies(row["session_key"], row["session_id"], row["path"], counts[row["session_key"]])
        for row in all_rows
        if row["session_key"] in counts
    ]


def _of(snapshot: LakeSnapshot, keys: Collection[str]) -> pl.LazyFrame:
    return snapshot.scan("entries").filter(pl.col("session_key").is_in(list(keys)))
