"""Error codes in a text, and the words that are only shaped like them."""

from __future__ import annotations

import pytest

from uncompact.query.error_codes import find_errors, find_exceptions


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        pytest.param("again E0277 here", ["E0277"], id="compiler"),
        pytest.param("error[E0277]: no", ["error[E0277]", "E0277"], id="compiler, in brackets"),
        pytest.param("TS2345, CS1002: expected", ["TS2345", "CS1002"], id="letters and number"),
        pytest.param("F401 RUF001 PLR0913 SC2086", ["F401", "RUF001", "PLR0913", "SC2086"], id="linters"),
        pytest.param("HTTP 404 or HTTP404", ["HTTP 404", "HTTP404"], id="http"),
        pytest.param("HTTP/1.1 503", ["HTTP/1.1 503"], id="http with version"),
        pytest.param("SIGSEGV, poi SIGKILL", ["SIGSEGV", "SIGKILL"], id="signals"),
        pytest.param("ENOENT ECONNRESET ERESOLVE", ["ENOENT", "ECONNRESET", "ERESOLVE"], id="errno"),
        pytest.param("ERR_MODULE_NOT_FOUND", ["ERR_MODULE_NOT_FOUND"], id="node"),
        pytest.param("CUDA_ERROR_OUT_OF_MEMORY", ["CUDA_ERROR_OUT_OF_MEMORY"], id="prefix before ERROR"),
        pytest.param("SQLITE_BUSY?", ["SQLITE_BUSY"], id="sqlite"),
        pytest.param("ORA-00942 PGRST116", ["ORA-00942", "PGRST116"], id="databases"),
        pytest.param("CVE-2024-12345", ["CVE-2024-12345"], id="vulnerability"),
        pytest.param("0xC0000005", ["0xC0000005"], id="windows status"),
        pytest.param("with exit code 137", ["exit code 137"], id="exit code"),
        pytest.param("Exit status 1: no", ["Exit status 1"], id="exit status"),
        pytest.param("codice di uscita 1", ["codice di uscita 1"], id="exit code, Italian"),
        pytest.param("codice d'errore 5", ["codice d'errore 5"], id="error code, Italian"),
        pytest.param("[Errno 13] denied", ["Errno 13"], id="errno with number"),
        pytest.param("a KeyError", ["KeyError"], id="python"),
        pytest.param("NullPointerException", ["NullPointerException"], id="java"),
        pytest.param("json.decoder.JSONDecodeError", ["JSONDecodeError"], id="end of a dotted name"),
        pytest.param("KeyboardInterrupt", ["KeyboardInterrupt"], id="without suffix"),
    ],
)
def test_errors_are_found(text: str, errors: list[str]) -> None:
    assert find_errors(text) == tuple(errors)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "ENV",
            "EXPORT",
            "ERROR",
            "Error",
            "error",
            "Exception",
            "a Warning",
            "END",
            "EACH",
            "E",
            "SIGNAL",
            "SIGNED",
        ),
        *(
            "SHA256",
            "UTF-8",
            "H264",
            "EC2",
            "S3",
            "X509",
            "MD5",
            "E02771x",
            "ENOENTX",
            "HTTP 4040",
            "HTTP 99",
            "v404",
        ),
        *(
            "0xFF",
            "it has 404 lines",
            "exit",
            "exit code",
            "errorcode 5",
            "xE0277",
            "pre-E0277",
            "Default",
            "",
        ),
    ],
)
def test_words_shaped_like_codes_are_none(text: str) -> None:
    assert find_errors(text) == ()


def test_exceptions_are_found_apart_from_codes() -> None:
    assert find_exceptions("KeyError after E0277, KeyError") == ("KeyError",)
