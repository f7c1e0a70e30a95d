"""A run over folders of logs: what it reports, what it keeps, and what it never does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cases.builders import assistant, encode, header, user
from tests.pipelines.companion_rows import companion_rows
from tests.pipelines.stores import append, ids, log, run, sources, states
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.reindex import reindex
from uncompact.pipelines.store import StorePaths


def test_a_first_run_reports_what_it_read(logs: Path, store: Path) -> None:
    log(logs, "a.jsonl", user("a", None, "one"), assistant("b", "a", "two"))
    log(logs, "deep/er/b.jsonl", user("a", None, "one"), b"torn\n")

    report = run(logs, store)

    assert sources(report) == (2, 2, 0, 0, 0)
    assert report["entries"] == {"added": 3, "total": 3}
    assert report["rejects"] == {"total": 1, "by_reason": {"not-json": 1}}
    assert report["warnings"] == [f"{logs}/deep/er/b.jsonl:3: not-json"]
    assert report["bytes_read"] == sum(path.stat().st_size for path in logs.rglob("*.jsonl"))
    assert set(report["seconds"]) == {"discover", "read", "commit", "companion", "tidy", "total"}


def test_a_second_run_changes_nothing(logs: Path, store: Path) -> None:
    log(logs, "a.jsonl", user("a", None, "one"), b"torn\n")
    run(logs, store)
    lake, companion = open_lake(StorePaths(store).lake), companion_rows(StorePaths(store).companion)

    report = run(logs, store)

    assert sources(report) == (1, 0, 1, 0, 0)
    assert (report["entries"], report["bytes_read"]) == ({"added": 0, "total": 1}, 0)
    assert open_lake(StorePaths(store).lake) == lake
    assert companion_rows(StorePaths(store).companion) == companion


def test_the_logs_are_never_touched(logs: Path, store: Path) -> None:
    path = log(logs, "a.jsonl", user("a", None, "one"), b'{"unterminated":')
    os.utime(path, ns=(1_000_000_000, 2_000_000_000))
    before = path.read_bytes()

    run(logs, store)

    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, 2_000_000_000)
    assert list(logs.iterdir()) == [path]


def test_an_appended_line_is_one_entry_more(logs: Path, store: Path) -> None:
    path = log(logs, "a.jsonl", user("a", None, "one"), user("b", "a", "two"))
    run(logs, store)
    append(path, encode(user("c", "b", "three")))

    report = run(logs, store)

    assert report["entries"] == {"added": 1, "total": 3}
    assert ids(store) == ["a", "b", "c"]


def test_a_log_that_shrank_loses_its_older_rows(logs: Path, store: Path) -> None:
    log(logs, "a.jsonl", user("a", None, "one"), user("b", "a", "two"))
    run(logs, store)
    log(logs, "a.jsonl", user("z", None, "anew"))

    report = run(logs, store)

    assert report["entries"] == {"added": 0, "total": 1}
    assert ids(store) == ["z"]


def test_a_header_that_changed_reaches_the_companion(logs: Path, store: Path) -> None:
    path = log(logs, "a.jsonl", user("a", None, "one"), first=header("s-1", "/srv/old"))
    run(logs, store)
    log(logs, "a.jsonl", user("a", None, "one"), first=header("s-2", "/srv/new"))
    run(logs, store)

    (session,) = [
        rows[0]
        for (_, name), rows in companion_rows(StorePaths(store).companion).items()
        if name == "sessions"
    ]
    assert session[2:6] == ("s-2", "pi", str(path), "/srv/new")


def test_an_unterminated_line_waits_for_its_end(logs: Path, store: Path) -> None:
    line = encode(user("b", "a", "two"))
    path = log(logs, "a.jsonl", user("a", None, "one"), line[:-1])
    report = run(logs, store)
    assert report["warnings"] == [f"{path}:3: unterminated line, left for the next run"]
    assert (ids(store), report["rejects"]["total"]) == (["a"], 0)
    append(path, line[-1:])

    report = run(logs, store)

    assert (ids(store), report["warnings"]) == (["a", "b"], [])


def test_a_vanished_log_keeps_its_rows_and_may_come_back(logs: Path, store: Path) -> None:
    path = log(logs, "a.jsonl", user("a", None, "one"))
    log(logs, "b.jsonl", user("a", None, "one"))
    run(logs, store)
    data = path.read_bytes()
    path.unlink()

    assert run(logs, store)["sources"]["vanished"] == 1
    assert (states(store), len(ids(store))) == ([("s-a", "vanished"), ("s-b", "present")], 2)
    assert run(logs, store)["sources"]["vanished"] == 0

    path.write_bytes(data)
    run(logs, store)
    assert states(store) == [("s-a", "present"), ("s-b", "present")]


def test_only_logs_below_the_given_roots_can_vanish(logs: Path, store: Path) -> None:
    for name in ("one/a.jsonl", "one-more/b.jsonl"):
        log(logs, name, user("a", None, "x"))
    run(logs, store)
    for path in logs.rglob("*.jsonl"):
        path.unlink()

    report = run(logs / "one", store)

    assert report["sources"]["vanished"] == 1
    assert states(store) == [("s-a", "vanished"), ("s-b", "present")]


def test_a_file_that_roots_share_is_read_once(logs: Path, store: Path) -> None:
    log(logs, "deep/a.jsonl", user("a", None, "x"))

    report = reindex([logs, logs / "deep", logs / "deep" / "a.jsonl"], store).to_dict()

    assert report["sources"]["seen"] == 1


def test_the_order_of_roots_does_not_matter(logs: Path, store: Path, tmp_path: Path) -> None:
    for name in ("one/a.jsonl", "two/b.jsonl"):
        log(logs, name, user("a", None, name))

    reindex([logs / "one", logs / "two"], store)
    reindex([logs / "two", logs / "one"], tmp_path / "other")

    other = companion_rows(StorePaths(tmp_path / "other").companion)
    assert companion_rows(StorePaths(store).companion) == other


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"", "empty file", id="empty"),
        pytest.param(b'{"type":"note"}\n', "not a session log: no known header", id="other JSON lines"),
        pytest.param(b"\x00\x01\xff" * 500, "not a session log: no known header", id="binary"),
    ],
)
def test_a_file_that_is_no_log_is_reported(logs: Path, store: Path, data: bytes, reason: str) -> None:
    (logs / "x.jsonl").write_bytes(data)
    log(logs, "a.jsonl", user("a", None, "x"))

    report = run(logs, store)

    assert sources(report) == (2, 1, 0, 0, 1)
    assert report["warnings"] == [f"{logs}/x.jsonl: {reason}"]


@pytest.mark.usefixtures("time_limit")
def test_what_is_no_file_stops_nothing(logs: Path, store: Path) -> None:
    os.mkfifo(logs / "pipe.jsonl")
    (logs / "loop.jsonl").symlink_to("loop.jsonl")
    (logs / "up").symlink_to(logs, target_is_directory=True)
    (logs / "null.jsonl").symlink_to("/dev/null")
    log(logs, "a.jsonl", user("a", None, "x"))

    report = run(logs, store)

    assert (report["sources"]["changed"], report["sources"]["failed"]) == (1, 3)
    assert [warning.split(": ")[0] for warning in sorted(report["warnings"])] == [
        f"{logs}/loop.jsonl", f"{logs}/null.jsonl", f"{logs}/pipe.jsonl",
    ]  # fmt: skip


def test_a_log_without_entries_is_a_warning(logs: Path, store: Path) -> None:
    path = log(logs, "a.jsonl")

    assert run(logs, store)["warnings"] == [f"{path}: no entries"]


def test_many_torn_lines_are_counted_and_the_first_named(logs: Path, store: Path) -> None:
    path = log(logs, "a.jsonl", user("a", None, "x"), *[b"torn\n"] * 30)

    report = run(logs, store)

    assert report["rejects"] == {"total": 30, "by_reason": {"not-json": 30}}
    assert len(report["warnings"]) == 21
    assert report["warnings"][-1] == f"{path}: 10 more lines that are no entry"


def test_a_byte_order_mark_costs_nothing(logs: Path, store: Path) -> None:
    (logs / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + encode(header()) + encode(user("a", None, "x")))

    assert (run(logs, store)["warnings"], ids(store)) == ([], ["a"])
