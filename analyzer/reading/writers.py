"""Finds the names of several writers before the lines of one file, by its first lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from analyzer.formats import begins_with_writer_name, read_line
from analyzer.formats.severity import SEVERITY_BY_WORD
from analyzer.model import Kind, Line
from analyzer.reading.segments import MAX_CONFIRMED_BYTES, decode

MAX_PROBED_LINES = 400
PROBE_STRIDE_LINES = 16  # one of so many of them is read to see whether writers have names at all
MIN_LINES_PER_WRITER = 3  # if only repetition shows that a name is a writer's
MIN_LABELLED_SHARE = 0.9  # of lines that begin with a name, likewise
_match_label = re.compile(rb"([A-Za-z0-9][\w.@-]{0,120})(?:: |\t| +\| )(.*)").match
_match_separated_label = re.compile(rb"([A-Za-z0-9][\w.@-]{0,120})(: |\t| +\| )").match
_match_bracketed_label = re.compile(rb"\[[A-Za-z0-9][\w.@-]{0,120}\] | {0,4}[A-Za-z0-9][\w.@-]{0,120} +\| ").match
_VARYING_NUMBER = re.compile(rb"[\d.,:+-]+")
_find_words = re.compile(rb"[A-Za-z]{3,}").findall


def has_named_writer(line: Line) -> bool:
    """Whether the line begins with the name of its writer, and a prefix after it makes that certain."""
    return bool(line.stream) and begins_with_writer_name(line)


def find_writers(head: bytes) -> set[str]:
    """Return the names that are certain to be those of writers in the first lines of a source."""
    raw_lines = head.split(b"\n", MAX_PROBED_LINES + 1)[:MAX_PROBED_LINES]
    sample = [_read_prefixes(line) for line in raw_lines[:5]]
    if any(map(_match_separated_label, raw_lines[:5])) and not any(line.formats for line in sample):
        sample += [
            _read_prefixes(line) for line in raw_lines[5::PROBE_STRIDE_LINES]
        ]  # the first may write only a traceback
    has_named = any(has_named_writer(line) for line in sample)
    if not has_named:  # a mail of the scheduler or the launcher's own words may come first
        begun = (_read_prefixes(line) for line in raw_lines[5::PROBE_STRIDE_LINES] if _match_bracketed_label(line))
        has_named = any(map(has_named_writer, begun))
    if not has_named:
        if not any(line.host for line in sample):
            return _find_repeated_labels(raw_lines)
        sample += [_read_prefixes(line) for line in raw_lines[5::PROBE_STRIDE_LINES]]
        if len({line.host for line in sample if line.host}) < 2:
            return set()  # NCCL's lines name their host, which is usually the only one
    lines = [_read_prefixes(line) for line in raw_lines]
    writers = {line.stream.partition("/")[0] for line in lines if has_named and has_named_writer(line)}
    return writers | _find_writers_of_same_form(raw_lines, writers) | _find_hosts_as_writers(lines)


def _find_writers_of_same_form(raw_lines: Sequence[bytes], certain_writers: set[str]) -> set[str]:
    """Return all names if nearly all lines begin with a name and one separator, and some of the names are certain.

    A writer that failed at its start may have written no line with a prefix of its own, which would make it certain.
    """
    labels = [
        (label[1], label[2].strip())
        for line in raw_lines
        if (label := _match_separated_label(line[:MAX_CONFIRMED_BYTES]))
    ]
    signs = {sign for name, sign in labels if name.decode() in certain_writers}
    if len(signs) != 1 or len(labels) < MIN_LABELLED_SHARE * sum(1 for line in raw_lines if line.strip()):
        return set()
    names = Counter(name.decode() for name, sign in labels if sign in signs)
    return {name for name, lines in names.items() if lines >= MIN_LINES_PER_WRITER} - set(SEVERITY_BY_WORD)


def _read_prefixes(raw: bytes) -> Line:
    return read_line(decode(raw[:MAX_CONFIRMED_BYTES]))


def _find_hosts_as_writers(lines: Iterable[Line]) -> set[str]:
    """Return the hosts whose tasks log to one syslog, if there are several: each is a stream of its own."""
    hosts = {line.host for line in lines if line.host and not line.stream and line.kind is Kind.WORKER}
    return hosts if len(hosts) > 1 else set()


def _find_repeated_labels(raw_lines: Sequence[bytes]) -> set[str]:
    """Return the names before lines if nearly all lines have one and several writers write the same messages.

    `n1<TAB>step 10 loss 2.1` and `n2<TAB>step 10 loss 2.2` differ only in numbers.
    """
    if sum(_match_label(line[:MAX_CONFIRMED_BYTES]) is not None for line in raw_lines[:5]) < MIN_LINES_PER_WRITER:
        return set()
    labels = [(label[1], label[2]) for line in raw_lines if (label := _match_label(line[:MAX_CONFIRMED_BYTES]))]
    line_count = sum(1 for line in raw_lines if line.strip())
    names = Counter(name for name, _ in labels)
    if len(labels) < MIN_LABELLED_SHARE * line_count or len(names) < 2 or min(names.values()) < MIN_LINES_PER_WRITER:
        return set()
    writers_of_message: dict[bytes, set[bytes]] = {}
    for name, message in labels:
        if len(_find_words(message)) > 1:
            writers_of_message.setdefault(_VARYING_NUMBER.sub(b"#", message), set()).add(name)
    confirmed = set().union(
        *(writers_of_one for writers_of_one in writers_of_message.values() if len(writers_of_one) > 1)
    )
    writers = {name.decode() for name in names}
    return writers if confirmed == names.keys() and writers.isdisjoint(SEVERITY_BY_WORD) else set()
