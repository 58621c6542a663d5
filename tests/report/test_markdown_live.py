"""What GitHub and GitLab make of text beyond Markdown: mentions, references, links, emoji. Code spans keep them off."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report_samples import oom, typed

from analyzer.report.markdown import _format_plain, render_markdown

LIVE = [
    "@team",
    "@org/team",
    "#123",
    "owner/repo#123",
    "GH-123",
    "!17",
    "group/project!17",
    "$3",
    "&9",
    "%2",
    '%"a milestone"',
    "~bug",
    '~"a label"',
    "^alert#4",
    "[vulnerability:7]",
    "http://example.com/px.png",
    "HTTPS://example.com",
    "www.example.com",
    "mailto:me@example.com",
    "me@example.com",
    ":smile:",
    ":+1:",
    ":100:",
]
MARKS = [
    "![x](http://example.com/px.png)",
    "[x](javascript:alert)",
    "<img src=x>",
    "[x]: http://example.com",
    "- item",
    "+ item",
    "* item",
    "12. item",
    "123456789) item",
    "# heading",
    "> quote",
    "***",
    "---",
    "===",
    "~~~",
    "```",
    "a | b",
    "_em_ **strong** ~~del~~",
    "$`a^2`$",
    "\\![x](y)",
    "\\\\<img src=x>",
    "&lt;img&gt;",
    "[^1]",
]


def texts_outside_code(markdown: str) -> list[str]:
    """The text nodes of the page; whatever is no paragraph of text and code is an error."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(markdown)
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"], markdown
    children = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in children} <= {"text", "text_special", "code_inline"}, markdown
    return [child.content for child in children if child.type != "code_inline"]


@pytest.mark.parametrize("mark", [*LIVE, *MARKS])
@pytest.mark.parametrize("form", ["{}", "say {}", "say {} to all", "`code` {}"])
def test_no_text_is_markup(mark: str, form: str) -> None:
    texts = texts_outside_code(_format_plain(form.format(mark), 300))
    if mark in LIVE:
        assert not any(mark.split()[0] in text for text in texts)


@given(st.text(st.sampled_from("`*_-+=~!@#$%&^[](){}<>|\\:;.1a /\"'é")))
def test_any_mixture_is_text_and_code(text: str) -> None:
    if formatted := _format_plain(text, 300):
        assert not [outside for outside in texts_outside_code(formatted) if re.search(r"@|#\d|://", outside)]


def test_times_paths_and_options_are_not_disturbed() -> None:
    text = "ip-10-0-0-7: 2026-03-04 02:20:06 UTC, a_b --limit 5 - 3 worker:0 95% of 2.5 GiB, C++"
    assert _format_plain(text, 300) == text


@pytest.mark.parametrize("mark", LIVE)
def test_none_is_left_in_a_ticket(mark: str) -> None:
    incident = oom()
    incident["root_causes"][0].update(title=mark, summary=mark, why=[mark], cause=mark, remediation=[mark])  # type: ignore[index]
    incident["nodes"][0]["name"] = mark  # type: ignore[index]
    incident["notes"] = [mark]
    outside = re.sub(r"(?s)```.*?```|`[^`]*`", "", render_markdown(typed(incident)))
    assert mark not in outside
