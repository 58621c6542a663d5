"""The JSON Schema: current, sound, and of one mind with the loader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from small_packs import load_text, one_rule

from analyzer.resources import rules_dir
from analyzer.rules.authoring.json_schema import make_schema
from analyzer.rules.parsing.yaml_documents import read_yaml

PACKS = sorted(path for path in rules_dir().glob("*.yaml") if path.name != "causes.yaml")
VALIDATOR = Draft202012Validator(make_schema())


def faults(text: str) -> list[str]:
    """As YAML 1.2 has it, and editors with it: `on` is a word and no truth value."""
    return [error.message for error in VALIDATOR.iter_errors(read_yaml(text.encode(), "pack.yaml", []))]


def test_the_committed_schema_is_current_and_sound() -> None:
    assert json.loads((rules_dir() / "schema.json").read_text()) == make_schema(), (
        "run `tf-postmortem rules schema > rules/schema.json`"
    )
    Draft202012Validator.check_schema(make_schema())


@pytest.mark.parametrize("path", PACKS, ids=lambda path: path.stem)
def test_a_built_in_pack_is_valid_and_names_the_schema(path: Path) -> None:
    text = path.read_text()
    assert not faults(text)
    assert text.startswith("# yaml-language-server: $schema=./schema.json\n")


RULES: dict[str, bool] = {
    "match: a.c": True,
    "match: {any: [a.c, b.c]}": True,
    "contains: [a, b]": True,
    "when: alpha\nby: [id, {who: [pid, tid]}]": True,
    "when: {sequence: [alpha, {signal: beta, optional: true}], within: 2m}": True,
    "when: {signal: alpha, where: {id: ['> 3', 7]}, unless: {before: beta, within: 90}}": True,
    "when: {share: alpha, at_least: 90%}": True,
    "when: {signal: alpha, where: {id: {gt: 5, ne: [7, 8]}}, at: same_node}": True,
    "when: {sequence: [alpha, beta], within: {ge: 5s, le: 1m}, from: 1, unless: {between: gamma}}": True,
    "when: {any: [alpha, beta], unless: gamma, within: 5s}": True,
    "when: {any: [alpha, beta], within: 5s}": False,
    "when: {all: [alpha, {absent: beta, within: 5s}]}": False,
    "when: {sequence: [alpha]}": False,
    "when: {signal: alpha, optional: true}": False,
    "when: {signal: alpha, where: {id: {above: 5}}}": False,
    "when: {share: alpha}": False,
    "when: alpha\nconfidence: {base: 0.5, raise: {beta: 0.1}}": True,
    "match: a.c\nblock: {lines: 20, until: end}": True,
    "match: a.c\nsource: [kernel, worker]\nfeeds: exit": True,
    "match: a.c\nrole: culprit": False,
    "match: a.c\nmach: b": False,
    "match: a.c\nsource: moon": False,
    "match: a.c\nconfidence: 2": False,
    "match: a.c\nblock: {lines: 0}": False,
    "title: nothing to look for": False,
    "when: {signal: alpha, at: here}": False,
    "when: {all: []}": False,
    "when: {all: [alpha], any: [beta]}": False,
    "when: {sequence: [alpha, beta], within: soon}": False,
    "when: {distinct: id}": False,
    "when: alpha\nconfidence: {raise: {beta: 0.1}}": False,
}


@pytest.mark.parametrize("rule", RULES)
def test_schema_and_loader_are_of_one_mind(rule: str, tmp_path: Path) -> None:
    text = one_rule(rule)
    assert (not faults(text)) == (not load_text(tmp_path, text).problems) == RULES[rule]


def test_every_key_is_described() -> None:
    def walk(schema: Any) -> None:
        for name, body in schema.get("properties", {}).items():
            assert body["description"].endswith((".", "}")), name
        for inner in schema.get("$defs", {}).values():
            walk(inner)

    walk(make_schema())
