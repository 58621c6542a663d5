"""Packs and templates are found in a checkout and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer import resources
from analyzer.errors import AnalyzerError


@pytest.mark.parametrize("inside", ["analyzer/_data", "."])
def test_found_inside_a_wheel_and_beside_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    monkeypatch.setattr(resources, "_PACKAGE_FOLDER", tmp_path / "analyzer")
    for name in ("rules", "templates/report"):
        (tmp_path / inside / name).mkdir(parents=True)
    (tmp_path / inside / "rules" / "causes.yaml").touch()
    assert resources.rules_dir() == tmp_path / inside / "rules"
    assert resources.templates_dir() == tmp_path / inside / "templates"


def test_somebody_elses_folder_of_that_name_is_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "_PACKAGE_FOLDER", tmp_path / "analyzer")
    (tmp_path / "rules").mkdir()
    with pytest.raises(AnalyzerError, match="'rules' folder is missing"):
        resources.rules_dir()


def test_this_checkout_has_both() -> None:
    assert (resources.rules_dir() / "causes.yaml").is_file()
    assert (resources.templates_dir() / "report" / "base.html").is_file()
