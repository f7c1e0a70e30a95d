"""One log's branches and active contexts straight from its file: no store, for comparisons and small tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .active_context import ActiveContext, Branch, CompactionMark, EditMark, Place, active_context
from .errors import NotFoundError, SourceError
from .sources import find_file, recognise
from .sources.records import Compaction, ContextEdit, Cursor, Entry, Record
from .tree import NO_SEGMENT, Tree, label_tree

__all__ = ["LeafView", "SessionView", "read_session"]

_ALWAYS_SPEAKING = frozenset({"message", "custom_message", "compaction"})


@dataclass(frozen=True, slots=True)
class LeafView:
    """Entry ids for one leaf: the branch in path order, what of it is in context, and what is visible."""

    branch: tuple[str, ...]
    context: tuple[str, ...]
    visible: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SessionView:
    """A log's entries in file order (``entry_ids``), its current ``leaf``, and a view at any entry."""

    entry_ids: tuple[str, ...]
    leaf: str | None
    tree: Tree
    compactions: tuple[CompactionMark, ...]
    edits: tuple[EditMark, ...]
    _system: frozenset[int]
    _speaking: frozenset[int]

    def at(self, leaf: str) -> LeafView:
        """Return what the branch that ends at entry ``leaf`` holds.

        Raises ``NotFoundError`` when the log has no such entry.
        """
        place = self.tree.places.get(leaf)
        if place is None:
            raise NotFoundError("entry", leaf, [self.entry_ids[leaf] for leaf in self.tree.leaves()])
        branch = Branch(self.tree.branch(place))
        path = self.tree.path(place)
        context = active_context(branch, self.compactions, self.edits)
        in_context = list(self._in_context(path, context))
        return LeafView(
            tuple(self.entry_ids[place] for place in path),
            tuple(self.entry_ids[path[index]] for index in in_context),
            tuple(self.entry_ids[path[index]] for index in self._visible(path, in_context, context)),
        )

    def _in_context(self, path: list[int], context: ActiveContext) -> Iterator[int]:
        compaction = context.compaction
        if compaction is None:
            yield from range(len(path))
            return
        yield compaction
        kept = range(context.removed_until, compaction)
        yield from (index for index in kept if path[index] not in self._system)
        yield from range(compaction + 1, len(path))

    def _visible(self, path: list[int], in_context: list[int], context: ActiveContext) -> Iterator[int]:
        """Yield what makes a message; a compaction does so only at the head of the context."""
        compactions = {mark.at for mark in self.compactions}
        for order, index in enumerate(in_context):
            place = path[index]
            label = self.tree.segments[place], self.tree.positions[place]
            if (
                place in self._speaking
                and index not in context.emptied
                and (not order or label not in compactions)
            ):
                yield index


def read_session(path: Path) -> SessionView:
    """Read a log whole.

    Raises ``SourceError`` when no adapter knows the file.
    """
    found = find_file(path)
    recognised = recognise(found)
    if recognised is None:
        raise SourceError(path, "not a session log", hint="a Pi log starts with a line of type `session`")
    source, header = recognised
    log = source.open(found, header, Cursor())
    tree = label_tree(list(log.links()))
    records = list(log.records())
    entries = [record for record in records if isinstance(record, Entry)]
    leaf = log.leaf_pos()
    return SessionView(
        tuple(entry.entry_id for entry in entries),
        None if leaf is None else entries[leaf].entry_id,
        tree,
        tuple(_compaction_marks(records, tree)),
        tuple(_edit_marks(records, tree)),
        frozenset(entry.pos for entry in entries if entry.type == "message" and entry.role == "system"),
        frozenset(entry.pos for entry in entries if _speaks(entry)),
    )


def _speaks(entry: Entry) -> bool:
    """A branch summary makes a message only when it says something."""
    return entry.type in _ALWAYS_SPEAKING or (entry.type == "branch_summary" and bool(entry.text))


def _compaction_marks(records: Iterable[Record], tree: Tree) -> Iterator[CompactionMark]:
    for record in records:
        if isinstance(record, Compaction) and (at := _label(tree, record.pos)) is not None:
            yield CompactionMark(at, _label(tree, tree.places.get(record.kept_from or "")))


def _edit_marks(records: Iterable[Record], tree: Tree) -> Iterator[EditMark]:
    for record in records:
        if isinstance(record, ContextEdit) and (at := _label(tree, record.pos)) is not None:
            yield EditMark(at, _label(tree, tree.places.get(record.target_id)), record.removes)


def _label(tree: Tree, place: int | None) -> Place | None:
    if place is None or tree.segments[place] == NO_SEGMENT:
        return None
    return tree.segments[place], tree.positions[place]
