"""Technologies in a text, also short ones and those whose names are no plain words."""

from __future__ import annotations

import pytest

from uncompact.query.technologies import find_technologies, is_technology


@pytest.mark.parametrize(
    ("text", "technologies"),
    [
        pytest.param("why aws or sql or git or npm?", ["aws", "sql", "git", "npm"], id="three letters"),
        pytest.param("js, ts e db", ["js", "ts", "db"], id="two letters"),
        pytest.param("Docker, docker, DOCKER", ["Docker"], id="first spelling"),
        pytest.param("C++ or C# or .NET or ASP.NET", ["C++", "C#", ".NET", "ASP.NET"], id="marks"),
        pytest.param("node.js and k8s", ["node.js", "k8s"], id="dot and digits"),
        pytest.param("we wrote it in Go, then", ["Go"], id="language inside a sentence"),
        pytest.param("Go on, let us go", [], id="verb"),
        pytest.param("Ok, Go. And Go back", [], id="verb with a capital"),
        pytest.param("scritto in Go e Rust", ["Go", "Rust"], id="language in Italian"),
        pytest.param("why is ci red?", ["ci"], id="ci in English"),
        pytest.param("ci sono errori", [], id="ci in Italian"),
        pytest.param("perché la CI è rossa?", ["CI"], id="CI in Italian"),
        pytest.param("usiamo io e ai miei", [], id="pronoun and preposition"),
        pytest.param("digital gitter sqlx", [], id="inside words"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_technologies_are_found(text: str, technologies: list[str]) -> None:
    assert find_technologies(text) == tuple(technologies)


def test_case_does_not_matter_to_a_technology() -> None:
    assert is_technology("PostgreSQL")
    assert not is_technology("pool")
