"""`reindex` on the command line: progress on standard error, and a report whatever way a run ends."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests.cases.builders import write_log

from .cli_runs import LOG, PROGRAM, error_of, run, start
from .terminals import run_at_terminal

JsonObject = dict[str, Any]


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    """Return a command line that indexes a small log."""
    write_log(tmp_path / "logs" / "s.jsonl", LOG)
    return ["--store", str(tmp_path / "store"), "reindex", str(tmp_path / "logs")]


def events(text: str) -> list[JsonObject]:
    return [json.loads(line) for line in text.splitlines()]


def report(path: Path) -> JsonObject:
    content: JsonObject = json.loads(path.read_text())
    return content


def test_progress_is_json_lines_on_standard_error(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "logs" / "odd.jsonl").write_text('{"hello": 1}\n')
    result = run(*arguments, "--progress", "json")
    told = events(result.stderr)

    assert [one["stage"] for one in told if one["event"] == "stage"][:4] == [
        "discover", "read", "commit", "companion",
    ]  # fmt: skip
    assert [one["message"] for one in told if one["event"] == "warning"] == [
        f"{tmp_path}/logs/odd.jsonl: not a session log: no known header"
    ]
    assert (told[-1]["event"], told[-1]["outcome"], told[-1]["entries_added"]) == ("done", "rejects", 6)
    assert result.stdout.startswith("2 logs seen: 1 changed")


def test_progress_leaves_json_on_standard_output_alone(arguments: list[str]) -> None:
    result = run(*arguments, "--json", "--progress", "json")

    assert json.loads(result.stdout)["entries"] == {"added": 6, "total": 6}
    assert events(result.stderr)[-1]["event"] == "done"


def test_progress_names_no_path_but_in_warnings(arguments: list[str], tmp_path: Path) -> None:
    assert str(tmp_path) not in run(*arguments, "--progress", "json").stderr


def test_a_failing_run_ends_its_progress(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    with FileLock(tmp_path / "store" / "writer.lock"):
        result = run(*arguments, "--json", "--progress", "json")
    (last,) = events(result.stderr)

    assert (last["event"], last["outcome"], last["error"]) == ("done", "failed", "busy")
    assert (result.exit_code, error_of(result)["kind"]) == (3, "busy")


def test_without_a_terminal_there_is_no_progress(arguments: list[str]) -> None:
    assert run(*arguments).stderr == ""


@pytest.mark.parametrize("closed", ["2>&-", "2>/dev/full"], ids=["closed", "full"])
@pytest.mark.parametrize("progress", ["json", "bar"])
def test_standard_error_that_takes_nothing_never_fails_a_run(
    arguments: list[str], closed: str, progress: str
) -> None:
    command = f'"$@" --progress {progress} {closed}'
    done = subprocess.run(
        ["sh", "-c", command, "sh", *PROGRAM, *arguments], stdout=subprocess.PIPE, check=False
    )

    assert (done.returncode, done.stdout.splitlines()[0]) == (
        0,
        b"1 log seen: 1 changed, 0 unchanged, 0 vanished, 0 failed",
    )


def test_a_reader_of_standard_error_may_go_away(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "logs" / "odd.jsonl").write_text('{"hello": 1}\n')
    with start(*arguments, "--progress", "json", "--log-level", "debug") as process:
        assert process.stderr is not None
        process.stderr.close()

        assert process.stdout is not None
        assert process.stdout.read().startswith(b"2 logs seen: 1 changed")
    assert process.returncode == 0


def test_a_terminal_shows_a_bar_and_gets_its_cursor_back(arguments: list[str]) -> None:
    code, printed, drawn = run_at_terminal(arguments)

    assert (code, printed.splitlines()[0]) == (0, "1 log seen: 1 changed, 0 unchanged, 0 vanished, 0 failed")
    assert "companion" in drawn
    assert drawn.rindex("\x1b[?25l") < drawn.rindex("\x1b[?25h")


@pytest.mark.parametrize("extra", [["--json"], ["--progress", "none"]], ids=["json", "none"])
def test_a_terminal_shows_none_where_it_is_not_wanted(arguments: list[str], extra: list[str]) -> None:
    assert run_at_terminal([*arguments, *extra])[2] == ""


def test_a_report_is_written_to_a_file(arguments: list[str], tmp_path: Path) -> None:
    result = run(*arguments, "--json", "--report", str(tmp_path / "report.json"))
    written = report(tmp_path / "report.json")

    assert (written["outcome"], written["error"], written["store"]) == ("ok", None, str(tmp_path / "store"))
    assert set(written) == {*json.loads(result.stdout), "error"}
    assert sorted(os.listdir(tmp_path)) == ["logs", "report.json", "store"]


def test_a_report_says_why_a_run_failed(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    with FileLock(tmp_path / "store" / "writer.lock"):
        run(*arguments, "--report", str(tmp_path / "report.json"))
    written = report(tmp_path / "report.json")

    assert (written["outcome"], written["error"]) == (
        "failed",
        {
            "kind": "busy",
            "message": f"{tmp_path}/store: another process is writing this store",
            "hint": "try again when it has ended",
        },
    )


def test_a_report_of_a_store_that_cannot_be_written_is_written(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "store").write_text("no folder")
    run(*arguments, "--report", str(tmp_path / "report.json"))

    assert report(tmp_path / "report.json")["error"]["kind"] == "store"


def test_a_report_of_a_folder_that_is_missing_is_written(tmp_path: Path) -> None:
    run("--store", str(tmp_path / "store"), "reindex", "/no/such", "--report", str(tmp_path / "report.json"))

    assert report(tmp_path / "report.json")["error"]["kind"] == "source"


@pytest.mark.parametrize("file", ["-", "/no/such/folder/report.json"], ids=["stdout", "no folder"])
def test_a_report_that_could_not_be_written_is_refused_before_the_run(
    arguments: list[str], tmp_path: Path, file: str
) -> None:
    result = run(*arguments, "--json", "--report", file)

    assert (result.exit_code, error_of(result)["kind"]) == (2, "usage")
    assert not (tmp_path / "store").exists()


def test_a_report_that_cannot_be_written_after_all_is_an_error(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    result = run(*arguments, "--json", "--report", str(tmp_path / "folder"))

    assert (result.exit_code, error_of(result)) == (
        1,
        {"kind": "io", "message": f"{tmp_path}/folder: Is a directory", "hint": ""},
    )
