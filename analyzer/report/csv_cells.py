"""Neutralize text for the cells of a CSV file, so that no spreadsheet finds a formula in it.

After OWASP's "CSV Injection": every text is quoted, and what may begin a formula gets an apostrophe before it. A
spreadsheet may split at another separator than the comma, and then takes the quotes inside a line for text, so the same
holds behind each separator and line break of a text.
"""

from __future__ import annotations

import re

from analyzer.report.controls import show_controls

# A formula begins with =, +, - or @, also in fullwidth forms, behind blanks and quotes; tabs and line ends hide that.
FORMULA_START = re.compile(r"""(?:^(?=[\t\r\n])|(?:^|(?<=[;|\t\r\n]))(?=(?:[^\S\t\r\n]|["'])*[=+\-@＝＋－＠]))""")


def neutralize_formulas(text: str) -> str:
    """Return `text` for one cell, with an apostrophe wherever a formula could begin."""
    return show_controls(FORMULA_START.sub("'", text))
