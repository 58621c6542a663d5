"""Learns from the lines of a source which of them count training steps, in whatever language they are written.

    [bor] 05:11:06 pas     20  pierdere 0.8127  41.0 mostre/s
    {"tip": "pas", "nr": 20, "pierdere": 0.8127}

A step is counted by lines of one form (`statements.read_numbers`) with a whole number that rises by the same distance
from line to line, beside a measured value: a number with a decimal point that differs between them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from analyzer.model import Kind, Line, Severity
from analyzer.reading.statements import is_of_library, read_numbers

MAX_LINES_NOTED = 256  # of a source, with a measured value in them
LINES_GROWTH = 1.5  # what was learned from fewer lines is not asked again
MIN_SHARE_OF_KNOWN = 0.1  # steps that signals know stand for a stream's lines if they are not much fewer
MIN_STEPS = 8  # different numbers that a counter must have taken
MAX_FALL_SHARE = 0.2  # of its changes: it begins again with each epoch
MIN_STRIDE_SHARE = 0.5  # of its rises have the same distance, if that is not a divisor of all
MAX_STEP = 10**9  # larger numbers are times, sizes and identifiers
MAX_TEXT = 300  # characters of a message
MIN_LITERAL_CHARS = 3
MAX_FORMS = 3  # of a source
ANY_NAME = "\0"  # in a form: any word
_MEASURE = r"(?:(?<![\w.,:/-])|(?<=[=:(\[]))[-+]?\d{1,9}[.,]\d{1,12}(?![\d.:]|,\d)"
_find_measures = re.compile(rf"(?i){_MEASURE}|(?<![\w.])[-+]?(?:nan|inf)(?![\w.])").findall
_may_hold_measure = re.compile(r"(?i)\d[.,]\d|(?<![\w.])(?:nan|inf)(?![\w.])").search
# Of one number: how it is written must not make another form of the line.
_drop_notation = re.compile(r"(?<=\d)[eE][-+]?\d{1,3}\b|(?<![\w.])[-+](?=\d)|(?<=[\[(<|=:#])\s{1,20}(?=\d)").sub
_name_number = re.compile(r"(?i)(?<![\w.])[-+]?(?:nan|inf)(?![\w.])").sub
_split_fields = re.compile(r"(?<=[{,;|])(?=[^\s\d])|(?<=\":)(?=\S)").sub  # JSON without blanks is several words
_is_epoch = re.compile(r"(?i)(?<!\w)(?:[eé]p[oó]\w{0,6}|эпох\w?|ep|轮|에폭|エポック)\W{0,4}$").search
# Counters of tools that measure a network or a disk, not a training.
_is_probe = re.compile(r"(?i)icmp_seq|bytes from|\bttl=|bits/sec|\bMB copied").search
_split_literals = re.compile(r"[^A-Za-z_]+").split


class StepForm(NamedTuple):
    """A form of lines that count steps.

    `step` and `epoch` are the positions of these numbers among those of the form; None: it does not state that.
    `literal` is a word that each line holds as it stands there.
    """

    form: str
    step: int | None
    epoch: int | None
    literal: bytes

    def read_position(self, numbers: Sequence[str | None]) -> dict[str, str]:
        """Return what the numbers of a line of this form say: `step` and `epoch`."""
        positions = {"step": self.step, "epoch": self.epoch}
        return {
            name: number
            for name, position in positions.items()
            if position is not None and (number := numbers[position]) is not None
        }


class _Sighting(NamedTuple):
    numbers: tuple[str | None, ...]
    measures: tuple[str, ...]


class StepFormLearner:
    """Collects the lines of a source that may count steps, in order."""

    def __init__(self) -> None:
        self._messages: dict[str, list[str]] = {}  # stream → the beginnings of what its lines say
        self._noted = 0
        self._learned = 0  # lines of which `learn` was asked last

    def note_line(self, line: Line) -> None:
        """Note a line whose prefixes have been read."""
        if self._noted < MAX_LINES_NOTED and may_count_steps(line):
            self._noted += 1
            self._messages.setdefault(line.stream, []).append(line.message[:MAX_TEXT])

    def find_streams(self, known_steps: Mapping[str, int]) -> list[str]:
        """Return the streams whose lines may count steps that are not known; `known_steps`: of each stream."""
        return [
            stream
            for stream, messages in self._messages.items()
            if len(messages) >= MIN_STEPS and known_steps.get(stream, 0) < MIN_SHARE_OF_KNOWN * len(messages)
        ]

    def learn(self, streams: Iterable[str]) -> tuple[StepForm, ...]:
        """Return the forms of lines that count steps: of each stream the most frequent one, at most MAX_FORMS.

        Forms that differ in the member's own name alone are one. None are returned as long as hardly more lines were
        noted than when it was asked before.
        """
        if self._noted <= LINES_GROWTH * self._learned:
            return ()
        self._learned = self._noted
        best = [form for stream in streams if (form := _find_step_form(self._messages[stream])) is not None]
        return tuple(step_form for step_form, _ in Counter(_join_members(best)).most_common(MAX_FORMS))


def name_at(form: str, place: int) -> str:
    """Return a form with ANY_NAME in place of one of its words, in which the members of a job differ."""
    words = form.split(" ")
    return " ".join([*words[:place], ANY_NAME, *words[place + 1 :]])


def place_of_name(form: str) -> int | None:
    """Return the place of ANY_NAME among the words of a form; None if it has none."""
    words = form.split(" ")
    return words.index(ANY_NAME) if ANY_NAME in words else None


def _join_members(step_forms: Sequence[StepForm]) -> list[StepForm]:
    """Return the forms, with ANY_NAME in those that differ in one and the same word alone: `| gx-a:# | pas #`."""
    alike: dict[tuple[int | None, int | None, int], set[str]] = defaultdict(set)
    for step_form in step_forms:
        alike[step_form.step, step_form.epoch, step_form.form.count(" ")].add(step_form.form)
    places: dict[str, int] = {}
    for forms in alike.values():
        columns = zip(*(form.split(" ") for form in forms), strict=True)
        differing = [place for place, words in enumerate(columns) if len(set(words)) > 1]
        if len(differing) == 1:
            places.update(dict.fromkeys(forms, differing[0]))
    return [
        step_form._replace(form=name_at(step_form.form, places[step_form.form]))
        if step_form.form in places
        else step_form
        for step_form in step_forms
    ]


def _find_step_form(messages: Iterable[str]) -> StepForm | None:
    """Return the most frequent form of lines that count steps."""
    sightings: dict[str, list[_Sighting]] = {}
    for message in messages:
        form, numbers = read_form(message)
        sightings.setdefault(form, []).append(_Sighting(numbers, tuple(read_measures(message))))
    ranked = sorted(sightings.items(), key=lambda item: -len(item[1]))
    candidates = (_find_counter(form, lines) for form, lines in ranked if len(lines) >= MIN_STEPS)
    return next(filter(None, candidates), None)


def may_count_steps(line: Line) -> bool:
    """Return whether the line may be one of a program that counts its steps: no error, no kernel, no library."""
    text = line.message[:MAX_TEXT]
    return (
        (line.severity is None or line.severity <= Severity.INFO)
        and line.kind not in (Kind.KERNEL, Kind.SCHEDULER)
        and _may_hold_measure(text) is not None
        and not is_of_library(line)
        and _is_probe(text) is None
    )


def read_form(message: str) -> tuple[str, tuple[str | None, ...]]:
    """Return the form of a message and its numbers, whatever notation single numbers have.

    >>> read_form("pas   20  pierdere -1.2e-05") == read_form("pas 20 pierdere nan")
    True
    >>> read_form('{"pas":20,"pierdere":NaN}') == read_form('{"pas":20,"pierdere":0.25}')
    True
    """
    return read_numbers(_split_fields(" ", _drop_notation("", _name_number("0.0", message[:MAX_TEXT]))))


def read_measures(message: str) -> list[str]:
    """Return the measured values of a message as they stand there, `nan` and `inf` among them.

    >>> read_measures("pas 20 pierdere nan grad=0.25")
    ['nan', '0.25']
    """
    return _find_measures(message[:MAX_TEXT])


def _find_counter(form: str, sightings: Sequence[_Sighting]) -> StepForm | None:
    """Return the form with the position of its counter; None if no number counts or nothing is measured."""
    literal = max(_split_literals(form), key=len)
    if len(literal) < MIN_LITERAL_CHARS or not _has_varying(sighting.measures for sighting in sightings):
        return None
    counters = [
        position
        for position in range(len(sightings[0].numbers))
        if _is_counter([sighting.numbers[position] for sighting in sightings])
    ]
    if not counters:
        return None
    words = form.split("#")
    epoch = next((position for position in range(len(words) - 1) if _is_epoch(words[position])), None)
    step = next((position for position in counters if position != epoch), None)
    return StepForm(form, step, epoch, literal.encode())


def _has_varying(rows: Iterable[tuple[str, ...]]) -> bool:
    """Return whether one of the measured values differs between the lines."""
    return any(len(set(column)) >= MIN_STEPS // 2 for column in zip(*rows, strict=False))


def _is_counter(texts: Sequence[str | None]) -> bool:
    """Return whether the numbers rise by equal distances, but for some that begin again."""
    if any(text is None or "." in text for text in texts):
        return False
    numbers = [int(text) for text in texts if text is not None]  # at most MAX_DIGITS each
    if max(numbers) >= MAX_STEP or len(set(numbers)) < MIN_STEPS:
        return False
    changes = [later - earlier for earlier, later in pairwise(numbers) if later != earlier]
    rises = Counter(change for change in changes if change > 0)
    if rises.total() < (1 - MAX_FALL_SHARE) * len(changes):
        return False
    smallest = min(rises)
    is_multiple = smallest > 1 and all(rise % smallest == 0 for rise in rises)
    return is_multiple or rises.most_common(1)[0][1] >= MIN_STRIDE_SHARE * rises.total()
