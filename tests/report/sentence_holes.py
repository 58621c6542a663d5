"""Find holes in the sentences of reports: a capture that nothing filled, a Python value, a doubled blank.

Every text of a log is replaced before rendering, in the evidence and where a sentence quotes a captured value, so that
whatever is found is the program's own.
"""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console

from analyzer.report.decode import decode_incident
from analyzer.report.forms import output_forms
from analyzer.report.terminal import render_terminal

QUOTED = {"text", "block", "lines", "template", "example", "abort_message", "command_line", "problem", "signature"}
MIN_DISTINCTIVE_CHARS = 8  # of a captured value that is looked for in the sentences about other findings, too
SENTENCES = {"title", "summary", "why", "remediation", "notes", "sentence"}
HOLES = {
    "a question mark for a value": r"\(\?\)|(?<=\s)\?(?=[\s,;.)])|(?<=[a-z]) \?(?!\?)",
    "a preposition without its object": r"(?<!handed )\bin ?;|\bin \(|(?<!for a )\b(?:of|while|against)\s*[;,.](?=\s|$)|\(\s*(?:in|of|on)\s*\)",  # noqa: E501
    "a Python value": r"\bNone\b(?! of| is| was)|\bNaT\b|\b(?:dict|list|set|tuple)\(|<\w+(?:\.\w+)* object at",
    "a dict or a list": r"\{'|(?<!\w)\['|\('[^']*',|'\w+': ",
    "a brace": r"\{\w*\}|\{\{|\}\}",
    "doubled punctuation": r",\s*,|;\s*;|(?<![./=])\.\.(?![./])|(?<!\w)\(\s*\)| [,;](?=\s)|(?<!`)``(?!`)",
    "a doubled blank": r"(?<=[a-z,;]) {2,}(?=[a-z])",
}


def holes_in(text: str) -> list[str]:
    """Each hole as its kind and the words around it."""
    return [
        f"{kind}: …{text[max(match.start() - 60, 0) : match.end() + 40]!r}"
        for kind, pattern in HOLES.items()
        for match in re.finditer(pattern, text)
    ]


def captured_texts(value: Any) -> set[str]:
    """The values of all captures inside."""
    if isinstance(value, Mapping):
        own = value["captures"].values() if isinstance(value.get("captures"), Mapping) else ()
        return {text for text in own if text}.union(*map(captured_texts, value.values()))
    return set().union(*map(captured_texts, value)) if isinstance(value, list) else set()


def without_log_text(value: Any, captured: Iterable[str], key: str = "") -> Any:
    if isinstance(value, Mapping):
        if isinstance(value.get("captures"), Mapping):  # short ones elsewhere are mostly something else
            own = {text for text in value["captures"].values() if text}
            captured = sorted({*captured, *own}, key=len, reverse=True)
        return {
            name: dict.fromkeys(item, "VALUE") if name == "captures" else without_log_text(item, captured, name)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [without_log_text(item, captured, key) for item in value]
    if not isinstance(value, str):
        return value
    if key in QUOTED:
        return "a line of a log"
    if key in SENTENCES:
        for text in captured:
            value = re.sub(rf"(?<![0-9A-Za-z]){re.escape(text)}(?![0-9A-Za-z])", "VALUE", value)
    return value


def render_texts(incident: Mapping[str, Any]) -> Mapping[str, str]:
    """The incident in every form as plain text, and as the terminal shows it."""
    written, _ = decode_incident(incident)
    console = Console(width=10_000, file=io.StringIO())
    with console.capture() as printed:
        console.print(*render_terminal(written, console))
    texts = {"terminal": re.sub(" +", " ", printed.get())}
    for name, form in output_forms().items():
        text = "".join(form.render(written))
        texts[name] = SENTENCES_OF_FORM[name](text) if name in SENTENCES_OF_FORM else text
    return texts


def text_of_page(page: str) -> str:
    body = re.sub(r"(?s)<(script|style|svg|title)\b.*?</\1>|<pre\b.*?</pre>|<span aria-hidden.*?</span>", " ", page)
    return re.sub(r"\s+([,;.])", r"\1", re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", body))))


def text_of_markdown(text: str) -> str:
    return re.sub(r"`[^`\n]+`", "CODE", re.sub(r"(?s)```.*?\n```", "", text)).replace("\\", "")


def text_of_jira(text: str) -> str:
    return re.sub(
        r"\{\{.*?\}\}|(?<=[ (])'[^'\n]+'(?=[ ,.;:)])", "CODE", re.sub(r"(?s)\{noformat\}.*?\{noformat\}", "", text)
    )


SENTENCES_OF_FORM = {
    "gitlab": text_of_markdown,
    "html": text_of_page,
    "markdown": text_of_markdown,
    "jira": text_of_jira,
}


def sentences_of(incident: Any, key: str = "") -> list[str]:
    if isinstance(incident, Mapping):
        return [text for name, item in incident.items() for text in sentences_of(item, name)]
    if isinstance(incident, list):
        return [text for item in incident for text in sentences_of(item, key)]
    return [incident] if isinstance(incident, str) and key in SENTENCES else []


def find_holes(incident: Mapping[str, Any]) -> list[str]:
    incident = json.loads(json.dumps(incident))
    captured = {text for text in captured_texts(incident) if len(text) >= MIN_DISTINCTIVE_CHARS}
    bare = without_log_text(incident, sorted(captured, key=len, reverse=True))
    texts = {name: text for name, text in render_texts(bare).items() if name != "json"}
    holes = [f"{name}: {hole}" for name, text in texts.items() for hole in holes_in(text)]
    return holes + [f"json: {hole}" for text in sentences_of(bare) for hole in holes_in(text)]
