"""Import of log monitor configurations of node-problem-detector.

The format is that of github.com/kubernetes/node-problem-detector, `pkg/systemlogmonitor`: a rule has a `type`
(`temporary`: an event; `permanent`: it sets a `condition` of the node), a `reason` and a `pattern`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from analyzer.rules.importing.imported_rules import (
    ImportedRule,
    NotCarriedOverError,
    make_id,
    plain_text,
    translate_pattern,
)

CONFIDENCE = "possible"  # the format states none


def is_node_problem_detector(document: object) -> bool:
    """Return whether the document is a configuration of a log monitor."""
    if not isinstance(document, Mapping) or not isinstance(rules := document.get("rules"), list):
        return False
    return "plugin" in document and any(isinstance(rule, Mapping) and "pattern" in rule for rule in rules)


def import_node_problem_detector(document: Mapping[str, object], pack: str) -> Iterator[ImportedRule]:
    """Yield one rule for each reason; its patterns are alternatives."""
    monitor = f"{document.get('plugin')} {document.get('source', '')} {document.get('logPath', '')}"
    source = {"source": "kernel"} if re.search(r"kmsg|kernel", monitor) else {}
    imported: dict[tuple[str, str], ImportedRule] = {}
    rules = document["rules"]
    for raw in rules if isinstance(rules, list) else ():
        if not isinstance(raw, Mapping):
            continue
        kind, reason = str(raw.get("type", "temporary")), str(raw.get("reason", ""))
        rule = imported.setdefault((kind, reason), ImportedRule(reason or "a rule without a reason"))
        try:
            if not reason or not raw.get("pattern"):
                raise NotCarriedOverError("it lacks a reason or a pattern")
            pattern = translate_pattern(str(raw["pattern"]))
        except NotCarriedOverError as error:
            rule.notes.append(f"not carried over: {error}")
            continue
        if rule.body:
            _list_of(rule.body["match"]).append(pattern)
        else:
            rule.body = {**_describe(reason, kind, raw, pack), **source, "match": [pattern]}
    for rule in imported.values():
        if not rule.body:
            rule.problem = "none of its patterns could be carried over"
        yield rule


def _list_of(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _describe(reason: str, kind: str, raw: Mapping[str, object], pack: str) -> dict[str, object]:
    identifier = make_id(reason)
    words = identifier.replace("-", " ")
    condition = f" and sets its condition {plain_text(raw['condition'])}" if raw.get("condition") else ""
    role: dict[str, object] = {"role": "symptom", "severity": "warning"}
    if kind == "permanent":
        role = {"role": "cause", "cause": f"{pack}.{identifier}", "severity": "error"}
    return {
        "id": f"{pack}-{identifier}",
        "status": "experimental",
        **role,
        "confidence": CONFIDENCE,
        "title": f"{{node}}: {words}",
        "summary": f"The log of {{node}} has a line that node-problem-detector reports as {reason}{condition}.",
        "remediation": [f"Look at the lines around it, and at the events of the node with the reason {reason}."],
        "references": ["https://github.com/kubernetes/node-problem-detector"],
    }
