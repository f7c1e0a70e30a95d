"""The planner's benchmark runs on a tiny list, so that it cannot rot."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

_BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def measure(written: Path, *arguments: str) -> dict[str, object]:
    command = [sys.executable, "plan_latency.py", *arguments, "--rounds", "3", "--json", str(written)]
    subprocess.run(command, cwd=_BENCHMARKS, check=True, capture_output=True)
    figures: dict[str, object] = json.loads(written.read_text(encoding="utf-8"))
    return figures


@pytest.mark.parametrize(("window", "left_out"), [("200000", False), ("40000", True)])
def test_plan_latency_measures_a_plan_that_is_made(tmp_path: Path, window: str, left_out: bool) -> None:
    figures = measure(tmp_path / "figures.json", "--messages", "200", "--hits", "4", "--window", window)

    assert (figures["status"], figures["evidence"]) == ("planned", 4)
    assert (figures["left_out"] != 0) == left_out
    assert {"cpu_p50_ms", "cpu_p95_ms", "wall_p50_ms", "wall_p95_ms"} <= set(figures)
