"""Times as agents write them: one number of microseconds, or none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.pipelines.timestamps import format_time, parse_time

MAY_28 = 1_780_000_000_000_000
LAST = 253_402_300_799_000_000

anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(0, 10**400),
    st.floats(),
    st.text(),
    st.from_regex(r"\A\d{1,25}\Z"),
    st.datetimes(timezones=st.timezones() | st.none()).map(datetime.isoformat),
    st.from_regex(r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?[+-]\d\d:\d\d\Z"),
    st.lists(st.integers()),
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("2026-05-28T20:26:40.000Z", MAY_28, id="as Pi writes it"),
        pytest.param("2026-05-28T20:26:40Z", MAY_28, id="without fraction"),
        pytest.param("2026-05-28T20:26:40.123456Z", MAY_28 + 123_456, id="microseconds"),
        pytest.param("2026-05-28T22:26:40+02:00", MAY_28, id="other zone"),
        pytest.param("2026-05-28T20:26:40", MAY_28, id="no zone is UTC"),
        pytest.param("2026-05-28 20:26:40", MAY_28, id="blank instead of T"),
        pytest.param("2026-05-28", 1_779_926_400_000_000, id="day alone"),
        pytest.param(1_780_000_000, MAY_28, id="seconds"),
        pytest.param(1_780_000_000.25, MAY_28 + 250_000, id="fraction of a second"),
        pytest.param(1_780_000_000_000, MAY_28, id="milliseconds"),
        pytest.param(1_780_000_000_000_000, MAY_28, id="microseconds as a number"),
        pytest.param(1_780_000_000_000_000_000, MAY_28, id="nanoseconds"),
        pytest.param("1780000000000", MAY_28, id="digits"),
        pytest.param(0, 0, id="1970"),
    ],
)
def test_every_common_form_is_read(value: object, expected: int) -> None:
    assert parse_time(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(None, id="nothing"),
        pytest.param("", id="empty"),
        pytest.param("yesterday", id="words"),
        pytest.param("2026-13-45T99:00:00Z", id="no such day"),
        pytest.param("1969-12-31T23:59:59Z", id="before 1970"),
        pytest.param("0001-01-01T00:00:00+23:59", id="before the calendar"),
        pytest.param("9999-12-31T23:59:59-23:59", id="after the calendar"),
        pytest.param(-1, id="negative"),
        pytest.param(True, id="truth value"),
        pytest.param(float("nan"), id="not a number"),
        pytest.param(float("inf"), id="infinite"),
        pytest.param(10**400, id="larger than any double"),
        pytest.param({"at": 1}, id="object"),
    ],
)
def test_what_is_no_time_gives_none(value: object) -> None:
    assert parse_time(value) is None


@given(value=anything)
def test_every_time_read_can_be_written(value: object) -> None:
    moment = parse_time(value)

    assert moment is None or 0 <= moment <= LAST
    assert (format_time(moment) is None) == (moment is None)


@given(moment=st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 31)))
def test_a_time_written_reads_as_the_same_millisecond(moment: datetime) -> None:
    milliseconds = int(moment.replace(tzinfo=UTC).timestamp()) * 1000

    assert parse_time(format_time(milliseconds * 1000)) == milliseconds * 1000


def test_times_are_written_in_utc_with_milliseconds() -> None:
    assert format_time(MAY_28 + 123_456) == "2026-05-28T20:26:40.123Z"
