"""Odd lines and odd working directories, all in one store: each is an entry in its place, a partition of its own."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.cases.builders import encode, header, user
from uncompact.pipelines.branches import read_session
from uncompact.pipelines.frames import project_key
from uncompact.pipelines.lake import LakeSnapshot, open_lake
from uncompact.pipelines.reindex import reindex
from uncompact.pipelines.store import StorePaths

ODD_LINES = {
    "lone surrogate": rb'{"type":"message","id":"o","parentId":"a","message":{"role":"user","content":"\ud83d"}}',
    "invalid UTF-8": b'{"type":"message","id":"o","parentId":"a","message":{"role":"user","content":"\xff"}}',
    "endless number": b'{"type":"message","id":"o","parentId":"a","timestamp":1e999}',
    "5,000 digits": b'{"type":"message","id":"o","parentId":"a","timestamp":' + b"9" * 5000 + b"}",
    "400 digits": b'{"type":"message","id":"o","parentId":"a","timestamp":' + b"9" * 400 + b"}",
    "5,000 deep": b'{"type":"message","id":"o","parentId":"a","x":' + b"[" * 5000 + b"]" * 5000 + b"}",
    "escaped NUL": rb'{"type":"message","id":"o","parentId":"a","message":{"role":"user","content":"\u0000"}}',
    "raw U+2028": '{"type":"message","id":"o","parentId":"a","label":"\u2028"}'.encode(),
    "CRLF": b'{"type":"message","id":"o","parentId":"a"}\r',
    "text as content": b'{"type":"message","id":"o","parentId":"a","message":"hello"}',
    "wrong types": b'{"type":"message","id":"o","parentId":"a","timestamp":{},"usage":7,"version":[]}',
}


FOLDERS = {
    "500 characters": "/srv/" + "very-long-" * 50,
    "NUL": "/srv/a\0b",
    "emoji": "/srv/🚀",
    "only signs": "////",
    "empty": "",
    "dots": "..",
    "line feed": "/srv/a\nb",
    "half of a pair": "/srv/\ud83d",
    "percent": "/srv/100%25",
    "equals": "project_key=x/../..",
}


@pytest.fixture(scope="module")
def odd_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a log for each odd line and each odd folder, and beside it the store of two runs."""
    logs = tmp_path_factory.mktemp("odd") / "logs"
    logs.mkdir()
    for name, line in ODD_LINES.items():
        lines = [
            encode(header(name)),
            encode(user("a", None, "x")),
            line + b"\n",
            encode(user("z", "o", "y")),
        ]
        (logs / f"{name}.jsonl").write_bytes(b"".join(lines))
    for name, cwd in FOLDERS.items():
        first = json.dumps(header(name, cwd)).encode() + b"\n"
        (logs / f"in {name}.jsonl").write_bytes(first + encode(user("a", None, "x")))
    reindex([logs], logs.parent / "store")
    for name in FOLDERS:
        with (logs / f"in {name}.jsonl").open("ab") as file:
            file.write(encode(user("b", "a", "y")))
    reindex([logs], logs.parent / "store")
    return logs


@pytest.fixture(scope="module")
def lake(odd_logs: Path) -> LakeSnapshot:
    return open_lake(StorePaths(odd_logs.parent / "store").lake)


def rows_of(lake: LakeSnapshot, session_id: str, table: str) -> pl.DataFrame:
    session = lake.scan("sessions").filter(session_id=session_id).collect()["session_key"].item()
    return lake.scan(table).filter(session_key=session).collect()


@pytest.mark.parametrize("name", ODD_LINES)
def test_an_odd_line_is_an_entry_in_its_place(odd_logs: Path, lake: LakeSnapshot, name: str) -> None:
    entries = rows_of(lake, name, "entries").sort("pos")

    assert entries.select("entry_id", "position").rows() == [("a", 0), ("o", 1), ("z", 2)]
    assert rows_of(lake, name, "rejects").height == 0
    assert read_session(odd_logs / f"{name}.jsonl").at("z").branch == ("a", "o", "z")


@pytest.mark.parametrize(("name", "cwd"), FOLDERS.items(), ids=FOLDERS)
def test_any_working_directory_makes_a_partition(lake: LakeSnapshot, name: str, cwd: str) -> None:
    whole = cwd.replace("\ud83d", "\ufffd")

    assert rows_of(lake, name, "sessions")["project"].to_list() == [whole]
    assert rows_of(lake, name, "entries")["project_key"].unique().to_list() == [project_key(whole)]
    assert rows_of(lake, name, "entries").sort("pos")["entry_id"].to_list() == ["a", "b"]


@pytest.mark.parametrize(
    ("project", "name"),
    [
        ("/srv/harbour", "srv-harbour-"),
        ("/home/ada/" + "x" * 60, "x" * 40 + "-"),
        ("C:\\work\\a b", "C-work-a-b-"),
        ("/srv/ünïcode", "srv-n-code-"),
        ("...", ""),
    ],
    ids=["plain", "long", "Windows", "accents", "dots"],
)
def test_a_partition_is_readable_and_unique(project: str, name: str) -> None:
    key = project_key(project)

    assert (key[:-8], len(key[-8:])) == (name, 8)
    assert key != project_key(project + "/")
