"""Nothing in a log is markup in Jira: each element of its notation is tried where log text may stand."""

from __future__ import annotations

import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from report_samples import oom, typed

from analyzer.report.jira import neutralize_markup, render_jira

PHRASES = {"strong": r"\*", "emphasis": "_", "deleted": "-", "inserted": r"\+", "superscript": r"\^", "subscript": "~"}
# What Jira takes for markup, as its documentation has it. No letter or digit stands before a phrase, nor behind it.
RENDERED = {
    **{
        name: rf"(?<![\p{{L}}\p{{Nd}}]){mark}[^\s{mark}](?:[^\n{mark}]*[^\s{mark}])?{mark}(?![\p{{L}}\p{{Nd}}])"
        for name, mark in PHRASES.items()
    },
    "citation": r"\?\?[^\s].*\?\?",
    "macro or monospaced": r"\{",
    "link or mention": r"\[[^\]\n]+\]",
    "image": r"![^\s!][^!\n]*!",
    "table": r"\|",
    "line break": r"\\\\",
    "heading or quote": r"^(?:h[1-6]|bq)\.\s",
    "list": r"^[*#-]+\s",
    "ruler": r"^-{4,}",
    "dash": r"(?<=\s)-{2,3}(?=\s)",
    "url": r"(?i)[a-z0-9]+://\S|\b(?:mailto|file|news|irc|skype|tel|git|nntp|callto|smb|slack|urn|ssh|notes):\S|\bwww\.",
    "emoticon": r"[:;]-?[()DPp]|\((?:[yni/x!+?*-]|on|off|\*[rgby]|flag|flagoff)\)",
}
ELEMENTS = """h1. Biggest heading
h6. Smallest heading
*strong*
_emphasis_
??citation??
-deleted-
+inserted+
^superscript^
~subscript~
{{monospaced}}
bq. a quotation
{quote} here is quotable content {quote}
{color:red} look ma, red text! {color}
a \\\\ line break
----
a --- dash
a -- dash
[#anchor]
[^attachment.ext]
[alias|#anchor|tip]
[http://jira.atlassian.com]
[Atlassian|http://atlassian.com]
[mailto:legendaryservice@atlassian.com]
[file:///c:/temp/foo.txt]
{anchor:anchorname}
[~username]
[~accountid:5b10a2844c20165700ede21g]
[\\\\server\\share]
* some
- different
*- bullets
# a numbered list
#* mixed
!http://www.host.com/image.gif!
!attached-image.gif!
!image.jpg|thumbnail!
!quicktime.mov|width=300,height=400!
||heading 1||heading 2||
|col A1|col A2|
{noformat} preformatted {noformat}
{panel:title=My Title} text {panel}
{code:title=Bar.java|borderStyle=solid} code {code}
\\{escaped}
:)
:-(
:P
;)
(y)
(off)
(*r)
(flagoff)
http://example.com/px.png
see HTTPS://example.com
mailto:me@example.com
file:/etc/passwd
www.example.com
@everyone
{*}strong in a word{*}
(_nested *phrases* in-_)
_*both*_
²*behind what is no digit*
\\!http://host/px.png\\!
\\\\!http://host/px.png\\\\!
!http://host/px.png!text
**doubled**
""".splitlines()


def found_in(text: str) -> list[str]:
    return [name for name, pattern in RENDERED.items() if regex.search(pattern, text)]


@pytest.mark.parametrize("element", ELEMENTS)
def test_no_element_of_the_notation_is_left(element: str) -> None:
    assert found_in(element) or element == "@everyone"
    for text in (element, f"before {element}", f"before {element} behind", f"({element})"):
        neutral = neutralize_markup(text)
        assert not found_in(neutral), neutral
        assert "@every" not in neutral
        assert len(neutral) == len(text)
        assert unicodedata.normalize("NFKC", neutral) == unicodedata.normalize("NFKC", text)


@pytest.mark.parametrize(
    "text",
    [
        "ip-10-42-7-22 (worker:1): python3.11 (pid 29522) went over 1.5e+03 MiB",
        "tf-postmortem replay report.json --python /opt/tf_2.16/bin/python3 -o ~/out --repeat 3",
        "2026-03-04 02:20:06.250000: E tensorflow/core/a_b.cc:517 worker:0",
        "user@host, #17, 5 - 3, 2 * 3, a+b, snake_case, https, file, (pid)",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert neutralize_markup(text) == text


MIXED = st.text(st.sampled_from("*_-+^~?!{}[]|\\:;()#@hbq1. /wxyDPw²é"), max_size=30)


@given(MIXED, MIXED)
def test_no_mixture_is_markup(first: str, second: str) -> None:
    assert not found_in(neutralize_markup(first))
    assert not found_in(f"<{neutralize_markup(first)}>: <{neutralize_markup(second)}>")  # as in {{…}}: {{…}}


@pytest.mark.parametrize("element", ELEMENTS)
def test_no_element_is_left_in_a_ticket(element: str) -> None:
    """Outside its fences and without the marks that the report itself sets."""
    incident = oom()
    incident["root_causes"][0].update(title=element, summary=element, why=[element], cause=element)  # type: ignore[index]
    incident["nodes"][0]["name"] = element  # type: ignore[index]
    incident["skew"] = [{"key": element, "values": {element: [element], f"x {element}": ["n"]}}]
    incident["unclassified"] = [{"template": element, "count": 1, "nodes": [element]}]
    incident["notes"] = [element]
    ticket = render_jira(typed(incident))
    outside = "".join(ticket.split("{noformat}")[::2])
    assert not regex.search(r"!\S|\[|\?\?|\\|://|mailto:|\(off\)|@every|(?<!\{)\{(?!\{)|\{\{\{", outside)
    for line in outside.splitlines():
        text = regex.sub(r"^(?:h[1-6]\.|[*#]|\|\|?)\s?|\{\{|\}\}|\|\|?", "", line)
        assert not [name for name in found_in(text) if name not in ("list", "dash")], line


@pytest.mark.parametrize("end", ["{noformat}", "{NoFormat}", "{noformat:title=x}", "{ noformat }"])
def test_no_line_ends_its_fence(end: str) -> None:
    evidence = {"node": "n", "file": "w.log", "line": 1, "time": None, "text": f"a {end} !http://e/x.png! b"}
    fenced = render_jira(typed({"root_causes": [{"title": "t", "evidence": [evidence]}]})).split("{noformat}")[1::2]
    assert any("!http://e/x.png! b" in text for text in fenced)
    assert not any(regex.search(r"(?i)\{\s*noformat", text) for text in fenced)
