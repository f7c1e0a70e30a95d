"""Progress as JSON lines: the first and the last of a stage always, few in between."""

from __future__ import annotations

import json
from typing import Any

from uncompact.pipelines.errors import BusyError
from uncompact.pipelines.run_report import RunReport
from uncompact.query.progress_events import ProgressEvents

JsonObject = dict[str, Any]


class Clock:
    """Seconds that pass only when a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def listening() -> tuple[ProgressEvents, Clock, list[JsonObject]]:
    clock, told = Clock(), list[JsonObject]()
    return ProgressEvents(lambda line: told.append(json.loads(line)), clock), clock, told


def test_a_stage_begins_and_ends_with_an_event() -> None:
    events, clock, told = listening()
    events.stage("read", 10)
    clock.now = 0.1
    events.advance(4)
    events.advance(6)
    events.stage("commit")

    common = {"stage": "read", "total_bytes": 10}
    assert told == [
        {"event": "stage", "done_bytes": 0, "logs": 0, "seconds": 0.0, **common},
        {"event": "progress", "done_bytes": 10, "logs": 2, "seconds": 0.1, **common},
        {
            "event": "stage",
            "stage": "commit",
            "total_bytes": None,
            "done_bytes": 0,
            "logs": 0,
            "seconds": 0.0,
        },
    ]


def test_a_few_events_a_second_are_enough() -> None:
    events, clock, told = listening()
    events.stage("read", 1000)
    for _ in range(1000):
        clock.now += 0.001
        events.advance(1)

    assert 1 + 3 <= len(told) <= 1 + 4


def test_a_part_of_a_log_is_no_log() -> None:
    events, clock, told = listening()
    events.stage("read", 10)
    clock.now = 1
    events.advance(5, logs=0)

    assert (told[-1]["done_bytes"], told[-1]["logs"]) == (5, 0)


def test_the_last_lines_are_the_warnings_and_the_outcome() -> None:
    events, clock, told = listening()
    events.stage("discover")
    report = RunReport(seen=2, entries_added=5, bytes_read=70, warnings=["a.jsonl: empty file"])
    report.end()
    clock.now = 2
    events.end(report)

    assert told[-2:] == [
        {"event": "warning", "message": "a.jsonl: empty file"},
        {
            "event": "done",
            "outcome": "ok",
            "error": None,
            "logs": 2,
            "entries_added": 5,
            "bytes_read": 70,
            "warnings": 1,
            "seconds": 2,
        },
    ]


def test_a_run_that_failed_says_with_what_kind_of_error() -> None:
    events, _, told = listening()
    report = RunReport()
    report.end(BusyError("another process"))
    events.end(report)

    assert [(one["event"], one["outcome"], one["error"]) for one in told] == [("done", "failed", "busy")]
