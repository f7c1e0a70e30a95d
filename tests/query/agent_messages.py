"""An agent's messages, evidence and budgets as values, of the size that a test needs."""

from __future__ import annotations

from typing import Any

from uncompact.query.evidence import EvidenceItem, render_evidence
from uncompact.query.plan_budgets import PlanBudgets

Message = dict[str, Any]

STAMP = 1_780_000_000_000


def user(text: str) -> Message:
    return {"role": "user", "content": text, "timestamp": STAMP}


def answer(text: str) -> Message:
    return {"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": "stop"}


def calls(*ids: str, text: str = "") -> Message:
    """An assistant's message that calls a tool once for each id."""
    said = [{"type": "text", "text": text}] if text else []
    blocks = [{"type": "toolCall", "id": one, "name": "bash", "arguments": {"command": "ls"}} for one in ids]
    return {"role": "assistant", "content": [*said, *blocks], "stopReason": "toolUse"}


def result(call_id: str, text: str = "done") -> Message:
    content = [{"type": "text", "text": text}]
    return {"role": "toolResult", "toolCallId": call_id, "toolName": "bash", "content": content}


def summary(text: str, role: str = "compactionSummary") -> Message:
    return {"role": role, "summary": text, "tokensBefore": 60_000}


def custom(text: str) -> Message:
    return {"role": "custom", "customType": "note", "content": text, "display": True}


def system(text: str) -> Message:
    return {"role": "system", "content": text}


def shell(output: str, **fields: Any) -> Message:
    return {"role": "bashExecution", "command": "make", "output": output, "cancelled": False, **fields}


def evidence(name: str, *, score: float = 100.0, chars: int = 40) -> EvidenceItem:
    """A hit on the entry ``name``; 100 more ``chars`` are 25 more tokens."""
    message = render_evidence(
        entry_id=name,
        created_at=None,
        role="user",
        score=score,
        reason="active branch",
        excerpt=name.ljust(chars, "."),
    )
    return EvidenceItem(name, "s1", score, message)


def sized(tokens: int) -> str:
    """A text with which a user's message is estimated at so many tokens."""
    return "x" * (4 * (tokens - 8))


def budgets(
    target: int = 10_000,
    *,
    hard: int | None = None,
    recent_tail: int = 100_000,
    history: int = 100_000,
    summary: int = 100_000,
    fixed: int = 0,
) -> PlanBudgets:
    """Budgets of which only what is named is tight."""
    limit = target if hard is None else hard
    return PlanBudgets(
        window=limit,
        output_reserve=0,
        safety=0,
        hard=limit,
        soft=limit,
        target=target,
        recent_tail=recent_tail,
        history=history,
        summary=summary,
        fixed=fixed,
    )
