"""What was done to a store, as text for a person: what ``--json`` prints, laid out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .figures import count_text, moment_text, size_text
from .printing import safe_line, table

__all__ = ["allowed_text", "doctor_text", "forget_text", "tombstones_text"]

_Value = dict[str, Any]

_COVERS = {"session": "every log of the session", "log": "this log alone"}


def forget_text(report: _Value) -> str:
    """Lay out ``forget``: what went, what of it is kept elsewhere, and that the logs were not touched."""
    return "\n".join(_forget_lines(report))


def tombstones_text(stones: Sequence[_Value]) -> str:
    """Lay out ``forget --list``."""
    if not stones:
        return "Nothing was forgotten."
    headers = ("id", "forgotten", "holds back", "left to do")
    rows = (
        (
            stone["id"], moment_text(stone["forgotten_at"]), _COVERS[stone["covers"]],
            "" if stone["erased"] else "removing: the next run does it",
        )
        for stone in stones
    )  # fmt: skip
    return table(headers, rows)


def allowed_text(allowed: _Value) -> str:
    """Lay out ``forget --allow``."""
    count = count_text(len(allowed["allowed"]), "log")
    return f"{count} may be read again: the next `uncompact reindex` does."


def _forget_lines(report: _Value) -> Iterator[str]:
    dry_run: bool = report["dry_run"]
    amount = (
        f"{count_text(report['sessions'], 'session')}, {count_text(report['entries'], 'entry', 'entries')}, "
        f"{size_text(report['text_bytes'])} of text"
    )
    if dry_run:
        yield f"Would be forgotten: {amount}; about {size_text(report['disk_bytes'])} to be freed on disk."
    elif report["sessions"]:
        yield f"Forgotten: {amount}; {size_text(report['disk_bytes'])} freed on disk."
    if report["finished"]:
        yield f"Finished: an earlier forget of {count_text(report['finished'], 'log')} that had been cut short."
    yield from _copies_lines(report["copies"])
    if report["without_time"]:
        yield f"Not looked at: {count_text(report['without_time'], 'session')} without a time, which no date chooses."
    yield from _log_lines(report["forgotten"], dry_run=dry_run)


def _copies_lines(copies: _Value) -> Iterator[str]:
    if not copies["entries"]:
        return
    entries = count_text(copies["entries"], "of these entries also stands", "of these entries also stand")
    kept = count_text(len(copies["sessions"]), "session that is kept", "sessions that are kept")
    yield f"Copies stay: {entries} in {kept}:"
    for one in copies["sessions"]:
        yield f"  {one['entries']:>6,}  {safe_line(one['session_id'])}  {safe_line(one['path'])}"


def _log_lines(logs: Sequence[_Value], *, dry_run: bool) -> Iterator[str]:
    if not logs:
        return
    verb = "would read" if dry_run else "reads"
    yield f"The logs themselves are not touched. No later run {verb} them, until `uncompact forget --allow`:"
    for log in logs:
        gone = "  (gone: only the store had it)" if log["state"] == "vanished" else ""
        yield f"  {safe_line(log['path'])}{gone}"


def doctor_text(result: _Value) -> str:
    """Lay out ``doctor``: what was found, and after a repair what is left."""
    found, left = result["found"], result["left"]
    if not found:
        return f"{result['store']}: nothing is wrong."
    if not result["repaired"]:
        return "\n".join(_finding_lines(found))
    mended = [one for one in found if one not in left]
    lines = [f"Mended: {safe_line(one['place'])}: {safe_line(one['problem'])}" for one in mended]
    return "\n".join((*lines, *(_finding_lines(left) if left else ("Nothing is wrong any more.",))))


def _finding_lines(findings: Sequence[_Value]) -> Iterator[str]:
    for one in findings:
        yield f"{safe_line(one['place'])}: {safe_line(one['problem'])}"
        yield f"  to mend it: {safe_line(one['repair'])}"
