"""Token estimates: a quarter of a token for each UTF-16 unit."""

from __future__ import annotations

import pytest

from uncompact.pipelines.tokens import estimate_message_tokens, estimate_text_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("a", 1, id="rounded up"),
        pytest.param("abcd", 1, id="four letters"),
        pytest.param("abcde", 2, id="five letters"),
        pytest.param("éééé", 1, id="accented letters count once"),
        pytest.param("😀😀", 1, id="an emoji counts twice"),
        pytest.param("😀😀a", 2, id="emoji and letter"),
        pytest.param("\ud800", 1, id="half of a pair"),
    ],
)
def test_four_utf16_units_make_a_token(text: str, tokens: int) -> None:
    assert estimate_text_tokens(text) == tokens


def test_a_message_costs_a_frame_and_its_images() -> None:
    assert estimate_message_tokens("abcd", images=2) == 8 + 1 + 2 * 1024
