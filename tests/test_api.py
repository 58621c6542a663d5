"""The program as a function: for other programs and for notebooks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest

import analyzer
from analyzer.errors import AnalyzerError, InputError

BUNDLE = Path(__file__).parent.parent / "fixtures" / "killed-worker" / "bundle.tar.gz"


def test_one_call_gives_the_answer_and_its_timeline() -> None:
    analysis = analyzer.analyze(str(BUNDLE))
    assert analysis.verdict == "diagnosed"
    assert analysis.root_causes[0].finding.node in {node.name for node in analysis.nodes}
    assert analysis.data["verdict"] == "diagnosed"
    frame = analysis.timeline
    assert str(frame["corrected"].dtype).startswith("datetime64") and str(frame["corrected"].dt.tz) == "UTC"
    assert frame["corrected"].dropna().is_monotonic_increasing
    assert "process.killed-by-signal" in repr(analysis)
    assert "process.killed-by-signal" in analysis.to_markdown()


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
    analysis = tf_postmortem.analyze(BUNDLE, jobs=1, baseline=BUNDLE, progress=lambda *call: calls.append(call))
    assert isinstance(analysis, tf_postmortem.Analysis) and analysis.verdict == "diagnosed"
    assert calls and calls[-1][1] <= calls[-1][2] == BUNDLE.stat().st_size
    assert all(template.is_new is False for template in analysis.incident.unclassified)


def test_every_option_of_the_command_is_a_keyword_or_only_of_a_command_line(tmp_path: Path) -> None:
    import inspect

    from analyzer.cli.analyze import analyze as command

    keywords = set(inspect.signature(analyzer.analyze).parameters)
    renamed = {"limit": "limits", "redact_word": "redact_words"}
    # A program writes the files itself, decides by what it gets, and stops by raising in its callback.
    elsewhere = {"earlier", "redact_map", "fail_on", "min_confidence", "partial", "quiet"}
    options = {renamed.get(name, name) for name in inspect.signature(command).parameters} - elsewhere
    assert options <= keywords | {"inputs"}


def test_redaction_history_and_meta_are_those_of_the_command(tmp_path: Path) -> None:
    for _ in range(2):
        analysis = analyzer.analyze(
            BUNDLE, redact=True, history=tmp_path / "h", meta={"ticket": "OPS-41", "token": "hunter22"}
        )
    names = {node.name for node in analysis.nodes}
    for form in ("html", "json", "markdown", "brief", "sarif"):
        text = analysis.render(form)
        assert not [name for name in names if name in text], form
    assert "OPS-41" in analysis.to_html() and "hunter22" not in analysis.to_html()
    assert "this is incident 1" in analysis.data["history"]["sentence"]  # type: ignore[index]
    with pytest.raises(AnalyzerError, match="not an output form"):
        analysis.render("pdf")


def test_a_notebook_shows_the_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    class Bar:
        """What IPython.display.ProgressBar offers."""

        shown: ClassVar[list[int]] = []

        def __init__(self, total: int) -> None:
            self._progress = 0

        def display(self) -> None:
            self.shown.append(0)

        @property
        def progress(self) -> int:
            return self._progress

        @progress.setter
        def progress(self, value: int) -> None:
            self._progress = value
            self.shown.append(value)

    notebook = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(ProgressBar=Bar))
    analyzer.analyze(BUNDLE, jobs=1)
    assert Bar.shown[0] == 0 and Bar.shown[-1] == 100 and Bar.shown == sorted(set(Bar.shown))
