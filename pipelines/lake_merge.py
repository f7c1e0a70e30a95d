"""Which small files of a table to make one: few files at any time, and each row written anew a few times at most.

Every run adds a file for each project and table. Files are told apart by size, each class eight times the one below;
when a project has too many of one class they become one file, which then counts for the next class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .lake_log import LoggedFile

__all__ = ["plan_merges"]

# Upper ends of the classes, and so many files of each are left as they are: what is larger is large enough. Of the
# smallest there are fewest, because they cost no less to open than others, and next to nothing to write anew.
_CLASSES = ((64 << 10, 3), (512 << 10, 7), (4 << 20, 7))
# Texts are five to eight times as large in memory.
_MERGED_BYTES = 12 << 20


def plan_merges(files: Iterable[LoggedFile]) -> Iterator[list[LoggedFile]]:
    """Yield groups of files to make one; those of a group are of one project and at most 12 MB together."""
    classes: dict[tuple[str, int], list[LoggedFile]] = {}
    for file in files:
        size_class = next((at for at, (end, _) in enumerate(_CLASSES) if file.size < end), None)
        if size_class is not None:
            classes.setdefault((file.project, size_class), []).append(file)
    for (_, size_class), members in classes.items():
        if len(members) > _CLASSES[size_class][1]:
            yield from (group for group in _groups(members) if len(group) > 1)


def _groups(files: Sequence[LoggedFile]) -> Iterator[list[LoggedFile]]:
    group: list[LoggedFile] = []
    held = 0
    for file in sorted(files, key=lambda one: one.path):
        if group and held + file.size > _MERGED_BYTES:
            yield group
            group, held = [], 0
        group.append(file)
        held += file.size
    yield group
