"""Every benchmark runs on tiny data, so that none can rot."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

_BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    """The figures of the companion's schema trial on 60 entries."""
    written = tmp_path_factory.mktemp("trial") / "figures.json"
    command = [sys.executable, "companion_trial.py", "--entries", "60", "--json", str(written)]
    subprocess.run(command, cwd=_BENCHMARKS, check=True, capture_output=True)
    figures: list[dict[str, object]] = json.loads(written.read_text(encoding="utf-8"))
    return figures


def test_companion_trial_measures_every_section(trial: list[dict[str, object]]) -> None:
    sections = {figure["section"] for figure in trial}

    assert sections == {"build", "look-up", "fetch", "texts", "writes"}


def test_companion_trial_finds_words_again_after_delete_and_insert(trial: list[dict[str, object]]) -> None:
    writes = {figure["name"]: figure["figure"] for figure in trial if figure["section"] == "writes"}

    assert writes["their postings of `the`, deleted"] == 0
    assert writes["their postings of `the`, again"] == writes["their passages with `the`"] != 0
