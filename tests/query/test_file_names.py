"""Files and directories in a text: what is a path, what is a name, and what is only prose."""

from __future__ import annotations

import pytest

from uncompact.query.file_names import find_files, is_plain_path


@pytest.mark.parametrize(
    ("text", "files"),
    [
        pytest.param("see src/app/main.py, please", ["src/app/main.py"], id="relative"),
        pytest.param("apri src/app/main.py.", ["src/app/main.py"], id="end of a sentence"),
        pytest.param("src/lib.rs:12:5: error", ["src/lib.rs"], id="line and column"),
        pytest.param("Program.cs(12,5): error", ["Program.cs"], id="line in parentheses"),
        pytest.param("it is in package.json)", ["package.json"], id="bare name"),
        pytest.param("Guarda README.md e setup.cfg", ["README.md", "setup.cfg"], id="Italian"),
        pytest.param("the file naïve_größe.csv", ["naïve_größe.csv"], id="accents"),
        pytest.param("[notes](docs/notes.md)", ["docs/notes.md"], id="markdown link"),
        pytest.param("--out=dist/x.js", ["dist/x.js"], id="value of a flag"),
        pytest.param("app/[slug]/page.tsx fails", ["app/[slug]/page.tsx"], id="brackets in a path"),
        pytest.param("./run ../lib ~/notes /etc/hosts", ["./run", "../lib", "~/notes", "/etc/hosts"], id="rooted"),
        pytest.param("in src/foo/ and src/", ["src/foo/", "src/"], id="directories"),
        pytest.param("under packages/core/src now", ["packages/core/src"], id="two slashes"),
        pytest.param("docs/v2 my_lib/readme", ["docs/v2", "my_lib/readme"], id="digit or underscore"),
        pytest.param(r"why did C:\work\siskin\src\main.rs fail", [r"C:\work\siskin\src\main.rs"], id="drive"),
        pytest.param("D:/data/in.csv", ["D:/data/in.csv"], id="drive with slashes"),
        pytest.param(r"on \\host\share\a.txt", [r"\\host\share\a.txt"], id="network share"),
        pytest.param(r"src\main.rs", [r"src\main.rs"], id="backslashes"),
        pytest.param('"/home/u/My Projects/api v2/handler.py"', ["/home/u/My Projects/api v2/handler.py"], id="blanks"),
        pytest.param(r"`C:\Program Files\Node JS\node.exe`", [r"C:\Program Files\Node JS\node.exe"], id="backticks"),
        pytest.param("«src/Il Mio Modulo/x.py»", ["src/Il Mio Modulo/x.py"], id="angle quotes"),
        pytest.param('"cat /etc/foo.conf"', ["/etc/foo.conf"], id="command in quotes"),
        pytest.param('"mv -f /tmp/a.txt b"', ["/tmp/a.txt"], id="command with an option in quotes"),
        pytest.param("Makefile and Dockerfile.prod", ["Makefile", "Dockerfile.prod"], id="no extension"),
        pytest.param("LICENSE, Gemfile, Procfile?", ["LICENSE", "Gemfile", "Procfile"], id="known names"),
        pytest.param(".env, .gitignore, .eslintrc.json", [".eslintrc.json", ".env", ".gitignore"], id="dotfiles"),
        pytest.param("~/.ssh/config .github/workflows/", ["~/.ssh/config", ".github/workflows/"], id="dot directories"),
        pytest.param("@types are in foo.d.ts", ["foo.d.ts"], id="two extensions"),
        pytest.param("IMG_01.JPG main.c", ["IMG_01.JPG", "main.c"], id="capitals and one letter"),
    ],
)  # fmt: skip
def test_files_are_found(text: str, files: list[str]) -> None:
    assert find_files(text) == tuple(files)


@pytest.mark.parametrize(
    "text",
    [
        *("e.g. this", "i.e. that", "version 1.2.3", "v1.2.3", "Fine.Then go", "Done.Go on", "example.com"),
        *(
            "mail me@example.com",
            "and/or",
            "input/output",
            "his/her",
            "e/o",
            "I/O",
            "n/a",
            "w/ tests",
            "24/7",
            "1/2",
        ),
        *(
            "2024/05/01",
            "100MB/s",
            "60/min",
            "and / or",
            "//",
            "///",
            "...",
            "..",
            "a.b.c",
            "crake.mode",
            "crake/mode",
        ),
        *(
            "</div>",
            "x = a[1]",
            r"foo\nbar",
            r"\d+\s*",
            "console.log(x)",
            "config.json()",
            "ecc. ecc.",
            "p.es. no",
        ),
        *("https://example.com/a/b.html", "user.name", "obj.key", "dev or prod", "", "\0", "C:", "\\\\"),
        *('"a b"', "the makefile", "a license", "`x y`", "'a/b c'"),
    ],
)
def test_prose_versions_and_addresses_are_no_files(text: str) -> None:
    assert find_files(text) == ()


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("dev/test/prod", True),
        ("packages/core-api/src", True),
        ("src/foo/", False),
        ("src/main.rs", False),
        ("/etc/hosts", False),
        ("Makefile", False),
    ],
)
def test_a_path_of_words_only_may_be_prose(path: str, plain: bool) -> None:
    assert is_plain_path(path) is plain


def test_a_path_longer_than_systems_allow_is_none() -> None:
    assert find_files("a/" * 200) == ()
