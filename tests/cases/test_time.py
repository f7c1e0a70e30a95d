"""Timestamps of every kind: read when they can be, never a reason to lose or to favour an entry."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cases.builders import OpenCase, index_case


@pytest.mark.parametrize(
    ("entry_id", "created_at"),
    [
        pytest.param("a0000001", None, id="missing"),
        pytest.param("a0000002", "2026-03-14T09:00:00.000Z", id="UTC"),
        pytest.param("a0000003", "2026-03-14T09:00:00.000Z", id="with an offset"),
        pytest.param("a0000004", "2026-03-14T09:00:00.000Z", id="milliseconds"),
        pytest.param("a0000005", "2026-03-14T09:00:00.000Z", id="seconds"),
        pytest.param("a0000006", "2026-03-14T09:00:00.000Z", id="digits in a text"),
        pytest.param("a0000007", "2899-06-01T00:00:00.000Z", id="far future"),
        pytest.param("a0000008", None, id="negative"),
        pytest.param("a0000009", None, id="words"),
        pytest.param("a000000a", None, id="a day that does not exist"),
        pytest.param("a000000b", "2026-03-14T09:00:00.000Z", id="without a zone"),
        pytest.param("a000000c", None, id="an object"),
        pytest.param("a000000d", None, id="empty"),
    ],
)
def test_a_timestamp_is_read_or_left_out(open_case: OpenCase, entry_id: str, created_at: str | None) -> None:
    assert open_case("odd_timestamps").entries()[entry_id]["created_at"] == created_at


def test_no_entry_is_lost_over_its_timestamp(open_case: OpenCase) -> None:
    logs = open_case("odd_timestamps")

    assert len(logs.entries()) == 17
    assert logs.report["rejects"]["total"] == 0
    assert len(logs.retrieve("`sounding_log`", max_results=20).ids) == 13


def test_entries_without_a_time_come_last_of_equals(open_case: OpenCase) -> None:
    hits = open_case("odd_timestamps").retrieve("`sounding_log`", max_results=20).hits

    dated = [hit["created_at"] is not None for hit in hits]
    assert dated == [True] * 7 + [False] * 6


def test_evidence_shows_times_with_their_zone(open_case: OpenCase) -> None:
    answer = open_case("odd_timestamps").retrieve("`sounding_log`", max_results=20)

    assert "\nDate: 2026-03-14T09:00:00.000Z\n" in answer.hit("a000000b")["message"]["content"]


def test_a_far_future_time_does_not_beat_the_exact_identifier(open_case: OpenCase) -> None:
    answer = open_case("far_future_timestamp").retrieve("`winch_key` changes")

    assert answer.ids[0] == "a0000001"
    assert answer.hit("a0000001")["tier"] == "literal-identifier"


def test_a_restored_log_with_an_old_file_time_is_read(tmp_path: Path) -> None:
    first = index_case("plain_session", tmp_path)
    restored = first.root / "restored.jsonl"
    text = (first.root / "s.jsonl").read_text("utf-8")
    restored.write_text(text.replace("0195a000", "0195b000").replace("hull_number", "old_hull"), "utf-8")
    os.utime(restored, (1_400_000_000, 1_400_000_000))
    logs = first.again()

    assert len(logs.sessions()) == 2
    assert set(logs.retrieve("`old_hull`", log="restored.jsonl").ids) == {"a0000001", "a0000002"}
