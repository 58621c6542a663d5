"""No sentence of a report has a hole, in no form of output: of the fixtures, of each rule's own examples, of a corpus.

`TF_POSTMORTEM_CORPUS=FOLDER` names a folder of labelled bundles, as `make accuracy CORPUS=FOLDER` takes it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
import yaml
from builtin_rules import builtin_packs
from fixture_incidents import BUNDLES, incident_of
from sentence_holes import find_holes, holes_in

from analyzer.paths import cache_dir
from analyzer.pipeline import analyze
from analyzer.reading import ReadPlan, build_plan
from analyzer.report.json import to_json
from analyzer.resources import rules_dir
from analyzer.rule_tests import analyze_texts, read_bundle
from analyzer.rules.evaluation.templates import fill_sentence, template_fields
from analyzer.rules.types import Packs, Rule

PACKS = sorted(path.name for path in rules_dir().glob("*.yaml"))
CORPUS = os.environ.get("TF_POSTMORTEM_CORPUS")


def test_a_value_to_fill_in_stands_in_a_command() -> None:
    """Only what stands between backticks is filled with the incident's values, and has a copy button."""
    bare = [
        f"{rule.id}: {step}"
        for rule in builtin_packs().rules.values()
        for step in rule.remediation
        if re.search(r"(?<![\w$/-])(?:HOST|PORT|ADDRESS|NAME|PID|DEVICE|IFACE)(?![\w/-])", re.sub("`[^`]+`", "", step))
    ]
    assert not bare


@pytest.mark.parametrize(
    "sentence",
    [
        "Killed in;",
        "the memory of ? for 3 s",
        "Loss is nan (?)",
        "value {step} of it",
        "named ['a', 'b']",
        "it was , then",
        "two  blanks",
        "killed by None",
    ],
)
def test_holes_are_seen(sentence: str) -> None:
    assert holes_in(sentence)


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda path: path.parent.name)
def test_no_report_of_a_fixture_has_a_hole(bundle: Path) -> None:
    assert not find_holes(to_json(incident_of(bundle)))


@pytest.fixture(scope="module")
def packs() -> Packs:
    """The built-in packs with their tests, which the cache of compiled rules leaves out."""
    return builtin_packs()


@pytest.fixture(scope="module")
def plan(packs: Packs) -> ReadPlan:
    return build_plan(packs, cache_dir())


def rules_of(packs: Packs, name: str) -> Sequence[Rule]:
    return [rule for rule in packs.rules.values() if Path(rule.file).name == name]


@pytest.mark.parametrize("pack", PACKS)
def test_no_report_of_an_example_of_a_rule_has_a_hole(pack: str, packs: Packs, plan: ReadPlan) -> None:
    holes = {}
    for rule in rules_of(packs, pack):
        for number, test in enumerate(rule.tests, 1):
            if "fires" in test:
                bundle = read_bundle(test, Path(rule.file))
                incident = to_json(analyze_texts(bundle.texts, packs, plan, bundle.cores))
                holes[rule.id, number] = find_holes(incident)
    assert not {example: unfilled for example, unfilled in holes.items() if unfilled}


def fillings(template: str) -> Iterator[Mapping[str, str]]:
    """All optional captures are known, each in turn is missing, and none is known."""
    optional_names = {name for name, is_optional in template_fields(template) if is_optional}
    values = dict.fromkeys((name for name, _ in template_fields(template)), "VALUE")
    for missing in ({}, *({name} for name in optional_names), optional_names):
        yield {name: value for name, value in values.items() if name not in missing}


@pytest.mark.parametrize("pack", PACKS)
def test_no_missing_capture_leaves_a_hole(pack: str, packs: Packs) -> None:
    """Whatever the patterns of today set: an optional capture may be missing."""
    holes = [
        f"{rule.id}: {hole}"
        for rule in rules_of(packs, pack)
        for template in (rule.title, rule.summary, *rule.remediation, *rule.why)
        for values in fillings(template)
        for node in ("n1", None)
        for hole in holes_in(fill_sentence(template, values, node))
    ]
    assert not holes


@pytest.mark.skipif(CORPUS is None, reason="TF_POSTMORTEM_CORPUS names no folder of labelled bundles")
def test_no_report_of_a_corpus_has_a_hole() -> None:
    labels = sorted(Path(str(CORPUS)).rglob("*.truth.yaml"))
    bundles = [label.with_name(yaml.safe_load(label.read_text())["archive"]) for label in labels]
    holes = {bundle.name: find_holes(to_json(analyze([bundle]))) for bundle in bundles}
    assert holes and not {bundle: unfilled for bundle, unfilled in holes.items() if unfilled}
