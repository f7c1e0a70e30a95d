"""What is counted over one log while it is read, and the chain of hashes that tells its beginning."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from .sources.records import Entry, Log, Reject

__all__ = ["SessionTotals", "content_chain", "first_chain", "go_on_chain", "next_chain", "resume_totals"]

# A report names so many bad lines of one log, and counts the rest.
_NAMED_REJECTS = 20

# Sixteen digits tell beginnings of logs apart; they need not withstand an attack.
_CHAIN_DIGITS = 16


@dataclass(slots=True)
class SessionTotals:
    """Counts over one log; they go on where ``resume_totals`` left them.

    ``reject_reasons``, ``reject_lines`` and ``more_rejects`` are of this reading alone.
    """

    entries: int = 0
    branches: int = 0
    compactions: int = 0
    rejects: int = 0
    text_chars: int = 0
    last_at: int | None = None
    name: str | None = None
    leaf: str | None = None
    leaf_pos: int | None = None
    chain: str = ""
    reject_reasons: dict[str, int] = field(default_factory=dict[str, int])
    reject_lines: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    more_rejects: int = 0
    pending_line: int | None = None

    def count_entry(self, entry: Entry) -> None:
        """Count the next entry; ``chain`` then includes it."""
        self.entries += 1
        self.text_chars += len(entry.text)
        self.chain = next_chain(self.chain, entry)
        if not entry.recovered:
            self.leaf, self.leaf_pos = entry.entry_id, entry.pos
        if entry.created_at is not None and entry.created_at >= (self.last_at or 0):
            self.last_at = entry.created_at

    def count_reject(self, reject: Reject) -> None:
        """Count a line that is no entry, and note it while such lines are few."""
        self.rejects += 1
        self.reject_reasons[reject.reason] = self.reject_reasons.get(reject.reason, 0) + 1
        if len(self.reject_lines) < _NAMED_REJECTS:
            self.reject_lines.append((reject.line, reject.reason))
        else:
            self.more_rejects += 1


def resume_totals(session: Mapping[str, Any]) -> SessionTotals:
    """Take up the totals of a ``sessions`` row; its times are microseconds."""
    names = (
        "entries", "branches", "compactions", "rejects", "text_chars", "last_at", "name", "leaf", "leaf_pos"
    )  # fmt: skip
    return SessionTotals(**{name: session[name] for name in names}, chain=session["fingerprint"])


def content_chain(log: Log, entries: int | None = None) -> str:
    """Return the chain over a whole log, as a ``sessions`` row's fingerprint, or over its first ``entries`` alone.

    Builds no rows.
    """
    return go_on_chain(first_chain(log), log, entries)


def go_on_chain(chain: str, log: Log, entries: int | None = None) -> str:
    """Carry a chain on over a log from where it is opened, to its end or up to the place ``entries``."""
    for record in log.records():
        if isinstance(record, Entry):
            if record.pos == entries:
                break
            chain = next_chain(chain, record)
    return chain


def first_chain(log: Log) -> str:
    """Return the chain before a log's first entry: it tells the header."""
    return hashlib.sha256(msgspec.json.encode(log.header)).hexdigest()[:_CHAIN_DIGITS]


def next_chain(chain: str, entry: Entry) -> str:
    """Return the chain up to and including an entry: 16 hex digits."""
    # The id too: an entry that states none is named by its line's number, which a blank line changes.
    content = chain + entry.raw_sha256 + entry.entry_id
    return hashlib.sha256(content.encode()).hexdigest()[:_CHAIN_DIGITS]
