"""Pi's rules of branch, context and visibility once more, as plainly as they can be said: no tree labels, no speed.

Written from the behaviour of Pi 1.6.0, so that the rules are checked where no Pi can be installed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeGuard

from .comparison import Answer, LeafAnswer

_SPEAKING = ("message", "custom_message", "compaction")


class NotASessionError(Exception):
    """Pi refuses the file."""


def read_plainly(path: Path) -> Answer:
    """Answer for every entry of a log taken as a leaf. Raises ``NotASessionError``."""
    values = _load(path)
    version = values[0].get("version")
    new_ids = version is None or float(version) < 2
    if new_ids:
        _chain(values)
    entries = [value for value in values if value.get("type") != "session"]
    places = {entry["id"]: place for place, entry in enumerate(entries) if entry.get("id")}
    walks = [_walk(entries, places, place) for place in places.values()]
    branches = [branch for branch in walks if branch is not None]
    last_id = entries[-1].get("id") if entries else None
    return Answer(
        file=str(path),
        ids=tuple(entry.get("id") for entry in entries),
        new_ids=new_ids,
        leaf=places.get(last_id) if last_id else None,
        leaves=tuple(_answer(entries, branch) for branch in branches),
        cyclic=len(walks) - len(branches),
    )


def _load(path: Path) -> list[dict[str, Any]]:
    values: list[Any] = []
    for line in path.read_bytes().decode("utf-8", "replace").split("\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if value:
            values.append(value)
    objects = [value for value in values if _is_object(value)]
    header = objects[0] if objects and objects[0] is values[0] else {}
    if header.get("type") != "session" or not isinstance(header.get("id"), str):
        raise NotASessionError(path)
    return objects


def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _chain(values: list[dict[str, Any]]) -> None:
    """Give a version 1 log ids and parents: one chain. A compaction keeps from a number in the file, the header's is 0."""
    parent: str | None = None
    for number, value in enumerate(values):
        if value.get("type") == "session":
            continue
        value["id"], value["parentId"] = f"made-up-{number}", parent
        parent = value["id"]
        index = value.get("firstKeptEntryIndex")
        if isinstance(index, int) and index <= number:
            value["firstKeptEntryId"] = f"made-up-{index}"


def _walk(entries: list[dict[str, Any]], places: dict[str, int], leaf: int) -> list[int] | None:
    """Return the path root to leaf, or ``None`` when it runs in a circle."""
    path: list[int] = []
    place: int | None = leaf
    while place is not None:
        if place in path:
            return None
        path.append(place)
        place = places.get(entries[place].get("parentId") or "")
    return path[::-1]


def _answer(entries: list[dict[str, Any]], branch: list[int]) -> LeafAnswer:
    context = _context(entries, branch)
    return LeafAnswer(branch[-1], tuple(branch), tuple(context), tuple(_visible(entries, context)))


def _context(entries: list[dict[str, Any]], branch: list[int]) -> list[int]:
    compactions = [at for at, place in enumerate(branch) if entries[place].get("type") == "compaction"]
    if not compactions:
        return branch
    at = compactions[-1]
    before = branch[:at]
    ids_before = [entries[place]["id"] for place in before]
    kept_id = entries[branch[at]].get("firstKeptEntryId")
    kept = before[ids_before.index(kept_id) :] if kept_id in ids_before else []
    return [branch[at], *(place for place in kept if not _is_system(entries[place])), *branch[at + 1 :]]


def _is_system(entry: dict[str, Any]) -> bool:
    message: dict[str, Any] = entry.get("message") or {}
    return entry.get("type") == "message" and message.get("role") == "system"


def _visible(entries: list[dict[str, Any]], context: list[int]) -> list[int]:
    edits = [entries[place] for place in context if entries[place].get("type") == "context_edit"]
    last_edit = {edit["targetId"]: edit["replacement"] for edit in edits if "replacement" in edit}
    visible: list[int] = []
    for at, place in enumerate(context):
        entry = entries[place]
        kind = entry.get("type")
        speaks = kind in _SPEAKING or (kind == "branch_summary" and bool(entry.get("summary")))
        if kind == "compaction" and at > 0:
            speaks = False
        if speaks and last_edit.get(entry["id"], "unedited") is not None:
            visible.append(place)
    return visible
