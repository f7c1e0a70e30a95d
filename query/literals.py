"""Literals in a text that are searched as written: backticked, quoted, qualified names, flags and symbols."""

from __future__ import annotations

import re
from itertools import pairwise

from ..pipelines.index_text import is_unspaced
from .error_codes import cut_codes
from .extraction import CONTROL, WORD, cut, separate_scripts, unique
from .file_names import cut_files
from .stopwords import fold_word, is_stopword
from .technologies import cut_spelled_technologies, is_technology

__all__ = [
    "BACKTICKED",
    "cut_addresses",
    "cut_flags",
    "cut_qualified",
    "cut_symbols",
    "find_backticked",
    "find_flags",
    "find_phrases",
    "find_qualified",
    "find_symbols",
    "is_short_flag",
]

_LONGEST_NAME = 200
_LONGEST_ADDRESS = 300

BACKTICKED = re.compile(rf"(?<!`)(`{{1,3}}+)(?=\S)([^`{CONTROL}]{{1,160}}+)\1(?!`)")

# Straight quotes need an outer side that is no word's. A single one must have no other apostrophe in its span, and
# must not begin a shortened word ('tis, 'sta, '90s).
_ELIDED = r"(?:\d\ds|tis|twas|til|till|cause|cos|em|bout|n|d|s|t|m|ll|re|ve|na|nu|st[aeio]|ndo)\b"
_QUOTATIONS = re.compile(
    "|".join(
        (
            rf'(?<!\w)"(?=\S)([^"`{CONTROL}]{{2,200}})(?<=\S)"(?!\w)',
            rf"(?<![\w'’])'(?=\S)(?!{_ELIDED})([^'’`{CONTROL}]{{2,200}})(?<=[^\s(\[{{=,;:])'(?![\w'’])",
            rf"“([^“”`{CONTROL}]{{2,200}})”",
            rf"„([^„“”`{CONTROL}]{{2,200}})[“”]",
            rf"«([^«»`{CONTROL}]{{2,200}})»",
            rf"‹([^‹›`{CONTROL}]{{2,200}})›",
            rf"(?<!\w)‘(?!{_ELIDED})((?:[^‘’`{CONTROL}]|’(?=\w)){{2,200}}+)’(?!\w)",
            rf"‚([^‚‘’`{CONTROL}]{{2,200}})[‘’](?!\w)",
            rf"「([^「」`{CONTROL}]{{2,200}})」",
            rf"『([^『』`{CONTROL}]{{2,200}})』",
            rf"《([^《》`{CONTROL}]{{2,200}})》",
        )
    )
)

# A URL with its scheme, a mail address, a package in a scope.
_ADDRESS = re.compile(
    rf"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{{1,15}}://[^\s<>\"'`«»“”‘’()\[\]{{}}|\\^{CONTROL}]++"
    rf"|(?<![{WORD}.+%-])[{WORD}.+%-]{{1,64}}+@[A-Za-z0-9-]{{1,63}}(?:\.[A-Za-z0-9-]{{1,63}}){{1,5}}"
    rf"|(?<![{WORD}@/.-])@[a-z0-9][\w.-]{{0,60}}/[\w.-]{{0,100}}\w"
)
_PART = rf"[^\W\d][{WORD}$]{{0,80}}+"
_QUALIFIED = re.compile(rf"(?<![{WORD}$./\\-])\$?{_PART}(?:(?:\.|::|->|#)\$?{_PART})++(?![{WORD}$])")
_ABBREVIATIONS = frozenset("e.g i.e a.m p.m p.s a.k.a p.es s.p.a s.r.l n.b v.s c.d".split())

_LONG_FLAG = re.compile(rf"(?<![{WORD}-])--[A-Za-z0-9][A-Za-z0-9_-]{{0,60}}+")
_SHORT_FLAG = re.compile(r"-[A-Za-z][A-Za-z0-9]{0,4}")

# Keys of issue trackers, UUIDs and commit hashes; then runs of word characters, of which symbols are chosen.
_KEY = re.compile(
    rf"(?<![{WORD}.-])(?:[0-9A-Fa-f]{{8}}-(?:[0-9A-Fa-f]{{4}}-){{3}}[0-9A-Fa-f]{{12}}|[A-Z][A-Z0-9]{{1,9}}(?:-[A-Z]{{0,3}}\d{{2,7}}){{1,3}}"
    rf"|(?=[0-9]*+[a-f])(?=[a-f]*+[0-9])[0-9a-f]{{7,64}})(?![{WORD}-])"
)
_NAME = re.compile(rf"(?<![{WORD}$%&-])[{WORD}$]{{3,100}}+(?![{WORD}$])")
_CAPITALS_THEN_WORD = re.compile(r"[A-Z]{2}[a-z]{3}")


def find_backticked(text: str) -> tuple[str, ...]:
    """Find what stands between backticks on one line; a lone ASCII character or mark cannot be searched."""
    return unique(match[2] for match in BACKTICKED.finditer(text) if _is_searchable(match[2].strip()))


def find_phrases(text: str) -> tuple[str, ...]:
    """Find quotations in double, single, curly, low, angle and corner quotes; apostrophes are none.

    Backticked text is code: its quotes are not quotations, and a quotation does not reach across it.
    """
    outside = BACKTICKED.sub("`", text)
    found = (match[match.lastindex or 0].strip() for match in _QUOTATIONS.finditer(outside))
    return unique(phrase for phrase in found if _is_phrase(phrase))


def find_qualified(text: str) -> tuple[str, ...]:
    """Find names made of parts (``a.b.c``, ``A::b``, ``x->y``, ``Class#method``), URLs, mail addresses, packages."""
    addresses, rest = cut_addresses(separate_scripts(text))
    return unique((*addresses, *cut_qualified(_without_files_and_codes(rest))[0]))


def find_flags(text: str) -> tuple[str, ...]:
    """Find long flags, and short ones that are all of a backticked text."""
    rest = cut_qualified(_without_files_and_codes(cut_addresses(separate_scripts(text))[1]))[1]
    return unique((*cut_flags(rest)[0], *filter(is_short_flag, find_backticked(text))))


def find_symbols(text: str) -> tuple[str, ...]:
    """Find names that only code spells so.

    camelCase, PascalCase with a step from lower to upper case, snake_case, SCREAMING_SNAKE, ``$var``, and keys:
    UUIDs, commit hashes, ABC-123, POS-E31. Capitalised or all-capital words, and words with digits (``utf8mb4``, ``k8s``),
    are keywords: prose has them too.
    """
    rest = _without_files_and_codes(cut_addresses(separate_scripts(text))[1])
    return cut_symbols(cut_flags(cut_qualified(rest)[1])[1])[0]


def is_short_flag(literal: str) -> bool:
    """Tell whether a literal is a flag with one hyphen: ``-r``, ``-rf``."""
    return _SHORT_FLAG.fullmatch(literal) is not None


def cut_addresses(text: str) -> tuple[tuple[str, ...], str]:
    """Cut out URLs, mail addresses and scoped packages, whole."""
    return cut(text, _ADDRESS, _read_address)


def cut_qualified(text: str) -> tuple[tuple[str, ...], str]:
    """Cut out names made of parts, from a text without addresses, files and error codes."""
    return cut(text, _QUALIFIED, _read_qualified)


def cut_flags(text: str) -> tuple[tuple[str, ...], str]:
    """Cut out long flags."""
    return cut(text, _LONG_FLAG, lambda match: match.rstrip("-_"))


def cut_symbols(text: str) -> tuple[tuple[str, ...], str]:
    """Cut out symbols and keys, from a text without addresses, files, error codes, qualified names and flags."""
    keys, rest = cut(text, _KEY)
    names, rest = cut(rest, _NAME, lambda match: match if _is_symbol(match) else None)
    return unique((*keys, *names)), rest


def _without_files_and_codes(text: str) -> str:
    return cut_codes(cut_files(cut_spelled_technologies(text)[1])[1])[1]


def _read_address(match: str) -> str:
    """Read an address without the sentence's punctuation; one that is too long is cut out and not searched."""
    address = match.rstrip(".,;:!?*_~-")
    return address if len(address) <= _LONGEST_ADDRESS else ""


def _read_qualified(match: str) -> str | None:
    """Read a name made of parts; not sentences without a blank between (``Fine.Then``), nor initials."""
    _, dot, last = match.partition(".")
    glued = dot and last.istitle() and is_stopword(last)
    initials = match.isupper() and all(len(part) == 1 for part in match.split("."))
    if glued or initials or len(match) > _LONGEST_NAME or fold_word(match) in _ABBREVIATIONS:
        return None
    return match


def _is_symbol(name: str) -> bool:
    inner = name.strip("_")
    if not any(character.isalpha() for character in inner) or is_stopword(inner):
        return False
    if "_" in inner or re.search(r"\$[^\W\d]", name):
        return True
    if inner != name:
        # One underscore on both sides is emphasis, not a name.
        return name.startswith("__") or not (name.startswith("_") and name.endswith("_"))
    stepped = any(before.islower() and after.isupper() for before, after in pairwise(name))
    return (
        (stepped or _CAPITALS_THEN_WORD.search(name) is not None)
        and len(name) > 3
        and not is_technology(name)
    )


def _is_searchable(literal: str) -> bool:
    if literal.isascii():
        return len(literal) > 1 and not literal.isspace()
    return any(character.isprintable() and not character.isspace() for character in literal)


def _is_phrase(phrase: str) -> bool:
    if not any(character.isalnum() for character in phrase):
        return False
    return len(phrase) > 2 or is_unspaced(phrase)
