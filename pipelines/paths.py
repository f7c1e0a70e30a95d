"""Paths as a store keeps them."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["display_path", "is_gone"]


def display_path(path: Path) -> str:
    """Write a path as text: bytes that are not UTF-8 become U+FFFD."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def is_gone(path: str) -> bool:
    """Tell whether nothing is at a path; what a closed folder hides is not gone."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
