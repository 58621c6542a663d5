"""What was written can be read back: from JSON, and out of the HTML file itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzer.errors import InputError
from analyzer.pipeline import analyze
from analyzer.report.html import render_html
from analyzer.report.jira import render_jira
from analyzer.report.json import to_json
from analyzer.report.read import is_report, read_incident

BUNDLE = Path(__file__).parents[2] / "fixtures" / "native-null-pointer" / "bundle.tar.gz"


def test_html_and_json_give_the_same_incident(tmp_path: Path) -> None:
    incident = to_json(analyze([BUNDLE]))
    html, plain = tmp_path / "r.html", tmp_path / "r.json"
    html.write_text(render_html(incident))
    plain.write_text(json.dumps(incident))
    assert is_report(html)
    assert is_report(plain)
    assert not is_report(BUNDLE)
    assert read_incident(html) == read_incident(plain) == json.loads(plain.read_text())


@pytest.mark.parametrize("text", ["", "{}", "[]", "<html></html>", "<!doctype html>tf-postmortem", '{"a":', "\udcff"])
def test_what_is_no_report_is_refused_with_a_hint(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as told:
        read_incident(file)
    assert told.value.hint


def test_log_text_in_jira_markup_stays_text() -> None:
    line = "{noformat} h1. x [~bob] !http://e/x.png! |a| {{b}} *c*"
    evidence = {"node": "n{0}", "file": "a|b.log", "line": 1, "time": None, "text": line}
    root = {"cause": "a.b", "title": line, "summary": line, "why": [line], "evidence": [evidence], "node": "n|0"}
    said = render_jira({"verdict": "diagnosed", "root_causes": [root]})
    outside, fenced = said.split("{noformat}\n")[::2], said.split("{noformat}\n")[1]
    assert said.count("{noformat}") == 2  # the fence's own
    assert "{ noformat} h1. x [~bob]" in fenced
    assert not any(mark in text for text in outside for mark in (" [~bob", " !http", " |a| ", " {{b}}"))
