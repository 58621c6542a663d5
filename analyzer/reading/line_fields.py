"""The fields of a structured record, read from its line.

    2026-11-21T05:10:06.5+00:00 ERROR train: step failed step=12 reason="disk full"     a record of a JSON logger
    time="2026-11-21T05:10:06Z" level=error msg="step failed" step=12                   logfmt
    E1121 05:10:06.500000 1 pod_workers.go:12] "Error syncing pod" pod="ml/train-0"     klog

Converters write the fields of JSON records behind the message (`formats/records/json_logger.py`), so that one reading
of the line serves all. The prefix states the level and the writer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from analyzer.model import Line
from analyzer.reading.plan import CompiledSignal
from analyzer.signals.types import LEVEL_FIELD, capture_of_field
from analyzer.signals.value_tests import SlowPatternError, captures_pass

# A value in quotes, with \" and \\ in it, or one without blanks.
_PAIR = re.compile(r'(?<![^\s,;(\[{])([A-Za-z_@][\w.@/-]{0,63})=(?:"((?:[^"\\]|\\.)*)"|([^\s"]\S*))')
_ESCAPE = re.compile(r'\\(["\\])')


def read_fields(text: str, line: Line) -> dict[str, str]:
    """Return the fields of a line by name. `text` is the whole line, `line` what its prefixes say.

    Of two fields of one name the last counts: what a message quotes stands before the record's own fields.
    """
    fields = {
        match[1]: _ESCAPE.sub(r"\1", match[2]) if match[2] is not None else match[3].rstrip(",;)]}")
        for match in _PAIR.finditer(text)
    }
    for name, value in (("logger", line.logger), ("host", line.host), ("pid", line.pid), ("tid", line.tid)):
        if value is not None:
            fields.setdefault(name, str(value))
    if line.severity is not None:
        fields[LEVEL_FIELD] = line.severity.label
    return fields


def match_fields(compiled: CompiledSignal, text: str, line: Line) -> Mapping[str, str] | None:
    """Return the captures of the fields that the signal names; None if one of them fails its test."""
    tests = compiled.signal.fields
    if not tests:
        return {}
    fields = read_fields(text, line)
    try:
        passed = captures_pass(tests, fields)
    except SlowPatternError:
        compiled.timeout_budget.note_timeout(compiled.signal.name, len(text))
        return None
    return {capture_of_field(name): fields[name] for name, _ in tests if name in fields} if passed else None
