"""How results reach a terminal or a pipe: text that cannot steer the terminal, tables, JSON."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Literal

import click

__all__ = [
    "print_error",
    "print_json",
    "print_text",
    "print_warnings",
    "safe_line",
    "safe_text",
    "table",
    "write_error_line",
]

# Control characters, line separators and what reverses the direction of writing: all but newline and tab.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_UNSAFE_IN_JSON = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

_MOST_WARNINGS = 20
_TABLE_WIDTH = 10_000


def safe_text(text: str) -> str:
    """Show control characters as escapes; newlines and tabs stay."""
    return _UNSAFE.sub(_escape, text.replace("\r\n", "\n"))


def safe_line(text: object) -> str:
    """Show a text on one line: newlines and tabs as escapes, too."""
    return safe_text(str(text)).replace("\n", "\\n").replace("\t", "\\t")


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def print_text(text: str) -> None:
    """Print a result for a person; colours go away where they are not wanted."""
    click.echo(text, color=False if os.environ.get("NO_COLOR") else None)


def print_json(value: object) -> None:
    """Print a result for a program: UTF-8 whatever the locale, on one line unless a person looks at it."""
    indent = 2 if sys.stdout is not None and sys.stdout.isatty() else None
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    escaped = _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    click.echo(escaped.encode("utf-8", "backslashreplace"))


def print_error(message: str, hint: str) -> None:
    """Print an error and its hint on standard error, each on one line."""
    write_error_line(f"Error: {safe_line(message)}")
    if hint:
        write_error_line(f"Hint: {safe_line(hint)}")


def print_warnings(warnings: Sequence[str]) -> None:
    """Print warnings on standard error, not more than a screenful."""
    for warning in warnings[:_MOST_WARNINGS]:
        write_error_line(f"Warning: {safe_line(warning)}")
    if len(warnings) > _MOST_WARNINGS:
        write_error_line(f"Warning: and {len(warnings) - _MOST_WARNINGS} more: --json has them all")


def write_error_line(text: str) -> None:
    """Write a line on standard error at once; nobody who reads it is no reason to fail."""
    try:
        click.echo(text, err=True)
    except (OSError, ValueError):
        # What is still in its buffer would fail the process at its end.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], *, right: Sequence[str] = ()) -> str:
    """Set rows in columns, those named in ``right`` to the right; no cell is folded, so that all can be copied."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, pad_edge=False)
    for header in headers:
        aligned: Literal["left", "right"] = "right" if header in right else "left"
        grid.add_column(header, justify=aligned, no_wrap=True)
    for row in rows:
        grid.add_row(*(Text("" if cell is None else safe_line(cell)) for cell in row))
    page = io.StringIO()
    Console(file=page, width=_TABLE_WIDTH, legacy_windows=False).print(grid)
    return "\n".join(line.rstrip() for line in page.getvalue().rstrip("\n").split("\n"))
