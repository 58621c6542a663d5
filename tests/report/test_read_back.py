"""What was written can be read back: from JSON, and out of the HTML file itself."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from analyzer.errors import AnalyzerError, InputError
from analyzer.pipeline import analyze
from analyzer.replay import plan_replay
from analyzer.report.decode import decode_incident
from analyzer.report.encode import to_plain
from analyzer.report.html import render_html
from analyzer.report.jira import render_jira
from analyzer.report.json import to_json, write_incident
from analyzer.report.reader import is_report, read_incident
from tests.fuzz.incidents import render_every_way

BUNDLE = Path(__file__).parents[2] / "fixtures" / "native-null-pointer" / "bundle.tar.gz"


def test_html_and_json_give_the_same_incident(tmp_path: Path) -> None:
    incident = write_incident(analyze([BUNDLE]))
    html, plain = tmp_path / "r.html", tmp_path / "r.json"
    html.write_text(render_html(incident))
    plain.write_text(json.dumps(to_plain(incident)))
    assert is_report(html)
    assert is_report(plain)
    assert not is_report(BUNDLE)
    assert read_incident(html) == read_incident(plain) == incident


@pytest.mark.parametrize("text", ["", "{}", "[]", "<html></html>", "<!doctype html>tf-postmortem", '{"a":', "\udcff"])
def test_what_is_no_report_is_refused_with_a_hint(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as raised:
        read_incident(file)
    assert raised.value.hint


ODD = [
    None,
    True,
    -1,
    10**400,
    1e999,
    float("nan"),
    "\x1b[31m\u202e",
    "9999-12-31T23:59:59.9Z",
    [],
    {},
    [[]],
    [None],
    {"": {}},
]


def test_a_report_of_any_shape_is_read(tmp_path: Path) -> None:
    """One value of a report after the other is another, in all outputs, comparisons and plans of replays."""
    written = json.dumps(to_json(analyze([BUNDLE])))
    report_file = tmp_path / "i.json"
    places = random.Random(1).sample(list(_places(json.loads(written))), 100)
    for number, path in enumerate(places):
        incident = json.loads(written)
        *steps, last = path
        holder = incident
        for step in steps:
            holder = holder[step]
        if number % (len(ODD) + 1):
            holder[last] = ODD[number % (len(ODD) + 1) - 1]
        else:
            del holder[last]
        report_file.write_text(json.dumps(incident))
        with suppress(AnalyzerError):
            read = read_incident(report_file)
            render_every_way(read)
            plan_replay(to_plain(read), 0, True)


def _places(value: Any, steps: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every key once, whatever stands before it: the items of a list are alike."""
    keys = value.items() if isinstance(value, dict) else list(enumerate(value))[:1] if isinstance(value, list) else ()
    for key, inner in keys:
        yield (*steps, key)
        yield from _places(inner, (*steps, key))


def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    incident = json.loads(json.dumps(to_json(analyze([BUNDLE]))))
    incident["findings"][0]["count"] = "many"
    (tmp_path / "i.json").write_text(json.dumps(incident))
    read = read_incident(tmp_path / "i.json")
    assert "1 value of this report does not match the schema" in str(read.notes)
    assert read.findings[0].count == 0


def test_log_text_in_jira_markup_stays_text() -> None:
    line = "{noformat} h1. x [~bob] !http://e/x.png! |a| {{b}} *c*"
    evidence = {"node": "n{0}", "file": "a|b.log", "line": 1, "time": None, "text": line}
    root = {"cause": "a.b", "title": line, "summary": line, "why": [line], "evidence": [evidence], "node": "n|0"}
    ticket = render_jira(decode_incident({"verdict": "diagnosed", "root_causes": [root]})[0])
    outside, fenced = ticket.split("{noformat}\n")[::2], ticket.split("{noformat}\n")[1]
    assert ticket.count("{noformat}") == 2  # the fence's own
    assert "｛noformat} h1. x [~bob]" in fenced
    assert not any(mark in text for text in outside for mark in (" [~bob", " !http", " |a| ", " {{b}}"))
