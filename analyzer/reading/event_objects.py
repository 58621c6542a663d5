"""The pod or machine that a line of an event of Kubernetes is about, whatever file the line stands in.

16m   Warning   Evicted   pod/bert-worker-3   The node was low on resource: memory.        kubectl get events
Pod ml/bert-worker-3: Evicted: The node was low on resource: memory.                       Datadog, event exporters
Evicted,Pod/bert-worker-3,kubelet,The node was low on resource: memory.                        tables that somebody made
Event(v1.ObjectReference{Kind:"Pod", Namespace:"ml", Name:"bert-worker-3", ..}): type: 'Warning' reason: ..
"""

from __future__ import annotations

import re
from collections.abc import Mapping

OBJECT_CAPTURE = "object"  # `pod/bert-worker-3`
MAX_PREFIX_CHARS = 200  # before the object: a record's prefix, namespace, age, type and reason
_NAME = r"(?P<name>[a-z0-9][a-z0-9.-]{0,252})"
_FORMS = (
    re.compile(rf"\b(?:Normal|Warning)\s{{1,40}}[A-Z]\w{{1,60}}\s{{1,40}}(?P<kind>pod|node)s?/{_NAME}(?=\s)", re.I),
    re.compile(rf"\b(?P<kind>Pod|Node) (?:[a-z0-9-]{{1,63}}/)?{_NAME}: [A-Z]\w{{2,60}}: "),
    re.compile(rf"(?:^|[\s;,|\"'])(?i:(?P<kind>pod|node)s?)/{_NAME}(?=[\s;,|\"':]|$)"),  # in whatever columns
    re.compile(rf'ObjectReference\{{Kind:"(?P<kind>Pod|Node)", Namespace:"[^"]{{0,63}}", Name:"{_NAME}"'),
)
_may_have_object = re.compile(r"(?i:\b(?:pod|node)s?/)|\b(?:Pod|Node) |ObjectReference").search
_WORDS = ("pod", "node", "objectreference")


def find_object(text: str) -> tuple[str, str] | None:
    """Return kind (`pod` or `node`) and name of the object of an event's line; None for any other line."""
    head = text[: MAX_PREFIX_CHARS + 253]
    lower = head.lower()
    if not any(map(lower.__contains__, _WORDS)) or not _may_have_object(head):
        return None
    match = next((match for form in _FORMS if (match := form.search(head))), None)
    return (match["kind"].lower(), match["name"]) if match else None


def add_object(captures: dict[str, str], message: str) -> dict[str, str]:
    """Return the captures of a line with its pod as `host`, and its object as `object` if they name no host themselves.

    A captured host that does not stand in the message is the writer's, and one before a slash is a namespace.
    """
    kind_and_name = find_object(message)
    if kind_and_name is None:
        return captures
    kind, name = kind_and_name
    host = captures.get("host")
    if not host:
        pod = {"host": name} if kind == "pod" else {}  # a machine may be known under another name alone
        return {**captures, **pod, OBJECT_CAPTURE: f"{kind}/{name}"}
    return {**captures, "host": name} if host not in message or f"{host}/{name}" in message else captures


def object_of(captures: Mapping[str, str]) -> tuple[str, str]:
    """Return kind and name of the object that `add_object` added; two empty texts if it added none."""
    kind, _, name = captures.get(OBJECT_CAPTURE, "").partition("/")
    return kind, name
