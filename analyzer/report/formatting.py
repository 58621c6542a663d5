"""Format numbers, times and untrusted text for readers, in the same way for every output."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec import Struct

from analyzer.report.controls import UNSAFE_CHARS, show_controls
from analyzer.report.document import WrittenClock, WrittenIncident, WrittenNode
from analyzer.report.encode import fields_to_dict
from analyzer.wording import join_names

CACHED_STAMPS = 1024  # stamps that are kept as text: most clocks are right, and then each is written twice
SPLIT_DEPTH = 2  # levels of objects that are written field by field
MAX_PLACE_CHARS = 48  # of a place in a link
ROWS_PER_PIECE = 512  # of a list, that are written at once
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def escape_json(text: str) -> str:
    """Return a JSON text with these characters as escapes: an equal value that controls nothing."""
    return UNSAFE_CHARS.sub(lambda match: json.dumps(match.group())[1:-1], text)


def write_json(value: object) -> Iterator[str]:
    """Yield the JSON text of `value` in pieces, with unsafe characters escaped, so that it is never in memory as a
    whole. Objects of the two outermost levels and slices of their lists are pieces of their own.
    """
    return map(escape_json, _write_value(value, 0))


def _write_value(value: object, depth: int) -> Iterator[str]:
    value = fields_to_dict(value) if isinstance(value, Struct) else value
    if depth < SPLIT_DEPTH and isinstance(value, dict) and value:
        for number, (key, item) in enumerate(value.items()):
            yield f"{',' if number else '{'}\n{' ' * (depth + 1)}{json.dumps(str(key), ensure_ascii=False)}: "
            yield from _write_value(item, depth + 1)
        yield f"\n{' ' * depth}}}"
    elif isinstance(value, list) and len(value) > ROWS_PER_PIECE:
        for start in range(0, len(value), ROWS_PER_PIECE):
            yield "," if start else "["
            yield _write_plain(value[start : start + ROWS_PER_PIECE], depth)[1 : -depth - 2]  # without the brackets
        yield f"\n{' ' * depth}]"
    else:
        yield _write_plain(value, depth)


def _write_plain(value: object, depth: int) -> str:
    """Return the JSON text of a value that stands so many levels deep."""
    try:
        text = msgspec.json.format(msgspec.json.encode(value), indent=1).decode()
    except UnicodeEncodeError:  # a lone surrogate
        text = json.dumps(value, ensure_ascii=False, indent=1, default=fields_to_dict)
    return text.replace("\n", "\n" + " " * depth)


def to_one_line(text: str, width: int = 300) -> str:
    """Return printable text without line breaks; if it is cut, it ends with an ellipsis."""
    return clip(show_controls(" ⏎ ".join(text.splitlines()) if "\n" in text else text).replace("\t", " "), width)


def clip(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: max(width - 1, 0)]}…"


def shorten_place(place: str) -> str:
    """Return the end of `folder/file:line` for a link whose target or title has all of it."""
    folder_and_file, file = "/".join(place.split("/")[-2:]), place.rpartition("/")[2]
    short = folder_and_file if len(folder_and_file) <= MAX_PLACE_CHARS else file
    half = MAX_PLACE_CHARS // 2
    return short if len(short) <= MAX_PLACE_CHARS else f"{short[: half - 1]}…{short[-half:]}"


def plural(count: int, word: str, words: str = "") -> str:
    return f"{count:,} {word if count == 1 else words or word + 's'}"


@functools.lru_cache(CACHED_STAMPS)
def format_stamp(seconds: float | None) -> str | None:
    """Return a time as incident.json has it, RFC 3339 in UTC with microseconds; None if it is out of range."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return None


def parse_time(value: str | None) -> float | None:
    """Return the seconds since the epoch of an RFC 3339 string; None for anything else."""
    if value is None:
        return None
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        return None
    if not 1 < parsed.year < 9999:  # in another zone, or rounded, it would be out of what a date can say
        return None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


def format_time(value: str | None) -> str:
    """Format an RFC 3339 string as `2026-11-21 07:09:13.250 UTC`; no fraction for whole seconds; empty if unknown."""
    seconds = parse_time(value)
    if seconds is None:
        return ""
    time = EPOCH + timedelta(microseconds=round(seconds * 1e6))
    fraction = (
        f".{time.microsecond // 1000:03d}" if time.microsecond else ""
    )  # most such stamps have no higher resolution
    return f"{time:%Y-%m-%d %H:%M:%S}{fraction} UTC"


def proven_zones(incident: WrittenIncident) -> Iterator[tuple[int, str]]:
    """Return (seconds east of UTC, name) of each zone except UTC that the logs of a node prove to use."""
    nodes_by_zone: dict[int, list[str]] = {}
    for node in incident.nodes:
        if seconds := int(node.utc_offset_s or 0):
            nodes_by_zone.setdefault(seconds, []).append(node.name)
    for seconds in sorted(nodes_by_zone):
        hours, minutes = divmod(abs(seconds) // 60, 60)
        yield (
            seconds,
            f"{'+' if seconds > 0 else '-'}{hours:02d}:{minutes:02d} ({join_names(nodes_by_zone[seconds], 1)})",
        )


def format_duration(seconds: float) -> str:
    """Format a duration with at most two units: `350 ms`, `12.3 s`, `4 min 10 s`, `3 h 5 min`, `2 d 4 h`."""
    magnitude = abs(seconds)
    sign = "−" if seconds < 0 else ""
    if magnitude < 0.0005:
        return "0 s"
    if magnitude < 0.9995:
        return f"{sign}{magnitude * 1000:.0f} ms"
    if magnitude < 59.95:
        return f"{sign}{magnitude:.1f}".removesuffix(".0") + " s"
    for unit, word, smaller_unit, smaller_word, max_units in (
        (60, "min", 1, "s", 60),
        (3600, "h", 60, "min", 24),
        (86400, "d", 3600, "h", 0),
    ):
        first, remainder = divmod(round(magnitude / smaller_unit), unit // smaller_unit)
        if not max_units or first < max_units:
            return f"{sign}{first:,} {word}" + (f" {remainder} {smaller_word}" if remainder else "")
    return ""


def format_bytes(count: float) -> str:
    """Format bytes in the binary units that `ls -h` uses."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:,.0f} {unit}" if unit == "B" or value >= 10 else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:,.1f} TiB"


def describe_confidence(confidence: float) -> str:
    """Format a confidence (0 to 1) as a word of probability and the number, which is fitted to the share of right
    answers.
    """
    words = (
        (0.9, "almost certain"),
        (0.75, "likely"),
        (0.5, "more likely than not"),
        (0.25, "possible"),
    )
    return f"{next((word for minimum, word in words if confidence >= minimum), 'a guess')} ({confidence:.2f})"


def format_clock_offset(clock: WrittenClock) -> str:
    """Format how far a node's clock is ahead: `+1.2 s ± 0.4 s`."""
    ahead = f"{'+' if clock.offset_s >= 0.0005 else ''}{format_duration(clock.offset_s)}"
    return ahead if clock.error_s is None else f"{ahead} ± {format_duration(clock.error_s)}"


def format_last_step(node: WrittenNode) -> str:
    """Format the last step of a node of incident.json: `1,204`, or `epoch 3, step 12`; empty if unknown."""
    progress = node.progress
    if progress is None or progress.step is None:
        return ""
    return f"{progress.step:,}" if progress.epoch is None else f"epoch {progress.epoch:,}, step {progress.step:,}"


STATUS_MEANINGS = {
    "established": ("established", "the evidence alone proves this cause"),
    "supported": ("supported", "the evidence fits this cause, and nothing contradicts it"),
    "hypothesis": ("hypothesis", "plausible, but not proven by the bundle"),
}

BLAME_MEANINGS = {
    "user": "job team (code, data or settings)",
    "cluster": "cluster operators",
    "either": "job team first; cluster operators if the job is not at fault",
}
