"""Whatever happens to a log between two runs, the store then holds what the log holds, and little is read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases.builders import JsonObject, encode, header, user
from tests.pipelines.companion_rows import companion_rows
from tests.pipelines.stores import append, ids, lake_rows, log, run, sources, states
from uncompact.pipelines.store import StorePaths

OLD = 1_700_000_000_000_000_000


@pytest.fixture
def path(logs: Path, store: Path) -> Path:
    """A log of two entries that was read, and whose times are of long ago."""
    path = log(logs, "a.jsonl", user("a", None, "one"), user("b", "a", "two"))
    os.utime(path, ns=(OLD, OLD))
    run(logs, store)
    return path


def assert_equals_a_new_store(logs: Path, store: Path) -> None:
    new = store.with_name("new")
    run(logs, new)
    assert lake_rows(store) == lake_rows(new)
    assert companion_rows(StorePaths(store).companion) == companion_rows(StorePaths(new).companion)


def rewrite(path: Path) -> None:
    log(path.parent, path.name, user("x", None, "anew"), user("y", "x", "and longer"), user("z", "y", "too"))


def rewrite_in_equal_size(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"two", b"six"))
    os.utime(path, ns=(OLD, OLD))


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 10)


def drop_a_line(path: Path) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))


def rewrite_the_head_and_grow(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"one", b"other") + encode(user("c", "b", "three")))


def change_the_header(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"/home/ada/harbour", b"/home/ada/airport"))


def insert_a_blank_line(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"\n", b"\n\n", 1))


def insert_a_line_before_one_without_id(path: Path) -> None:
    append(path, encode({"type": "message", "message": {"role": "user", "content": "no id"}}))
    run(path.parent, path.parent.parent / "store")
    insert_a_blank_line(path)


def end_an_unterminated_line(path: Path) -> None:
    append(path, encode(user("c", "b", "three"))[:-1])
    run(path.parent, path.parent.parent / "store")
    append(path, b"\n" + encode(user("d", "c", "four")))


def replace_an_unterminated_line(path: Path) -> None:
    line = encode(user("c", "b", "three"))
    whole = path.read_bytes()
    path.write_bytes(whole + line[:-1].replace(b"three", b"seven!"))
    run(path.parent, path.parent.parent / "store")
    path.write_bytes(whole + line)


def take_over_an_id(path: Path) -> None:
    append(path, encode(user("a", None, "later")))


CHANGES = (
    rewrite, rewrite_in_equal_size, truncate, drop_a_line, rewrite_the_head_and_grow, change_the_header,
    insert_a_blank_line, insert_a_line_before_one_without_id, end_an_unterminated_line, replace_an_unterminated_line, take_over_an_id,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=[change.__name__ for change in CHANGES])
def test_after_any_change_the_store_holds_what_a_new_one_would(
    path: Path, logs: Path, store: Path, change: Callable[[Path], None]
) -> None:
    change(path)

    report = run(logs, store)

    assert sources(report) == (1, 1, 0, 0, 0)
    assert_equals_a_new_store(logs, store)


def touch(path: Path) -> None:
    os.utime(path)


def change_mode(path: Path) -> None:
    path.chmod(0o600)


def replace_by_a_copy(path: Path) -> None:
    shutil.copy2(path, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


@pytest.mark.parametrize("change", [touch, change_mode, replace_by_a_copy])
def test_a_log_whose_stamps_alone_changed_is_unchanged(
    path: Path, logs: Path, store: Path, change: Callable[[Path], None]
) -> None:
    change(path)

    report = run(logs, store)

    assert (sources(report), report["bytes_read"]) == ((1, 0, 1, 0, 0), 0)
    assert_equals_a_new_store(logs, store)


def test_of_a_log_that_grew_only_the_new_lines_are_read(path: Path, logs: Path, store: Path) -> None:
    added = encode(user("c", "b", "three")) + b"torn\n"
    append(path, added)

    report = run(logs, store)

    assert report["bytes_read"] == len(added)
    assert (report["entries"], report["rejects"]["total"]) == ({"added": 1, "total": 3}, 1)
    assert report["warnings"] == [f"{path}:5: not-json"]


def test_a_log_that_grew_very_much_is_read_whole(path: Path, logs: Path, store: Path) -> None:
    append(path, b" " * (33 << 20) + b"\n" + encode(user("c", "b", "three")))

    report = run(logs, store)

    assert report["bytes_read"] == path.stat().st_size
    assert (report["entries"], ids(store)) == ({"added": 1, "total": 3}, ["a", "b", "c"])


def test_a_log_of_version_1_is_read_whole_when_it_grew(logs: Path, store: Path) -> None:
    line: JsonObject = {"type": "message", "message": {"role": "user", "content": "x"}}
    path = log(logs, "a.jsonl", line, first={**header(), "version": 1})
    run(logs, store)
    append(path, encode(line))

    assert run(logs, store)["bytes_read"] == path.stat().st_size
    assert ids(store) == ["v1:1", "v1:2"]
    assert_equals_a_new_store(logs, store)


def test_a_log_of_version_1_that_pi_rewrote_is_read_anew(logs: Path, store: Path) -> None:
    line: JsonObject = {"type": "message", "message": {"role": "user", "content": "x"}}
    log(logs, "a.jsonl", line, line, first={**header("s-a"), "version": 1})
    run(logs, store)
    log(logs, "a.jsonl", user("a", None, "x"), user("b", "a", "x"), user("c", "b", "y"))

    assert run(logs, store)["entries"] == {"added": 1, "total": 3}
    assert ids(store) == ["a", "b", "c"]
    assert_equals_a_new_store(logs, store)


@pytest.mark.parametrize("data", [b"", b"\0\1garbage", b'{"type":"note"}\n'], ids=["empty", "bytes", "JSON"])
def test_a_log_replaced_by_what_is_none_keeps_its_rows_and_is_reported(
    path: Path, logs: Path, store: Path, data: bytes
) -> None:
    whole = path.read_bytes()
    path.write_bytes(data)

    for _ in range(2):
        assert sources(run(logs, store)) == (1, 0, 0, 0, 1)
        assert (ids(store), states(store)) == (["a", "b"], [("s-a", "present")])

    path.write_bytes(whole + encode(user("c", "b", "three")))
    assert sources(run(logs, store)) == (1, 1, 0, 0, 0)
    assert_equals_a_new_store(logs, store)


def test_a_log_that_comes_back_longer_is_read_on(path: Path, logs: Path, store: Path) -> None:
    whole = path.read_bytes()
    path.unlink()
    run(logs, store)
    path.write_bytes(whole + encode(user("c", "b", "three")))

    report = run(logs, store)

    assert report["entries"] == {"added": 1, "total": 3}
    assert states(store) == [("s-a", "present")]
    assert_equals_a_new_store(logs, store)


def test_a_log_of_a_far_future_stops_nothing(path: Path, logs: Path, store: Path) -> None:
    os.utime(path, (20_000_000_000, 20_000_000_000))
    append(path.with_name("b.jsonl"), path.read_bytes())

    assert sources(run(logs, store)) == (2, 1, 1, 0, 0)
    assert sources(run(logs, store)) == (2, 0, 2, 0, 0)


_COUNT_OPENS = """
import sys
from pathlib import Path
from uncompact.pipelines.reindex import reindex

opened = []
sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
reindex([Path(sys.argv[1])], Path(sys.argv[2]))
print(sum(path.endswith(".jsonl") for path in opened))
"""


@pytest.mark.parametrize(
    ("grows", "least"), [pytest.param(False, 0, id="unchanged"), pytest.param(True, 1, id="one grew")]
)
def test_a_run_opens_no_log_that_did_not_change(
    path: Path, logs: Path, store: Path, grows: bool, least: int
) -> None:
    for name in ("b.jsonl", "c.jsonl"):
        shutil.copy2(path, logs / name)
    run(logs, store)
    if grows:
        append(path, encode(user("c", "b", "three")))
    command = [sys.executable, "-c", _COUNT_OPENS, str(logs), str(store)]

    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert least <= int(done.stdout) <= 5 * least
