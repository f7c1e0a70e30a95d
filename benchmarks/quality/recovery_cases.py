"""Cases for the recovery benchmark from session logs: what was removed when a user spoke, and what was needed again.

A case is a user's message behind a compaction, or with more than 80,000 characters before it (then a cut that keeps
the last 80,000 is assumed). What the agent did until the next such message tells which removed passages it needed:
a tool gave at least three of a passage's rare lines again, or the agent used at least three of its rare names that
nothing visible held.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from quality.session_log import message_text

import uncompact

__all__ = ["Case", "find_cases"]

_KEPT_CHARS = 80_000
_MOST_CASES = 40
_PASSAGE_CHARS = 1200
_NEEDED = 3
# In so many removed passages a line or a name is still rare.
_RARE = 3
_SHORTEST_LINE = 20
_SYMBOL = re.compile(
    r"[A-Za-z_$][\w$]*(?:[./:-]{1,2}[A-Za-z_$][\w$]*)+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|\w+_\w+"
)
_SHORTEST_SYMBOL = 6
_WRITING_TOOLS = frozenset({"write", "edit"})


@dataclass(frozen=True, slots=True)
class Case:
    """A request, the removed passages by ``entry id#number``, and those that were needed again.

    ``context_ids`` is ``None`` where a real compaction tells what is in the context.
    """

    path: Path
    query_id: str
    query: str
    passages: Mapping[str, str]
    relevant: frozenset[str]
    context_ids: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class _Step:
    """An entry of the branch: who speaks, and what."""

    entry_id: str
    role: str
    tool: str
    text: str


def find_cases(store: uncompact.HistoryStore, path: Path) -> Iterator[Case]:
    """Yield the cases of one session's current branch in which anything was needed again.

    At most 40 of real compactions and 40 of assumed cuts, the first of each.
    """
    steps = list(_branch_steps(store, path))
    asked = [at for at, step in enumerate(steps) if step.role == "user" and step.text.strip()]
    found = {True: 0, False: 0}
    passages: dict[str, str] = {}
    known: tuple[int, bool] | None = None
    for at, end in zip(asked, [*asked[1:], len(steps)], strict=True):
        cut = _cut(store, path, steps, at)
        if cut is None or found[cut[1]] == _MOST_CASES:
            continue
        removed, real = cut
        if cut != known:
            passages, known = _number_passages(steps[:removed]), cut
        relevant = _needed_again(passages, steps[removed : at + 1], steps[at + 1 : end])
        if relevant:
            found[real] += 1
            context = None if real else tuple(step.entry_id for step in steps[removed : at + 1])
            yield Case(path, steps[at].entry_id, steps[at].text, passages, relevant, context)


def _branch_steps(store: uncompact.HistoryStore, path: Path) -> Iterator[_Step]:
    messages = {line["id"]: line["message"] for line in _lines(path) if line.get("type") == "message"}
    for entry in store.show(path)["entries"]:
        message: dict[str, Any] = messages.get(entry["entry_id"]) or {}
        if entry["state"] != "sibling":
            role, tool = str(message.get("role") or entry["type"]), str(message.get("toolName"))
            yield _Step(entry["entry_id"], role, tool, message_text(message))


def _cut(
    store: uncompact.HistoryStore, path: Path, steps: Sequence[_Step], at: int
) -> tuple[int, bool] | None:
    """Return how many steps are removed before a message, and whether a compaction did it."""
    compacted = max((n for n, step in enumerate(steps[:at]) if step.role == "compaction"), default=None)
    if compacted is not None:
        return _removed_by(store, path, tuple(step.entry_id for step in steps), compacted), True
    kept = 0
    for number in range(at, -1, -1):
        kept += len(steps[number].text)
        if kept > _KEPT_CHARS:
            return number + 1, False
    return None


@lru_cache(maxsize=64)
def _removed_by(store: uncompact.HistoryStore, path: Path, branch: tuple[str, ...], compaction: int) -> int:
    """Return how many entries of a branch a compaction removed."""
    states = {one["entry_id"]: one["state"] for one in store.show(path, branch[compaction])["entries"]}
    return next((at for at, entry_id in enumerate(branch) if states.get(entry_id) != "compacted"), 0)


def _number_passages(steps: Sequence[_Step]) -> dict[str, str]:
    return {
        f"{step.entry_id}#{number}": piece
        for step in steps
        for number, piece in enumerate(_passages(step.text))
    }


def _needed_again(
    passages: Mapping[str, str], visible: Sequence[_Step], window: Sequence[_Step]
) -> frozenset[str]:
    seen_lines = {line for step in visible for line in _lines_of(step.text)}
    seen_symbols = {symbol for step in visible for symbol in _symbols_of(step.text)}
    given: set[str] = set()
    used: set[str] = set()
    for step in window:
        if step.role == "toolResult" and step.tool not in _WRITING_TOOLS:
            given |= _lines_of(step.text) - seen_lines
        elif step.role == "assistant":
            used |= _symbols_of(step.text) - seen_symbols
        seen_lines |= _lines_of(step.text)
        seen_symbols |= _symbols_of(step.text)
    lines = {name: _lines_of(text) & given for name, text in passages.items()}
    symbols = {name: _symbols_of(text) & used for name, text in passages.items()}
    return _with_rare(lines) | _with_rare(symbols)


def _with_rare(held: Mapping[str, frozenset[str]]) -> frozenset[str]:
    counted = Counter(one for some in held.values() for one in some)
    return frozenset(
        name for name, some in held.items() if sum(counted[one] <= _RARE for one in some) >= _NEEDED
    )


@lru_cache(maxsize=1 << 16)
def _lines_of(text: str) -> frozenset[str]:
    return frozenset(line for raw in text.split("\n") if len(line := raw.strip()) >= _SHORTEST_LINE)


@lru_cache(maxsize=1 << 16)
def _symbols_of(text: str) -> frozenset[str]:
    return frozenset(symbol for symbol in _SYMBOL.findall(text) if len(symbol) >= _SHORTEST_SYMBOL)


def _passages(text: str) -> Iterator[str]:
    """Cut a text at lines' ends into pieces of about 1,200 characters."""
    piece = ""
    for line in text.splitlines(keepends=True):
        if piece and len(piece) + len(line) > _PASSAGE_CHARS:
            yield piece
            piece = ""
        piece += line
    if piece.strip():
        yield piece


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            value = msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.MsgspecError:
            continue
        if isinstance(value.get("id"), str):
            yield value
