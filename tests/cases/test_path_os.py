"""Places that are no logs, names of any bytes, and stores in places that are no use: told, never a hang or a traceback."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

import uncompact
from tests.cases.builders import (
    IndexedLogs,
    JsonObject,
    compacted,
    encode,
    header,
    index,
    user,
    write_log,
)
from tests.query.cli_runs import run

pytestmark = pytest.mark.usefixtures("time_limit")

TALK = [header("s-1"), user("a1", None, "the keel_mark is oak"), *compacted("a1")]


@pytest.fixture
def logs(tmp_path: Path) -> IndexedLogs:
    """A log that was indexed."""
    write_log(tmp_path / "logs" / "s.jsonl", TALK)
    return index(tmp_path / "logs", tmp_path / "store")


def reindex(store: Path, *roots: str | Path) -> JsonObject:
    """Run the command; its JSON is the report, or the error."""
    result = run("--store", str(store), "reindex", "--json", *map(str, roots))
    assert isinstance(result.exception, SystemExit | None)
    told: JsonObject = json.loads(result.stdout)
    return told


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        before = Path.cwd()
        os.chdir(path.parent)  # a socket's path must be short
        listener.bind(path.name)
        os.chdir(before)


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def link_to_nothing(path: Path) -> None:
    path.symlink_to("nothing")


def link_to_a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


ODD = [make_pipe, make_socket, link_to_itself, link_to_nothing, link_to_a_device]


@pytest.mark.parametrize("make", ODD)
def test_what_is_no_file_is_reported_beside_a_log(tmp_path: Path, make: Callable[[Path], None]) -> None:
    write_log(tmp_path / "logs" / "s.jsonl", TALK)
    make(tmp_path / "logs" / "odd.jsonl")

    report = reindex(tmp_path / "store", tmp_path / "logs")

    assert (report["sources"]["changed"], report["sources"]["failed"]) == (1, 1)
    assert report["warnings"][0].startswith(f"{tmp_path}/logs/odd.jsonl: ")


@pytest.mark.parametrize("make", ODD)
def test_a_root_that_is_no_file_is_reported(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "odd")

    told = reindex(tmp_path / "store", tmp_path / "odd")

    assert f"{tmp_path}/odd: " in str(told.get("warnings") or told["error"]["message"])


@pytest.mark.parametrize("make", ODD)
def test_a_log_that_became_something_else_keeps_its_entries(
    logs: IndexedLogs, make: Callable[[Path], None]
) -> None:
    (logs.root / "s.jsonl").unlink()
    make(logs.root / "s.jsonl")

    report = reindex(logs.store, logs.root)

    assert (report["sources"]["failed"], report["entries"]["total"]) == (1, 5)
    with uncompact.open_store(logs.store) as store:
        assert [hit.ranked.candidate.entry_id for hit in store.retrieve("s-1", "`keel_mark`").hits] == ["a1"]


def test_a_log_that_became_a_folder_keeps_its_entries(logs: IndexedLogs) -> None:
    (logs.root / "s.jsonl").unlink()
    write_log(logs.root / "s.jsonl" / "t.jsonl", [header("s-2"), user("b1", None, "x")])

    report = reindex(logs.store, logs.root)

    assert (report["sources"]["changed"], report["entries"]["total"]) == (1, 6)


@pytest.mark.parametrize("command", ["show", "retrieve", "sync", "forget"])
@pytest.mark.parametrize("make", ODD)
def test_naming_what_is_no_log_is_an_error_and_never_a_wait(
    logs: IndexedLogs, tmp_path: Path, make: Callable[[Path], None], command: str
) -> None:
    make(tmp_path / "odd.jsonl")
    named = (
        ["--session", str(tmp_path / "odd.jsonl"), "keel"]
        if command == "retrieve"
        else [str(tmp_path / "odd.jsonl")]
    )

    result = run("--store", str(logs.store), command, *named, "--json")

    assert result.exit_code == 1
    assert f"{tmp_path}/odd.jsonl" in json.loads(result.stdout)["error"]["message"]


@pytest.mark.parametrize("make", ODD)
def test_a_log_that_became_something_else_still_answers(
    logs: IndexedLogs, make: Callable[[Path], None]
) -> None:
    (logs.root / "s.jsonl").unlink()
    make(logs.root / "s.jsonl")
    asked = ["retrieve", "--session", str(logs.root / "s.jsonl"), "--json", "`keel_mark`"]

    result = run("--store", str(logs.store), *asked)

    assert (result.exit_code, len(json.loads(result.stdout)["hits"])) == (0, 1)


NAMES = {
    "Latin-1": b"caf\xe9.jsonl",
    "no text at all": b"\xff\xfe.jsonl",
    "line feed": b"new\nline.jsonl",
    "escape": b"esc\x1b[31m.jsonl",
    "dash": b"-dash.jsonl",
    "quotes": b"quote\"'.jsonl",
    "percent": b"%41.jsonl",
    "pattern": b"q?*[x].jsonl",
    "hash": b"#h.jsonl",
    "emoji": "ünï🚀.jsonl".encode(),
    "longest": b"x" * 249 + b".jsonl",
}


@pytest.fixture(scope="module")
def named_logs(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    """A folder with a log under each of the odd names, read in two runs."""
    folder = tmp_path_factory.mktemp("names")
    for number, name in enumerate(NAMES.values()):
        log = folder / "logs" / os.fsdecode(name)
        write_log(log, [header(f"s-{number}"), user("a1", None, f"plank_{number}"), *compacted("a1")])
    return index(folder / "logs", folder / "store").again()


@pytest.mark.parametrize("name", NAMES)
def test_a_log_of_any_name_is_asked_by_its_path(named_logs: IndexedLogs, name: str) -> None:
    number = list(NAMES).index(name)

    assert named_logs.retrieve(f"`plank_{number}`", log=os.fsdecode(NAMES[name])).ids == ["a1"]


def test_logs_of_odd_names_are_not_read_twice(named_logs: IndexedLogs) -> None:
    assert named_logs.report["sources"]["unchanged"] == len(NAMES) == len(named_logs.sessions())


def test_a_name_is_shown_on_a_terminal_without_its_control_characters(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a\x1b[2Jb.jsonl").write_text("no log\n")

    result = run("--store", str(tmp_path / "store"), "reindex", str(tmp_path / "logs"))

    assert "\x1b" not in result.output
    assert r"a\x1b[2Jb.jsonl: not a session log" in result.stderr


def test_a_folder_too_deep_for_a_path_is_reported(tmp_path: Path) -> None:
    write_log(tmp_path / "logs" / "s.jsonl", TALK)
    before = Path.cwd()
    os.chdir(tmp_path / "logs")
    for _ in range(25):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    os.chdir(before)

    report = reindex(tmp_path / "store", tmp_path / "logs")

    assert (report["sources"]["changed"], report["sources"]["failed"]) == (1, 1)
    assert report["warnings"][0].endswith("File name too long")


@pytest.mark.parametrize(
    "roots",
    [
        pytest.param(("logs", "logs"), id="twice"),
        pytest.param(("logs", "logs/deep", "logs/deep/s.jsonl"), id="nested"),
        pytest.param(("logs/", "logs/../logs"), id="other spelling"),
        pytest.param(("logs", "alias"), id="link to the root"),
        pytest.param(("alias", "logs"), id="link first"),
        pytest.param(("logs", "linked"), id="hard link in another root"),
    ],
)
def test_roots_that_share_a_log_share_its_session(tmp_path: Path, roots: tuple[str, ...]) -> None:
    log = write_log(tmp_path / "logs" / "deep" / "s.jsonl", TALK)
    (tmp_path / "alias").symlink_to("logs")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "t.jsonl").hardlink_to(log)

    report = reindex(tmp_path / "store", *(f"{tmp_path}/{root}" for root in roots))

    assert (report["sources"]["seen"], report["entries"]["total"]) == (1, 5)


def test_a_link_to_a_log_elsewhere_follows_it_as_it_grows(tmp_path: Path) -> None:
    log = write_log(tmp_path / "elsewhere" / "x.data", TALK)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "s.jsonl").symlink_to(log)
    logs = index(tmp_path / "logs", tmp_path / "store")
    with log.open("ab") as file:
        file.write(encode(user("b9", "d0000001", "more")))

    assert logs.again().report["entries"] == {"added": 1, "total": 6}


def stored_in(tmp_path: Path, make: Callable[[Path], object]) -> JsonObject:
    """Make something at the store's place, and run."""
    write_log(tmp_path / "logs" / "s.jsonl", TALK)
    make(tmp_path / "place")
    told: JsonObject = reindex(tmp_path / "place", tmp_path / "logs").get("error", {})
    return told


@pytest.mark.parametrize("make", ODD)
def test_a_store_in_place_of_what_is_no_folder_is_refused(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    error = stored_in(tmp_path, make)

    assert error == {
        "kind": "store",
        "message": f"{tmp_path}/place: is not a folder",
        "hint": "name a folder with --store",
    }


def test_a_store_whose_lock_is_something_else_is_refused(tmp_path: Path) -> None:
    def spoil(place: Path) -> None:
        place.mkdir()
        (place / "writer.lock").mkdir()

    error = stored_in(tmp_path, spoil)

    assert (error["kind"], str(tmp_path) in error["message"]) == ("store", True)


@pytest.mark.parametrize("below", ["store", "."], ids=["below the logs", "among the logs"])
def test_a_store_in_the_folder_of_the_logs_does_not_read_itself(tmp_path: Path, below: str) -> None:
    write_log(tmp_path / "logs" / "s.jsonl", TALK)
    for sources in ((1, 1, 0), (1, 0, 1), (1, 0, 1)):
        report = reindex(tmp_path / "logs" / below, tmp_path / "logs")

        seen = tuple(report["sources"][name] for name in ("seen", "changed", "unchanged"))
        assert (seen, report["sources"]["failed"]) == (sources, 0)
