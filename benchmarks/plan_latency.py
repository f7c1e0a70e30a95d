"""How long planning takes: a long list of messages with calls and results, and hits to insert, in one process.

python benchmarks/plan_latency.py [--messages 1000] [--hits 12] [--rounds 200] [--window 200000] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from pathlib import Path
from typing import Any

from make_sessions import pick_words

import uncompact
from uncompact.query.evidence import render_evidence
from uncompact.query.plan_report import PlanStatus

_WARM_UPS = 5
_TURN = 10


def make_messages(count: int, seed: int) -> list[dict[str, Any]]:
    """Make turns of a request, rounds of two parallel calls with their results, and an answer; the last is a request."""
    rng = random.Random(seed)
    messages: list[dict[str, Any]] = []
    while len(messages) < count - 1:
        at = len(messages)
        messages.append(_make_message(rng, at, at % _TURN))
    messages.append({"role": "user", "content": _words(rng, 20), "timestamp": 1_780_000_000_000})
    return messages


def _make_message(rng: random.Random, at: int, step: int) -> dict[str, Any]:
    if step == 0:
        return {"role": "user", "content": _words(rng, 20)}
    if step == _TURN - 1:
        return {"role": "assistant", "content": [{"type": "text", "text": _words(rng, 60)}]}
    phase = (step - 1) % 3
    if phase == 0:
        arguments = {"command": _words(rng, 6), "timeout": 60}
        calls = [
            {"type": "toolCall", "id": f"call_{at + nth}", "name": "bash", "arguments": arguments}
            for nth in (1, 2)
        ]
        return {"role": "assistant", "content": [{"type": "text", "text": _words(rng, 10)}, *calls]}
    text = [{"type": "text", "text": _words(rng, 120)}]
    return {"role": "toolResult", "toolCallId": f"call_{at}", "toolName": "bash", "content": text}


def make_evidence(count: int, seed: int) -> list[uncompact.EvidenceItem]:
    """Make rendered hits, the best first."""
    rng = random.Random(seed)
    return [_make_item(rng, number) for number in range(count)]


def _make_item(rng: random.Random, number: int) -> uncompact.EvidenceItem:
    entry_id, score = f"{number:08x}", 200.0 - number
    message = render_evidence(
        entry_id=entry_id,
        created_at=1_780_000_000_000_000 + number,
        role="assistant",
        score=score,
        reason="active branch",
        excerpt=_words(rng, 120),
    )
    return uncompact.EvidenceItem(entry_id, "bench", score, message)


def measure(messages: int, hits: int, rounds: int, window: int) -> dict[str, float | PlanStatus]:
    """Plan different lists of one size; milliseconds."""
    budgets = uncompact.compute_budgets(window)
    cases = [(make_messages(messages, seed), make_evidence(hits, seed)) for seed in range(min(rounds, 10))]
    for case in cases[:_WARM_UPS]:
        uncompact.plan_context(*case, budgets)
    wall, cpu = zip(*(_time_one(cases[nth % len(cases)], budgets) for nth in range(rounds)), strict=True)
    plan = uncompact.plan_context(*cases[0], budgets)
    return {
        "messages": messages,
        "hits": hits,
        "status": plan.status,
        "original_tokens": plan.original_tokens or 0,
        "tokens": plan.tokens or 0,
        "evidence": len(plan.retrieved_event_ids),
        "left_out": sum(len(item.indices) for item in plan.excluded),
        **_quantiles("wall", wall),
        **_quantiles("cpu", cpu),
    }


def _time_one(
    case: tuple[list[dict[str, Any]], list[uncompact.EvidenceItem]], budgets: uncompact.PlanBudgets
) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    uncompact.plan_context(*case, budgets)
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


def _quantiles(name: str, values: tuple[float, ...]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        f"{name}_p50_ms": statistics.median(ordered),
        f"{name}_p95_ms": ordered[int(len(ordered) * 0.95)],
        f"{name}_max_ms": ordered[-1],
    }


def _words(rng: random.Random, count: int) -> str:
    return " ".join(pick_words(rng, count))


def main() -> None:
    """Measure once and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--hits", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--window", type=int, default=200_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures = measure(options.messages, options.hits, options.rounds, options.window)
    for name, figure in figures.items():
        print(f"{name:16} {figure:>10}" if isinstance(figure, (str, int)) else f"{name:16} {figure:10.2f}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
