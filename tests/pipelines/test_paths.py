"""Paths as text that can always be shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from uncompact.pipelines.paths import display_path


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (b"/logs/a.jsonl", "/logs/a.jsonl"),
        ("/logs/café 🚀.jsonl".encode(), "/logs/café 🚀.jsonl"),
        (b"/logs/caf\xe9.jsonl", "/logs/caf\ufffd.jsonl"),
    ],
    ids=["plain", "UTF-8", "not UTF-8"],
)
def test_bytes_that_are_no_utf8_become_replacement_characters(path: bytes, shown: str) -> None:
    assert display_path(Path(os.fsdecode(path))) == shown
