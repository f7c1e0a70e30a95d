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
    from uncompact.pipelines.forget import forget
    from uncompact.pipelines.forget_report import ForgetReport
    from uncompact.pipelines.forget_selection import SelectionError
    from uncompact.pipelines.progress import Progress
    from uncompact.pipelines.reindex import reindex
    from uncompact.pipelines.run_report import RunReport
    from uncompact.pipelines.sync import SyncResult, sync_log
    from uncompact.query.evidence import EvidenceItem, evidence_from_hits
    from uncompact.query.history_store import HistoryStore, RetrievalRequest, open_store
    from uncompact.query.limits import LimitError
    from uncompact.query.plan_budgets import PlanBudgets, PlanCaps, compute_budgets
    from uncompact.query.plan_report import Plan
    from uncompact.query.planner import plan_context
    from uncompact.query.retrieval import Retrieval
    from uncompact.query.selection import Hit
    from uncompact.query.settings import RetrievalSettings

__all__ = [
    "BusyError",
    "EvidenceItem",
    "ForgetReport",
    "HistoryStore",
    "Hit",
    "LimitError",
    "NotFoundError",
    "Plan",
    "PlanBudgets",
    "PlanCaps",
    "Progress",
    "Retrieval",
    "RetrievalRequest",
    "RetrievalSettings",
    "RunReport",
    "SelectionError",
    "SourceError",
    "StoreError",
    "SyncResult",
    "UncompactError",
    "compute_budgets",
    "evidence_from_hits",
    "forget",
    "open_store",
    "plan_context",
    "reindex",
    "sync_log",
]

_HOMES = {
    "BusyError": "uncompact.pipelines.errors",
    "EvidenceItem": "uncompact.query.evidence",
    "ForgetReport": "uncompact.pipelines.forget_report",
    "HistoryStore": "uncompact.query.history_store",
    "Hit": "uncompact.query.selection",
    "LimitError": "uncompact.query.limits",
    "NotFoundError": "uncompact.pipelines.errors",
    "Plan": "uncompact.query.plan_report",
    "PlanBudgets": "uncompact.query.plan_budgets",
    "PlanCaps": "uncompact.query.plan_budgets",
    "Progress": "uncompact.pipelines.progress",
    "Retrieval": "uncompact.query.retrieval",
    "RetrievalRequest": "uncompact.query.history_store",
    "RetrievalSettings": "uncompact.query.settings",
    "RunReport": "uncompact.pipelines.run_report",
    "SelectionError": "uncompact.pipelines.forget_selection",
    "SourceError": "uncompact.pipelines.errors",
    "StoreError": "uncompact.pipelines.errors",
    "SyncResult": "uncompact.pipelines.sync",
    "UncompactError": "uncompact.pipelines.errors",
    "compute_budgets": "uncompact.query.plan_budgets",
    "evidence_from_hits": "uncompact.query.evidence",
    "forget": "uncompact.pipelines.forget",
    "open_store": "uncompact.query.history_store",
    "plan_context": "uncompact.query.planner",
    "reindex": "uncompact.pipelines.reindex",
    "sync_log": "uncompact.pipelines.sync",
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
