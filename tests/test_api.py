"""The program as a function: for other programs and for notebooks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import analyzer
from analyzer.errors import InputError

BUNDLE = Path(__file__).parent.parent / "fixtures" / "killed-worker" / "bundle.tar.gz"


def test_one_call_gives_the_answer_and_its_timeline() -> None:
    found = analyzer.analyze(str(BUNDLE))
    assert found.verdict == "diagnosed"
    assert found.root_causes[0].finding.node in {node.name for node in found.nodes}
    assert found.data["verdict"] == "diagnosed"
    frame = found.timeline
    assert str(frame["corrected"].dtype).startswith("datetime64") and str(frame["corrected"].dt.tz) == "UTC"
    assert frame["corrected"].dropna().is_monotonic_increasing
    assert "process.killed-by-signal" in repr(found)
    assert "process.killed-by-signal" in found.to_markdown()


def test_a_notebook_shows_the_report_in_a_frame_of_its_own() -> None:
    shown = analyzer.analyze(BUNDLE)._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert shown.count('"') == 6  # nothing of the report ends the attribute


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        analyzer.analyze(tmp_path / "nothing")


def test_the_package_alone_imports_nothing_heavy() -> None:
    code = "import analyzer, sys; print(sorted({'pandas', 'yaml', 'jinja2'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_name_that_people_type_works_with_the_options_of_the_command() -> None:
    import tf_postmortem

    calls: list[tuple[str, int, int]] = []
    found = tf_postmortem.analyze(BUNDLE, jobs=1, baseline=BUNDLE, progress=lambda *call: calls.append(call))
    assert isinstance(found, tf_postmortem.Analysis) and found.verdict == "diagnosed"
    assert calls and calls[-1][1] <= calls[-1][2] == BUNDLE.stat().st_size
    assert all(one.is_new is False for one in found.incident.unclassified)
