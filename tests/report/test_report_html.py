"""The HTML file: well formed, alone in the world, and deaf to what log text tries."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from report_samples import HOSTILE, empty, healthy, hostile, many, oom, typed, undiagnosed

from analyzer.report.encode import to_plain
from analyzer.report.html import render_html

VOID = {"meta", "link", "br", "img", "hr", "input", "wbr"}
FETCHES = {"src", "srcset", "poster", "data", "action", "formaction", "background", "ping", "xlink:href"}
SAMPLES = {"oom": oom, "undiagnosed": undiagnosed, "healthy": healthy, "empty": empty, "nothing": dict}


class Page(HTMLParser):
    """What a browser would see: a tree that must balance, its ids, its links, its scripts."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.inside: dict[str, list[str]] = {"script": [], "style": []}
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"<{tag}> says an attribute twice"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag in self.inside:
            self.inside[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.inside:
            self.inside[self.open[-1]][-1] += data
        else:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def values(self, name: str) -> list[str]:
        return [attributes[name] or "" for _, attributes in self.elements if name in attributes]


def page_before(end: str, incident: dict[str, object]) -> str:
    return render_html(typed(incident)).partition(end)[0] + "</main></div></body></html>"


@pytest.mark.parametrize("name", SAMPLES)
def test_is_well_formed_and_every_inner_link_leads_somewhere(name: str) -> None:
    page = Page(render_html(typed(SAMPLES[name]())))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    for target in page.values("href"):
        assert not target.startswith("#") or target[1:] in ids, target
    for target in page.values("aria-labelledby"):
        assert target in ids


@pytest.mark.parametrize("name", SAMPLES)
def test_loads_nothing_and_its_policy_lets_nothing_else_run(name: str) -> None:
    page = Page(render_html(typed(SAMPLES[name]())))
    for tag, attributes in page.elements:
        assert not FETCHES & set(attributes), tag
        assert "style" not in attributes and not any(key.startswith("on") for key in attributes), tag
        if tag == "link":
            assert attributes["href"] == "data:,"
    assert all(link.startswith(("#", "https://", "data:,")) for link in page.values("href"))
    policy = next(
        attributes["content"]
        for tag, attributes in page.elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert (
        policy is not None
        and policy.startswith("default-src 'none'")
        and "unsafe" not in policy
        and "http" not in policy
    )
    assert not re.search(r"url\(|@import", page.inside["style"][0])
    for inside in (page.inside["style"][0], page.inside["script"][1]):
        assert base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode() in policy


def test_first_screen_answers_what_where_when_how_sure_why_and_what_now() -> None:
    first = Page(page_before('<section id="evidence"', oom())).text
    for expected in (
        "train-2: the kernel killed python3 (pid 4242) for memory",
        "resource.host-oom-killed",
        "worker:2",
        "2026-03-04 02:20:04.250 UTC",
        "Almost certain (0.93) established: the evidence alone proves this cause",
        "job team",
        "3 of 3 other workers report worker:2",
        "Lower the per-host batch size",
        "13 lines on 3 nodes are consequences",
        "train-2/dmesg.txt:812",
        "[812345.125] Out of memory: Killed process",
        "3f1c9a52d07be846",
    ):
        assert expected in first, expected


def test_undiagnosed_shows_the_loudest_lines_and_what_is_missing_instead_of_a_guess() -> None:
    first = Page(
        render_html(typed(undiagnosed())).partition('<section id="cascade"')[0] + "</main></div></body></html>"
    ).text
    assert "No cause found" in first
    assert [
        f"{count}× E device.cc:88] Device 3 reports odd state number" in first
        for count in (900, 810, 720, 630, 540, 450)
    ] == [True] * 5 + [False]
    assert "Kernel logs (dmesg, journalctl -k) of train-0, train-1, train-3" in first
    assert "Logs of train-9" in first


def test_healthy_says_so_and_how_far_the_job_came() -> None:
    first = Page(
        render_html(typed(healthy())).partition('<section id="timeline"')[0] + "</main></div></body></html>"
    ).text
    assert "No failure found" in first and "Last step 133" in first and "Evidence" not in first


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text_wherever_it_stands(text: str) -> None:
    harmless, page = Page(render_html(typed(hostile("plain")))), Page(render_html(typed(hostile(text))))
    count = [tag for tag, _ in harmless.elements].count
    for tag in ("script", "style", "img", "iframe", "svg"):
        assert [element for element, _ in page.elements].count(tag) == count(tag), tag
    assert not any(key.startswith("on") for _, attributes in page.elements for key in attributes)
    assert not any(link.lower().lstrip().startswith("javascript:") for link in page.values("href"))
    assert page.inside["script"][1] == harmless.inside["script"][1]


def test_control_and_reordering_characters_are_shown_and_not_obeyed() -> None:
    html = render_html(typed(hostile("\x1b[31m \x00 \u202e \ud800")))
    html.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", html)
    assert "␛[31m" in html and "‹U+202E›" in html


@pytest.mark.parametrize("name", SAMPLES)
def test_the_embedded_data_reads_back_as_it_was(name: str) -> None:
    incident = SAMPLES[name]()
    data = json.loads(Page(render_html(typed(incident))).inside["script"][0])
    assert data == to_plain(typed(incident)) == to_plain(typed(data))


def test_embedded_data_holds_no_character_that_html_or_old_javascript_minds() -> None:
    incident = hostile("</script><!-- &lt; \u2028 \u2029")
    data = Page(render_html(typed(incident))).inside["script"][0]
    assert not re.search("[<>&\u2028\u2029]", data)
    assert json.loads(data) == to_plain(typed(incident))


def test_a_thousand_nodes_stay_small_by_folding_that_is_said() -> None:
    html = render_html(typed(many()))
    page = Page(html)
    assert len(html) < 15_000_000 and len(render_html(typed(oom()))) < 500_000
    assert sum("lane" in (attributes.get("class") or "").split() for _, attributes in page.elements) == 2 * 3
    assert "334 nodes alike" in page.text and "665 nodes alike" in page.text
    assert "Where gpu-0500" in page.text
    assert re.search(r"Silent since gpu-0500 culprit\b.{0,4000}? 990 more nodes", page.text)  # of the table, the first


def test_data_too_big_to_embed_is_left_out_by_name() -> None:
    incident = {**oom(), "unclassified": [{"template": "x" * 900, "count": 1, "nodes": []} for _ in range(20_000)]}
    page = Page(render_html(typed(incident)))
    kept = json.loads(page.inside["script"][0])
    assert "unclassified" not in kept and "timeline" not in kept and kept["nodes"] == to_plain(typed(incident).nodes)
    assert "unknown errors" in kept["left_out"] and "its embedded data lacks" in page.text


def test_odd_shapes_from_another_version_are_survived() -> None:
    page = Page(
        render_html(
            typed(
                {
                    "verdict": "diagnosed",
                    "root_causes": [{"title": "x", "evidence": [{"file": "a"}], "runner_up": {"cause": "y"}}, None],
                    "nodes": [{"name": None}],
                    "sources": None,
                    "cores": [{"threads": [{}]}],
                    "skew": [{"key": "k"}],
                    "unclassified": [{"example": "a line"}],
                    "not_evaluated": ["r", {"rule": "r"}],
                    "timeline": {"events": [{"corrected": "never"}], "progress": [{"points": [[None, 1], ["x"], 3]}]},
                    "tool": None,
                }
            )
        )
    )
    assert "Next candidate: y" in page.text
