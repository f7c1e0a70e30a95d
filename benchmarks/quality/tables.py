"""What a part of the benchmark reports: tables, printed as Markdown and written as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Cell", "Table", "write_tables"]

Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a title; ``notes`` follow it. One that is ``only_json`` is too long to print."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: str = ""
    only_json: bool = False

    def to_markdown(self) -> str:
        """Lay the table out; floats get three digits."""
        lines = [f"### {self.title}", ""]
        if self.rows:
            lines += [_line(self.header), "|" + "---|" * len(self.header), *map(_line, self.rows)]
        if self.notes:
            lines += ["", self.notes] if self.rows else [self.notes]
        return "\n".join(lines) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Return the rows as objects by the header's names."""
        rows = [dict(zip(self.header, row, strict=True)) for row in self.rows]
        return {"title": self.title, "notes": self.notes, "rows": rows}


def write_tables(tables: Sequence[Table], file: Path | None) -> None:
    """Print tables, and write them all to a JSON file if one is named."""
    for table in tables:
        if not table.only_json:
            print(table.to_markdown())
    if file is not None:
        found = [table.to_dict() for table in tables]
        file.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _line(cells: Sequence[Cell]) -> str:
    shown = (
        "" if cell is None else f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells
    )
    return f"| {' | '.join(shown)} |"
