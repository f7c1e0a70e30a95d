"""A session's tree as text: one line for each run of entries of one state in one segment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import click

from .printing import safe_line

__all__ = ["tree_text"]

_MOST_LINES = 400
# Branches off branches are set in by two columns, but not further than this.
_MOST_LEVELS = 20
_STATES = {"in_context": "green", "compacted": "yellow", "edited_out": "red", "sibling": "bright_black"}

_Entry = dict[str, Any]
_Place = tuple[int, int]


def tree_text(shown: dict[str, Any]) -> str:
    """Draw what ``show`` returns: each segment's runs, and where other segments leave it."""
    runs = list(_runs(shown))
    lines = [f"session {shown['session']}  leaf {safe_line(shown['leaf'] or 'none')}"]
    lines += [_line(level, run, opens, marks) for level, run, opens, marks in runs[:_MOST_LINES]]
    if len(runs) > _MOST_LINES:
        lines.append(f"... {len(runs) - _MOST_LINES:,} more lines: --json has every entry")
    apart = Counter(entry["state"] for entry in shown["entries"] if entry["segment"] < 0)
    if apart:
        lines.append("on no branch: " + ", ".join(f"{count:,} {state}" for state, count in apart.items()))
    return "\n".join(lines)


def _runs(shown: dict[str, Any]) -> Iterator[tuple[int, list[_Entry], bool, str]]:
    """Yield (level, run, whether it opens its segment, marks of its last entry), depth first."""
    segments: dict[int, list[_Entry]] = {}
    for entry in shown["entries"]:
        if entry["segment"] >= 0:
            segments.setdefault(entry["segment"], []).append(entry)
    children: dict[_Place | None, list[int]] = {}
    for one in shown["segments"]:
        parent = one["parent_segment"]
        place = None if parent is None else (parent, one["parent_position"])
        children.setdefault(place, []).append(one["segment"])
    leaves = set(shown["leaves"])
    pending = [(0, segment, 0) for segment in reversed(children.get(None, []))]
    while pending:
        level, segment, start = pending.pop()
        entries = sorted(segments[segment], key=lambda entry: entry["position"])
        for first, end in _cuts(entries, start, shown["leaf"], children):
            last = entries[end - 1]
            yield level, entries[first:end], first == 0, _marks(last["entry_id"], shown["leaf"], leaves)
            leaving = children.get((segment, last["position"]))
            if leaving:
                pending.append((level, segment, end))
                pending.extend((level + 1, child, 0) for child in reversed(leaving))
                break


def _cuts(
    entries: Sequence[_Entry], start: int, leaf: str | None, children: dict[_Place | None, list[int]]
) -> Iterator[tuple[int, int]]:
    """Cut a segment's entries into runs, as (first, end): at changes of state, compactions, leaves and forks."""
    first = start
    for at in range(start, len(entries)):
        entry = entries[at]
        following = entries[at + 1] if at + 1 < len(entries) else None
        if (
            following is None
            or following["state"] != entry["state"]
            or "compaction" in (entry["type"], following["type"])
            or entry["entry_id"] == leaf
            or (entry["segment"], entry["position"]) in children
        ):
            yield first, at + 1
            first = at + 1


def _marks(entry_id: str, leaf: str | None, leaves: set[str]) -> str:
    marks = ["leaf"] if entry_id in leaves else []
    return ", ".join([*marks, "shown here"] if entry_id == leaf else marks)


def _line(level: int, run: Sequence[_Entry], opens: bool, marks: str) -> str:
    first, last = run[0], run[-1]
    ids = safe_line(first["entry_id"]) + ("" if first is last else f" .. {safe_line(last['entry_id'])}")
    kinds = Counter(safe_line(entry["role"] or entry["type"]) for entry in run)
    what = ", ".join(f"{count:,} {kind}" if count > 1 else kind for kind, count in kinds.most_common())
    margin = "  " * min(level, _MOST_LEVELS) + ("+ " if opens else "| ")
    state = click.style(f"{first['state']:<10}", fg=_STATES.get(first["state"]))
    return f"{margin}{state}  {ids:<20}  {what}" + (f"  <- {marks}" if marks else "")
