"""Embed the incident in its report, so that it can be read back from the report alone."""

from __future__ import annotations

import json
from collections.abc import Callable

from markupsafe import Markup
from msgspec import UNSET
from msgspec.structs import replace

from analyzer.report.document import (
    WrittenCore,
    WrittenFinding,
    WrittenHardFact,
    WrittenIncident,
    WrittenProcessEnd,
    WrittenSkew,
    WrittenSource,
    WrittenThread,
)
from analyzer.report.encode import fields_to_dict
from analyzer.report.source_list import has_problem

BASE_CHARS, CHARS_PER_NODE, MAX_CHARS = (
    1_000_000,
    10_000,
    6_500_000,
)  # characters: an ordinary report stays far below 2 MB
MAX_CORE_CHARS = 150_000  # of all cores: what a process mapped and its idle threads would fill most of a report
MAX_SOURCES = 20_000  # rows of about 300 characters
MAX_EVENTS = MAX_CHARS // 100  # each takes more characters than that: with more events, the timeline is left out
MAX_FACTS_WITH_LINES, MAX_SKEW_VALUES = 500, 100
Shrink = Callable[[WrittenIncident], object]


def embed_json(incident: WrittenIncident) -> tuple[Markup, str]:
    """Return (the text for a `<script type="application/json">`, a sentence about what was left out or "").

    The key `left_out` of the data also lists what was left out.
    """
    char_budget = min(BASE_CHARS + CHARS_PER_NODE * len(incident.nodes), MAX_CHARS)
    left_out: list[str] = []
    if len(incident.sources) > MAX_SOURCES:  # they alone would use up the whole budget
        left_out.append("sources that were read completely")
        incident = replace(incident, sources=_problem_sources(incident))
    if len(events := incident.timeline.events) > MAX_EVENTS:
        incident = replace(incident, timeline=replace(incident.timeline, events=events[:MAX_EVENTS]))
    parts = {key: _dump_for_script(value) for key, value in fields_to_dict(incident).items()}
    for name, key, shrink in OMISSION_STEPS:
        is_core_detail = shrink in CORE_STEPS and len(parts.get("cores", "")) > MAX_CORE_CHARS
        if sum(map(len, parts.values())) <= char_budget and not is_core_detail:
            continue
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
    dumped = json.dumps(value, ensure_ascii=True, separators=(",", ":"), default=fields_to_dict)
    return dumped.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _problem_sources(incident: WrittenIncident) -> list[WrittenSource]:
    return [source for source in incident.sources if has_problem(source)][:MAX_SOURCES]


def _drop_core_details(incident: WrittenIncident) -> list[WrittenCore]:
    return [replace(core, modules=[], mappings=[], auxv={}) for core in incident.cores]


def _fold_equal_threads(incident: WrittenIncident) -> list[WrittenCore]:
    """Keep the first of the threads that stand in the same functions: most are idle members of a pool."""
    return [
        replace(core, threads=list({_standing(thread, core): thread for thread in core.threads[::-1]}.values())[::-1])
        for core in _drop_core_details(incident)
    ]


def _standing(thread: WrittenThread, core: WrittenCore) -> object:
    frames = tuple((frame.module, frame.function, frame.line) for frame in thread.frames)
    return thread.tid == core.crashing_thread, str(thread.role), str(thread.wait), frames


def _keep_crashed_threads(incident: WrittenIncident) -> list[WrittenCore]:
    return [
        replace(core, threads=[thread for thread in core.threads if thread.tid == core.crashing_thread])
        for core in _drop_core_details(incident)
    ]


def _keep_first_evidence(incident: WrittenIncident) -> list[WrittenFinding]:
    return [replace(finding, evidence=finding.evidence[:1]) for finding in incident.findings]


def _keep_first_fact_lines(incident: WrittenIncident) -> list[WrittenHardFact]:
    """Keep the lines behind the ends of the first nodes; of the others, how they ended."""
    kept = incident.hard_facts[:MAX_FACTS_WITH_LINES]
    return kept + [
        replace(fact, last_line=None, accused_by=fact.accused_by[:1], ended=fact.ended and _cut_context(fact.ended))
        for fact in incident.hard_facts[MAX_FACTS_WITH_LINES:]
    ]


def _cut_context(end: WrittenProcessEnd) -> WrittenProcessEnd:
    return replace(end, evidence=replace(end.evidence, context=UNSET, block=UNSET))


def _keep_first_values(incident: WrittenIncident) -> list[WrittenSkew]:
    return [replace(row, values=dict(list(row.values.items())[:MAX_SKEW_VALUES])) for row in incident.skew]


def _keep_first_series(incident: WrittenIncident) -> object:
    return incident.resources[:48]


def _drop_run_details(incident: WrittenIncident) -> object:
    if not incident.replay:
        return {}
    runs = [{**fields_to_dict(run), "timeline": {}, "resources": []} for run in incident.replay.runs]
    return {**fields_to_dict(incident.replay), "runs": runs}


# Applied whenever the cores take more than MAX_CORE_CHARS.
CORE_STEPS = (_drop_core_details, _fold_equal_threads)
# (name of the omitted part, its key, how it shrinks; None: the key is dropped), the least important first.
OMISSION_STEPS: tuple[tuple[str, str, Shrink | None], ...] = (
    ("the cores' modules and mappings", "cores", _drop_core_details),
    ("threads whose stack another thread has, too", "cores", _fold_equal_threads),
    ("timelines and curves of the replay", "replay", _drop_run_details),
    ("resource samples of all nodes but the first ones", "resources", _keep_first_series),
    ("the timeline", "timeline", None),
    ("resource samples", "resources", None),
    ("threads that did not crash", "cores", _keep_crashed_threads),
    ("all but the first evidence line of each finding", "findings", _keep_first_evidence),
    ("the lines behind the ends of all nodes but the first ones", "hard_facts", _keep_first_fact_lines),
    ("all but the first values of settings that differ", "skew", _keep_first_values),
    ("rules that could not be evaluated", "not_evaluated", None),
    ("sources", "sources", None),
    ("findings", "findings", None),
    ("unknown errors", "unclassified", None),
    ("cores", "cores", None),
    ("nodes", "nodes", None),
)
