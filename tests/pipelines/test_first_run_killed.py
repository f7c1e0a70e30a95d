"""A first run that was killed while it made the tables is no damage: the next one begins anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.builders import user
from tests.pipelines.stores import ids, log, run
from uncompact.pipelines.lake import create_lake
from uncompact.pipelines.store import StorePaths


@pytest.mark.parametrize("written", [b"", b'{"protocol":{"minReader'], ids=["empty", "half"])
@pytest.mark.parametrize("table", ["entries", "sessions"])
def test_a_first_log_that_is_not_whole_is_made_anew(
    logs: Path, store: Path, table: str, written: bytes
) -> None:
    log(logs, "a.jsonl", user("a", None, "one"))
    store.mkdir()
    lake = StorePaths(store).lake
    create_lake(lake)
    (lake / table / "_delta_log" / f"{0:020}.json").write_bytes(written)
    (lake / "sessions" / "_delta_log" / f"{0:020}.json").unlink(missing_ok=table != "sessions")

    report = run(logs, store)

    assert (report["warnings"], ids(store)) == ([], ["a"])
