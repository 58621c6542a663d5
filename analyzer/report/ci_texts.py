"""The incident for continuous integration: GitHub annotations, GitLab code quality, JUnit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from analyzer.report.controls import show_controls
from analyzer.report.document import WrittenIncident
from analyzer.report.evidence import format_location
from analyzer.report.formatting import to_one_line
from analyzer.report.results import IncidentResult, list_results

MAX_ANNOTATIONS = 10  # of one kind that GitHub shows for a step
MAX_ANNOTATION_CHARS = 4000
GITHUB_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
GITLAB_SEVERITIES = {"error": "critical", "warning": "major", "note": "info"}
# XML 1.0 forbids these even as references; the other control characters are pictures by then.
_NOT_IN_XML = re.compile("[\ufffe\uffff]")


def render_annotations(incident: WrittenIncident) -> str:
    """Return GitHub's workflow commands, one a line; a job that did not fail has a notice.

    Format: GitHub Actions, "Workflow commands": `%`, line ends, and in properties `:` and `,` are percent-encoded.
    """
    lines = [_annotation(result) for result in list_results(incident)[:MAX_ANNOTATIONS]]
    return "".join(lines) or "::notice title=tf-postmortem::No failure found\n"


def _annotation(result: IncidentResult) -> str:
    place = ""
    if result.evidence:
        first = result.evidence[0]
        line = f",line={first.line}" if first.line else ""
        place = f",file={encode_property(first.file)}{line}"
    title = encode_property(f"tf-postmortem: {to_one_line(result.title, 200)}")
    text = encode_annotation(result.message[:MAX_ANNOTATION_CHARS])
    return f"::{GITHUB_COMMANDS[result.level]} title={title}{place}::{text}\n"


def encode_annotation(text: str) -> str:
    return show_controls(text).replace("%", "%25").replace("\n", "%0A")


def encode_property(text: str) -> str:
    return encode_annotation(text).replace(":", "%3A").replace(",", "%2C")


def make_code_quality(incident: WrittenIncident) -> list[Mapping[str, object]]:
    """Return GitLab's code quality report: a list of issues, each with a path and a line.

    Format: GitLab, "Code Quality report format". An issue without a line is at line 1.
    """
    return [
        {
            "check_name": f"tf-postmortem/{result.rule}",
            "description": to_one_line(f"{result.title}. {result.message}", 1000),
            "fingerprint": result.fingerprint,
            "severity": GITLAB_SEVERITIES[result.level],
            "location": {
                "path": show_controls(result.evidence[0].file) if result.evidence else "incident",
                "lines": {"begin": (result.evidence[0].line or 1) if result.evidence else 1},
            },
        }
        for result in list_results(incident)
    ]


def render_junit(incident: WrittenIncident) -> str:
    """Return JUnit XML: a test case for each node, of which those fail on which a root cause was found.

    The job itself is a test case, too: it fails if the root cause is on no node, and it has an error if none was found.
    """
    results = list_results(incident)
    failures = {result.node: result for result in reversed(results) if result.level == "error"}
    undiagnosed = next((result for result in results if result.level == "warning"), None)
    names = list(dict.fromkeys(["", *(node.name for node in incident.nodes), *failures]))
    cases = [_test_case(name, failures.get(name), undiagnosed if not name else None) for name in names]
    counts = f'tests="{len(names)}" failures="{len(failures)}" errors="{int(undiagnosed is not None)}"'
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="tf-postmortem" {counts}>\n'
    body = f"{_properties(incident.meta)}{''.join(cases)}"
    return f'{head}<testsuite name="incident" {counts}>\n{body}</testsuite>\n</testsuites>\n'


def _properties(meta: Mapping[str, str]) -> str:
    entries = (f"<property name={xml_attribute(key)} value={xml_attribute(value)}/>\n" for key, value in meta.items())
    return f"<properties>\n{''.join(entries)}</properties>\n" if meta else ""


def _test_case(node: str, failure: IncidentResult | None, error: IncidentResult | None) -> str:
    name = f'<testcase classname="tf-postmortem" name={xml_attribute(f"node {node}" if node else "job")}'
    if failure is None and error is None:
        return f"{name}/>\n"
    kind, result = ("failure", failure) if failure else ("error", error)
    assert result is not None
    body = escape(xml_text("\n".join(_describe(result))))
    attributes = f"message={xml_attribute(result.title)} type={xml_attribute(result.rule)}"
    return f"{name}><{kind} {attributes}>{body}</{kind}></testcase>\n"


def _describe(result: IncidentResult) -> Iterator[str]:
    yield result.message
    for line in result.evidence:
        yield f"{format_location(line)}: {line.text}"


def xml_text(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", show_controls(text).expandtabs(4))


def xml_attribute(text: str) -> str:
    return quoteattr(xml_text(to_one_line(text, 500)))
