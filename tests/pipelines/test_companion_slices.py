"""Sessions in groups and stretches of bounded size, each place of each session once."""

from __future__ import annotations

import pytest

from uncompact.pipelines.companion_slices import GROUP_CHARS, group_sessions, stretches


def session(entries: int, text_chars: int) -> dict[str, int]:
    return {"entries": entries, "text_chars": text_chars}


@pytest.mark.parametrize(
    ("chars", "groups"),
    [
        pytest.param([], [], id="none"),
        pytest.param([10, 20, 30], [[10, 20, 30]], id="small ones together"),
        pytest.param([GROUP_CHARS, 1], [[GROUP_CHARS], [1]], id="a full one alone"),
        pytest.param([1, 9 * GROUP_CHARS, 1], [[1], [9 * GROUP_CHARS], [1]], id="a large one alone"),
    ],
)
def test_groups_are_bounded_and_keep_the_order(chars: list[int], groups: list[list[int]]) -> None:
    found = group_sessions(session(1, size) for size in chars)

    assert [[one["text_chars"] for one in group] for group in found] == groups


@pytest.mark.parametrize(
    ("sessions", "first", "expected"),
    [
        pytest.param([session(100, 0)], 0, [(0, 1 << 31)], id="without text"),
        pytest.param([session(100, 500), session(7, 9)], 0, [(0, 1 << 31)], id="a group"),
        pytest.param([session(100, 4 * GROUP_CHARS)], 0, [(0, 25), (25, 50), (50, 75), (75, 1 << 31)], id="a large one"),
        pytest.param([session(100, 4 * GROUP_CHARS)], 60, [(60, 85), (85, 1 << 31)], id="the rest of one"),
        pytest.param([session(1, 9 * GROUP_CHARS)], 0, [(0, 1 << 31)], id="one large entry"),
        pytest.param([session(0, 0)], 0, [(0, 1 << 31)], id="no entries"),
    ],
)  # fmt: skip
def test_stretches_follow_one_another_to_the_end(
    sessions: list[dict[str, int]], first: int, expected: list[tuple[int, int]]
) -> None:
    assert list(stretches(sessions, first)) == expected
