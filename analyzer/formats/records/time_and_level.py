"""Find the time and the severity of a record among its fields."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

from analyzer.formats.dates import to_iso
from analyzer.formats.records.record_fields import Record
from analyzer.formats.severity import SEVERITY_BY_LETTER, SEVERITY_BY_NUMBER, SEVERITY_BY_WORD
from analyzer.formats.stamps import ISO, read_epoch, read_iso
from analyzer.model import Severity

TIME_FIELDS = (
    "ts",
    "time",
    "timestamp",
    "asctime",
    "@timestamp",
    "datetime",
    "date",
    "eventTime",
    "receiveTimestamp",
    "t",
    "_time",
    "TimeGenerated",
)
LEVEL_FIELDS = ("level", "levelname", "severity", "lvl", "log.level", "level_name", "levelno", "log_level")

PINO_LEVELS = {10: "TRACE", 20: "DEBUG", 30: "INFO", 40: "WARNING", 50: "ERROR", 60: "FATAL"}
PYTHON_LEVELS = {10: "DEBUG", 20: "INFO", 30: "WARNING", 40: "ERROR", 50: "CRITICAL"}

_ISO_TIME = re.compile(ISO).fullmatch


def find_time(record: Record) -> tuple[str, str]:
    """Return the first time among the time fields, as ISO 8601, and its key; two empty texts if there is none."""
    for key in TIME_FIELDS:
        if key in record and (text := _format_time(record[key])):
            return text, key
    return "", ""


def _python_name(severity: Severity) -> str:
    return severity.name.replace("FATAL", "CRITICAL")


def _format_time(value: object) -> str:
    if isinstance(value, dict) and isinstance(value.get("seconds"), int | str):  # a protobuf Timestamp
        value = value["seconds"]
    if isinstance(value, str) and not value.strip().isdecimal():
        text = value.strip()
        if _ISO_TIME(text):
            return text if read_iso(text) else ""
        if iso := to_iso(text):
            return iso
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return ""
    stamp = read_epoch(value)
    if stamp is None or not math.isfinite(stamp.value):
        return ""
    return datetime.fromtimestamp(stamp.value, UTC).isoformat(timespec="microseconds")


def find_level(record: Record) -> tuple[str, str]:
    """Return the first level among the level fields, by Python's name, and its key; two empty texts if none."""
    for key in LEVEL_FIELDS:
        value = record.get(key)
        if isinstance(value, str) and (level := SEVERITY_BY_WORD.get(value.lower(), SEVERITY_BY_LETTER.get(value))):
            return _python_name(level), key
        if isinstance(value, int) and not isinstance(value, bool):
            table = PINO_LEVELS if "hostname" in record and "pid" in record else PYTHON_LEVELS
            if value in table:
                return table[value], key
            if 0 <= value < len(SEVERITY_BY_NUMBER):  # syslog's numbers, in GELF
                return _python_name(SEVERITY_BY_NUMBER[value]), key
    return "", ""
