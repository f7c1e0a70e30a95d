"""Paths in requests, and logs in odd places: Windows paths, blanks, nested folders, links that loop."""

from __future__ import annotations

from pathlib import Path

import uncompact
from tests.cases.builders import OpenCase, index, index_case


def test_a_windows_path_is_a_literal(open_case: OpenCase) -> None:
    answer = open_case("windows_paths").retrieve(r"why did C:\dev\harbour\src\quay.rs fail")

    assert answer.literal_ids == {"a0000001", "a0000002"}
    assert set(answer.ids[:2]) == {"a0000001", "a0000002"}


def test_a_drive_letter_with_forward_slashes_is_found(open_case: OpenCase) -> None:
    assert open_case("windows_paths").retrieve("`E:/import/list.csv`").ids[0] == "a0000001"


def test_a_quoted_path_with_blanks_is_one_literal(open_case: OpenCase) -> None:
    answer = open_case("paths_with_blanks").retrieve('"/home/ada/Old Charts/tide tables/reader.py"')

    assert answer.ids[0] == "a0000001"
    assert answer.literal_ids == {"a0000001"}


def test_a_session_of_any_name_in_any_folder_is_found(open_case: OpenCase) -> None:
    logs = open_case("chosen_name_nested")
    answer = logs.retrieve("mast_opt", log="north/inner/2026-03-14_Harbour.Team_Log-4.jsonl")

    assert len(logs.sessions()) == 1
    assert set(answer.ids) == {"a0000001", "a0000002"}


def test_a_session_is_named_by_its_own_id_too(open_case: OpenCase) -> None:
    logs = open_case("chosen_name_nested")
    with uncompact.open_store(logs.store) as store:
        answer = store.retrieve("Harbour.Team_Log-4", "mast_opt").to_dict()

    assert {hit["entry_id"] for hit in answer["hits"]} == {"a0000001", "a0000002"}


def test_links_that_loop_or_lead_nowhere_add_no_session(tmp_path: Path) -> None:
    root = index_case("plain_session", tmp_path).root
    (root / "up").symlink_to("..")
    (root / "self").symlink_to("self")
    (root / "nowhere.jsonl").symlink_to("/nonexistent/x.jsonl")
    (root / "alias.jsonl").symlink_to("s.jsonl")
    logs = index(root, tmp_path / "fresh")

    assert len(logs.sessions()) == 1
    assert sorted(logs.retrieve("`hull_number`").ids) == ["a0000001", "a0000002"]


def test_a_link_to_a_log_does_not_rename_its_session(tmp_path: Path) -> None:
    first = index_case("plain_session", tmp_path)
    (first.root / "alias.jsonl").symlink_to("s.jsonl")
    logs = first.again()

    assert len(logs.sessions()) == 1
    assert sorted(logs.retrieve("`hull_number`").ids) == ["a0000001", "a0000002"]
