"""Phrases without a topic whose words may be one elsewhere: requests to go on and to finish, thanks, what is left.

English and Italian. A word that never is a topic is a stopword, and needs no entry here.
"""

from __future__ import annotations

import re

from .extraction import GAP, MARKS

__all__ = ["without_small_talk"]

# A longer text has a topic besides.
_LONGEST = 2_000

# "The rest" is a remainder unless it is an interface.
_INTERFACES = (
    "apis?|endpoints?|services?|servers?|clients?|calls?|requests?|interfaces?|controllers?|layer|backend"
)
_LEFT_OF_WHAT = "joins?|outer|sides?|panels?|hand|clicks?|align[a-z]*|padding|margin|arrow|bar|column"
_ALL = "it|this|that|them|these|those|everything|all|any|every"
_FINISHING = "fin(?:ire|isci|iamo|ito)|complet(?:a|are|iamo)|termin(?:a|are|iamo)|continu(?:a|are|iamo)|prosegu(?:i|ire|iamo)"

_PHRASES = (
    rf"the rest(?! (?:{_INTERFACES})\b)",
    rf"(?:what|that|all|everything|anything|nothing)(?:['’]?s| is| was)? left(?! (?:{_LEFT_OF_WHAT})\b)",
    r"left to do",
    r"what(?:['’]?s| is) missing",
    r"ship it",
    r"more details?",
    r"how long",
    r"up[ -]to[ -]date",
    r"next (?:steps?|tasks?|items?|points?|phases?|parts?)",
    r"(?:finish|complete|continue|do|resume)(?: with)?(?: (?:the|your|this|that|all|remaining|other))+ (?:jobs?|tasks?|steps?)",
    rf"(?:fix|solve|address|resolve) (?:(?:{_ALL}|the|of) )+issues?",
    rf"implement (?:{_ALL})(?! [a-z])",
    r"(?:che|cosa|quanto)(?: altro)? (?:manca|mancano)",
    r"(?:grazie mille|mille grazie)",
    r"(?:ottimo|buon|bel|gran) lavoro",
    rf"(?:{_FINISHING})(?: (?:con|il|col|i|coi|tutt\w|quest\w|tuo|tuoi|le|la|altr\w))+ (?:lavor\w|compit\w|task|attivit[aàÀ]\u0300?)",
    r"prossim\w (?:pass\w|task|punt\w|fas\w|part\w|attivit[aàÀ]\u0300?)",
    r"sistema (?:tutt\w|quest\w|quell\w|ogni cosa)",
    r"implementa(?:lo|la|li|le| tutt\w)",
    r"(?:pi[uùÙ]\u0300?|altri|maggiori) dettagli",
    r"in che senso",
    r"da capo",
    r"quanto tempo",
)
# Letters of ASCII alone are looked at in any case: it halves what compiling costs at a cold start.
_LETTER = rf"\wÀ-ɏ{MARKS}"
_SMALL_TALK = re.compile(rf"(?ai)(?<![{_LETTER}.])(?:{'|'.join(_PHRASES)})(?![{_LETTER}])")


def without_small_talk(text: str) -> str:
    """Return a text without the phrases that say nothing about its topic; one of over 2,000 characters as it is.

    >>> without_small_talk("Thanks, finish the remaining tasks of the parser").split()
    ['Thanks,', 'of', 'the', 'parser']
    """
    return text if len(text) > _LONGEST else _SMALL_TALK.sub(GAP, text)
