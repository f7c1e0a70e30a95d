"""Times as agents write them, to microseconds since 1970-01-01 UTC."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta

__all__ = ["format_time", "parse_time"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DIGITS = re.compile(r"\d{9,19}(?:\.\d+)?")
# 9999-12-31T23:59:59: no calendar here goes further.
_LAST_MICROSECOND = 253_402_300_799_000_000
_DAY = 86_400_000_000


def parse_time(value: object) -> int | None:
    """Turn an entry's timestamp into microseconds since 1970-01-01 UTC.

    Takes ISO 8601 text (a text without zone is UTC), or a number or digits: up to 1e11 seconds, then milliseconds,
    microseconds and nanoseconds. Anything else, and any instant before 1970 or after 9999, gives ``None``.
    """
    if isinstance(value, str):
        # Most are dates, and a date's dash is seen sooner than that a text is no number.
        if value[4:5] != "-" and _DIGITS.fullmatch(value):
            return _from_number(float(value))
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        return _from_datetime(moment)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _from_number(value)
    return None


def format_time(microseconds: int | None) -> str | None:
    """Write microseconds since 1970 as ISO 8601 in UTC with milliseconds, as ``2026-05-28T20:26:40.000Z``."""
    if microseconds is None:
        return None
    moment = _EPOCH + timedelta(microseconds=microseconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _from_datetime(moment: datetime) -> int | None:
    try:
        since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH
    except OverflowError:
        return None
    microseconds = since.days * _DAY + since.seconds * 1_000_000 + since.microseconds
    return microseconds if 0 <= microseconds <= _LAST_MICROSECOND else None


def _from_number(value: float) -> int | None:
    if not 0 <= value < math.inf:
        return None
    if value <= 1e11:  # 1e11 seconds is the year 5138; 1e11 milliseconds is 1973
        microseconds = int(value * 1_000_000)
    elif value <= 1e14:
        microseconds = int(value * 1000)
    elif value <= 1e17:
        microseconds = int(value)
    else:
        microseconds = int(value) // 1000
    return microseconds if microseconds <= _LAST_MICROSECOND else None
