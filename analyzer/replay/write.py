"""Writes repro/: a folder that a person can attach to a ticket and run where no analyzer is installed.

plan.yaml is YAML of one `key: JSON value` a line, so that worker.py reads it with the standard library alone.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, StrictUndefined

from analyzer.errors import UsageError
from analyzer.replay.evidence import Json
from analyzer.replay.plan import ReplayPlan, plan_replay
from analyzer.report.write import explain
from analyzer.resources import templates_dir

_HINT = "make the folder with `tf-postmortem replay`"


def write_repro(
    incident: Json, out: Path, cause: int = 0, analogue: bool = False, other_python: str | None = None
) -> ReplayPlan:
    """Makes the folder `out` from an incident as JSON.

    Raises UsageError where it exists or nothing can be replayed, AnalyzerError where it cannot be written: then it is
    not there.
    """
    plan = plan_replay(incident, cause, analogue, other_python)
    if out.exists():
        raise UsageError(f"{out} exists already", "name another folder with --out, or remove it")
    try:
        out.mkdir(parents=True)
        _fill(out, plan, incident["root_causes"][cause].get("title"))
    except OSError as error:
        shutil.rmtree(out, ignore_errors=True)
        raise explain(out, error) from error
    return plan


def _fill(out: Path, plan: ReplayPlan, title: object) -> None:
    templates = templates_dir() / "replay"
    (out / "job").mkdir()
    for file in (templates / "worker.py", templates / "run.sh", *sorted((templates / "job").glob("*.py"))):
        shutil.copyfile(file, out / file.relative_to(templates))
    (out / "run.sh").chmod(0o755)
    (out / "plan.yaml").write_text(format_plan(plan), "utf-8")
    # Markdown, not HTML: the only markup that could be hidden in a log's words is shown as code.
    readme = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True).from_string(
        (templates / "README.md.j2").read_text("utf-8")
    )
    text = readme.render(plan=plan, settings=plan.settings(), title=_plain(title))
    (out / "README.md").write_text(text + "\n", "utf-8")


def format_plan(plan: ReplayPlan) -> str:
    lines = [f"# {note}" for note in plan.notes]
    lines += [f"{key}: {json.dumps(value)}" for key, value in plan.settings().items()]
    return "\n".join(lines) + "\n"


def read_plan(folder: Path) -> Mapping[str, Any]:
    """The settings of a repro folder, which a person may have edited."""
    try:
        plan = yaml.safe_load((folder / "plan.yaml").read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"{folder}/plan.yaml cannot be read: {error}", _HINT) from error
    if not isinstance(plan, dict) or not {"fault", "cluster", "culprit", "expected_cause", "limit"} <= plan.keys():
        raise UsageError(f"{folder}/plan.yaml is no replay plan", _HINT)
    return plan


def _plain(text: object) -> str:
    return " ".join(str(text or "").replace("`", "'").split())[:300]
