"""The report as one HTML file: it fetches nothing, and it is readable without JavaScript.

A section is a file `templates/report/NN-name.html`, shown in the order of NN. It may set `title` (its heading and its
place in the contents), `bare` (it has its own headings), `how` (how to read it) and `minor` (folded in the contents).
A section that prints nothing is left out.
The environment, not the template, escapes everything that a template prints and shows control characters as pictures,
so a new section cannot forget it.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from jinja2 import ChainableUndefined, Environment, FileSystemLoader
from markupsafe import Markup

from analyzer.core_dump import NO_THREAD_STATES
from analyzer.paths import cache_dir
from analyzer.report import endings, evidence, formatting
from analyzer.report import summary as answers
from analyzer.report.cascade import build_cascade
from analyzer.report.commands import split_step
from analyzer.report.controls import show_controls
from analyzer.report.crash_stack import stack_rows
from analyzer.report.deciding_lines import choose_deciding_lines
from analyzer.report.document import WrittenIncident, WrittenSkew
from analyzer.report.embedded_data import embed_json
from analyzer.report.explain_answer import list_weighed, reason_of
from analyzer.report.figure_place import choose_line_width, choose_shown_excerpts, is_figure_below_proof
from analyzer.report.jira import render_jira
from analyzer.report.job_facts import describe_job
from analyzer.report.lane_folding import fold_lanes
from analyzer.report.lanes import MAX_DRAWN_LANES, build_lanes, choose_windows
from analyzer.report.log_excerpts import (
    MAX_EVIDENCE_LINES,
    ReportAnchors,
    crashing_frames,
    excerpt_rows,
    fold_crashes_by_signature,
    fold_threads,
    group_nearby_lines,
    mark_captures,
    missing_modules,
    module_offset,
)
from analyzer.report.markdown import render_markdown
from analyzer.report.mini_figure import draw_mini_timeline
from analyzer.report.next_steps import count_accusations
from analyzer.report.replay_section import describe_replay, draw_replay
from analyzer.report.resource_charts import MAX_NODES, MAX_PANELS, describe_maximum, draw_curves
from analyzer.report.source_list import list_sources
from analyzer.report.template_cache import CompiledTemplateCache
from analyzer.report.timeline_figure import draw_timeline
from analyzer.report.written_evidence import EVIDENCE_COLUMNS
from analyzer.resources import templates_dir
from analyzer.wording import join_names

MAX_SKEW_VALUES = 30  # of one setting, the most common first
NOT_PRINTED = ("ends", "sources", "rules", "ticket")  # sections that style.css hides on paper
SECTION_FILE = re.compile(r"\d\d-([a-z0-9-]+)\.html")


@dataclass(frozen=True, slots=True)
class ReportSection:
    name: str
    title: str
    bare: bool
    how: str
    minor: bool  # folded in the contents
    body: Markup


def render_html(incident: WrittenIncident) -> str:
    """Return the whole file."""
    environment = report_environment()
    folder = templates_dir() / "report"
    style = Markup((folder / "style.css").read_text(encoding="utf-8"))
    script = Markup("").join(Markup(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.js")))
    context = _build_context(incident)
    data, left_out = embed_json(incident)
    context["left_out"] = left_out
    sections = list(_render_sections(environment, folder, context))
    return environment.get_template("report/base.html").render(
        **context,
        sections=sections,
        style=style,
        script=script,
        data=data,
        policy=content_security_policy(style, script),
    )


def content_security_policy(style: str, script: str = "") -> str:
    """Return a policy under which a page may use this style and this script, and fetch nothing. "": no script."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_csp_hash(style)}'",
            *([f"script-src '{_csp_hash(script)}'"] if script else []),
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def report_environment() -> Environment:
    """Return the environment of all pages, which escapes what templates print and shows control characters as
    pictures.
    """
    return _environment(templates_dir(), cache_dir())


def _render_sections(environment: Environment, folder: Path, context: Mapping[str, object]) -> Iterator[ReportSection]:
    for path in sorted(folder.iterdir()):
        if match := SECTION_FILE.fullmatch(path.name):
            module = environment.get_template(f"report/{path.name}").make_module(dict(context))
            if body := Markup(str(module).strip()):
                yield ReportSection(
                    name=match[1],
                    title=getattr(module, "title", ""),
                    bare=bool(getattr(module, "bare", False)),
                    how=getattr(module, "how", ""),
                    minor=bool(getattr(module, "minor", False)),
                    body=body,
                )


def _build_context(incident: WrittenIncident) -> dict[str, object]:
    answer, cascade, lanes = answers.summarize(incident), build_cascade(incident), build_lanes(incident)
    ends = endings.list_endings(incident)
    shown_facts = ends.choose_facts() if incident.hard_facts else []
    anchors = ReportAnchors(answer, cascade, incident, [fact for _, facts in shown_facts for fact in facts])
    root = formatting.parse_time(answer.root.time) if answer.root else None
    windows, folded = choose_windows(lanes, root), fold_lanes(lanes, incident)
    deciding = choose_shown_excerpts(choose_deciding_lines(answer.root.evidence)) if answer.root else []
    return {
        "incident": incident,
        "answer": answer,
        "root": answer.root,
        "cascade": cascade,
        "weighed": list_weighed(incident),
        "reason_of": reason_of,
        "lanes": lanes,
        "folded": folded,
        "anchors": anchors,
        "curves": draw_curves(incident, root),
        "replayed": draw_replay(incident),
        "replay_said": describe_replay(incident),
        "figures": [
            (window, draw_timeline(folded, window, root, anchors.finding, lanes if window is windows[0] else ()))
            for window in windows
        ],
        "ticket": render_markdown(incident),
        "jira": render_jira(incident),
        "endings": ends,
        "shown_facts": shown_facts,
        "job": describe_job(incident),
        "deciding": deciding,
        "deciding_width": choose_line_width(deciding),
        "figure_below_proof": answer.root is not None
        and is_figure_below_proof(answer.root, deciding, incident.last_lines),
        "mini": draw_mini_timeline(folded, windows[0], root) if windows else "",
        "zones": list(formatting.proven_zones(incident)),
        "NOT_PRINTED": NOT_PRINTED,
        "DRAWN": MAX_DRAWN_LANES,
        "EVIDENCE": MAX_EVIDENCE_LINES,
        "EVIDENCE_COLUMNS": EVIDENCE_COLUMNS,
    }


@cache
def _environment(templates: Path, cache_folder: Path | None) -> Environment:
    """Return the template environment, which is loaded once for all reports of a process."""
    environment = Environment(
        bytecode_cache=CompiledTemplateCache(cache_folder) if cache_folder else None,
        loader=FileSystemLoader(templates),
        autoescape=True,
        finalize=_show_controls,
        undefined=ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        rows=excerpt_rows,
        list_sources=list_sources,
        frames=crashing_frames,
        alike=fold_threads,
        crashes_alike=fold_crashes_by_signature,
        no_thread_states=NO_THREAD_STATES,
        stack_rows=stack_rows,
        missing_modules=missing_modules,
        lacks=answers.missing_inputs,
        lacking=answers.count_missing_inputs,
        by_share=nodes_by_value,
        differ=evidence.is_time_corrected,
        correction=evidence.format_clock_error,
        gather=group_nearby_lines,
        offset=formatting.format_clock_offset,
        accused=count_accusations,
        most=describe_maximum,
        split_step=split_step,
        NODES=MAX_NODES,
        PANELS=MAX_PANELS,
        VALUES=MAX_SKEW_VALUES,
    )
    environment.filters.update(
        day=format_day,
        marked=mark_captures,
        place=module_offset,
        plural=lambda count, *words: formatting.plural(count if isinstance(count, int) else 0, *words),
        size=formatting.format_bytes,
        clock=formatting.format_time,
        clip=formatting.clip,
        short_place=formatting.shorten_place,
        one_line=lambda value, width=300: formatting.to_one_line(
            str(value), width
        ),  # of keys that the schema does not know
        duration=formatting.format_duration,
        reached=formatting.format_last_step,
        listed=join_names,
        where=evidence.format_location,
        loud_text=evidence.telling_text,
        when=evidence.format_times,
        end_words=endings.describe_end,
        end_lines=endings.list_lines,
    )
    return environment


def _show_controls(value: object) -> object:
    if value is None:
        return ""
    return value if isinstance(value, Markup) or not isinstance(value, str) else show_controls(value)


def format_day(seconds: float | None) -> str:
    """Format seconds since the epoch as `2026-11-21 07:09:13.250`, UTC."""
    return (
        formatting.format_time(datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds"))
        if seconds
        else ""
    )


def nodes_by_value(skew: WrittenSkew) -> list[tuple[str, list[str]]]:
    """Return (value, its nodes) of one setting, the most common value first."""
    return sorted(skew.values.items(), key=lambda pair: (-len(pair[1]), pair[0]))


def _csp_hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
