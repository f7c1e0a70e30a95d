"""Damaged Pi logs: no line costs another one, and both readings of a log agree on every byte."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases.builders import assistant, encode, entry, header, user
from tests.pipelines.pi_logs import JsonObject, entries, open_log, records
from uncompact.pipelines.sources.records import Cursor, Entry, Link, Reject, SessionField

damaged_line = st.one_of(
    st.sampled_from(["a", "b", "c"]).map(lambda one: encode(user(one, None, "x"))),
    st.sampled_from(["a", "b"]).map(lambda one: encode(user(one, "a", "x"))[:-20] + encode(user("w", one, "y"))),
    st.just(encode(user("a", None, "x")) [:-1] + encode(user("b", "a", "y"))),
    st.sampled_from([b"\n", b"null\n", b"[]\n", b"[1]\n", b"7\n", b"{}\n", b"\xff\n", b"\0\0\n", b"{\n", b"\r\n"]),
    st.sampled_from([b"1e999", b"9" * 5000, b"[" * 3000 + b"]" * 3000, b'"\\ud800"', b"NaN", b"01"]).map(
        lambda value: b'{"type":"message","id":"n","replacement":%s,"timestamp":%s}\n' % (value, value)
    ),
    st.just(encode(header("again"))),
    st.just(encode(entry("compaction", "k", "a", firstKeptEntryIndex=2, summary="s"))),
    st.binary(max_size=30),
)  # fmt: skip


@settings(max_examples=150)
@given(lines=st.lists(damaged_line, max_size=8), version=st.sampled_from([1, 2, 3, "3", None, "x"]))
def test_links_and_records_name_the_same_entries(tmp_path: Path, lines: list[bytes], version: object) -> None:
    log = open_log(tmp_path, *lines, version=version)

    found = [record for record in log.records() if isinstance(record, Entry)]

    linked = [Link(one.entry_id, one.parent_id, one.recovered) for one in found]
    assert list(log.links()) == linked
    assert [one.pos for one in found] == list(range(len(found)))


def test_two_entries_on_one_line_are_kept_off_the_tree(tmp_path: Path) -> None:
    welded = encode(user("b", "a", "two"))[:-1] + encode(user("c", "b", "three"))

    found = records(tmp_path, user("a", None, "one"), welded)

    assert [(one.entry_id, one.text, one.recovered) for one in found if isinstance(one, Entry)] == [
        ("a", "one", False),
        ("b", "two", True),
        ("c", "three", True),
    ]
    assert [one.reason for one in found if isinstance(one, Reject)] == ["welded"]


def test_the_parts_of_a_torn_message_are_no_entries(tmp_path: Path) -> None:
    torn = encode(assistant("b", "a", "two"))[:-40]

    found = entries(tmp_path, user("a", None, "one"), torn + encode(user("c", "b", "three")))

    assert [one.entry_id for one in found] == ["a", "c"]


def test_lines_that_are_no_entry_are_named_with_a_reason(tmp_path: Path) -> None:
    found = records(tmp_path, b"{\n", b"\n", b"[1]\n", b'"x"\n', b"\xff\xfe\n")

    assert [(one.line, one.reason) for one in found if isinstance(one, Reject)] == [
        (2, "not-json"),
        (4, "not-an-object"),
        (5, "not-an-object"),
        (6, "not-json"),
    ]


def test_an_unterminated_last_line_is_left(tmp_path: Path) -> None:
    log = open_log(tmp_path, user("a", None, "one"), encode(user("b", "a", "two"))[:-1])

    assert [one.entry_id for one in log.records() if isinstance(one, Entry)] == ["a"]
    assert log.pending_line() == 3
    assert log.cursor() == Cursor(len(encode(header())) + len(encode(user("a", None, "one"))), 2, 1)


def test_what_is_appended_after_the_log_was_found_is_left(tmp_path: Path) -> None:
    log = open_log(tmp_path, user("a", None, "one"))
    with log.path.open("ab") as file:
        file.write(encode(user("b", "a", "two")))

    assert [one.entry_id for one in log.links()] == ["a"]


def test_the_leaf_is_the_last_line_that_is_whole(tmp_path: Path) -> None:
    log = open_log(tmp_path, user("a", None, "1"), b"x" + encode(user("b", "a", "2")), b"torn\n")

    assert log.leaf_pos() is None
    list(log.links())
    assert log.leaf_pos() == 0


def test_a_name_from_a_damaged_line_is_not_the_sessions(tmp_path: Path) -> None:
    lines: list[JsonObject | bytes] = [
        entry("session_info", "a", None, name="Harbour"),
        b"x" + encode(entry("session_info", "b", "a", name="Other")),
    ]
    found = records(tmp_path, *lines)

    assert [one.value for one in found if isinstance(one, SessionField)] == ["Harbour"]
