"""What is left of a session, stated as if it were all of it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from tests.cases.builders import encode, header
from tests.pipelines.any_sessions import session_lines
from tests.pipelines.lake_rows import rows
from tests.pipelines.stores import run, table
from uncompact.pipelines.salvaged_entries import FoundEntry, pick_entries
from uncompact.pipelines.salvaged_session import FACTS, find_segments, is_unread, restate_session


def facts_of(entries: pl.DataFrame) -> pl.DataFrame:
    chars = pl.col("text").str.len_chars().alias("text_chars")
    return entries.sort("pos").select("project_key", *FACTS, chars)


@settings(max_examples=25)
@given(lines=session_lines())
def test_segments_found_anew_are_those_that_were_lost(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    folder = tmp_path_factory.mktemp("session")
    (folder / "logs").mkdir()
    (folder / "logs" / "s.jsonl").write_bytes(encode(header()) + b"".join(lines))
    run(folder / "logs", folder / "store")
    held = table(folder / "store", "segments")

    found = find_segments(facts_of(table(folder / "store", "entries")), held.clear())

    assert_frame_equal(found, held, check_row_order=False)


@settings(max_examples=25)
@given(lines=session_lines(), data=st.data())
def test_entries_in_the_lake_are_linked_by_their_chain(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("session")
    (folder / "logs").mkdir()
    (folder / "logs" / "s.jsonl").write_bytes(encode(header()) + b"".join(lines))
    run(folder / "logs", folder / "store")
    columns = ("pos", "chain", "raw_sha256", "entry_id")
    entries = table(folder / "store", "entries").sort("pos").select(columns).rows()
    found = [FoundEntry(pos, chain, sha, one, 0, "", 0, pos) for pos, chain, sha, one in entries]
    known = data.draw(st.integers(0, len(found)))

    chain = found[known - 1].chain if known else None
    picked = pick_entries(found, chain, known, least_standing=1)

    assert len(picked) == (len(found) if known else 0)


def test_a_restated_session_counts_what_is_left_and_is_unread() -> None:
    entry = {"session_key": "s", "entry_id": "b", "pos": 1, "on_tree": True, "chain": "c", "text": "four"}
    facts = facts_of(
        rows("entries", entry, {**entry, "entry_id": "d", "pos": 3, "on_tree": False, "chain": "e"})
    )
    counts = {"segments": 1, "compactions": 0, "rejects": 2}

    row = restate_session({"session_key": "s", "path": "/srv/s.jsonl", "entries": 9}, facts, counts)

    names = ("path", "entries", "branches", "rejects", "text_chars", "leaf", "leaf_pos", "fingerprint")
    assert [row[name] for name in names] == ["/srv/s.jsonl", 2, 1, 2, 8, "b", 1, "e"]
    assert is_unread(row)


def test_a_session_of_which_nothing_is_left_has_no_leaf(tmp_path: Path) -> None:
    counts = {"segments": 0, "compactions": 0, "rejects": 0}

    row = restate_session({"session_key": "s"}, facts_of(rows("entries")), counts)

    assert (row["entries"], row["leaf"], row["last_at"], row["fingerprint"]) == (0, None, None, "")
