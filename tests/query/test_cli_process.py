"""The command line as a process: pipes, locales, bytes that are no text, and what it imports."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases.builders import IndexedLogs, header, index_lines, user

from .cli_runs import LOG, PROGRAM, SESSION_ID, start


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    return index_lines(LOG, tmp_path_factory.mktemp("logs"))


def test_broken_pipe_is_no_traceback(logs: IndexedLogs) -> None:
    process = start("--store", str(logs.store), "show", SESSION_ID)
    assert process.stdout is not None
    process.stdout.close()

    assert b"Traceback" not in process.communicate()[1]


def test_request_that_is_not_utf8_is_no_error(logs: IndexedLogs) -> None:
    process = start("--store", str(logs.store), "retrieve", "--session", SESSION_ID, "--json", "-")
    answer, _ = process.communicate(b"caf\xe9 `pool_max_size`")

    assert (process.returncode, len(json.loads(answer)["hits"])) == (0, 2)


def test_argument_that_is_not_utf8_is_no_error(logs: IndexedLogs) -> None:
    process = start(
        "--store", str(logs.store), "retrieve", "--session", SESSION_ID, "--json", b"caf\xe9 `pool_max_size`"
    )
    answer, _ = process.communicate()

    assert (process.returncode, len(json.loads(answer)["hits"])) == (0, 2)


def test_closed_standard_input_is_a_usage_error(logs: IndexedLogs) -> None:
    line = [*PROGRAM, "--store", str(logs.store), "retrieve", "--session", SESSION_ID, "-"]
    command = f"{shlex.join(line)} <&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "Error: standard input is closed")


def test_json_is_utf8_in_any_locale(tmp_path: Path) -> None:
    logs = index_lines([header(cwd="/home/ada/größe"), user("a1", None, "Hello")], tmp_path)
    process = start(
        "--store", str(logs.store), "sessions", "--json", environment={"PYTHONIOENCODING": "ascii"}
    )

    assert json.loads(process.communicate()[0].decode())[0]["project"] == "/home/ada/größe"


def test_text_shows_escapes_where_the_locale_has_no_letters(tmp_path: Path) -> None:
    logs = index_lines([header(cwd="/home/ada/設定"), user("a1", None, "Hello")], tmp_path)
    process = start("--store", str(logs.store), "sessions", environment={"PYTHONIOENCODING": "latin-1"})

    assert b"/home/ada/\\u8a2d\\u5b9a" in process.communicate()[0]


def test_short_commands_import_nothing_heavy() -> None:
    program = "import sys, uncompact.query.cli; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert set(loaded.stdout.split()).isdisjoint(
        {"deltalake", "duckdb", "filelock", "msgspec", "polars", "pyarrow", "rich", "apsw"}
    )


def test_retrieval_does_not_import_what_only_reindexing_needs(logs: IndexedLogs) -> None:
    program = (
        "import sys\nfrom uncompact.query.cli import cli\n"
        f"try: cli({['--store', str(logs.store), 'retrieve', '--session', SESSION_ID, '`pool_max_size`?']})\n"
        "except SystemExit: print(*sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert set(done.stdout.split()).isdisjoint({"deltalake", "polars", "rich"})
