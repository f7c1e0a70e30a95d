"""Logs of a run: one line a stage, numbers alone, and silence unless somebody listens."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases.builders import user
from tests.pipelines.stores import append, log
from uncompact.pipelines.log_events import log_event
from uncompact.pipelines.reindex import reindex


def test_an_event_has_its_facts(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "uncompact")
    log_event("read", seconds=0.5, seen=3)
    (record,) = caplog.records

    assert (record.name, record.levelname, record.getMessage()) == (
        "uncompact",
        "INFO",
        "read seconds=0.5 seen=3",
    )
    assert (record.__dict__["event"], record.__dict__["facts"]) == ("read", {"seconds": 0.5, "seen": 3})


def test_each_stage_logs_one_line(logs: Path, store: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "uncompact")
    append(log(logs, "a.jsonl", user("a1", None, "Hello")), b"not json\n")
    reindex([logs], store)
    events = {record.__dict__["event"]: record.__dict__["facts"] for record in caplog.records}

    assert [name for name in events if name != "tidy"] == ["discover", "read", "commit", "companion", "total"]
    assert (events["read"]["entries_added"], events["read"]["rejects"]) == (1, 1)


def test_nothing_is_printed_unless_a_program_asks_for_it(logs: Path, store: Path) -> None:
    log(logs, "a.jsonl", user("a1", None, "Hello"))
    program = (
        "import sys; from pathlib import Path; from uncompact.pipelines.reindex import reindex;"
        "reindex([Path(sys.argv[1])], Path(sys.argv[2]))"
    )
    command = [sys.executable, "-c", program, str(logs), str(store)]
    done = subprocess.run(command, capture_output=True, check=True)

    assert (done.stdout, done.stderr) == (b"", b"")
