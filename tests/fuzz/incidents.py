"""Whole files through the reader to every report; packs of rules; reports that are read back."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import yaml
from rich.console import Console

from analyzer.bundle import Member, open_bundle
from analyzer.errors import AnalyzerError
from analyzer.pipeline import Intake, diagnose, read_small
from analyzer.reading import Plan, build_plan
from analyzer.report.compare import compare, write_text
from analyzer.report.html import render_html
from analyzer.report.jira import render_jira
from analyzer.report.json import to_json
from analyzer.report.markdown import render_markdown
from analyzer.report.read import read_incident
from analyzer.report.terminal import render_terminal
from analyzer.report.trace import render_trace
from analyzer.rules.load import load_packs
from analyzer.rules.types import Packs
from tests.fuzz.files import FILES
from tests.fuzz.target import Target

ROOT = Path(__file__).parents[2]
LARGEST = 6000  # bytes of a seed: what goes wrong goes wrong in few lines
FIXTURES = ("killed-worker", "memory-cgroup-oom", "python-exception", "recovered-errors", "ps-killed")


@cache
def _plan() -> tuple[Packs, Plan]:
    packs = load_packs()
    return packs, build_plan(packs)


@cache
def file_seeds() -> Sequence[bytes]:
    """A path, a line feed, and what the file there holds: commands' output by hand, logs of the fixtures."""
    forms = yaml.safe_load((ROOT / "tests/facts/forms.yaml").read_text())
    files = {**FILES, **{f"node-1/{name}": form["text"].encode() for name, form in forms.items()}}
    for fixture in FIXTURES:
        for item in open_bundle([ROOT / "fixtures" / fixture / "bundle.tar.gz"]):
            if isinstance(item, Member):
                whole = item.stream.read()
                files[item.path] = whole if len(whole) < LARGEST else whole[: LARGEST // 2] + whole[-LARGEST // 2 :]
    return [path.encode() + b"\n" + content for path, content in files.items()]


def check_file(data: bytes) -> None:
    path, _, content = data.partition(b"\n")
    name = "".join(char for char in path.decode("utf-8", "replace") if char.isprintable())[:200] or "x"
    packs, plan = _plan()
    intake = Intake()
    read_small(name, content, plan, intake)
    intake.notes += intake.parcels.notes()
    incident = to_json(diagnose(intake, packs))
    assert json.loads(json.dumps(incident, allow_nan=False)) == incident


def render_every_way(incident: Mapping[str, object]) -> None:
    """Every output can be made and holds nothing that steers a terminal or ends the data inside the page."""
    page = render_html(incident)
    page.encode("utf-8")
    assert page.count("</script>") == page.count("<script"), "log text ends a script"
    stream = io.StringIO()
    console = Console(file=stream, width=100)
    for part in render_terminal(incident, console):
        console.print(part)
    for said in (stream.getvalue(), render_markdown(incident), render_jira(incident)):
        steering = {char for char in said if not char.isprintable() and char != "\n"}
        assert not steering, (
            f"{steering} in a text: {[line[:300] for line in said.splitlines() if steering & {*line}][:2]}"
        )
        said.encode("utf-8")
    json.dumps(render_trace(incident))
    list(write_text(compare(incident, incident), ("a", "b")))


@cache
def pack_seeds() -> Sequence[bytes]:
    small = sorted((ROOT / "rules").glob("*.yaml"), key=lambda path: path.stat().st_size)[:12]
    return [path.read_bytes()[:LARGEST] for path in small]


def check_pack(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pack.yaml")
        path.write_bytes(data)
        packs = load_packs([path], builtin=False)
    assert all(len(str(problem)) < 2000 for problem in packs.problems)
    intake = Intake()
    read_small(
        "node-1/worker.log", b"[  812.1] Out of memory: Killed process 4242 (python3)\n", build_plan(packs), intake
    )
    json.dumps(to_json(diagnose(intake, packs)))


@cache
def report_seeds() -> Sequence[bytes]:
    packs, plan = _plan()
    seeds = []
    for files in (file_seeds()[:40], file_seeds()[-4:], file_seeds()[-9:-6]):
        intake = Intake()
        for each in files:
            path, _, content = each.partition(b"\n")
            read_small(path.decode(), content, plan, intake)
        seeds.append(json.dumps(to_json(diagnose(intake, packs)), indent=1).encode())
    return seeds


def check_report(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, suppress(AnalyzerError):
        path = Path(folder, "incident.json")
        path.write_bytes(data)
        render_every_way(read_incident(path))


TARGETS = (
    Target("files", file_seeds, check_file),
    Target("packs", pack_seeds, check_pack),
    Target("reports", report_seeds, check_report),
)
