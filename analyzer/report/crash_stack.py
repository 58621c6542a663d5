"""The rows of a stack in the crash card: recursion once, long names folded, the user's own frames marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.cores.function_names import normalize_function
from analyzer.cores.recursion import fold_recursion
from analyzer.report.document import WrittenCore, WrittenFrame

MAX_NAME_CHARS = 120


@dataclass(frozen=True, slots=True)
class StackRow:
    """A frame as it is shown. `after` says what is left out behind it."""

    number: int
    name: str | None  # None: the frame has no function
    full_name: str | None  # only where `name` is shortened
    frame: WrittenFrame
    is_own: bool
    after: str = ""


def stack_rows(frames: Sequence[WrittenFrame], core: WrittenCore | None = None) -> list[StackRow]:
    """Return the rows of a stack, innermost first. `core`: the stack is that of its crashed thread."""
    threads = [thread for thread in core.threads if thread.tid == core.crashing_thread] if core else []
    omitted = next((thread.omitted for thread in threads if isinstance(thread.omitted, dict)), {})
    gap, dropped = omitted.get("after"), omitted.get("frames")
    if not isinstance(gap, int) or not isinstance(dropped, int):
        gap, dropped = None, 0
    rows: list[StackRow] = []
    for start, period, rounds in fold_recursion(frames, gap):
        for index in range(start, start + period):
            skipped = dropped if gap is not None and index >= gap else 0
            after = _describe_rounds(period, rounds) if index == start + period - 1 else ""
            if gap is not None and start + period * rounds == gap and after:
                after += f", then {dropped:,} more frames"
            elif gap is not None and index + 1 == gap:
                after = f"{dropped:,} more frames"
            rows.append(_make_row(frames[index], index + skipped, after))
    return rows


def _describe_rounds(period: int, rounds: int) -> str:
    if rounds == 1:
        return ""
    return f"{'this frame' if period == 1 else f'these {period} frames'} {rounds - 1:,} more times"


def _make_row(frame: WrittenFrame, number: int, after: str) -> StackRow:
    name = frame.function
    short = normalize_function(name) if name and len(name) > MAX_NAME_CHARS else name
    short = f"{short[:MAX_NAME_CHARS]}…" if short and len(short) > MAX_NAME_CHARS else short
    return StackRow(
        number=number,
        name=short,
        full_name=name if short != name else None,
        frame=frame,
        is_own=frame.own is True,
        after=after,
    )
