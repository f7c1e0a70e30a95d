"""Examples in docstrings are run, each module under the name users import it by."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def module_names() -> list[str]:
    names: list[str] = []
    for package in ("pipelines", "query"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if parts[:2] == ("query", "api"):
                names.append("uncompact")
            else:
                names.append(".".join(("uncompact", *parts)).removesuffix(".__init__"))
    return names


@pytest.mark.parametrize("name", module_names())
def test_examples_come_out_as_written(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
