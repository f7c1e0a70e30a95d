"""A small log with a compaction, and ways to ask the command line about it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from click.testing import CliRunner, Result

from tests.cases.builders import IndexedLogs, assistant, compacted, header, user
from uncompact.query.cli import cli

SESSION_ID = "0195a000-0000-7000-8000-000000000001"

PROGRAM = [sys.executable, "-c", "from uncompact.query.cli import main; main()"]

LOG = [
    header(),
    user("a1", None, "Set `pool_max_size` to 24: the database allows 30."),
    assistant("a2", "a1", "Done: \x1b[31m pool_max_size \x1b[0m is 24 now.\x9b2J"),
    *compacted("a2"),
]


def run(*arguments: str) -> Result:
    """Run a command line inside this process."""
    return CliRunner().invoke(cli, arguments)


def ask(logs: IndexedLogs, *arguments: str, stdin: bytes | str = "") -> Result:
    """Run ``retrieve`` on the log."""
    session = ["--store", str(logs.store), "retrieve", "--session", str(logs.root / "s.jsonl")]
    return CliRunner().invoke(cli, [*session, *arguments], input=stdin)


def error_of(result: Result) -> dict[str, str]:
    error: dict[str, str] = json.loads(result.stdout)["error"]
    return error


def start(*arguments: str | bytes, environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a command line as a process of its own."""
    return subprocess.Popen(
        [*PROGRAM, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(environment or {})},
    )
