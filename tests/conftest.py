"""Hypothesis profiles, and the two folders that most tests need."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import HealthCheck, settings

# Examples write the same file anew, so a folder for the whole property is right.
_SHARED_FOLDER = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]

settings.register_profile("developer", deadline=None, suppress_health_check=_SHARED_FOLDER)
settings.register_profile("ci", deadline=None, suppress_health_check=_SHARED_FOLDER, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "developer")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """An empty folder for session logs."""
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where a store may be made; nothing is there yet."""
    return tmp_path / "store"


@pytest.fixture
def time_limit() -> Iterator[None]:
    """Fail instead of hanging, where a read could block for ever."""

    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError("took longer than 20 seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
