"""Sessions of every shape: forks, compactions, edits, tool calls and, in half of them, damage."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from tests.cases.builders import JsonObject, assistant, compaction, encode, entry, user

_WORDS = st.lists(st.sampled_from(["pool", "size", "37", "src/a.py", "大小", "->"]), max_size=6).map(" ".join)
_NO_ENTRIES = st.sampled_from([b"torn\n", b"\n", b"[1]\n", b"null\n", b'{"type":"session","id":"again"}\n'])


@dataclass(frozen=True, slots=True)
class GrowingLog:
    """A log's lines after its header, and the bytes at which it stood when it was read before."""

    lines: list[bytes]
    cuts: list[int]

    def stages(self, first: bytes) -> list[bytes]:
        """Return the file as each run finds it; the last one is whole."""
        whole = first + b"".join(self.lines)
        return [*(whole[: len(first) + cut] for cut in self.cuts), whole]


@st.composite
def growing_logs(draw: st.DrawFn) -> GrowingLog:
    """Draw a log that is read once in between, or twice: at the end of a line or inside one."""
    lines = draw(session_lines())
    ends = [sum(map(len, lines[:at])) for at in range(len(lines) + 1)]
    place = st.sampled_from(ends) | st.integers(0, ends[-1])
    return GrowingLog(lines, sorted(draw(st.lists(place, min_size=1, max_size=2))))


@st.composite
def session_lines(draw: st.DrawFn) -> list[bytes]:
    count = draw(st.integers(1, 10))
    damaged = draw(st.booleans())
    return [draw(_line(at, count, damaged=damaged)) for at in range(count)]


@st.composite
def _line(draw: st.DrawFn, at: int, count: int, *, damaged: bool) -> bytes:
    earlier = st.integers(0, max(at - 1, 0)).map(name)
    anyone = st.integers(0, count).map(name)
    entry_id, parent = name(at), name(at - 1) if at else None
    if at and draw(st.integers(0, 3)) == 0:
        parent = draw(st.none() | earlier)
    if damaged and draw(st.integers(0, 4)) == 0:
        entry_id, parent = draw(anyone), draw(anyone | st.just("gone"))
    line = encode(draw(_entry(entry_id, parent, anyone if damaged else earlier)))
    if not damaged or draw(st.integers(0, 5)):
        return line
    welded = encode(user(draw(anyone), parent, "welded"))
    without_id = encode({"type": "message", "message": {"role": "user", "content": "x"}})
    return draw(st.sampled_from([line[:-1] + welded, line[:9] + welded, without_id]) | _NO_ENTRIES)


def name(at: int) -> str:
    return f"e{at}"


@st.composite
def _entry(draw: st.DrawFn, entry_id: str, parent: str | None, target: st.SearchStrategy[str]) -> JsonObject:
    words, minute = draw(_WORDS), draw(st.integers(1, 9))
    call_id = draw(st.sampled_from(["c1", "c2"]))
    call = {"type": "toolCall", "id": call_id, "name": "read", "arguments": {"path": f"{entry_id}.py"}}
    asked = {"role": "assistant", "content": [call], "stopReason": draw(st.sampled_from(["stop", "aborted"]))}
    result = {"role": "toolResult", "toolCallId": call_id, "toolName": "read", "content": words * 300}
    return draw(
        st.sampled_from(
            [
                user(entry_id, parent, words, minute),
                assistant(entry_id, parent, words, minute),
                entry("message", entry_id, parent, minute, message=asked),
                entry("message", entry_id, parent, minute, message=result),
                compaction(entry_id, parent or "gone", draw(target), minute),
                entry("context_edit", entry_id, parent, minute, targetId=draw(target), replacement=None),
                entry("branch_summary", entry_id, parent, minute, fromId=draw(target), summary=words),
                entry("session_info", entry_id, parent, minute, name=words),
                entry("custom_message", entry_id, parent, minute, customType="note", content=words),
            ]
        )
    )
