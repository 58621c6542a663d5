"""The report as one HTML file: nothing is fetched from anywhere, and without JavaScript it still reads.

A section is a file `templates/report/NN-name.html`, shown in the order of NN. It may set `title` (its heading and its
place in the contents), `bare` (it brings its own headings) and `how` (how to read it); one that prints nothing is not
there.
Whatever a template prints is escaped, and control characters are shown as pictures, by the environment and not by the
template: a new section cannot forget it.
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

from analyzer.paths import cache_dir
from analyzer.report import answer as answers
from analyzer.report import evidence, tolerant, wording
from analyzer.report.cascade import build_cascade
from analyzer.report.compiled import Compiled
from analyzer.report.curves import NODES, PANELS, draw_curves, most
from analyzer.report.embed import embed_json
from analyzer.report.figures import draw
from analyzer.report.jira import render_jira
from analyzer.report.lanes import DRAWN, build_lanes, choose_windows
from analyzer.report.leads import accused
from analyzer.report.markdown import render_markdown
from analyzer.report.passages import (
    EVIDENCE,
    Anchors,
    alike,
    crashes_alike,
    frames,
    gather,
    marked,
    missing_modules,
    place,
    rows,
)
from analyzer.report.replay import draw_replay, tell_replay
from analyzer.report.sources import list_sources
from analyzer.resources import templates_dir

SECTION = re.compile(r"\d\d-([a-z0-9-]+)\.html")


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    title: str
    bare: bool
    how: str
    body: Markup


def render_html(incident: Mapping[str, object]) -> str:
    """The whole file. `incident` is the object of incident.json; keys it lacks leave their sections out."""
    environment = _environment(templates_dir(), cache_dir())
    folder = templates_dir() / "report"
    style = Markup((folder / "style.css").read_text(encoding="utf-8"))
    script = Markup("").join(Markup(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.js")))
    context = _context(incident)
    data, left_out = embed_json(incident)
    context["left_out"] = left_out
    sections = list(_sections(environment, folder, context))
    return environment.get_template("report/base.html").render(
        **context,
        sections=sections,
        style=style,
        script=script,
        data=data,
        policy="; ".join(
            (
                "default-src 'none'",
                f"style-src '{_digest(style)}'",
                f"script-src '{_digest(script)}'",
                "img-src data:",
                "base-uri 'none'",
                "form-action 'none'",
            )
        ),
    )


def _sections(environment: Environment, folder: Path, context: Mapping[str, object]) -> Iterator[Section]:
    for path in sorted(folder.iterdir()):
        if match := SECTION.fullmatch(path.name):
            module = environment.get_template(f"report/{path.name}").make_module(dict(context))
            if body := Markup(str(module).strip()):
                yield Section(
                    match[1],
                    getattr(module, "title", ""),
                    bool(getattr(module, "bare", False)),
                    getattr(module, "how", ""),
                    body,
                )


def _context(incident: Mapping[str, object]) -> dict[str, object]:
    answer, cascade, lanes = answers.answer(incident), build_cascade(incident), build_lanes(incident)
    anchors = Anchors(answer, cascade, incident)
    root = tolerant.moment(answer.root.time) if answer.root else None
    return {
        "incident": incident,
        "answer": answer,
        "root": answer.root,
        "cascade": cascade,
        "lanes": lanes,
        "anchors": anchors,
        "curves": draw_curves(incident, root),
        "replayed": draw_replay(incident),
        "replay_said": tell_replay(incident),
        "figures": [(window, draw(lanes, window, root, anchors.finding)) for window in choose_windows(lanes, root)],
        "ticket": render_markdown(incident),
        "jira": render_jira(incident),
        "zones": list(wording.zones(incident)),
        "DRAWN": DRAWN,
        "EVIDENCE": EVIDENCE,
    }


@cache
def _environment(templates: Path, kept: Path | None) -> Environment:
    """Whoever writes several reports loads the templates once."""
    environment = Environment(
        bytecode_cache=Compiled(kept) if kept else None,
        loader=FileSystemLoader(templates),
        autoescape=True,
        finalize=_finalize,
        undefined=ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        items=tolerant.items,
        texts=tolerant.texts,
        member=tolerant.member,
        rows=rows,
        list_sources=list_sources,
        frames=frames,
        alike=alike,
        crashes_alike=crashes_alike,
        missing_modules=missing_modules,
        lacks=answers.lacks,
        lacking=answers.lacking,
        by_share=by_share,
        differ=evidence.differ,
        correction=evidence.correction,
        gather=gather,
        offset=wording.offset,
        accused=accused,
        most=most,
        NODES=NODES,
        PANELS=PANELS,
    )
    environment.filters.update(
        day=day,
        marked=marked,
        place=place,
        plural=lambda count, *words: wording.plural(count if isinstance(count, int) else 0, *words),
        size=wording.size,
        clock=wording.clock,
        clip=wording.clip,
        one_line=lambda value, width=300: wording.one_line(str(value), width),  # of keys that no schema holds
        duration=wording.duration,
        reached=wording.reached,
        listed=wording.listed,
        where=evidence.where,
        loud_text=evidence.loud_text,
        when=evidence.when,
    )
    return environment


def _finalize(value: object) -> object:
    if value is None:
        return ""
    return value if isinstance(value, Markup) or not isinstance(value, str) else wording.visible(value)


def day(seconds: float | None) -> str:
    """Seconds since the epoch as `2026-11-21 07:09:13.250`, UTC."""
    return wording.clock(datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")) if seconds else ""


def by_share(skew: Mapping[str, object]) -> list[tuple[str, list[str]]]:
    """(value, its nodes) of one setting, the commonest first."""
    values = tolerant.member(skew, "values")
    return sorted(((value, tolerant.texts(values, value)) for value in values), key=lambda one: (-len(one[1]), one[0]))


def _digest(inside: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
