"""A command line whose standard error is a terminal, and what it drew there."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
from collections.abc import Sequence

from .cli_runs import PROGRAM


def run_at_terminal(
    arguments: Sequence[str], *, signal_at: tuple[str, signal.Signals] | None = None
) -> tuple[int, str, str]:
    """Run a command line; return its exit code, what it printed, and what it drew on the terminal.

    ``signal_at`` sends a signal as soon as a word is drawn.
    """
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(theirs)
    drawn = b""
    while piece := _read(ours):
        drawn += piece
        if signal_at is not None and signal_at[0].encode() in drawn:
            process.send_signal(signal_at[1])
            signal_at = None
    os.close(ours)
    printed, _ = process.communicate()
    return process.returncode, printed, drawn.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:
        # The last process that had the terminal open has ended.
        return b""
