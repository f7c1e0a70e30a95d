"""How much memory this process has held."""

from __future__ import annotations

import resource
import sys

__all__ = ["peak_rss_mb"]


def peak_rss_mb() -> float:
    """Return the most memory, in MiB, that this process held since its program began."""
    own = _peak_of_program_kib()
    if own is not None:
        return round(own / 1024, 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes.
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)


def _peak_of_program_kib() -> int | None:
    """Return what /proc has: what ``getrusage`` counts for a process begins with the peak of its parent."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            return next((int(line.split()[1]) for line in status if line.startswith("VmHWM:")), None)
    except OSError:
        return None
