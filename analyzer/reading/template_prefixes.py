"""What the prefixes of lines say that holds for all lines of a template, which differ only in digits."""

from __future__ import annotations

from dataclasses import dataclass, field

from analyzer.arrays import np
from analyzer.formats import find_digit_blind_message
from analyzer.reading.hit_table import HitTable, Numbers
from analyzer.reading.segments import decode
from analyzer.reading.window import TextWindow
from analyzer.scan import NO_TEMPLATE

MAX_TEMPLATES = 20_000  # that are remembered of a source


def is_stamped_by_program(text: str) -> bool:
    """Return whether a line has no stream and a date of its own, whatever its digits are."""
    return text[:1].isdecimal() and find_digit_blind_message(text) is not None


@dataclass(slots=True)
class TemplatePrefixes:
    """Which templates of a source begin with a program's own prefix that no digit changes."""

    _are_certain: dict[int, bool] = field(default_factory=dict)

    def are_before_program_lines(self, window: TextWindow, table: HitTable, rows: Numbers) -> Numbers:
        """Return for each of `rows` whether the next line surely has such a prefix: it continues nothing.

        False as well if the next line has no hit, or its digits may decide on its hits.
        """
        are_before = table.find_next_rows(window.data, rows)
        behind = rows[are_before] + 1
        templates = table.templates[table.first_hits[behind]]
        unique, firsts, places = np.unique(templates, return_index=True, return_inverse=True)
        are_certain = [
            self._is_certain(window, table, int(behind[first]), template)
            for template, first in zip(unique.tolist(), firsts.tolist(), strict=True)
        ]
        are_before[are_before] = np.array(are_certain, bool)[places]
        return are_before

    def _is_certain(self, window: TextWindow, table: HitTable, row: int, template: int) -> bool:
        if template == NO_TEMPLATE:
            return False
        if len(self._are_certain) >= MAX_TEMPLATES:
            self._are_certain.clear()
        if (is_certain := self._are_certain.get(template)) is None:
            text = decode(window.data[int(table.starts[row]) : int(table.stops[row])])
            is_certain = self._are_certain[template] = find_digit_blind_message(text) is not None
        return is_certain
