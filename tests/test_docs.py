"""The pages say what the program does: the schema page is printed by it, the README names every command."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from uncompact.pipelines.schema import render_schema
from uncompact.query.cli import cli

ROOT = Path(__file__).resolve().parents[1]


def test_the_schema_page_is_up_to_date() -> None:
    assert (ROOT / "pipelines" / "SCHEMA.md").read_text() == render_schema()


def test_the_schema_page_is_printed_by_its_module() -> None:
    command = [sys.executable, "-m", "uncompact.pipelines.schema"]

    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout == render_schema()


@pytest.mark.parametrize("name", cli.commands)
def test_the_readme_names_every_command(name: str) -> None:
    assert f"`uncompact {name}" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("command", cli.commands.values(), ids=cli.commands)
def test_every_command_has_help_and_an_example(command: click.Command) -> None:
    assert command.help
    assert f"uncompact {command.name}" in (command.epilog or "")


def test_the_python_of_the_readme_runs(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks

    for block in blocks:
        code = block.replace("/tmp/uncompact-demo", str(tmp_path / "store"))
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
        )

        assert done.returncode == 0, done.stderr
        assert "019cd19e" in done.stdout
