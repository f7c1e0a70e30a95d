"""Names that code joins from words, taken apart."""

from __future__ import annotations

import pytest

from uncompact.pipelines.name_parts import split_humped_names, split_name


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        pytest.param("parse_config", ("parse", "config"), id="snake"),
        pytest.param("parse-config", ("parse", "config"), id="kebab"),
        pytest.param("parseConfig", ("parse", "config"), id="camel"),
        pytest.param("ParseHTTPConfig2", ("parse", "http", "config", "2"), id="capitals and a digit"),
        pytest.param("MAX_POOL_SIZE", ("max", "pool", "size"), id="constant"),
        pytest.param("pool", ("pool",), id="one word"),
        pytest.param("src/main.py", (), id="path"),
        pytest.param("größeMax", (), id="not ASCII"),
        pytest.param("a" * 81, (), id="too long for a name"),
        pytest.param("", (), id="nothing"),
    ],
)
def test_a_name_is_split_into_its_words(name: str, parts: tuple[str, ...]) -> None:
    assert split_name(name) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        pytest.param("call parseConfig, then parseConfig", "parse Config", id="a name twice"),
        pytest.param("maxPool(minPool)", "max Pool min Pool", id="two names"),
        pytest.param("Plain Words and A_CONSTANT", "", id="none"),
        pytest.param("x = aB", "", id="parts of one letter"),
        pytest.param("getHTTPResponse()", "get HTTP Response", id="capitals"),
        pytest.param("größeMaxWert", "Max Wert", id="behind a letter beyond ASCII"),
        pytest.param("a" * 80 + "B", "", id="too long for a name"),
        pytest.param("aBc" * 40, "", id="no name at all"),
    ],
)
def test_words_of_names_with_humps_are_found(text: str, parts: str) -> None:
    assert split_humped_names(text.encode()).decode() == parts
