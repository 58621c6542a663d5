"""Learn the keys of time and message in records with unusual names for them, in any language.

    {"aika": "2026-03-01T10:00:06.500+02:00", "kone": "gx-7", "viesti": "step", "nro": 12}    aika, viesti

The values decide: the time is a key with only times, the message the key whose texts vary most.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from analyzer.formats.records.record_fields import MESSAGE_FIELDS, OTHER_NAMES, drop_separators
from analyzer.formats.stamps import read_iso

MIN_RECORDS = 8
MIN_SHARE = 0.6  # of the records must have a key
MIN_TIMES_SHARE = 0.95  # of the texts of a key must be times
MAX_HEAD_CHARS = 1 << 17
_find_texts = re.compile(r'"([^\W\d][\w.@-]{0,40})"\s{0,4}:\s{0,4}"((?:[^"\\\n]|\\.)*+)"').finditer
_is_path = re.compile(r"[\w.~-]*(?:/[\w.~-]+)+/?").fullmatch


def learn_keys(head: bytes) -> Mapping[str, str]:
    """Return key → usual name for time and message, and "" for keys of texts that never change.

    Empty if the records use the usual names, or have no times.
    """
    values: dict[str, list[str]] = defaultdict(list)
    for match in _find_texts(head[:MAX_HEAD_CHARS].decode("utf-8", "replace")):
        values[match[1]].append(match[2])
    least = MIN_SHARE * max(map(len, values.values()), default=0)
    usual = {key: texts for key, texts in values.items() if len(texts) >= least}
    if least < MIN_SHARE * MIN_RECORDS or any(map(_is_message_key, usual)):
        return {}
    times = [key for key, texts in usual.items() if _hold_times(texts)]
    sizes = {key: _variety(texts) for key, texts in usual.items() if key not in times}
    text = max(sizes, key=sizes.__getitem__, default="")
    if not times or not sizes.get(text):
        return {}
    constant = (key for key, texts in usual.items() if len(set(texts)) == 1)
    return {**dict.fromkeys(constant, ""), times[0]: "timestamp", text: "message"}


def _is_message_key(key: str) -> bool:
    return key in MESSAGE_FIELDS or OTHER_NAMES.get(drop_separators("", key.lower())) == "message"


def _hold_times(texts: list[str]) -> bool:
    return sum(read_iso(text) is not None for text in texts) >= MIN_TIMES_SHARE * len(texts)


def _variety(texts: list[str]) -> int:
    """Return the number of letters in all distinct texts; 0 if the texts are paths, or if there is only one."""
    different = set(texts)
    if len(different) < 2 or all(map(_is_path, different)):
        return 0
    return sum(sum(map(str.isalpha, text)) for text in different)
