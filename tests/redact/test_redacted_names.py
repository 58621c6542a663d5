"""Redaction hides names in every output and leaves the diagnosis alone."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from fixture_incidents import BUNDLES, bundle_of, incident_of
from rich.console import Console

from analyzer.cli._redaction import choose_incident_names, redact_incident
from analyzer.cli.timeline import FRAME_WRITERS, hide_names, write_trace
from analyzer.errors import AnalyzerError
from analyzer.redact.identifiers import Identifier, find_identifiers
from analyzer.redact.leak_check import check_clean
from analyzer.redact.rename import assign_stable_names, original_by_name, rename
from analyzer.redact.vocabulary import list_words
from analyzer.report.document import WrittenIncident
from analyzer.report.formatting import write_json
from analyzer.report.html import render_html
from analyzer.report.jira import render_jira
from analyzer.report.json import write_incident
from analyzer.report.markdown import render_markdown
from analyzer.report.terminal import render_terminal
from analyzer.timeline.dataframe import make_dataframe

OWN = list_words(())
NODE = {
    "name": "gpu17",
    "hosts": ["gpu17.hpc.example.org", "gpu17"],
    "addresses": ["10.1.2.3:2222"],
    "tasks": ["worker:0"],
}
LINES = [
    "gpu17.hpc.example.org refused 10.1.2.3:2222; GPU17_log and gpu170 differ",
    "nfs4.hpc.example.org: mail alice@example.org, /home/alice/run, alice's job, s3://team-models/ckpt",
    "eth0 ether 0c:42:a1:5d:7e:08, inet6 fe80::e42:a1ff:fe5d:7e08, lo 127.0.0.1, cuDNN version 8.9.2.26",
    "C++ std::vector and 12:34:56 are no addresses; project-nightjar is",
]


def redacted(words: tuple[str, ...] = ()) -> tuple[list[str], dict[str, str]]:
    incident = {"nodes": [NODE], "notes": LINES}
    renaming = assign_stable_names(find_identifiers(incident, words, OWN))
    return list(rename(incident, renaming)["notes"]), original_by_name(renaming)  # type: ignore[arg-type]


def test_machines_people_and_places_get_stable_names() -> None:
    lines, names = redacted(("project-nightjar",))
    text = "\n".join(lines)
    for original in ("gpu17.", "10.1.2.3", "nfs4", "alice", "example.org", "team-models", "0c:42", "fe80", "nightjar"):
        assert original not in text.lower()
    assert "gpu170" in text  # a longer word is another word
    assert "127.0.0.1" in text and "8.9.2.26" in text and "std::vector" in text and "12:34:56" in text
    assert names["node-01"] == "gpu17"
    assert {"alice", "team-models", "project-nightjar"} <= set(names.values())


def test_no_stable_name_is_somebodys_own() -> None:
    originals = [Identifier("node", "node-01"), Identifier("node", "node-02"), Identifier("addr", "10.0.0.1")]
    renaming = assign_stable_names(originals)
    assert not set(renaming.name_by_variant.values()) & set(renaming.name_by_variant)


def test_roles_and_numbers_name_nobody() -> None:
    nodes = [{**NODE, "name": name, "hosts": [], "addresses": []} for name in ("worker", "17", "chief")]
    assert not find_identifiers({"nodes": nodes}, (), OWN)


def test_a_name_that_is_left_stops_everything() -> None:
    renaming = assign_stable_names([Identifier("node", "gpu17")])
    check_clean("node-01 and gpu170", renaming)
    with pytest.raises(AnalyzerError, match="GPU17"):
        check_clean("on GPU17: lost", renaming)


def print_report(incident: WrittenIncident) -> str:
    console = Console(file=io.StringIO(), width=140)
    with console.capture() as printed:
        for part in render_terminal(incident, console):
            console.print(part)
    return printed.get()


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda path: path.parent.name)
def test_the_diagnosis_is_the_same_and_no_output_holds_a_name(bundle: Path) -> None:
    incident = incident_of(bundle)
    plain = write_incident(incident)
    renaming = choose_incident_names(plain)
    hidden, back = redact_incident(plain, renaming), original_by_name(renaming)
    for render in (render_html, render_markdown, render_jira, print_report):
        check_clean(render(hidden), renaming)
    check_clean("".join(write_json(hidden)), renaming)
    frame = hide_names(make_dataframe(incident), plain)
    for write in FRAME_WRITERS.values():  # text, CSV, JSON lines, OpenTelemetry
        check_clean(write(frame), renaming)
    check_clean(write_trace(plain, redact=True), renaming)
    assert hidden.verdict == plain.verdict
    for before, after in zip(plain.root_causes, hidden.root_causes, strict=True):
        assert after.cause == before.cause
        assert back.get(after.node or "", after.node) == before.node
    assert hidden.signature == plain.signature


def test_the_command_writes_the_map_for_its_owner_alone_and_show_reads_the_report_back(tmp_path: Path) -> None:
    bundle = bundle_of("killed-worker")
    report, again = tmp_path / "r.html", tmp_path / "again.json"
    command = [sys.executable, "-m", "analyzer"]
    subprocess.run([*command, "analyze", str(bundle), "--redact", "-q", "-o", str(report)], check=True)
    kept = tmp_path / "r.originals.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    originals = json.loads(kept.read_text())
    assert originals
    assert not any(name in report.read_text() for name in originals.values())
    subprocess.run([*command, "show", str(report), "-q", "--json", str(again)], check=True)
    assert json.loads(again.read_text())["root_causes"][0]["node"] in originals


def test_a_name_behind_what_may_be_an_escape_is_hidden() -> None:
    """`ESC[g` colours a terminal, and `ESC[` may be followed by a name: outputs that write ESC out show it whole."""
    incident = {"nodes": [NODE], "notes": ["\x1b[gpu17 left", "\x1b[31mgpu17 left", "\x1b[31m left"]}
    renaming = assign_stable_names(find_identifiers(incident, (), OWN))
    assert rename(incident, renaming)["notes"] == ["\x1b[node-01 left", "\x1b[31mnode-01 left", "\x1b[31m left"]


def test_the_braces_of_a_placeholder_are_no_part_of_a_name() -> None:
    """Else `{{host-1}}` of Jira's markup would look like a name that is left."""
    incident = {"nodes": [], "notes": ["issuer: CN={{host'x'}}, O=Orpine GmbH", "issuer: CN={{mirelle}}, O=Orpine"]}
    names = [identifier.text for identifier in find_identifiers(incident, (), OWN)]
    assert "mirelle" in names and not [name for name in names if "{" in name or "}" in name]


@pytest.mark.parametrize("word", ["..", "-.", "_-_", "%%", "**"])
def test_what_has_neither_a_letter_nor_a_digit_is_no_name(word: str) -> None:
    """Else a log with `Account=../x` could not be redacted: the name that is hidden there is in every report."""
    incident = {"nodes": [], "notes": [f"Account={word}/x UserId={word}(7) nodes {word}"]}
    assert not find_identifiers(incident, (), OWN)
