"""Embed the incident in its report, so that it can be read back from the report alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from markupsafe import Markup

from analyzer.report.source_list import has_problem
from analyzer.report.tolerant import items, member

BASE_CHARS, CHARS_PER_NODE, MAX_CHARS = (
    1_000_000,
    10_000,
    9_000_000,
)  # characters: an ordinary report stays far below 2 MB
MAX_SOURCES = 20_000  # rows of about 300 characters
Shrink = Callable[[Mapping[str, object]], object]


def embed_json(incident: Mapping[str, object]) -> tuple[Markup, str]:
    """Return (the text for a `<script type="application/json">`, a sentence about what was left out or "").

    The key `left_out` of the data also lists what was left out.
    """
    char_budget = min(BASE_CHARS + CHARS_PER_NODE * len(items(incident, "nodes")), MAX_CHARS)
    left_out: list[str] = []
    if len(items(incident, "sources")) > MAX_SOURCES:  # they alone would use up the whole budget
        left_out.append("sources that were read completely")
        incident = {**incident, "sources": _problem_sources(incident)}
    parts = {key: _dump_for_script(value) for key, value in incident.items()}
    for name, key, shrink in OMISSION_STEPS:
        if sum(map(len, parts.values())) <= char_budget:
            break
        if key in parts:
            left_out.append(name)
            if shrink is None:
                del parts[key]
            else:
                parts[key] = _dump_for_script(shrink(incident))
    sentence = ""
    if left_out:
        parts["left_out"] = _dump_for_script(left_out)
        sentence = f"To limit the size of this file, its embedded data lacks {', '.join(left_out)}. `--json` has it."
    content = ",".join(f"{_dump_for_script(key)}:{part}" for key, part in parts.items())
    return Markup("{" + content + "}"), sentence  # safe: _dump escapes every character that HTML knows


def _dump_for_script(value: object) -> str:
    """Return JSON without `<`, `>` and `&`.

    Inside <script> the HTML parser looks for `</script`, `<!--` and `<script` and knows no entities, so the characters
    themselves must not occur; JSON escapes replace them. ensure_ascii does it for U+2028, U+2029 (which end a
    line in old JavaScript) and lone surrogates (which UTF-8 cannot hold).
    """
    dumped = json.dumps(value, ensure_ascii=True, separators=(",", ":"), default=_to_plain)
    return dumped.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _to_plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)


def _problem_sources(incident: Mapping[str, object]) -> list[Mapping[str, object]]:
    return [source for source in items(incident, "sources") if has_problem(source)][:MAX_SOURCES]


def _drop_core_details(incident: Mapping[str, object]) -> object:
    return [{**core, "modules": [], "mappings": [], "auxv": {}} for core in items(incident, "cores")]


def _keep_crashed_threads(incident: Mapping[str, object]) -> object:
    return [
        {
            **core,
            "modules": [],
            "mappings": [],
            "auxv": {},
            "threads": [
                thread for thread in items(core, "threads") if thread.get("tid") == core.get("crashing_thread")
            ],
        }
        for core in items(incident, "cores")
    ]


def _keep_first_evidence(incident: Mapping[str, object]) -> object:
    return [{**finding, "evidence": items(finding, "evidence")[:1]} for finding in items(incident, "findings")]


def _keep_first_series(incident: Mapping[str, object]) -> object:
    return items(incident, "resources")[:48]


def _drop_run_details(incident: Mapping[str, object]) -> object:
    replay = member(incident, "replay")
    return {**replay, "runs": [{**run, "timeline": {}, "resources": []} for run in items(replay, "runs")]}


# (name of the omitted part, its key, how it shrinks; None: the key is dropped), the least important first.
OMISSION_STEPS: tuple[tuple[str, str, Shrink | None], ...] = (
    ("the cores' modules and mappings", "cores", _drop_core_details),
    ("timelines and curves of the replay", "replay", _drop_run_details),
    ("resource samples of all nodes but the first ones", "resources", _keep_first_series),
    ("the timeline", "timeline", None),
    ("resource samples", "resources", None),
    ("threads that did not crash", "cores", _keep_crashed_threads),
    ("all but the first evidence line of each finding", "findings", _keep_first_evidence),
    ("rules that could not be evaluated", "not_evaluated", None),
    ("sources", "sources", None),
    ("findings", "findings", None),
    ("unknown errors", "unclassified", None),
    ("cores", "cores", None),
    ("nodes", "nodes", None),
)
