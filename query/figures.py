"""Numbers, sizes and times as a person reads them."""

from __future__ import annotations

__all__ = ["count_text", "moment_text", "size_text"]


def count_text(number: int, one: str, many: str | None = None) -> str:
    """Write a number of things.

    >>> count_text(1, "entry", "entries"), count_text(1200, "log")
    ('1 entry', '1,200 logs')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def size_text(size: float) -> str:
    """Write a number of bytes.

    >>> size_text(999), size_text(12_345)
    ('999 bytes', '12.3 kB')
    """
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def moment_text(time: str | None) -> str | None:
    """Shorten an ISO 8601 time in UTC to seconds.

    >>> moment_text("2026-05-28T20:26:40.000Z")
    '2026-05-28 20:26:40Z'
    """
    return None if time is None else f"{time[:10]} {time[11:19]}Z"
