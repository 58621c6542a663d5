"""Where the rule packs and the templates lie: in a checkout beside the package, in an installed wheel inside it.

The wheel's copies are made by `force-include` in pyproject.toml. Both answers are real folders: the wheel is never
run from inside a zip, because hyperscan and numpy could not be either.
"""

from __future__ import annotations

from pathlib import Path

from analyzer.errors import AnalyzerError

_PACKAGE_FOLDER = Path(__file__).resolve().parent


def rules_dir() -> Path:
    """The folder of the shipped rule packs, with `causes.yaml` and `tables/`."""
    return _find_data_folder("rules", "causes.yaml")


def templates_dir() -> Path:
    """The folder of the jinja2 templates, with `report/`."""
    return _find_data_folder("templates", "report")


def _find_data_folder(name: str, landmark: str) -> Path:
    # The wheel's copy first: a site-packages folder may hold somebody else's top-level `rules/`.
    for folder in (_PACKAGE_FOLDER / "_data" / name, _PACKAGE_FOLDER.parent / name):
        if (folder / landmark).exists():
            return folder
    raise AnalyzerError(
        f"the program's own '{name}' folder is missing (looked beside and inside {_PACKAGE_FOLDER})",
        "Reinstall tf-postmortem; an editable or zipped install may have left its data behind.",
    )
