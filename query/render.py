"""Results as text for a person: what ``--json`` prints, laid out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from .figures import count_text, moment_text, size_text
from .printing import safe_line, safe_text, table

__all__ = [
    "demo_text",
    "entries_text",
    "report_text",
    "retrieval_text",
    "runs_text",
    "sessions_text",
    "status_text",
    "syncs_text",
]

_EXCERPT_LINES = 20
_LINE_CHARS = 400
_DEMO_HITS = 2
_DEMO_LINES = 6

# What a count of the answer says to a person; the others are for machines and --explain.
_LEFT_OUT = {
    "duplicate": "with the same text",
    "in_context": "still in context",
    "edited_out": "taken out on purpose",
    "sibling": "on other branches",
    "over_limit": "beyond the number of results",
    "over_budget": "beyond the token budget",
}

_Value = dict[str, Any]


def sessions_text(sessions: Sequence[_Value]) -> str:
    """Lay out ``sessions``."""
    if not sessions:
        return "No sessions."
    headers = ("session", "last", "project", "entries", "branches", "compactions", "state", "name")
    rows = (
        (
            one["session_id"], moment_text(one["last_at"]), one["project"] or one["path"], one["entries"],
            one["branches"], one["compactions"], one["state"], one["name"],
        )
        for one in sessions
    )  # fmt: skip
    return table(headers, rows, right=("entries", "branches", "compactions"))


def status_text(status: _Value) -> str:
    """Lay out ``status``."""
    lake, companion, sessions = status["lake"], status["companion"], status["sessions"]
    rows = (
        ("store", status["store"]),
        ("lake", f"version {lake['version']}, {size_text(lake['bytes'])}"),
        ("companion", f"version {companion['version']}, {size_text(companion['bytes'])}"),
        ("sessions", f"{sessions['present']:,} present, {sessions['vanished']:,} vanished"),
        ("entries", f"{status['entries']:,}{_copies(status)}"),
        ("rejects", count_text(status["rejects"], "line")),
        ("indexed", moment_text(status["indexed_at"]) or "never"),
        ("sources", _coverage_text(status["coverage"])),
        *_run_rows(status["runs"]),
    )
    return "\n".join(f"{name:<10} {safe_line(value)}" for name, value in rows)


def _coverage_text(coverage: _Value) -> str:
    if not coverage["logs"]:
        return "no logs found"
    parts = [f"{coverage['current']:,} of {count_text(coverage['logs'], 'log')} read to the end"]
    parts += [f"{coverage[name]:,} {name}" for name in ("behind", "missing", "unreadable") if coverage[name]]
    unread = f"; {size_text(coverage['bytes_behind'])} not in the store" if coverage["bytes_behind"] else ""
    return ", ".join(parts) + unread


def runs_text(runs: Sequence[_Value]) -> str:
    """Lay out ``runs``: the newest first."""
    if not runs:
        return "No runs."
    headers = ("started", "outcome", "seconds", "logs", "changed", "added", "rejects", "warnings", "MB")
    rows = (
        (
            moment_text(run["started_at"]), _outcome(run), _figure(_of(run, "seconds", "total"), ".2f"),
            *map(_figure, (
                _of(run, "sources", "seen"), _of(run, "sources", "changed"), _of(run, "entries", "added"),
                _of(run, "rejects", "total"), run.get("warnings"),
            )),
            _figure(run.get("peak_rss_mb"), ",.0f"),
        )
        for run in runs
    )  # fmt: skip
    return table(headers, rows, right=headers[2:])


def syncs_text(syncs: Sequence[_Value]) -> str:
    """Lay out ``sync``: one line a log."""
    headers = ("outcome", "entries", "bytes", "log")
    rows = (
        (
            one["outcome"], f"{one['entries']:,}", f"{one['bytes_read']:,}",
            f"{one['log']}: {one['error']['message']}" if "error" in one else one["log"],
        )
        for one in syncs
    )  # fmt: skip
    return table(headers, rows, right=("entries", "bytes"))


def report_text(report: _Value) -> str:
    """Lay out a ``reindex`` report, without its warnings."""
    sources, entries, rejects = report["sources"], report["entries"], report["rejects"]
    if not sources["seen"] and not sources["failed"]:
        return "No session logs found."
    in_store = f"{entries['total']:,} in the store{_copies(report)}"
    shown = ("changed", "unchanged", "vanished", *(["forgotten"] if sources["forgotten"] else []), "failed")
    states = ", ".join(f"{sources[state]:,} {state}" for state in shown)
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in rejects["by_reason"].items())
    return "\n".join(
        (
            f"{count_text(sources['seen'], 'log')} seen: {states}",
            f"{count_text(entries['added'], 'entry', 'entries')} added, {in_store}",
            f"{count_text(rejects['total'], 'line')} rejected" + (f": {reasons}" if reasons else ""),
            f"{size_text(report['bytes_read'])} read in {report['seconds'].get('total', 0):.2f} s",
        )
    )


def retrieval_text(answer: _Value, *, explain: bool = False, full: bool = False) -> str:
    """Lay out the answer to a request: each hit with its excerpt, then the counts."""
    most = None if full else _EXCERPT_LINES
    blocks = [
        "\n".join(_hit_lines(number, hit, most, explain=explain))
        for number, hit in enumerate(answer["hits"], start=1)
    ]
    closing = [*_closing_lines(answer)]
    if explain and answer["counts"]:
        closing.append(
            f"counts: {', '.join(f'{name} {count:,}' for name, count in answer['counts'].items())}"
        )
    return "\n\n".join((*blocks, "\n".join(closing)))


def entries_text(shown: _Value) -> str:
    """Lay out ``show``: one line an entry, in file order."""
    lines = [f"session {shown['session']}  leaf {safe_line(shown['leaf'] or 'none')}"]
    entries = shown["entries"]
    width = min(max((len(entry["entry_id"]) for entry in entries), default=0), 36)
    lines += [
        f"{entry['line']:>7}  {safe_line(entry['entry_id']):<{width}}  {entry['state']:<10}  "
        f"{safe_line(entry['role'] or entry['type']):<21}  {moment_text(entry['created_at']) or '':<20}  "
        f"{entry['text_chars']:>9,} chars"
        for entry in entries
    ]
    return "\n".join(lines)


def demo_text(demo: _Value) -> str:
    """Lay out ``demo``: each question, what came back and why, or why nothing did."""
    lines = [
        f"{count_text(demo['entries'], 'entry', 'entries')} of {count_text(demo['sessions'], 'session')} indexed."
    ]
    for asked in demo["answers"]:
        answer = asked["answer"]
        lines += ["", click.style(f"? {asked['request']}", bold=True), f"  {asked['session']}"]
        if asked["leaf"]:
            lines.append(f"  asked at leaf {asked['leaf']}")
        lines.append(f"  {asked['note']}")
        for number, hit in enumerate(answer["hits"][:_DEMO_HITS], start=1):
            lines += _hit_lines(number, hit, _DEMO_LINES)
        if len(answer["hits"]) > _DEMO_HITS:
            lines.append(f"   … {count_text(len(answer['hits']) - _DEMO_HITS, 'more entry', 'more entries')}")
        lines += _closing_lines(answer)
    lines += ["", "For your own logs:", *(f"  {command}" for command in demo["commands"])]
    return "\n".join(lines)


def _run_rows(runs: _Value) -> Iterator[tuple[str, str]]:
    """Say how the last run ended and, when it did not end well, when one last did."""
    if runs["problem"]:
        yield "last run", runs["problem"]
    elif runs["last"] is None:
        yield "last run", "none is known of"
    else:
        yield "last run", _run_text(runs["last"])
        if runs["last_good"] != runs["last"]:
            good = runs["last_good"]
            yield "last good", "none is known of" if good is None else _run_text(good)


def _run_text(run: _Value) -> str:
    when = moment_text(run["started_at"])
    if run["outcome"] == "unfinished":
        return f"{when}, goes on still or was killed"
    return (
        f"{when}, {_outcome(run)}: {count_text(int(_of(run, 'sources', 'changed') or 0), 'log')} changed, "
        f"{count_text(int(_of(run, 'entries', 'added') or 0), 'entry', 'entries')} added in "
        f"{_of(run, 'seconds', 'total') or 0:.2f} s"
    )


def _outcome(run: _Value) -> str:
    return f"{run['outcome']} ({run['error']})" if run.get("error") else str(run["outcome"])


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) else None


def _figure(value: object, form: str = ",") -> str:
    number = _number(value)
    return "" if number is None else format(number, form)


def _of(run: _Value, group: str, name: str) -> float | None:
    """Return a figure of a run, ``None`` for one that another version or a damage left out."""
    return _number(run[group].get(name)) if isinstance(run.get(group), dict) else None


def _copies(counted: _Value) -> str:
    """Say how many of the entries stand in an earlier session, too."""
    return f", {count_text(counted['copies'], 'copy', 'copies')} among them" if counted["copies"] else ""


def _hit_lines(number: int, hit: _Value, most: int | None, *, explain: bool = False) -> Iterator[str]:
    facts = (
        safe_line(hit["role"] or hit["type"]), moment_text(hit["created_at"]) or "no date", hit["tier"],
        f"score {hit['score']:.1f}",
    )  # fmt: skip
    head = click.style(f"{number}. {safe_line(hit['entry_id'])}", bold=True)
    yield f"{head}  {'  '.join(facts)}"
    yield f"   matched: {', '.join(map(safe_line, hit['matched']))}"
    yield f"   why: {safe_line(hit['reason'])}"
    if explain:
        rows = [(name, f"{value:.2f}") for name, value in hit["components"].items()]
        yield from _indented(table(("component", "score"), rows, right=("score",)))
        header = ("term", "as", "rarity", "times", "where")
        yield from _indented(table(header, map(_match_row, hit["matches"]), right=("rarity", "times")))
    yield from _quoted(hit["excerpt"], most)


def _indented(text: str) -> Iterator[str]:
    return (f"   {line}" for line in text.split("\n"))


def _match_row(match: _Value) -> tuple[str, ...]:
    where = (f"{place['line']}:{place['column']} {place['text']}" for place in match["places"])
    # Its tool call's label matched, or a part of the entry that was cut.
    kind = f"literal {match['kind']}" if match["literal"] else "words"
    shown = ", ".join(where) or "outside the excerpt"
    more = " …" if match["times"] > len(match["places"]) else ""
    return match["term"], kind, f"{match['weight']:.2f}", str(match["times"]), f"{shown}{more}"


def _quoted(text: str, most: int | None) -> Iterator[str]:
    lines = safe_text(text).split("\n")
    for line in lines[:most]:
        cut = most is not None and len(line) > _LINE_CHARS
        yield f"   | {line[:_LINE_CHARS]}…" if cut else f"   | {line}"
    if most is not None and len(lines) > most:
        yield f"   … {count_text(len(lines) - most, 'more line')}"


def _closing_lines(answer: _Value) -> Iterator[str]:
    if answer["hits"]:
        yield f"{count_text(len(answer['hits']), 'entry', 'entries')}, about {answer['tokens']:,} tokens"
    else:
        yield f"Nothing ({answer['status']}): {answer['reason']}"
    left = [
        f"{count:,} {_LEFT_OUT[name]}"
        for name, count in answer["counts"].items()
        if count and name in _LEFT_OUT
    ]
    if left:
        yield f"Left out: {', '.join(left)}"
