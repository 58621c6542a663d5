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
        said = {name: value or "" for name, value in attrs}
        assert tag not in _FOREIGN, f"<{tag}> in the page"
        assert not any(name.startswith("on") for name in said), f"{said} runs something"
        for name in _LINKS:
            if scheme := re.match(r"[\s\0-\x20]*([a-zA-Z][\w+.-]*)\s*:", said.get(name, "")):
                assert scheme[1].lower() in ("http", "https", "data"), f"{said} leads to {scheme[1]}"
                assert scheme[1].lower() != "data" or said[name] == "data:,", said
        if tag == "meta" and said.get("http-equiv") == "Content-Security-Policy":
            self.policy = said["content"]
        self._open = (tag, said.get("type", "")) if tag in ("script", "style") else None

    def handle_data(self, data: str) -> None:
        if self._open:
            self.bodies.append((*self._open, data))
            self._open = None


def check_page(page: str) -> None:
    """Each script and style is one that the page's policy knows; all else is inert."""
    page.encode("utf-8")
    found = _Page()
    found.feed(page)
    found.close()
    assert [(tag, kind) for tag, kind, _ in found.bodies] == [
        ("style", ""),
        ("script", "application/json"),
        ("script", ""),
    ], found.bodies
    for tag, kind, body in found.bodies:
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert kind or f"{tag}-src 'sha256-{digest}'" in found.policy, f"a {tag} that the policy does not know"
    json.loads(found.bodies[1][2])


IDLE = ("Co", "Cn", "Zs")  # for private use, as icons of a prompt; of no character yet; spaces


def check_text(said: str) -> None:
    steering = {char for char in said if not char.isprintable() and char != "\n" and category(char) not in IDLE}
    assert not steering, f"{steering} in a text: {[line[:300] for line in said.splitlines() if steering & {*line}][:2]}"
    said.encode("utf-8")


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
