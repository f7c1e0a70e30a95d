"""What each category of a descriptor takes from a request, and what it leaves: in English and in Italian."""

from __future__ import annotations

import pytest

from uncompact.query.descriptor import Term, describe

# A request of each language, and what the category has of it.
FOUND: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    "backticked": [
        ("why does `parseConfig` fail on `a b`?", ("parseConfig", "a b")),
        ("perché `parseConfig` fallisce e `npm test` no?", ("parseConfig", "npm test")),
        ("is it `posso`, `without` or `problem`?", ("posso", "without", "problem")),
        ("dove stanno `solo`, `senza` e `volta`?", ("solo", "senza", "volta")),
        ("rename `kebab-case-name`", ("kebab-case-name",)),
        ("il modulo `nome-con-trattini`", ("nome-con-trattini",)),
    ],
    "phrases": [
        ('we said "connection pool" and “waiting time”', ("connection pool", "waiting time")),
        ("l'opzione «schermata di accesso» e la ‘tempo di attesa’", ("schermata di accesso", "tempo di attesa")),
        ("the 'port side first' rule", ("port side first",)),
        ("la regola 'prima la poppa'", ("prima la poppa",)),
        ('it says "without a problem"', ("without a problem",)),
        ("c'è scritto “senza problema”", ("senza problema",)),
        ("I don't think that's the users' fault", ()),
        ("non c'è l'errore dell'utente, un po' strano", ()),
        ("I don’t think that’s right", ()),
        ("un’altra volta l’errore dell’utente", ()),
        ("perche' non va? e' rotto", ()),
    ],
    "files": [
        ("open src/app/main.py, then README.md.", ("src/app/main.py", "README.md")),
        ("apri src/app/main.py e poi README.md.", ("src/app/main.py", "README.md")),
        ("what is in the Makefile and the Dockerfile?", ("Makefile", "Dockerfile")),
        ("cosa c'è nel Makefile o in Dockerfile.prod?", ("Makefile", "Dockerfile.prod")),
        ("list src/foo/ and .gitignore", ("src/foo/", ".gitignore")),
        ("elenca src/foo/ e .env.local", ("src/foo/", ".env.local")),
        (r"C:\work\siskin\main.rs does not build", (r"C:\work\siskin\main.rs",)),
        (r"il file C:\lavoro\main.rs non compila", (r"C:\lavoro\main.rs",)),
        (r"copy \\host\share\data.csv", (r"\\host\share\data.csv",)),
        (r"copia \\server\condivisa\dati.csv", (r"\\server\condivisa\dati.csv",)),
        ('see "/home/u/My Projects/api v2/handler.py"', ("/home/u/My Projects/api v2/handler.py",)),
        ('il file "/home/anna/I Miei Documenti/note finali.txt"', ("/home/anna/I Miei Documenti/note finali.txt",)),
        ("nell'utils.py e nell’app.js", ("utils.py", "app.js")),
        ("e.g. version 1.2.3, and/or Fine.Then example.com", ()),
        ("p.es. la versione 1.2.3, e/o Bene.Poi esempio.it", ()),
    ],
    "qualified": [
        ("call user.save_data, std::vec::Vec and obj->field", ("user.save_data", "std::vec::Vec", "obj->field")),
        ("chiama utente.salva_dati, A::b e obj->campo", ("utente.salva_dati", "A::b", "obj->campo")),
        ("com.example.app.Main or Class#method", ("com.example.app.Main", "Class#method")),
        ("see https://example.com/a?x=1, thanks", ("https://example.com/a?x=1",)),
        ("scrivi a anna.rossi@example.it.", ("anna.rossi@example.it",)),
        ("solo.tutte senza problema", ("solo.tutte",)),
        ("e.g. done.Then we go, i.e. now", ()),
        ("p.es. fatto.Poi si va, ecc.", ()),
    ],
    "flags": [
        ("was --no-verify allowed, or `-rf`?", ("--no-verify", "-rf")),
        ("l'opzione --dry-run è permessa? e `-v`?", ("--dry-run", "-v")),
        ("pass --without here", ("--without",)),
        ("usa --senza qui", ("--senza",)),
        ("a well-known long-term plan -- maybe", ()),
        ("un piano a medio-termine -- forse", ()),
    ],
    "symbols": [
        ("parse_config or parseConfig, MAX_SIZE and $scope", ("parse_config", "parseConfig", "MAX_SIZE", "$scope")),
        ("la variabile DATABASE_URL e la funzione salvaDati", ("DATABASE_URL", "salvaDati")),
        ("see ABC-123 and commit 9f8e7d6", ("ABC-123", "9f8e7d6")),
        ("vedi ABC-123, nel commit 9f8e7d6", ("ABC-123", "9f8e7d6")),
        ("How big? Let me Find the ENV, Add EXPORT", ()),
        ("Dove? Quando? Quale ENV? Aggiungi EXPORT", ()),
        ("long-term, re-index, JavaScript, iPhone", ()),
        ("lungo-termine, re-indicizzare, GitHub, macOS", ()),
    ],
    "errors": [
        ("we got error[E0277] and TS2345", ("error[E0277]", "TS2345", "E0277")),
        ("abbiamo error[E0277] e TS2345", ("error[E0277]", "TS2345", "E0277")),
        ("HTTP 404, then SIGSEGV", ("HTTP 404", "SIGSEGV")),
        ("la richiesta dà HTTP 404, poi SIGSEGV", ("HTTP 404", "SIGSEGV")),
        ("it exits with code 1, exited with status 2", ("exits with code 1", "exited with status 2")),
        ("exiting with 3; exit code: 137", ("exiting with 3", "exit code: 137")),
        ("esce con codice 1, uscito con il codice 2", ("esce con codice 1", "uscito con il codice 2")),
        ("codice di uscita 137, terminato con stato 3", ("codice di uscita 137", "terminato con stato 3")),
        ("a KeyError after ENOENT", ("ENOENT", "KeyError")),
        ("un'eccezione NullPointerException, poi EACCES", ("EACCES", "NullPointerException")),
        ("ENV, EXPORT, SHA256 and END", ()),
        ("ENV, ERRORE, SHA256 e FINE", ()),
    ],
    "technologies": [
        ("why aws or sql or git or css?", ("aws", "sql", "git", "css")),
        ("perché aws, sql, git o css?", ("aws", "sql", "git", "css")),
        ("in Go, C++, .NET and node.js", ("Go", "C++", ".NET", "node.js")),
        ("in Go, C#, .NET e node.js", ("Go", "C#", ".NET", "node.js")),
        ("is ci slow, or the I/O of js?", ("I/O", "ci", "js")),
        ("ci sono errori: la CI è rossa, e l'I/O", ("I/O", "CI")),
        ("io uso ai miei fini la AI", ("AI",)),
        ("the rest api and the rest of it", ("rest", "api")),
        ("il resto, poi REST", ("REST",)),
        ("continue with the rest", ()),
    ],
    "keywords": [
        ("which screens have an input?", ("screens", "input")),
        ("quali schermate hanno un input da premere?", ("schermate", "input", "premere")),
        ("a long-term re-index", ("long", "term", "index")),
        ("l’errore dell’utente un po' strano", ("errore", "utente", "strano")),
        ("3.5GB since 2.0rc1, port 8080", ("3.5GB", "2.0rc1", "port", "8080")),
        ("3.5GB dalla 2.0rc1, porta 8080", ("3.5GB", "2.0rc1", "porta", "8080")),
        ("which pure function does the server serve?", ("pure", "function", "server", "serve")),
        ("serve pure un server per la funzione?", ("server", "funzione")),
        ("why exit code 137?", ("exit", "code", "137")),
        ("perché codice di uscita 137?", ("codice", "uscita", "137")),
        ("words of `retry-limit` or src/pool/main.rs", ("words",)),
        ("le parole di `retry-limit` o src/pool/main.rs", ("parole",)),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("category", "request_text", "found"),
    [(category, *row) for category, rows in FOUND.items() for row in rows],
)
def test_a_category_holds_what_the_request_has_of_it(
    category: str, request_text: str, found: tuple[str, ...]
) -> None:
    assert getattr(describe(request_text), category) == found


@pytest.mark.parametrize(
    "word", ["posso", "solo", "senza", "problema", "volta", "tutte", "without", "problem"]
)
def test_a_word_of_grammar_or_workflow_is_no_topic_unless_in_backticks(word: str) -> None:
    for spelled in (word, word.upper(), word.title(), f"{word}?", f"«{word[:1]}» {word}"):
        assert not describe(spelled).has_topic
    assert describe(f"`{word}`").terms == (Term(word, "identifier"),)


@pytest.mark.parametrize("word", ["schermate", "premere", "input"])
def test_a_word_of_an_interface_is_a_topic(word: str) -> None:
    assert describe(word).terms == (Term(word, "keyword"),)
    assert describe(f"senza {word} solo").terms == (Term(word, "keyword"),)


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("PERCHÉ", id="capitals"),
        pytest.param("perche\u0301", id="decomposed"),
        pytest.param("ｓｅｎｚａ", id="full width"),
        pytest.param("𝐰𝐢𝐭𝐡𝐨𝐮𝐭", id="mathematical"),
        pytest.param("\ufb01nito", id="ligature"),
        pytest.param("«senza»", id="quoted alone"),
        pytest.param("senza…problema", id="ellipsis between"),
        pytest.param("l’altra", id="elided"),
    ],
)
def test_stopwords_are_known_in_every_form_and_between_marks_of_any_kind(word: str) -> None:
    assert [term for term in describe(word).terms if term.kind == "keyword"] == []


@pytest.mark.parametrize(
    "request_text",
    [
        pytest.param("`Perche\u0301` «L’ＡＰＩ di prova»", id="Italian"),
        pytest.param("`Cafe\u0301_Ｘ` “The ﬁle handle”", id="English"),
    ],
)
def test_a_literal_is_never_normalized(request_text: str) -> None:
    described = describe(request_text)

    assert all(literal in request_text for literal in (*described.backticked, *described.phrases))
    assert len(described.backticked) == len(described.phrases) == 1
