"""Write repro/, a folder that can be attached to a ticket and runs without the analyzer.

plan.yaml is JSON, which is YAML too, so that worker.py reads it with the standard library alone.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from analyzer.errors import UsageError
from analyzer.replay.evidence import Json
from analyzer.replay.parameters import to_text
from analyzer.replay.plan import ReplayPlan, plan_replay
from analyzer.report.output_file import explain_os_error
from analyzer.resources import templates_dir

MAX_TITLE_CHARS = 300  # characters


def write_repro(
    incident: Json, out: Path, cause: int = 0, analogue: bool = False, other_python: str | None = None
) -> ReplayPlan:
    """Create the folder `out` from an incident as JSON.

    Raises UsageError if the folder exists or the cause cannot be replayed. Raises AnalyzerError if the folder cannot be
    written, and removes it then.
    """
    plan = plan_replay(incident, cause, analogue, other_python)
    if out.exists():
        raise UsageError(f"{out} already exists", "choose another folder with --out, or remove it")
    try:
        out.mkdir(parents=True)
        _fill_folder(out, plan, incident["root_causes"][cause].get("title"))
    except OSError as error:
        shutil.rmtree(out, ignore_errors=True)
        raise explain_os_error(out, error) from error
    return plan


def _fill_folder(out: Path, plan: ReplayPlan, title: object) -> None:
    templates = templates_dir() / "replay"
    (out / "job").mkdir()
    for file in (templates / "worker.py", templates / "run.sh", *sorted((templates / "job").glob("*.py"))):
        shutil.copyfile(file, out / file.relative_to(templates))
    (out / "run.sh").chmod(0o755)
    (out / "plan.yaml").write_text(json.dumps(plan.settings(), indent=2) + "\n", "utf-8")
    # No autoescape, because this is Markdown: the only text from a log is the title, in one line that is shown as code.
    readme = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True).from_string(
        (templates / "README.md.j2").read_text("utf-8")
    )
    text = readme.render(plan=plan, settings=plan.settings(), title=to_text(title, MAX_TITLE_CHARS).replace("`", "'"))
    (out / "README.md").write_text(text + "\n", "utf-8")
