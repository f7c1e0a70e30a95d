"""Paths as a store keeps them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["display_path"]


def display_path(path: Path) -> str:
    """Write a path as text: bytes that are not UTF-8 become U+FFFD."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
