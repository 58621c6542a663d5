"""The incident inside its own report, so that a report alone can be read back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from markupsafe import Markup

from analyzer.report.sources import is_marred
from analyzer.report.tolerant import items, member

BASE, PER_NODE, MOST = 1_000_000, 10_000, 9_000_000  # characters: an ordinary report stays far below 2 MB
MOST_SOURCES = 20_000  # rows of about 300 characters
Shrink = Callable[[Mapping[str, object]], object]


def embed_json(incident: Mapping[str, object]) -> tuple[Markup, str]:
    """(the text for a `<script type="application/json">`, a sentence on what was left out or '').

    What is left out is named under `left_out` in the data itself too.
    """
    budget = min(BASE + PER_NODE * len(items(incident, "nodes")), MOST)
    left_out: list[str] = []
    if len(items(incident, "sources")) > MOST_SOURCES:  # they alone would put out everything else
        left_out.append("sources that were read to their end")
        incident = {**incident, "sources": _marred(incident)}
    parts = {key: _dump(value) for key, value in incident.items()}
    for name, key, shrink in DROPS:
        if sum(map(len, parts.values())) <= budget:
            break
        if key in parts:
            left_out.append(name)
            if shrink is None:
                del parts[key]
            else:
                parts[key] = _dump(shrink(incident))
    said = ""
    if left_out:
        parts["left_out"] = _dump(left_out)
        said = f"To keep it small, the data embedded in this file lacks {', '.join(left_out)}. `--json` writes all."
    inside = ",".join(f"{_dump(key)}:{part}" for key, part in parts.items())
    return Markup("{" + inside + "}"), said  # safe: _dump escapes every character that HTML knows


def _dump(value: object) -> str:
    """JSON without `<`, `>` and `&`.

    Inside <script> the HTML parser looks for `</script`, `<!--` and `<script` and knows no entities, so the characters
    themselves must not occur; JSON's own escapes say the same. ensure_ascii does it for U+2028, U+2029 (which end a
    line in old JavaScript) and lone surrogates (which UTF-8 cannot hold).
    """
    said = json.dumps(value, ensure_ascii=True, separators=(",", ":"), default=_plain)
    return said.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)


def _marred(incident: Mapping[str, object]) -> list[Mapping[str, object]]:
    return [one for one in items(incident, "sources") if is_marred(one)][:MOST_SOURCES]


def _bare_cores(incident: Mapping[str, object]) -> object:
    return [{**core, "modules": [], "mappings": [], "auxv": {}} for core in items(incident, "cores")]


def _crashed_threads(incident: Mapping[str, object]) -> object:
    return [
        {
            **core,
            "modules": [],
            "mappings": [],
            "auxv": {},
            "threads": [one for one in items(core, "threads") if one.get("tid") == core.get("crashing_thread")],
        }
        for core in items(incident, "cores")
    ]


def _one_line_each(incident: Mapping[str, object]) -> object:
    return [{**one, "evidence": items(one, "evidence")[:1]} for one in items(incident, "findings")]


def _first_series(incident: Mapping[str, object]) -> object:
    return items(incident, "resources")[:48]


def _runs_in_short(incident: Mapping[str, object]) -> object:
    replay = member(incident, "replay")
    return {**replay, "runs": [{**run, "timeline": {}, "resources": []} for run in items(replay, "runs")]}


# (what is said to be missing, the key that shrinks, how; None: the key goes), the least missed first.
DROPS: tuple[tuple[str, str, Shrink | None], ...] = (
    ("the cores' modules and mappings", "cores", _bare_cores),
    ("timelines and curves of the replay", "replay", _runs_in_short),
    ("resource samples of all but the first nodes", "resources", _first_series),
    ("the timeline", "timeline", None),
    ("resource samples", "resources", None),
    ("threads that did not crash", "cores", _crashed_threads),
    ("all but the first evidence line of each finding", "findings", _one_line_each),
    ("rules that could not be judged", "not_evaluated", None),
    ("sources", "sources", None),
    ("findings", "findings", None),
    ("unknown errors", "unclassified", None),
    ("cores", "cores", None),
    ("nodes", "nodes", None),
)
