"""Where the small figure of the first screen stands: below the column that ends first, so that the screen is short."""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyzer.report.deciding_lines import DecidingExcerpt
from analyzer.report.document import WrittenLastLines
from analyzer.report.summary import CauseSummary

MAX_LISTED = 4  # reasons, objections and steps that the first screen lists
SHOWN_WIDTH, SHORT_WIDTH = 200, 160  # characters of a deciding line, and of each where there are many
MAX_LONG_LINES = 2  # deciding lines that are shown in the full width
_CASE_CHARS, _PROOF_CHARS = 68, 55  # characters in a row of each column
_CASE_ROW_PX, _PROOF_ROW_PX, _LAST_ROW_PX = 18, 17, 16
_HEADING_PX, _CAPTION_PX = 25, 30
_MAX_LAST_PX = 88  # height of the box of the last lines
_PLACE = re.compile(r"\([^()\s]{40,}:\d+\)")  # is shortened where it is shown


def choose_shown_excerpts(excerpts: Sequence[DecidingExcerpt]) -> Sequence[DecidingExcerpt]:
    """Return the excerpts of the first screen: one of several lines, or else two."""
    return excerpts[: 1 if excerpts and len(excerpts[0].lines) > 1 else 2]


def choose_line_width(excerpts: Sequence[DecidingExcerpt]) -> int:
    """Return how many characters of each deciding line are shown before it is opened."""
    return SHORT_WIDTH if sum(len(excerpt.lines) for excerpt in excerpts) > MAX_LONG_LINES else SHOWN_WIDTH


def is_figure_below_proof(
    root: CauseSummary, excerpts: Sequence[DecidingExcerpt], last_lines: Sequence[WrittenLastLines]
) -> bool:
    """Return whether the column of reasons and steps is likely to be longer than that of the deciding lines."""
    return _estimate_case_px(root) > _estimate_proof_px(root, excerpts, last_lines)


def _estimate_case_px(root: CauseSummary) -> int:
    texts = [*root.why[:MAX_LISTED], *root.objections[: MAX_LISTED + 1], *root.remediation[:MAX_LISTED]]
    headings = sum(map(bool, (root.why, root.objections, root.would_decide, root.remediation)))
    rows = sum(_count_rows(_PLACE.sub(" " * 40, text), _CASE_CHARS) for text in texts)
    return rows * _CASE_ROW_PX + headings * _HEADING_PX


def _estimate_proof_px(
    root: CauseSummary, excerpts: Sequence[DecidingExcerpt], last_lines: Sequence[WrittenLastLines]
) -> int:
    width = choose_line_width(excerpts)
    rows = sum(_count_rows(line.text[:width], _PROOF_CHARS) for excerpt in excerpts for line in excerpt.lines)
    height = _HEADING_PX + rows * _PROOF_ROW_PX + len(excerpts) * _CAPTION_PX
    for last in last_lines:
        if last.node == root.node:
            box = sum(_count_rows(line, _PROOF_CHARS) for line in last.lines) * _LAST_ROW_PX
            height += _CAPTION_PX + min(box, _MAX_LAST_PX)
    return height


def _count_rows(text: str, width: int) -> int:
    return -(-len(text) // width) or 1
