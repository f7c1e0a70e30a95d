"""Keywords of a text: words with a topic, in every script."""

from __future__ import annotations

import pytest

from uncompact.query.keywords import find_keywords


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        pytest.param("How big is the A B limit we settled on?", ["big", "limit"], id="question"),
        pytest.param("Hey, could you remind me why exactly the shrike export used to be so terribly slow back then?",
                     ["shrike", "export", "slow"], id="long question"),
        pytest.param("dove si trova la schermata di accesso?", ["schermata", "accesso"], id="Italian"),
        pytest.param("l'errore dell’utente, un po' strano", ["errore", "utente", "strano"], id="apostrophes, Italian"),
        pytest.param("I don't think that’s the users' panel", ["users", "panel"], id="apostrophes, English"),
        pytest.param("the long-term re-index", ["long", "term", "index"], id="hyphens"),
        pytest.param("Postgres postgres POSTGRES", ["Postgres"], id="first spelling"),
        pytest.param("cat renamed", ["cat", "renamed"], id="three letters"),
        pytest.param("the ENV of EXPORT", ["ENV", "EXPORT"], id="capitals"),
        pytest.param("the UK or uk xy", ["UK"], id="two letters in capitals"),
        pytest.param("UK XY", [], id="two letters where all is capitals"),
        pytest.param("db, v2, 5k, x", ["db", "v2", "5k"], id="two letters as technology or with a digit"),
        pytest.param("port 5433, 42 times", ["port", "5433", "times"], id="numbers"),
        pytest.param("1.2.3 v1.2.3 python3.11", ["1.2.3", "v1.2.3", "python3.11"], id="versions"),
        pytest.param("utf8mb4 and sha256", ["utf8mb4", "sha256"], id="digits in words"),
        pytest.param("caffè caffe\u0300 CAFFE", ["caffè"], id="accents"),
        pytest.param("caffe\u0300", ["caffe\u0300"], id="decomposed stays so"),
        pytest.param("ışık IŞIK", ["ışık", "IŞIK"], id="Turkish letters differ"),
        pytest.param("缓存", ["缓存"], id="Chinese"),
        pytest.param("键", ["键"], id="one character"),
        pytest.param("重跑gen-plan后缓存", ["重跑", "gen", "plan", "后缓存"], id="Latin touching Chinese"),
        pytest.param("请检查缓存目录的权限", ["检查", "查缓", "缓存", "存目", "目录", "权限"], id="Chinese sentence"),
        pytest.param("キャッシュの容量を増やした", ["キャッシュ", "容量"], id="Japanese sentence"),
        pytest.param("ทดสอบ", ["ทดสอบ"], id="Thai"),
        pytest.param("हिन्दी शब्द", ["हिन्दी", "शब्द"], id="vowel signs"),
        pytest.param("🚀 … — *", [], id="no words"),
        pytest.param("a" * 65, [], id="longer than a word"),
    ],
)  # fmt: skip
def test_keywords_are_found(text: str, keywords: list[str]) -> None:
    assert find_keywords(text) == tuple(keywords)
