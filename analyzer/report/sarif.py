"""The incident as SARIF 2.1.0: evidence as locations, the cascade as related locations, the confidence as rank.

Format: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from analyzer.report.controls import show_controls
from analyzer.report.document import WrittenIncident
from analyzer.report.results import IncidentResult, list_results
from analyzer.report.written_evidence import WrittenEvidence

SCHEMA_URL = "https://json.schemastore.org/sarif-2.1.0.json"
MAX_SNIPPET_CHARS = 1000


def make_sarif(incident: WrittenIncident) -> Mapping[str, object]:
    """Return the log as a JSON object with one run."""
    results = list_results(incident)
    rules = {result.rule: {"id": result.rule, "name": result.rule} for result in results}
    driver = {
        "name": "tf-postmortem",
        "version": incident.tool.version,
        "informationUri": "https://pypi.org/project/tf-postmortem/",
        "rules": list(rules.values()),
    }
    order = {rule: index for index, rule in enumerate(rules)}
    run = {
        "tool": {"driver": driver},
        "results": [_write_result(result, order[result.rule]) for result in results],
        "columnKind": "unicodeCodePoints",
        "properties": {"verdict": incident.verdict, "signature": incident.signature, **dict(incident.meta)},
    }
    return {"$schema": SCHEMA_URL, "version": "2.1.0", "runs": [run]}


def _write_result(result: IncidentResult, rule_index: int) -> dict[str, object]:
    written: dict[str, object] = {
        "ruleId": result.rule,
        "ruleIndex": rule_index,
        "level": result.level,
        "message": {"text": "\n".join(filter(None, (result.title, result.message)))},
        "locations": [_write_location(line) for line in result.evidence],
        "relatedLocations": [
            {"id": number, **_write_location(line), "message": {"text": text}}
            for number, (text, line) in enumerate(result.related, 1)
        ],
        "partialFingerprints": {"tfPostmortemFault/v1": result.fingerprint},
        "properties": {"node": result.node, "task": result.task},
    }
    if result.confidence is not None:
        written["rank"] = round(100 * result.confidence, 1)
    return written


def _write_location(line: WrittenEvidence) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": quote(line.file.encode("utf-8", "backslashreplace"))}}
    if line.line is not None and line.line > 0:
        snippet = show_controls(line.text)[:MAX_SNIPPET_CHARS]
        place["region"] = {"startLine": line.line, "snippet": {"text": snippet}}
    return {"physicalLocation": place}
