"""What the engines raise while a store is written, in words that name the store."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import apsw
import polars as pl
from deltalake.exceptions import DeltaError

from .companion_errors import companion_problem
from .errors import StoreError
from .store import ROOM_WANTED

__all__ = ["named_failures"]


@contextmanager
def named_failures(root: Path) -> Generator[None]:
    """Say of which store an engine could not write, without the engine's own words: they may quote a log."""
    try:
        yield
    except apsw.Error as error:
        found, hint = companion_problem(error)
        raise StoreError(root, found, hint=hint) from error
    except (pl.exceptions.PolarsError, DeltaError) as error:
        full = "No space left" in str(error)
        found = "no space left on the device" if full else f"could not be written ({type(error).__name__})"
        raise StoreError(root, found, hint=ROOM_WANTED) from error
