"""Error codes in a text: compilers', databases', HTTP, signals, errno names, exit codes and exception classes."""

from __future__ import annotations

import re

from .extraction import WORD, cut, separate_scripts, unique

__all__ = ["cut_codes", "find_errors", "find_exceptions"]

# Names without digits are listed: ENV, EXPORT and ERROR are shaped like errno names.
_ERRNO = """
EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT EBUSY EEXIST EXDEV ENODEV
ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK
ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP EWOULDBLOCK ENOTSUP EOPNOTSUPP EPROTO EOVERFLOW EILSEQ ENOTSOCK EMSGSIZE
EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET ECONNABORTED ECONNRESET ENOBUFS EISCONN ENOTCONN ETIMEDOUT
ECONNREFUSED EHOSTDOWN EHOSTUNREACH EALREADY EINPROGRESS ESTALE EDQUOT ECANCELED EBADMSG ENODATA ENOTFOUND EAI_AGAIN
ERESOLVE ELIFECYCLE EBADENGINE EBADPLATFORM EUSAGE EINTEGRITY ENOVERSIONS EPUBLISHCONFLICT EPIPEBROKEN
"""
_SIGNALS = (
    "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 USR2 SEGV PIPE ALRM TERM STOP TSTP CONT CHLD XCPU SYS"
)

# Prefixes whose numbered codes are error codes; other capitals with digits (SHA256, H264) are words.
_NUMBERED = (
    r"[BCDEFNPRSW]\d{3,5}|HTTP ?[1-5]\d\d"
    r"|(?:TS|CS|CA|BC|FS|FTL|ORA|PLS|TNS|SP2|PGRST|SQL|SQLSTATE|MY|DB2|LNK|MSB|NU|NETSDK|IDE|SA|RUF|PL[CEIRW]"
    r"|SC|DL|NG|AADSTS|KB|SIM|UP|ANN|ARG|PERF|PYI|TID|FURB|PTH|RET|TRY|ERR|RPC|AH|DEP)"
    r"[-_]?\d{3,7}"
)
_EXIT_CODE = (
    r"(?i:exit(?:s|ed|ing)?(?: with)? (?:code|status)|exit(?:s|ed|ing)? with|return code|status code|error code|errno"
    r"|(?:esc[eo]|uscit[oaie]|termina(?:t[oaie])?|fallit[oaie]|fallisce) con (?:il )?(?:codice|stato)"
    r"|codice d(?:i |['’])(?:uscita|ritorno|errore|stato)|codice (?:uscita|errore|http))[ :=]{1,2}-?\d{1,10}"
)
_BOUND = rf"(?=[A-Zcefrstu0])(?<![{WORD}$.-])"
_CODES = re.compile(
    _BOUND
    + r"(?:error\[[A-Z]{1,4}\d{2,6}\](?!\w)|(?:"
    + "|".join(
        (
            r"CVE-\d{4}-\d{4,7}",
            r"HTTP/\d(?:\.\d)? [1-5]\d\d",
            r"0x[0-9A-Fa-f]{4,16}",
            _EXIT_CODE,
            _NUMBERED,
            rf"SIG(?:{'|'.join(_SIGNALS.split())})",
            "|".join(_ERRNO.split()),
            r"(?:[A-Z][A-Z0-9]{1,20}_)?(?:ERR|ERROR)_[A-Z0-9_]{2,60}",
            r"(?:SQLITE|E)_[A-Z][A-Z0-9_]{2,40}",
            r"WSAE[A-Z]{3,20}",
        )
    )
    + rf")(?![{WORD}$]))"
)
# An exception class also stands at the end of a dotted name.
_EXCEPTIONS = re.compile(
    rf"(?<![{WORD}$-])(?:[A-Z][A-Za-z0-9]{{1,60}}(?:Error|Exception|Warning|Fault)"
    rf"|KeyboardInterrupt|Stop(?:Async)?Iteration|GeneratorExit|SystemExit)(?![{WORD}$])"
)
_CODE_IN_BRACKETS = re.compile(r"error\[(\w+)\]")


def find_errors(text: str) -> tuple[str, ...]:
    """Find error codes and exception classes as written; ``error[E0277]`` also gives the code in its brackets."""
    codes, rest = cut_codes(separate_scripts(text))
    return unique((*codes, *find_exceptions(rest)))


def find_exceptions(text: str) -> tuple[str, ...]:
    """Find names of exception classes; they are symbols too."""
    return unique(_EXCEPTIONS.findall(text))


def cut_codes(text: str) -> tuple[tuple[str, ...], str]:
    """Cut out error codes: the codes, and what is left of the text."""
    codes, rest = cut(text, _CODES)
    bare = (match[1] for code in codes if (match := _CODE_IN_BRACKETS.fullmatch(code)))
    return unique((*codes, *bare)), rest
