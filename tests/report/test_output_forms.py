"""Every form of output is found in its folder, has options of its own, and renders an incident."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from fixture_incidents import bundle_of, incident_of
from markdown_it import MarkdownIt
from report_samples import oom, typed

from analyzer.bundle.own_outputs import describe_own_output
from analyzer.report.forms import OutputForm, output_forms
from analyzer.report.json import write_incident
from analyzer.report.terminal import render_plain


def test_the_forms_are_offered_in_their_order() -> None:
    assert list(output_forms())[:4] == ["html", "json", "markdown", "jira"]


def test_no_two_forms_share_an_option_or_a_suffix() -> None:
    names = Counter(name for form in output_forms().values() for name in (*form.options, *form.suffixes))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("form", output_forms().values(), ids=lambda form: form.name)
def test_a_form_renders_an_incident(form: OutputForm) -> None:
    assert "worker" in "".join(form.render(write_incident(incident_of(bundle_of("killed-worker")))))


FENCE = re.compile(r"(?s)\{noformat\}.*?\{noformat\}")
LIVE = "<img src=x> @team ![a](http://h.example/x) !http://h.example/x! \n::error::x\x1b[31m\u202e ]]> {macro}"


def replace_texts(value: object) -> object:
    """Every text of a report that somebody else made; the verdict and the version decide what a report shows."""
    if isinstance(value, dict):
        return {
            key: inner if key in ("verdict", "schema_version") else replace_texts(inner) for key, inner in value.items()
        }
    if isinstance(value, list):
        return [replace_texts(inner) for inner in value]
    return LIVE if isinstance(value, str) else value


def holds_no_markdown(text: str) -> bool:
    """No link, image, mention or element of HTML but those that fold a part of a ticket."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    tokens += [child for token in tokens for child in token.children or ()]
    html = "".join(token.content for token in tokens if token.type.startswith("html"))
    plain = "".join(token.content for token in tokens if token.type == "text")
    return (
        not {"image", "link_open"} & {token.type for token in tokens}
        and not re.search(r"@team|://", plain)
        and set(re.findall(r"<[^>]*", html)) <= {"<details", "</details", "<summary", "</summary"}
    )


# What each form's readers would run, follow, load or take for a line of their own.
INERT: dict[str, Callable[[str], object]] = {
    "html": lambda text: "<img" not in text,
    "json": json.loads,
    "markdown": holds_no_markdown,
    "gitlab": holds_no_markdown,
    "brief": holds_no_markdown,
    "jira": lambda text: not re.search(r"!http|(?<!\{)\{macro|@team", FENCE.sub("", text)),
    "sarif": json.loads,
    "code-quality": json.loads,
    "annotations": lambda text: all(re.match("::(error|warning|notice) ", line) for line in text.splitlines()),
    "junit": lambda text: ElementTree.fromstring(text) is not None,
}


@pytest.mark.parametrize("form", output_forms().values(), ids=lambda form: form.name)
def test_no_text_of_somebody_elses_report_is_live(form: OutputForm) -> None:
    hostile = replace_texts(oom())
    assert isinstance(hostile, dict)
    text = "".join(form.render(typed(hostile)))
    assert "team" in text and INERT[form.name](text)
    assert not [char for char in text if not char.isprintable() and char != "\n"]


WITH_HEADER = [name for name in output_forms() if name not in ("annotations", "code-quality")]  # as --meta's help says


@pytest.mark.parametrize("name", WITH_HEADER)
def test_what_meta_adds_stands_in_the_form(name: str) -> None:
    form = output_forms()[name]
    text = "".join(form.render(typed({**oom(), "meta": {"commit": "abc1234", "ci": "https://ci.example/7"}})))
    assert "abc1234" in text and "ci.example/7" in text
    assert "ci.example/7," not in text  # a comma behind the address would be a part of it


def test_the_printed_summary_has_what_meta_adds() -> None:
    for incident in (oom(), {**oom(), "verdict": "no-failure", "root_causes": []}):
        text = render_plain(typed({**incident, "meta": {"commit": "abc1234"}}))
        assert "commit abc1234" in text
        assert describe_own_output(text.encode()[:4096], "summary.txt")


@pytest.mark.parametrize("form", ["markdown", "gitlab", "brief", "jira", "junit"])
def test_what_meta_adds_is_no_markup(form: str) -> None:
    text = "".join(output_forms()[form].render(typed({**oom(), "meta": {LIVE: LIVE}})))
    if form == "junit":
        assert ElementTree.fromstring(text.encode()).find("testsuite/properties/property") is not None
    elif form == "jira":
        assert "{macro}" not in FENCE.sub("", text) and "!http://" not in FENCE.sub("", text)
    else:
        assert holds_no_markdown(text)
