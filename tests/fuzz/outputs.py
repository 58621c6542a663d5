"""What holds for every output of every incident: it can be made, steers no terminal, and runs nothing of the input."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from html.parser import HTMLParser
from unicodedata import category

from rich.console import Console

from analyzer.report.compare import compare_incidents, format_comparison
from analyzer.report.document import WrittenIncident
from analyzer.report.forms import output_forms
from analyzer.report.html import render_html
from analyzer.report.terminal import render_terminal
from analyzer.report.trace import render_trace

# Elements that load, send or run something, and are in no template.
_FOREIGN = {"iframe", "object", "embed", "base", "form", "applet", "frame", "audio", "video", "img", "foreignobject"}
_LINKS = ("href", "src", "action", "formaction", "xlink:href", "srcset", "poster", "data")


class _Page(HTMLParser):
    """Which scripts and styles a browser would find, and whatever could run beside them."""

    def __init__(self) -> None:
        super().__init__()
        self.policy = ""
        self.bodies: list[tuple[str, str, str]] = []  # (tag, type, what stands in it)
        self._open: tuple[str, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        assert tag not in _FOREIGN, f"<{tag}> in the page"
        assert not any(name.startswith("on") for name in attributes), f"{attributes} runs something"
        for name in _LINKS:
            if scheme := re.match(r"[\s\0-\x20]*([a-zA-Z][\w+.-]*)\s*:", attributes.get(name, "")):
                assert scheme[1].lower() in ("http", "https", "data"), f"{attributes} leads to {scheme[1]}"
                assert scheme[1].lower() != "data" or attributes[name] == "data:,", attributes
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        self._open = (tag, attributes.get("type", "")) if tag in ("script", "style") else None

    def handle_data(self, data: str) -> None:
        if self._open:
            self.bodies.append((*self._open, data))
            self._open = None


def check_page(page: str) -> None:
    """Each script and style is one that the page's policy knows; all else is inert."""
    page.encode("utf-8")
    parsed = _Page()
    parsed.feed(page)
    parsed.close()
    assert [(tag, kind) for tag, kind, _ in parsed.bodies] == [
        ("style", ""),
        ("script", "application/json"),
        ("script", ""),
    ], parsed.bodies
    for tag, kind, body in parsed.bodies:
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert kind or f"{tag}-src 'sha256-{digest}'" in parsed.policy, f"a {tag} that the policy does not know"
    json.loads(parsed.bodies[1][2])


IDLE = ("Co", "Cn", "Zs")  # for private use, as icons of a prompt; of no character yet; spaces


def check_text(text: str) -> None:
    steering = {char for char in text if not char.isprintable() and char != "\n" and category(char) not in IDLE}
    assert not steering, f"{steering} in a text: {[line[:300] for line in text.splitlines() if steering & {*line}][:2]}"
    text.encode("utf-8")


def render_texts(incident: WrittenIncident) -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=100)
    for part in render_terminal(incident, console):
        console.print(part)
    check_text(stream.getvalue())
    for form in output_forms().values():
        if form.name != "html":
            check_text("".join(form.render(incident)))


def render_every_way(incident: WrittenIncident) -> None:
    check_page(render_html(incident))
    render_texts(incident)
    json.dumps(render_trace(incident))
    for line in format_comparison(compare_incidents(incident, incident), ("a", "b")):
        check_text(line)
