"""The companion holds what the lake holds, however it came there."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases.builders import assistant, compaction, entry, header, tool_result, user, write_log
from tests.pipelines.companion_rows import companion_rows, passage_texts, postings, reachable_terms
from uncompact.pipelines.companion_db import EXPLICIT_PASSAGES, connect_reader, first_row, read_codec
from uncompact.pipelines.companion_file import load_companion, rebuild_companion
from uncompact.pipelines.index_text import index_text
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.lake_writer import LakeWriter
from uncompact.pipelines.reindex import reindex
from uncompact.pipelines.sqlite import execute, rows, value
from uncompact.pipelines.store import StorePaths

JsonObject = dict[str, Any]


def talk(name: str, turns: int) -> list[JsonObject]:
    lines = [header(f"s-{name}", f"/srv/{name}")]
    for at in range(turns):
        parent = str(at - 1) if at % 5 else None if at == 0 else str(at - 2)
        lines.append(user(str(at), parent, f"{name} turn {at} " + f"word{at % 7} " * (at * 40)))
    return lines


def companion(store: Path) -> Path:
    return StorePaths(store).companion


def found_entries(store: Path, word: str) -> set[str]:
    texts = passage_texts(companion(store))
    return {texts[passage][0] for passage, term in postings(companion(store)) if term == word}


def indexed(logs: Path, store: Path, *lines: JsonObject) -> Path:
    write_log(logs / "s.jsonl", [header(), *lines])
    reindex([logs], store)
    return companion(store)


def ranges(path: Path) -> dict[str, tuple[int, int]]:
    """Map each entry's id to where its passages begin, from the session's first row, and their number."""
    sql = "select entry_id, first_passage - ?, passages from entries order by id"
    with closing(connect_reader(path)) as connection:
        return {one: (first, count) for one, first, count in rows(connection, sql, (first_row(1),))}


def test_loading_step_by_step_equals_building_anew(logs: Path, store: Path) -> None:
    for name, turns in (("c", 3), ("a", 40), ("b", 7)):
        write_log(logs / f"{name}.jsonl", talk(name, turns))
        reindex([logs], store)
    write_log(
        logs / "a.jsonl", [*talk("a", 12), compaction("k", "11", "6"), assistant("z", "k", "after all")]
    )
    reindex([logs], store)
    lake = open_lake(StorePaths(store).lake)
    gone = lake.scan("sessions").filter(session_id="s-c").collect()["session_key"].item()
    shrunk = LakeWriter(lake, "shrink").commit({gone})
    loaded = load_companion(shrunk, StorePaths(store))
    before = companion_rows(loaded)

    anew = rebuild_companion(shrunk, StorePaths(store))

    assert loaded != anew
    assert before == companion_rows(anew)
    assert gone not in {key for key, _ in companion_rows(companion(store))}


def test_words_of_a_session_that_left_the_lake_are_out_of_reach(logs: Path, store: Path) -> None:
    write_log(logs / "keep.jsonl", talk("keep", 3))
    write_log(logs / "gone.jsonl", talk("gone", 3))
    reindex([logs], store)
    lake = open_lake(StorePaths(store).lake)
    gone = lake.scan("sessions").filter(session_id="s-gone").collect()["session_key"].item()

    load_companion(LakeWriter(lake, "shrink").commit({gone}), StorePaths(store))

    assert reachable_terms(companion(store)) == {
        "keep", "turn", "0", "1", "2", "word1", "word2"
    }  # fmt: skip


def test_words_of_a_rewritten_log_replace_the_older_ones(logs: Path, store: Path) -> None:
    indexed(logs, store, user("a", None, "alder"), user("b", "a", "birch"))

    path = indexed(logs, store, user("a", None, "cedar"))

    assert reachable_terms(path) == {"cedar"}


def test_a_companion_full_of_replaced_words_is_built_anew(logs: Path, store: Path) -> None:
    for word in ("alder", "birch", "cedar"):
        path = indexed(logs, store, *[user(f"e{at}", None, f"{word} {at}") for at in range(1100)])

    words = {term for _, term in postings(path) if term.isalpha()}
    assert words == {"cedar"}


@settings(max_examples=12)
@given(
    texts=st.lists(
        st.lists(st.sampled_from(["pool", "Size", "37", "->", "大小", "✅", "naïve", "x\0y", "\n", "z" * 300]), max_size=30),
        min_size=1, max_size=5,
    )
)  # fmt: skip
def test_the_word_index_holds_exactly_the_words_of_prepared_passages(
    tmp_path_factory: pytest.TempPathFactory, texts: list[list[str]]
) -> None:
    folder = tmp_path_factory.mktemp("words")
    (folder / "logs").mkdir()
    path = indexed(
        folder / "logs",
        folder / "store",
        *[user(str(at), None, " ".join(words)) for at, words in enumerate(texts)],
    )

    expected = {
        (passage, word.lower().replace("ï", "i"))
        for passage, (_, _, text) in passage_texts(path).items()
        for word in re.findall(r"\w+", index_text(text))
    }
    assert set(postings(path)) == expected


def test_rows_of_a_session_stay_in_its_range(logs: Path, store: Path) -> None:
    for name in ("a", "b", "c"):
        write_log(logs / f"{name}.jsonl", talk(name, 12))
        reindex([logs], store)
    write_log(logs / "a.jsonl", talk("a", 30))
    reindex([logs], store)

    sql = "select id from entries where session = ? order by id"
    with closing(connect_reader(companion(store))) as connection:
        for number, entries in list(rows(connection, "select number, entries from sessions")):
            ids = [row for (row,) in rows(connection, sql, (number,))]
            assert ids == list(range(first_row(number), first_row(number) + entries))
        numbers = {number for (number,) in rows(connection, "select number from sessions")}
        assert {row >> 32 for (row,) in rows(connection, "select id from passages")} == numbers


def test_passages_for_automatic_retrieval_count_on_in_file_order(logs: Path, store: Path) -> None:
    path = indexed(
        logs, store, user("a", None, "one"), user("b", "a", "word " * 500), user("c", "b", ""), user("d", "c", "x")
    )  # fmt: skip

    assert ranges(path) == {"a": (0, 1), "b": (1, 2), "c": (3, 0), "d": (3, 1)}


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(entry("message", "a", None, message={"role": "assistant", "content": "x", "stopReason": "aborted"}), id="aborted turn"),
        pytest.param(entry("message", "a", None, message={"role": "bashExecution", "command": "x", "excludeFromContext": True}), id="shell run kept back"),
        pytest.param(compaction("a", "z", "z"), id="summary of a compaction"),
    ],
)  # fmt: skip
def test_what_only_explicit_search_may_find_has_a_range_of_its_own(
    logs: Path, store: Path, line: JsonObject
) -> None:
    path = indexed(logs, store, line, user("b", "a", "y"))

    assert ranges(path) == {"a": (EXPLICIT_PASSAGES, 1), "b": (0, 1)}


def test_entries_off_the_tree_are_for_explicit_search_alone(logs: Path, store: Path) -> None:
    path = indexed(logs, store, user("a", None, "early"), user("a", None, "late"))

    sql = "select first_passage - ? from entries order by id"
    with closing(connect_reader(path)) as connection:
        assert [first for (first,) in rows(connection, sql, (first_row(1),))] == [EXPLICIT_PASSAGES, 0]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(tool_result("a", None, "pool size 37", tool="history_recall"), id="own tool"),
        pytest.param(entry("custom_message", "a", None, customType="uncompact-evidence", content="x"), id="own message"),
        pytest.param(entry("message", "a", None, message={"role": "system", "content": "Be brief."}), id="system"),
        pytest.param(entry("message", "a", None, message={"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]}), id="thinking"),
        pytest.param(entry("label", "a", None, targetId="z", label="mark"), id="label"),
        pytest.param(entry("custom", "a", None, customType="state", data={"text": "x"}), id="extension state"),
    ],
)  # fmt: skip
def test_what_is_no_evidence_has_no_passages(logs: Path, store: Path, line: JsonObject) -> None:
    path = indexed(logs, store, line)

    assert ranges(path) == {"a": (0, 0)} or ranges(path) == {"a": (EXPLICIT_PASSAGES, 0)}
    assert postings(path) == []


def test_a_tool_result_is_found_by_its_calls_path(logs: Path, store: Path) -> None:
    call = {"type": "toolCall", "id": "call_b", "name": "read", "arguments": {"path": "src/harbour.py"}}
    lines = [
        entry("message", "a", None, message={"role": "assistant", "content": [call]}),
        tool_result("b", "a", "line of code\n" * 300, tool="read"),
    ]
    path = indexed(logs, store, *lines)

    labels = {(one, label) for one, label, _ in passage_texts(path).values()}
    assert labels == {("a", "read src/harbour.py"), ("b", "read src/harbour.py")}
    assert len([term for _, term in postings(path) if term == "harbour"]) == 1 + 3


def test_a_state_without_a_change_changes_nothing(logs: Path, store: Path) -> None:
    path = indexed(logs, store, user("a", None, "x"))
    before = companion_rows(path)

    load_companion(open_lake(StorePaths(store).lake), StorePaths(store))

    assert companion_rows(path) == before


def test_a_reader_opened_before_a_run_reads_what_it_wrote(logs: Path, store: Path) -> None:
    turns = [user(str(at), None, f"turn {at} " + f"word{at % 9} " * 60) for at in range(150)]
    path = indexed(logs, store, *turns)
    with closing(connect_reader(path)) as connection:
        codec = read_codec(connection)

        indexed(logs, store, user("z", None, "pool size 37"), *turns[1:])

        packed = value(connection, "select body from passages order by id limit 1")
        assert codec.unpack(packed) == "pool size 37"


def zeroed(start: int, end: int, data: bytes) -> bytes:
    return data[:start] + bytes(len(data[start:end])) + data[end:]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda data: b"",
    "other file": lambda data: b"no database at all",
    "header zeroed": lambda data: zeroed(0, 100, data),
    "cut in half": lambda data: data[: len(data) // 2],
    "first pages zeroed": lambda data: zeroed(8192, 8192 * 4, data),
    "last pages zeroed": lambda data: zeroed(len(data) - 8192 * 9, len(data), data),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_companion_is_built_anew(logs: Path, store: Path, damage: Callable[[bytes], bytes]) -> None:
    write_log(logs / "a.jsonl", talk("a", 30))
    reindex([logs], store)
    companion(store).write_bytes(damage(companion(store).read_bytes()))
    write_log(logs / "a.jsonl", talk("a", 31))

    reindex([logs], store)

    with closing(connect_reader(companion(store))) as connection:
        assert value(connection, "select count(*) from entries") == 31
        assert value(connection, "pragma integrity_check") == "ok"


def test_a_companion_of_another_version_is_built_anew(logs: Path, store: Path) -> None:
    path = indexed(logs, store, user("a", None, "x"))
    with closing(apsw.Connection(str(path))) as connection:
        execute(connection, "update meta set value = '99' where name = 'version'")

    reindex([logs], store)

    with closing(connect_reader(companion(store))) as connection:
        assert value(connection, "select count(*) from entries") == 1


def test_many_small_logs_train_a_dictionary_together(logs: Path, store: Path) -> None:
    for name in range(30):
        write_log(logs / f"{name}.jsonl", talk(f"t{name}", 8))
    reindex([logs], store)

    with closing(connect_reader(companion(store))) as connection:
        assert value(connection, "select value from meta where name = 'dictionary'") is not None
