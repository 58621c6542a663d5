"""Every kind of name and secret in kinds.yaml is gone from every output, and the diagnosis stays."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
import typer
from click.testing import CliRunner

from analyzer.cli._log import add_log_options
from analyzer.cli._outputs import add_output_options
from analyzer.cli.analyze import add_to
from analyzer.incident import Incident
from analyzer.pipeline import analyze
from analyzer.redact.secrets import mask_text
from analyzer.report.forms import output_forms
from tests.redact.kinds import USER, Case, load_cases, plant
from tests.redact.outputs import every_output

CASES = load_cases()


@pytest.fixture(scope="module")
def incident(tmp_path_factory: pytest.TempPathFactory) -> Incident:
    folder = tmp_path_factory.mktemp("kinds")
    plant(folder)
    return analyze([folder])


@pytest.fixture(scope="module")
def plain(incident: Incident) -> dict[str, str]:
    return every_output(incident, redact=False)


@pytest.fixture(scope="module")
def hidden(incident: Incident) -> dict[str, str]:
    return every_output(incident)


def readings(text: str) -> Iterator[str]:
    """The text as it stands, and as it reads without its escapes."""
    yield text
    plain = re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), text)
    yield html.unescape(plain.replace("\\/", "/").replace('\\"', '"').replace("\\\\", "\\"))
    yield unquote(text)


def shapes(needle: str) -> Iterator[str]:
    """The needle, and what of it stands in the template of lines that differ in numbers."""
    yield needle.lower()
    template = re.sub(r"\d+", "<n>", needle.lower())
    if sum(map(str.isalpha, template.replace("<n>", ""))) > 5:
        yield template


def leaks(text: str, cases: tuple[Case, ...]) -> list[str]:
    lower = [reading.lower() for reading in readings(text)]
    return [
        f"{case.kind}: {needle}"
        for case in cases
        for needle in case.needles
        if any(shape in lowered for shape in shapes(needle) for lowered in lower)
    ]


def test_there_are_enough_kinds() -> None:
    assert len(CASES) > 500 and len({case.kind for case in CASES}) == len(CASES)


def test_secrets_are_in_no_output(plain: dict[str, str]) -> None:
    for name, text in plain.items():
        assert not leaks(text, tuple(case for case in CASES if case.always)), name


def test_names_are_in_no_redacted_output(hidden: dict[str, str]) -> None:
    for name, text in hidden.items():
        assert not leaks(text, CASES), name


@pytest.mark.parametrize("redact", [False, True])
def test_the_command_writes_none_of_them(redact: bool, tmp_path: Path) -> None:
    """The files of all forms and the log, as the command line leaves them, with a name and secrets in `--meta`."""
    plant(tmp_path / "incident")
    (tmp_path / "out").mkdir()
    forms = [word for form in output_forms().values() for word in (form.options[0], f"{tmp_path}/out/{form.name}")]
    meta = [f"--meta=owner={USER}", "--meta=password=hunter2", "--meta=from=redis://u:hunter2@cache/0"]
    words = ["-q", "--log-file", f"{tmp_path}/out/log"]
    hiding = ["--redact", "--redact-map", f"{tmp_path}/map.json"] if redact else []
    run_analyze(str(tmp_path / "incident"), *forms, *meta, *words, *hiding)
    written = {path.name: path.read_text().replace(str(tmp_path), "") for path in (tmp_path / "out").iterdir()}
    assert len(written) == len(output_forms()) + 1 and min(map(len, written.values())) > 1000
    for name, text in written.items():
        assert not leaks(text, tuple(case for case in CASES if redact or case.always)), name
        assert "hunter2" not in text and not (redact and USER in text), name


def run_analyze(*words: str) -> None:
    app = typer.Typer()
    app.callback()(lambda: None)
    add_to(app)
    result = CliRunner().invoke(add_log_options(add_output_options(typer.main.get_command(app))), ["analyze", *words])
    assert result.exit_code == 0, (result.output, result.exception)


def test_every_line_is_shown(plain: dict[str, str]) -> None:
    """Else the tests above would say nothing."""
    for name in ("json", "html", "timeline text"):
        assert not [case.kind for case in CASES if f"{case.mark} " not in plain[name]], name


def test_the_diagnosis_is_the_same(plain: dict[str, str], hidden: dict[str, str]) -> None:
    before_it, after_it = json.loads(plain["json"]), json.loads(hidden["json"])
    assert before_it["verdict"] == after_it["verdict"] == "diagnosed"
    for before, after in zip(before_it["root_causes"], after_it["root_causes"], strict=True):
        assert [before[key] for key in ("cause", "rule", "confidence", "status", "time", "explains")] == [
            after[key] for key in ("cause", "rule", "confidence", "status", "time", "explains")
        ]
    names = {node["name"]: other["name"] for node, other in zip(before_it["nodes"], after_it["nodes"], strict=True)}
    assert [names.get(cause["node"]) for cause in before_it["root_causes"]] == [
        cause["node"] for cause in after_it["root_causes"]
    ]


@pytest.mark.parametrize("case", [case for case in CASES if case.always], ids=lambda case: case.kind)
def test_a_secret_is_masked_once_and_for_all(case: Case) -> None:
    masked = mask_text(case.line)
    assert not leaks(masked, (case,))
    assert mask_text(masked) == masked
