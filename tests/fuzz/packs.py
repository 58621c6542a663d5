"""Packs of rules: whatever they hold, the loader says what is wrong, and what is left is checked and judged by."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from random import Random
from typing import Any

import yaml

from analyzer.pipeline import IngestResult, diagnose, read_small_text
from analyzer.reading import build_plan
from analyzer.report.json import to_json
from analyzer.rule_tests.test_bundle import TEST_KINDS, test_files
from analyzer.rules.authoring.json_schema import make_schema
from analyzer.rules.linting.linter import lint_packs
from analyzer.rules.load import load_packs
from tests.fuzz.prose import respell, shuffle_lines
from tests.fuzz.rule_seeds import ROOT
from tests.fuzz.schemas import make_instance
from tests.fuzz.target import Target, workplace
from tests.fuzz.trees import twist_yaml

MOST = 12  # files of a pack's tests that are judged by it


@cache
def seeds() -> Sequence[bytes]:
    """A rule each, with the signals that it names and its tests."""
    documents = []
    for path in sorted((ROOT / "rules").glob("*.yaml")):
        pack = yaml.safe_load(path.read_text())
        signals = pack.get("signals") or {}
        for rule in pack.get("rules") or ():
            words = str(rule)
            used = {name: signal for name, signal in signals.items() if name in words}
            small_pack = {**pack, "signals": used, "rules": [{**rule, "tests": (rule.get("tests") or [])[:3]}]}
            documents.append(yaml.safe_dump(small_pack, sort_keys=False, allow_unicode=True, width=200).encode())
    return [*documents, *map(str.encode, EXAMPLES)]


EXAMPLES = (
    """\
pack: windows
version: 1.0.0
patterns: {num: '\\d{1,9}'}
signals:
  retry: {source: worker, match: 'retry shard=(?P<shard>%{num})', severity: warning}
  lost:
    source: [worker, kernel]
    match: {any: ['lost (?P<peer>\\S+)', 'gone (?P<peer>\\S+)']}
    block: {lines: 5, until: end}
  oom: {contains: Out of memory, also: ['process (?P<pid>\\d+)'], set: {what: "{pid}"}, bits: {low: "pid[3:0]"}}
rules:
  - {id: a, cause: windows.a, when: {all: [lost, {any: [oom, retry]}], within: 2m}, by: [peer], title: "{peer}"}
  - {id: b, when: {sequence: [retry, {signal: oom, optional: true}, lost], within: 10m}, by: [{who: [pid, shard]}]}
  - {id: c, when: {count: retry, at_least: 2, within: 60s}, confidence: {base: 0.5, raise: {oom: 0.2}, lower: {a: 0.1}}}
  - {id: d, when: {distinct: shard, of: retry, at_least: 2}, explains: [a, {b: 3m}, 'windows.*']}
  - {id: e, when: {first: lost}, explained_by: [d]}
  - {id: f, when: {share: retry, at_least: 90%}, silences: [c]}
  - {id: g, when: {signal: lost, unless: {before: retry, within: 5m}}, title: "x[ for {path}] ({peer?})"}
  - {id: h, when: {all: [lost, {absent: oom}, {not: {signal: retry, where: {shard: '> 3'}}}]}}
  - {id: i, when: {signal: oom, where: {pid: '~ ^4', what: '{pid}'}, at: any_node}, extends: a, override: true}
""",
)
LOG = "".join(
    f"2026-03-01 10:00:0{second}.000000: E tensorflow/core/a.cc:1] {words}\n"
    for second, words in enumerate(
        ("retry shard=3", "retry shard=4", "Out of memory: process 42", "lost worker:1", "end")
    )
)


def regrow(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """A signal, a rule or a condition made anew by the schema of packs."""
    schema = make_schema()
    pack: dict[str, Any] = {"pack": "x", "version": "1"}
    if chance.random() < 0.7:
        pack["signals"] = {name: make_instance(schema["$defs"]["signal"], schema, chance) for name in ("a", "b")}
    pack["rules"] = [make_instance(schema["$defs"]["rule"], schema, chance) for _ in range(chance.choice((1, 2)))]
    return json.dumps(pack).encode("utf-8", "surrogatepass")  # JSON is YAML


def check(data: bytes) -> None:
    path = workplace() / "pack.yaml"
    path.write_bytes(data)
    packs = load_packs([path], builtin=False)
    for problem in (*packs.problems, *lint_packs(packs)):
        assert len(str(problem)) < 2 * len(data) + 2000, str(problem)[:3000]
    plan = build_plan(packs)
    intake = IngestResult()
    read_small_text("node-1/worker.log", LOG.encode(), plan, intake)
    read_small_text("node-2/dmesg.txt", b"[  812.1] Out of memory: Killed process 4242 (python3)\n", plan, intake)
    for name, text in [pair for rule in packs.rules.values() for test in rule.tests for pair in _texts(test)][:MOST]:
        read_small_text(name, text, plan, intake)
    json.dumps(to_json(diagnose(intake, packs)), allow_nan=False)


def _texts(test: Mapping[str, object]) -> list[tuple[str, bytes]]:
    members = test_files(next((test[kind] for kind in TEST_KINDS if test.get(kind)), ""))
    return [(path[:200], text.encode("utf-8", "replace")) for path, text in members if isinstance(text, str)]


TARGET = Target("packs", seeds, check, (twist_yaml, twist_yaml, twist_yaml, regrow, respell, shuffle_lines))
