"""Files and directories in a text: paths, names with a known extension, dotfiles, names that need no extension."""

from __future__ import annotations

import re

from .extraction import CONTROL, WORD, cut, separate_scripts, unique

__all__ = ["cut_files", "find_files", "is_plain_path"]

_LONGEST = 260

# Of a bare ``name.ext`` only these are files: ``example.com``, ``Fine.Then`` and ``user.name`` are not.
_EXTENSIONS = frozenset(
    """
adoc apk asm astro avif avro bak bash bat bin bmp bz2 c cc cfg cjs class clj cmake cmd conf cpp crt cs csproj css csv
cts cue cxx dart db deb diff dll dmg doc dockerfile docx dot dylib ejs elm eot eps erl ex exe exs feather flac fs fsx
gem gif go gql gradle graphql groovy gz h h5 hbs hcl hpp hs htm html hxx ico idx in ini ipynb iso jar java jl jpeg jpg
js json json5 jsonc jsonl jsx kt kts less lock log lua m4a md mdx mjs mk ml mod mov mp3 mp4 mts ndjson nix npy npz odt onnx
orc orig otf parquet patch pb pbtxt pdf pem php pkl pl plist png po ppt pptx properties proto ps1 psd psv pt pub py pyc pyd
pyi pyx rar rb rkt rpm rs rst rtf sass scala scss sh shp sln so sol sqlite sqlite3 sql srt storyboard styl svelte sum svg
swift swp tar templ tex tf tfstate tfvars tgz tiff tmp toml ts tsv tsx ttf txt vb vcxproj vim vtt vue wasm wav webm webmanifest
webp whl woff woff2 xcodeproj xhtml xls xlsx xml xsd xsl xz yaml yml zig zip zsh zst
""".split()
)
_NO_FILES = frozenset({"console.log", "math.log", "np.log", "torch.log", "logger.log"})

_NAMES_WITHOUT_EXTENSION = (
    "Makefile|GNUmakefile|Dockerfile|Containerfile|Gemfile|Rakefile|Jenkinsfile|Procfile|Vagrantfile|Brewfile|Podfile"
    "|Fastfile|Justfile|justfile|Pipfile|Cakefile|Guardfile|Earthfile|Tiltfile|Caddyfile|Snakefile|Berksfile|Appfile"
    "|LICENSE|LICENCE|COPYING|README|CHANGELOG|CODEOWNERS|CMakeLists|Kconfig|crontab"
)
_DOTFILES = (
    "env|gitignore|gitattributes|gitmodules|gitkeep|gitconfig|git|github|gitlab-ci|ssh|config|cache|venv|vscode|idea"
    "|profile|bash_profile|zprofile|bash_history|htaccess|htpasswd|editorconfig|python-version|node-version|ruby-version"
    "|tool-versions|pre-commit-config|flake8|clang-format|clang-tidy|mailmap|netrc|gnupg|aws|kube|docker|npm|cargo"
    "|travis|circleci|husky|changeset|storybook|next|nuxt|claude|codex|cursor|pi|aider|cursorrules|windsurfrules"
    r"|[a-z]{2,20}(?:rc|ignore)"
)

# One character of a path's name, or a bracketed one as routers use them: ``app/[slug]/page.tsx``.
_PART = rf"(?:[{WORD}.@+~%$-]|\[[{WORD}.-]{{1,60}}\])"
_START = rf"(?<![{WORD}.@+~%$<>/\\-])"
_PATH = re.compile(
    rf"{_START}(?:(?:[A-Za-z]:[\\/]|\\\\|/)(?:{_PART}{{1,120}}+[\\/])*+|(?:{_PART}{{1,120}}+[\\/])++)(?:{_PART}{{1,120}}+)?"
)
_QUOTED_PATH = re.compile(
    "|".join(
        rf"{opening}(?=[^{opening[-1]}{closing}\n]{{0,{_LONGEST}}}[\\/])[^{opening[-1]}{closing}{CONTROL}]{{3,{_LONGEST}}}{closing}"
        for opening, closing in (('"', '"'), (r"(?<!\w)'", "'"), ("`", "`"), ("“", "”"), ("«", "»"))
    )
)
_NAME = re.compile(
    rf"{_START}[{WORD}.@+~%$-]{{1,120}}\.[A-Za-z][A-Za-z0-9]{{0,11}}(?![{WORD}]|\.\w|\((?!\d))"
)
_KNOWN_NAME = re.compile(
    rf"(?=[.A-Zcj])(?<![{WORD}.@+~%$</\\)\]-])(?:\.(?:{_DOTFILES})(?:\.[\w-]{{1,30}}){{0,3}}(?![{WORD}(])"
    rf"|(?:{_NAMES_WITHOUT_EXTENSION})(?:\.[a-z][\w-]{{0,30}})?(?![{WORD}]))"
)

_ROOTED = re.compile(r"(?:[A-Za-z]:[\\/]|\\\\\w|~?/|\.{1,2}[\\/])")
_EXTENSION = re.compile(r"[^\\/]\.(?:[a-z][a-z0-9]{0,11}|[A-Z][A-Z0-9]{0,11})\Z")
_NUMBER = re.compile(r"\d[\d.,:]*[A-Za-z%]{0,3}")
_PLAIN = re.compile(r"[^\W_]+(?:[/-][^\W_]+)*/[^\W_]+")


def find_files(text: str) -> tuple[str, ...]:
    """Find paths and file names as written, without quotes, line numbers or the sentence's punctuation."""
    return cut_files(separate_scripts(text))[0]


def cut_files(text: str) -> tuple[tuple[str, ...], str]:
    """Cut out paths and file names: the names, and what is left of the text."""
    quoted, rest = cut(text, _QUOTED_PATH, _read_quoted)
    paths, rest = cut(rest, _PATH, _read_path)
    names, rest = cut(rest, _NAME, _read_name)
    known, rest = cut(rest, _KNOWN_NAME)
    return unique((*quoted, *paths, *names, *known)), rest


def is_plain_path(path: str) -> bool:
    """Tell whether a path is nothing but words between slashes: it may as well be prose, as in dev/test/prod."""
    return _PLAIN.fullmatch(path) is not None


def _read_quoted(match: str) -> str | None:
    """Read a quoted path with blanks: rooted, or with a first directory without blanks and an extension.

    No part may begin or end with a blank and nothing may look like an option: that is a command.
    """
    path = match[1:-1]
    parts = re.split(r"[\\/]", path)
    if " " not in path or " -" in path or any(part != part.strip() for part in parts):
        return None
    if _EXTENSION.search(path) and (_ROOTED.match(path) or " " not in parts[0]):
        return path
    return path if _ROOTED.match(path) and len(parts) > 3 else None


def _read_path(match: str) -> str | None:
    """Read a token with separators that shows one sign of a path; ``and/or``, ``24/7`` and dates show none."""
    path = match.lstrip("-").rstrip(".,-+@%$~")
    parts = [part for part in re.split(r"[\\/]", path) if part]
    if len(path) > _LONGEST or not any(part.strip(".~$%@+-_") for part in parts):
        return None
    if all(_NUMBER.fullmatch(part) for part in parts):
        return None
    if _ROOTED.match(path) or _EXTENSION.search(path):
        return path
    if "/" not in path:
        return None
    marked = any(re.search(r"[\d_.]", part) and not _NUMBER.fullmatch(part) for part in parts)
    trailing = path.endswith("/") and len(parts[-1]) > 1
    return path if marked or trailing or path.count("/") > 1 else None


def _read_name(match: str) -> str | None:
    """Read a name with a known extension, in one case: a capital begins the next sentence (``Done.Go on``).

    Of one letter it only follows a name without dots: ``a.b.c`` is no file.
    """
    stem, _, extension = match.rpartition(".")
    if extension.lower() not in _EXTENSIONS or not (extension.islower() or extension.isupper()):
        return None
    if (len(extension) == 1 and "." in stem) or match.lower() in _NO_FILES:
        return None
    return match
