"""Bring back what compaction took away: original evidence from coding agents' session logs.

>>> import uncompact
>>> report = uncompact.reindex([Path("~/.pi/agent/sessions").expanduser()], store=Path("history"))  # doctest: +SKIP
>>> with uncompact.open_store(Path("history")) as store:  # doctest: +SKIP
...     answer = store.retrieve("session.jsonl", "which pool size did we settle on?")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
    from uncompact.pipelines.errors import BusyError, NotFoundError, SourceError, StoreError, UncompactError
    from uncompact.pipelines.reindex import reindex
    from uncompact.pipelines.run_report import RunReport
    from uncompact.query.history_store import HistoryStore, open_store
    from uncompact.query.limits import LimitError
    from uncompact.query.retrieval import Hit, Retrieval

__all__ = [
    "BusyError",
    "HistoryStore",
    "Hit",
    "LimitError",
    "NotFoundError",
    "Retrieval",
    "RunReport",
    "SourceError",
    "StoreError",
    "UncompactError",
    "open_store",
    "reindex",
]

_HOMES = {
    "BusyError": "uncompact.pipelines.errors",
    "HistoryStore": "uncompact.query.history_store",
    "Hit": "uncompact.query.retrieval",
    "LimitError": "uncompact.query.limits",
    "NotFoundError": "uncompact.pipelines.errors",
    "Retrieval": "uncompact.query.retrieval",
    "RunReport": "uncompact.pipelines.run_report",
    "SourceError": "uncompact.pipelines.errors",
    "StoreError": "uncompact.pipelines.errors",
    "UncompactError": "uncompact.pipelines.errors",
    "open_store": "uncompact.query.history_store",
    "reindex": "uncompact.pipelines.reindex",
}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: reindexing's libraries would slow every short command."""
    if name == "__version__":
        from importlib.metadata import version

        return version("uncompact")
    if name not in _HOMES:
        raise AttributeError(f"module 'uncompact' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
