"""The incident inside its own report, so that a report alone can be read back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from markupsafe import Markup

from analyzer.report.tolerant import items

BASE, PER_NODE, MOST = 1_000_000, 10_000, 9_000_000  # characters: an ordinary report stays far below 2 MB
# Inside <script> the HTML parser looks for `</script`, `<!--` and `<script` and knows no entities: the characters
# themselves must not occur. JSON's own escapes say the same. U+2028 and U+2029 end a line in old JavaScript.
ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def embed_json(incident: Mapping[str, object]) -> tuple[Markup, str]:
    """(the text for a `<script type="application/json">`, a sentence on what was left out or '')."""
    budget = min(BASE + PER_NODE * len(items(incident, "nodes")), MOST)
    kept, left_out = dict(incident), list[str]()
    text = _dump(kept)
    for name, drop in DROPS:
        if len(text) <= budget:
            break
        kept = {**drop(kept), "left_out": [*left_out, name]}
        left_out.append(name)
        text = _dump(kept)
    said = (
        f"The data embedded in this file lacks, to keep it small: {', '.join(left_out)}. `--json` writes all."
        if left_out
        else ""
    )
    return Markup(text), said  # safe: every character that HTML knows was escaped by _dump


def _dump(incident: Mapping[str, object]) -> str:
    # ensure_ascii also turns a lone surrogate, which UTF-8 cannot hold, into its escape.
    return json.dumps(incident, ensure_ascii=True, separators=(",", ":"), default=str).translate(ESCAPES)


def _without(key: str) -> Callable[[Mapping[str, object]], dict[str, object]]:
    return lambda incident: {name: value for name, value in incident.items() if name != key}


def _one_line_each(incident: Mapping[str, object]) -> dict[str, object]:
    return {
        **incident,
        "findings": [{**one, "evidence": items(one, "evidence")[:1]} for one in items(incident, "findings")],
    }


def _crashed_threads(incident: Mapping[str, object]) -> dict[str, object]:
    cores = [
        {
            **core,
            "modules": [],
            "mappings": [],
            "threads": [one for one in items(core, "threads") if one.get("tid") == core.get("crashing_thread")],
        }
        for core in items(incident, "cores")
    ]
    return {**incident, "cores": cores}


DROPS: tuple[tuple[str, Callable[[Mapping[str, object]], dict[str, object]]], ...] = (
    ("the timeline's events", _without("timeline")),
    ("threads that did not crash, modules and mappings", _crashed_threads),
    ("all but the first evidence line of each finding", _one_line_each),
    ("rules that could not be judged", _without("not_evaluated")),
    ("sources", _without("sources")),
    ("findings", _without("findings")),
    ("unknown errors", _without("unclassified")),
    ("cores", _without("cores")),
    ("nodes", _without("nodes")),
)
