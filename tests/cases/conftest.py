"""Each case is indexed once and only read; tests that change a log make their own copy."""

from __future__ import annotations

import pytest

from tests.cases.builders import IndexedLogs, OpenCase, index_case


@pytest.fixture(scope="session")
def open_case(tmp_path_factory: pytest.TempPathFactory) -> OpenCase:
    """Return a function that gives the indexed copy of a case's folder."""
    opened: dict[str, IndexedLogs] = {}

    def open_once(name: str) -> IndexedLogs:
        if name not in opened:
            opened[name] = index_case(name, tmp_path_factory.mktemp(name))
        return opened[name]

    return open_once
