"""A full run reads every log from its beginning, whatever its stamps say, and keeps what has no log any more."""

from __future__ import annotations

from pathlib import Path

from tests.cases.builders import encode, header, user
from tests.pipelines.stores import JsonObject, append, ids, lake_rows, log, sources, states, table
from uncompact.pipelines.reindex import reindex


def full_run(logs: Path, store: Path) -> JsonObject:
    return reindex([logs], store, full=True).to_dict()


def test_a_full_run_reads_logs_that_did_not_change(logs: Path, store: Path) -> None:
    paths = [log(logs, f"{name}.jsonl", user("a", None, "one"), b"torn\n") for name in "ab"]
    reindex([logs], store)
    before = lake_rows(store)

    report = full_run(logs, store)

    assert sources(report) == (2, 2, 0, 0, 0)
    assert (report["entries"], report["rejects"]["total"]) == ({"added": 0, "total": 2}, 2)
    assert report["bytes_read"] == sum(path.stat().st_size for path in paths)
    assert lake_rows(store) == before


def test_a_full_run_finds_what_was_changed_unseen(logs: Path, store: Path) -> None:
    path = log(logs, "a.jsonl", *[user(f"{at:04}", None, "x" * 500) for at in range(1000)])
    reindex([logs], store)
    data = path.read_bytes()
    # Of a log this long samples are compared, and none of them is here.
    at = data.index(b"xxx", 20_000)
    path.write_bytes(data[:at] + b"y" + data[at + 1 :] + encode(user("last", None, "more")))
    assert reindex([logs], store).entries_added == 1
    assert not table(store, "entries")["text"].str.contains("y").any()

    full_run(logs, store)

    assert table(store, "entries")["text"].str.contains("y").sum() == 1
    assert len(ids(store)) == 1001


def test_a_full_run_reads_a_log_that_grew_from_its_beginning(logs: Path, store: Path) -> None:
    path = log(logs, "a.jsonl", user("a", None, "one"))
    reindex([logs], store)
    append(path, encode(user("b", "a", "two")))

    report = full_run(logs, store)

    assert (report["bytes_read"], report["entries"]) == (path.stat().st_size, {"added": 1, "total": 2})
    assert ids(store) == ["a", "b"]


def test_a_full_run_keeps_the_rows_of_logs_that_are_gone(logs: Path, store: Path) -> None:
    gone = log(logs, "a.jsonl", user("a", None, "one"))
    log(logs, "b.jsonl", user("b", None, "two"))
    reindex([logs], store)
    gone.unlink()

    for vanished in (1, 0):
        assert sources(full_run(logs, store)) == (1, 1, 0, vanished, 0)
        assert states(store) == [("s-a", "vanished"), ("s-b", "present")]
        assert sorted(ids(store)) == ["a", "b"]


def test_a_full_run_keeps_the_rows_of_a_log_that_cannot_be_read(logs: Path, store: Path) -> None:
    path = log(logs, "a.jsonl", user("a", None, "one"))
    reindex([logs], store)
    path.write_bytes(b"no log any more\n")

    assert sources(full_run(logs, store)) == (1, 0, 0, 0, 1)
    assert (ids(store), states(store)) == (["a"], [("s-a", "present")])


def test_logs_that_share_a_session_id_are_sessions_of_their_own(logs: Path, store: Path) -> None:
    for name in ("one", "two"):
        log(logs, f"{name}.jsonl", user(name, None, f"about {name}"), first=header("s-same"))
    reindex([logs], store)

    for _ in range(2):
        full_run(logs, store)
        assert states(store) == [("s-same", "present"), ("s-same", "present")]
        assert sorted(ids(store)) == ["one", "two"]
