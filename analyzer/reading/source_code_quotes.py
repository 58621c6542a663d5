"""Recognizes lines of a log that quote a program's source: messages that it may write, not messages that it wrote.

  File "/srv/train.py", line 31, in step
    raise RuntimeError("CUDA out of memory")          CPython `Lib/traceback.py`, also behind a launcher's prefix
---> 31     raise RuntimeError("CUDA out of memory")  IPython
│ ❱ 31 │   raise RuntimeError("CUDA out of memory")   rich
"""

from __future__ import annotations

import re

_FRAME = re.compile(rb'File "[^"\n]{1,500}", line \d{1,7}+(?:, in [^\n]{1,300}+)?\s*+$').search
_MARKED = re.compile(r"^\s*-{2,}> ?\d{1,6} |│ {1,3}(?:❱ )? {0,6}\d{1,6} │".encode()).search
_LINE_ENDS = (b"\n", b"\r")
MAX_STATEMENT_LINES = 8  # Python 3.13 and later quote a statement of a traceback on several lines
MAX_CODE_LINE_BYTES = 1024  # of a line of code that are looked at


def may_hold_frames(data: bytes) -> bool:
    """Whether a frame of a traceback may stand in `data`, below which lines are source code."""
    return b'File "' in data


def is_source_code_quote(data: bytes, start: int, stop: int) -> bool:
    """Whether data[start:stop], a line or segment, quotes source code."""
    line = data[start : min(stop, start + MAX_CODE_LINE_BYTES)]
    if b"  " not in line:
        return False
    if _MARKED(line):
        return True
    lines = [line]
    for _ in range(MAX_STATEMENT_LINES):
        if start == 0 or b"  " not in lines[-1]:
            break
        earliest = max(0, start - 1 - MAX_CODE_LINE_BYTES)  # a file without carriage returns must not be searched whole
        begin = max(data.rfind(end, earliest, start - 1) for end in _LINE_ENDS) + 1
        if begin == 0 < earliest:
            break  # no line of code is as long
        above = data[begin : start - 1]
        if frame := _FRAME(above):
            indent = frame.start()
            return all(code_line[indent : indent + 2] == b"  " for code_line in lines)
        lines.append(above)
        start = begin
    return False
