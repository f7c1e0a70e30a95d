"""Records to rows: keys, hashes and labels, each table in its schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.pipelines import frames
from uncompact.pipelines.frames import EntryBatch, SessionKey
from uncompact.pipelines.schema import TABLES
from uncompact.pipelines.sources.records import Compaction, ContextEdit, Entry, Link, Usage
from uncompact.pipelines.tree import Labels, label_tree

KEY = SessionKey("srv-x-1", "0123456789abcdef")
NO_LABELS = label_tree([]).labels()


def an_entry(pos: int = 0, entry_id: str = "a", *, text: str = "", kind: str = "message") -> Entry:
    return Entry(pos, pos + 2, 0, 10, "0" * 64, entry_id, None, None, kind, text=text, role="user")


def entry_rows(*entries: Entry, labels: Labels | None = None) -> pl.DataFrame:
    links = [Link(one.entry_id, one.parent_id, one.recovered) for one in entries]
    batch = EntryBatch()
    for at, one in enumerate(entries):
        batch.add(one, f"{at:016x}")
    columns = frames.entry_columns(KEY, batch, labels or label_tree(links).labels(), no_calls)
    return frames.table_frame("entries", columns)


def no_calls(_call_id: str) -> None:
    return None


@pytest.mark.parametrize(
    ("table", "build"),
    [
        ("entries", lambda: frames.entry_columns(KEY, EntryBatch(), NO_LABELS, no_calls)),
        ("segments", lambda: frames.segment_columns(KEY, NO_LABELS)),
        ("compactions", lambda: frames.compaction_columns(KEY, [])),
        ("compaction_keeps", lambda: frames.keep_columns(KEY, [], NO_LABELS)),
        ("context_edits", lambda: frames.context_edit_columns(KEY, [], NO_LABELS)),
        ("branch_summaries", lambda: frames.branch_summary_columns(KEY, [])),
        ("tool_calls", lambda: frames.tool_call_columns(KEY, [])),
        ("usage", lambda: frames.usage_columns(KEY, [])),
        ("rejects", lambda: frames.reject_columns(KEY, [])),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_no_records_make_an_empty_frame_in_the_tables_schema(
    table: str, build: Callable[[], frames.Columns]
) -> None:
    frame = frames.table_frame(table, build())

    assert (frame.height, frame.schema) == (0, TABLES[table].schema)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("Pool size:  37\n", "pool size: 37", True),
        ("a b", "ab", False),
        ("\r\n\f\v\t x", "X", True),
        ("É", "é", False),
        ("a\u00a0b", "ab", False),
        ("37", "73", False),
    ],
    ids=[
        "case and blanks",
        "blanks between words",
        "all white space",
        "accented capitals",
        "no-break space",
        "order",
    ],
)
def test_texts_that_differ_in_ascii_case_and_white_space_hash_alike(
    one: str, other: str, equal: bool
) -> None:
    assert (frames.text_hash(one) == frames.text_hash(other)) == equal


@given(texts=st.lists(st.text(st.sampled_from("aA é\t\n\r\v\f\0\u2028🚀")), max_size=8))
def test_texts_of_a_batch_hash_as_each_does(texts: list[str]) -> None:
    rows = entry_rows(*(an_entry(at, str(at), text=text) for at, text in enumerate(texts)))

    assert rows["text"].to_list() == texts
    assert rows["text_hash"].to_list() == [frames.text_hash(text) for text in texts]


@given(text=st.text())
def test_only_a_text_without_words_has_no_hash(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()

    assert (frames.text_hash(text) == "") == (text.strip(" \t\n\r\f\v") == "")


def test_a_session_is_keyed_by_its_source_and_path() -> None:
    keys = {
        frames.session_key("pi", b"/logs/a.jsonl"),
        frames.session_key("pi", b"/logs/b.jsonl"),
        frames.session_key("other", b"/logs/a.jsonl"),
    }

    assert len(keys) == 3
    assert all(len(key) == 16 for key in keys)


def test_labels_and_gaps_come_from_the_tree() -> None:
    entries = [an_entry(0, "a"), an_entry(1, "b"), an_entry(2, "a"), an_entry(3, "c")]
    tree = label_tree([Link("a", None), Link("b", "a"), Link("a", "b"), Link("c", "lost")])

    rows = entry_rows(*entries, labels=tree.labels())

    assert rows.select("on_tree", "gap", "segment", "position").rows() == [
        (False, False, -1, 0),
        (True, True, 0, 0),
        (True, False, 0, 1),
        (True, True, 1, 0),
    ]


def test_copies_have_one_key_whatever_line_they_stand_on() -> None:
    original, copy = an_entry(0, "a", text="x"), an_entry(7, "a", text="x")
    others = [
        an_entry(1, "b", text="x"),
        an_entry(2, "a", text="y"),
        an_entry(3, "a", text="x", kind="label"),
    ]

    keys = entry_rows(original, *others)["copy_key"].to_list()

    assert entry_rows(*[an_entry(at, str(at)) for at in range(7)], copy)["copy_key"][7] == keys[0]
    assert len(set(keys)) == 4


def test_columns_of_several_sessions_make_one_frame() -> None:
    labels = label_tree([Link("a", None)]).labels()
    first, second = (frames.segment_columns(SessionKey("p", name), labels) for name in ("one", "two"))

    rows = frames.table_frame("segments", {name: first[name] + second[name] for name in first})

    assert rows.select("session_key", "segment").rows() == [("one", 0), ("two", 0)]


def test_segments_say_where_they_leave_another() -> None:
    tree = label_tree([Link("a", None), Link("b", "a"), Link("c", "b"), Link("d", "b")])

    rows = frames.table_frame("segments", frames.segment_columns(KEY, tree.labels()))

    assert rows.select("segment", "parent_segment", "parent_position").rows() == [(0, None, None), (1, 0, 1)]


def test_a_compaction_that_keeps_nothing_has_no_row_of_keeps() -> None:
    tree = label_tree([Link("a", None)])
    kept = [
        Compaction(at, str(at), name, None, 0, False, False) for at, name in enumerate(["a", "lost", None])
    ]

    rows = frames.table_frame("compaction_keeps", frames.keep_columns(KEY, kept, tree.labels()))

    assert rows.select("pos", "kind", "kept_id", "kept_pos").rows() == [
        (0, "from", "a", 0),
        (1, "from", "lost", None),
    ]


def test_an_edit_of_an_unknown_entry_has_no_target() -> None:
    edits = [ContextEdit(3, "e", "edit", "lost", True)]
    rows = frames.table_frame("context_edits", frames.context_edit_columns(KEY, edits, NO_LABELS))

    assert rows.select("target_id", "target_pos", "removes").rows() == [("lost", None, True)]


def test_a_value_of_another_type_is_an_error_and_never_a_guess() -> None:
    wrong = Usage(0, "turn", None, None, cast("int", "many"), 0, 0, 0, 0.0)

    with pytest.raises(TypeError):
        frames.table_frame("usage", frames.usage_columns(KEY, [wrong]))
