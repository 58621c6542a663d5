"""Where the rule packs and the templates are: beside the package in a checkout, inside it in an installed wheel.

The wheel's copies are made by `force-include` in pyproject.toml. Both are real folders: the wheel never runs from
inside a zip, because hyperscan and numpy could not either.
"""

from __future__ import annotations

from pathlib import Path

from analyzer.errors import AnalyzerError

_PACKAGE_FOLDER = Path(__file__).resolve().parent


def rules_dir() -> Path:
    """Return the folder of the shipped rule packs, with `causes.yaml` and `tables/`."""
    return _find_data_folder("rules", "causes.yaml")


def templates_dir() -> Path:
    """Return the folder of the jinja2 templates, with `report/`."""
    return _find_data_folder("templates", "report")


def _find_data_folder(name: str, landmark: str) -> Path:
    # The wheel's copy first: site-packages may have a top-level `rules/` of another package.
    for folder in (_PACKAGE_FOLDER / "_data" / name, _PACKAGE_FOLDER.parent / name):
        if (folder / landmark).exists():
            return folder
    raise AnalyzerError(
        f"the program's own '{name}' folder is missing (searched beside and inside {_PACKAGE_FOLDER})",
        "Reinstall tf-postmortem; an editable or zipped installation may lack its data.",
    )
