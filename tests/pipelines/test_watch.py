"""Following the logs with real processes: what is written can be found, and a signal ends it cleanly."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

import uncompact
from tests.cases.builders import compacted, encode, header, user
from tests.pipelines.stores import append, log, states
from uncompact.pipelines.store import StorePaths
from uncompact.pipelines.watch import watch_logs

JsonObject = dict[str, Any]
Start = Callable[..., "Watching"]

pytestmark = pytest.mark.usefixtures("time_limit")


class Watching:
    """A ``watch`` as a process; ``next`` waits for its next event."""

    def __init__(self, store: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "uncompact", "--store", str(store), "watch", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def next(self) -> JsonObject:
        assert self.process.stdout is not None
        event: JsonObject = json.loads(self.process.stdout.readline())
        return event

    def stop(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, bytes, bytes]:
        self.process.send_signal(number)
        out, err = self.process.communicate()
        return self.process.returncode, out, err


@pytest.fixture
def start(logs: Path, store: Path) -> Iterator[Start]:
    """Start watching the folder of logs; what still runs at the end is killed."""
    started: list[Watching] = []

    def watching(*arguments: str) -> Watching:
        started.append(Watching(store, str(logs), "--debounce", "0.05", *arguments))
        return started[-1]

    yield watching
    for one in started:
        one.process.kill()
        one.process.communicate()


def counts(event: JsonObject) -> tuple[str, int, int]:
    return event["event"], event["counts"]["logs"], event["counts"]["entries"]


def found(store: Path, path: Path, request: str) -> list[str]:
    with uncompact.open_store(store) as opened:
        return [hit["entry_id"] for hit in opened.retrieve(str(path), request).to_dict()["hits"]]


def test_appended_lines_can_be_found(logs: Path, store: Path, start: Start) -> None:
    path = log(logs, "a.jsonl", user("a1", None, "Hello"))
    watching = start("--json")
    assert counts(watching.next()) == ("reindexed", 1, 1)

    lines = [user("a2", "a1", "Set `pool_max_size` to 24"), *compacted("a2")]
    append(path, b"".join(map(encode, lines)))

    assert counts(watching.next()) == ("synced", 1, len(lines))
    assert found(store, path, "`pool_max_size`?") == ["a2"]
    code, out, err = watching.stop()
    assert (code, counts(json.loads(out)), err) == (0, ("stopped", 2, 1 + len(lines)), b"")


def test_new_and_vanished_logs_bring_a_reindex(logs: Path, store: Path, start: Start) -> None:
    log(logs, "a.jsonl", user("a1", None, "Hello"))
    watching = start("--json")
    watching.next()

    # A folder moved in at once: no event names the log in it.
    log(logs.parent, "new/b.jsonl", user("b1", None, "Hello"))
    (logs.parent / "new").rename(logs / "new")
    assert counts(watching.next()) == ("reindexed", 1, 1)
    (logs / "new" / "b.jsonl").unlink()
    event = watching.next()

    assert (event["event"], event["counts"]["vanished"]) == ("reindexed", 1)
    assert states(store) == [("s-a", "present"), ("s-b", "vanished")]


def test_failing_log_is_reported_and_the_others_go_on(logs: Path, start: Start) -> None:
    path, other = (log(logs, f"{name}.jsonl", user("a1", None, "Hello")) for name in "ab")
    watching = start("--json")
    watching.next()

    path.write_bytes(b"no log any more\n")
    event = watching.next()
    append(other, encode(user("a2", "a1", "More")))

    assert (event["counts"]["failed"], event["warnings"]) == (1, [f"{path}: not a session log"])
    assert counts(watching.next()) == ("synced", 1, 1)


def test_busy_store_is_retried(logs: Path, store: Path, start: Start) -> None:
    log(logs, "a.jsonl", user("a1", None, "Hello"))
    store.mkdir()
    with FileLock(StorePaths(store).lock):
        watching = start("--json")
        assert watching.next()["counts"]["busy"] == 1

    assert counts(watching.next()) == ("reindexed", 1, 1)


def test_interrupt_ends_with_a_line_on_standard_error(logs: Path, start: Start) -> None:
    log(logs, "a.jsonl", user("a1", None, "Hello"))
    watching = start()
    assert watching.process.stderr is not None
    first = watching.process.stderr.readline()

    code, out, err = watching.stop(signal.SIGINT)

    assert (code, out) == (0, b"")
    assert first.startswith(b"reindexed: 1 logs, 1 entries in ")
    assert err.startswith(b"stopped: 1 logs, 1 entries in ")


def test_folder_that_was_replaced_is_followed(logs: Path, start: Start) -> None:
    log(logs, "a.jsonl", user("a1", None, "Hello"))
    watching = start("--json")
    watching.next()

    logs.rename(logs.parent / "old")
    assert watching.next()["counts"]["vanished"] == 1
    log(logs.parent, "new/b.jsonl", user("b1", None, "Hello"))
    (logs.parent / "new").rename(logs)

    assert counts(watching.next()) == ("reindexed", 1, 1)


def test_link_to_a_log_is_no_second_log(logs: Path, store: Path, start: Start) -> None:
    path = log(logs, "a.jsonl", user("a1", None, "Hello"))
    (logs / "link.jsonl").symlink_to(path)
    watching = start("--json")
    watching.next()

    append(path, encode(user("a2", "a1", "More")))

    assert counts(watching.next()) == ("synced", 1, 1)
    with uncompact.open_store(store) as opened:
        assert [one["session_id"] for one in opened.sessions()] == ["s-a"]


class Flag:
    up = False

    def is_set(self) -> bool:
        return self.up


def test_events_end_when_the_flag_is_set(logs: Path, store: Path) -> None:
    log(logs, "a.jsonl", user("a1", None, "Hello"), first=header("s-a"))
    flag = Flag()
    events = watch_logs([logs], store, flag, debounce_s=60)

    assert next(events).event == "reindexed"
    flag.up = True

    assert [event.event for event in events] == ["stopped"]
