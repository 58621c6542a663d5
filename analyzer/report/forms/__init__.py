"""The output forms of an incident. Each is a file of this folder with `FORM = OutputForm(...)`.

`analyze` and `show` offer the options of a new form, and `tests/report/test_output_forms.py` renders an incident with
it. The one other edit is the beginning of its text in `bundle/own_outputs.py`, so that it is not read as a log. A long
renderer is `report/<name>.py`. No text of a log may become markup of the form.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analyzer.report.document import WrittenIncident

OutputText = str | Iterable[str]  # a text, or its pieces


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputForm:
    """One form of output.

    `name` is unique. `options` are the options that take a file, such as `--jira`, and `help` is their help text.
    `render` makes the text from the written incident. It imports what it needs when it is called, so that the
    command line starts fast. `suffixes` are those of its files, and `position` is its place among the forms.
    """

    name: str
    options: tuple[str, ...]
    help: str
    render: Callable[[WrittenIncident], OutputText]
    suffixes: tuple[str, ...]
    position: int = 100
    metavar: str = "FILE"


@cache
def output_forms() -> Mapping[str, OutputForm]:
    """Return all forms by name, in the order of their positions."""
    modules = (importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
    forms: list[OutputForm] = [module.FORM for module in modules]
    return {form.name: form for form in sorted(forms, key=lambda form: (form.position, form.name))}
