"""Whether the companion has all of a log, told by ``stat`` and one look-up: what a retrieval asks first, every time.

Imports next to nothing, for a command that lives no longer than one retrieval.
"""

from __future__ import annotations

import os
from pathlib import Path

import apsw

from .paths import display_path, file_stamps
from .sql_files import load_sql
from .sqlite import rows

__all__ = ["is_fresh"]


def is_fresh(connection: apsw.Connection, log: Path) -> bool | None:
    """Tell whether nothing was written to a log since its session was brought up to date in the companion.

    ``log`` is an absolute path. ``None`` for one that the companion does not know. Raises ``OSError`` when the log is
    not there.
    """
    stamps = file_stamps(os.stat(log))
    sql = load_sql("uncompact.pipelines", "select_log_stamps")
    found = next(rows(connection, sql, {"path": display_path(log)}), None)
    return None if found is None else found == ("present", *stamps)
