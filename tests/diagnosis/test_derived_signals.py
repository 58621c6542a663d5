"""Derived signals: each is declared once, emitted somewhere with the declared captures, and described in the manual.

`python tests/diagnosis/test_derived_signals.py` writes the manual's rows anew.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_scene import event, scene, stories

from analyzer.diagnosis.derivation_context import REGISTERED_DERIVATIONS
from analyzer.diagnosis.derivations import all_derivations
from analyzer.model import Event
from analyzer.paths import cache_dir
from analyzer.reading import ReadPlan, build_plan
from analyzer.rule_tests import analyze_texts, read_bundle
from analyzer.rules.builtin_signals import BUILTIN_CAPTURES
from analyzer.rules.conditions import signals_of
from analyzer.rules.load import load_packs
from analyzer.rules.types import Packs
from analyzer.samples.series_events import GROWTH_SIGNAL, PEAK_SIGNAL
from analyzer.signals import derived
from analyzer.signals.derived import DERIVED_SIGNALS, ODD_STACK, manual_rows

ROOT = Path(__file__).parents[2]
MANUAL = ROOT / "docs" / "rules.md"
ROWS = re.compile(r"(?:^\| `derived\.[^\n]*\n)+", re.M)
PYTHON_VALUE = re.compile(r"\bNone\b|[\[({]'|': |\w\(.*=")
CONSTANTS = {name for name, value in vars(derived).items() if isinstance(value, derived.DerivedSignal)}


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for path in (ROOT / "analyzer" / "diagnosis").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                yield f"{path.name}:{node.name}", node


def test_each_declared_signal_is_emitted() -> None:
    emitted = {signal.name for derivation in all_derivations() for signal in REGISTERED_DERIVATIONS[derivation]}
    assert emitted | {PEAK_SIGNAL, GROWTH_SIGNAL} == DERIVED_SIGNALS.keys()


def test_each_derivation_stands_where_it_is_found() -> None:
    """`derivations/` is searched for them: one elsewhere would run only if something else happened to import it."""
    decorated = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "analyzer").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
        if any(ast.unparse(decorator).startswith("derives(") for decorator in node.decorator_list)
    }
    assert decorated == {f"{derivation.__module__.replace('.', '/')}.py" for derivation in all_derivations()}


def test_each_emission_names_a_declared_signal() -> None:
    """Signals are constants of one module, and each that a module uses is declared by a derivation in that module."""
    declared: dict[str, set[str]] = {}
    used: dict[str, set[str]] = {}
    for name, function in functions():
        module = name.partition(":")[0]
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "derives":
                declared.setdefault(module, set()).update(ast.unparse(argument) for argument in decorator.args)
        body = [node for statement in function.body for node in ast.walk(statement)]
        used.setdefault(module, set()).update(
            node.id for node in body if isinstance(node, ast.Name) and node.id in CONSTANTS
        )
        texts = [node.value for node in body if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        assert not [text for text in texts if text in DERIVED_SIGNALS], name
    assert {module: names for module, names in used.items() if names} == declared


# No built-in rule rests on these: packs of users do.
USER_PACK = """\
pack: user
version: 1.0.0
rules:
  - id: user-exited
    when: derived.exited
    tests:
      - fires:
          node-1/flight.jsonl: |
            {"type":"start","wall":1780000000.5,"monotonic":100.5,"flight":1,"host":"node-1","pid":77,"command":["x"],"zone":0}
            {"type":"end","wall":1780000090.5,"monotonic":190.5,"code":3}
  - id: user-setting
    when: derived.setting
    tests:
      - fires: {node-1/env.txt: "NCCL_DEBUG=INFO"}
"""


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Packs:
    file = tmp_path_factory.mktemp("packs") / "user.yaml"
    file.write_text(USER_PACK)
    return load_packs([file])


@pytest.fixture(scope="module")
def plan(packs: Packs) -> ReadPlan:
    return build_plan(packs, cache_dir())  # the pack has no pattern of its own


def emitted_events(name: str, packs: Packs, plan: ReadPlan) -> Iterator[Event]:
    """The events of a derived signal in what the examples of the rules that ask for it show."""
    for rule in packs.rules.values():
        if name in signals_of(rule.when):
            for test in rule.tests:
                if "fires" in test:
                    bundle = read_bundle(test, Path(rule.file))
                    incident = analyze_texts(bundle.texts, packs, plan, bundle.cores)
                    for finding in incident.findings:
                        yield from (event for event in finding.evidence if event.signal == name)


@pytest.mark.parametrize("name", DERIVED_SIGNALS)
def test_each_signal_is_really_emitted(name: str, packs: Packs, plan: ReadPlan) -> None:
    """From lines, through the whole pipeline, with plain words and numbers as captures."""
    event = next(emitted_events(name, packs, plan), None)
    assert event is not None
    assert event.captures.keys() & set(DERIVED_SIGNALS[name].captures)
    assert not [text for text in event.captures.values() if PYTHON_VALUE.search(text)]


def test_a_capture_that_is_not_declared_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"odd_stack does not declare the captures colour"):
        list(scene(stories("a")).derive(ODD_STACK, "a", [event("a", 1.0)], colour="red"))


def test_rules_may_name_them_and_the_manual_lists_them() -> None:
    assert all(BUILTIN_CAPTURES[name] == signal.all_captures for name, signal in DERIVED_SIGNALS.items())
    (rows,) = ROWS.findall(MANUAL.read_text())
    assert rows.splitlines() == list(manual_rows()), f"run: python {Path(__file__).relative_to(ROOT)}"


if __name__ == "__main__":
    text = MANUAL.read_text()
    MANUAL.write_text(ROWS.sub(lambda _: "".join(f"{row}\n" for row in manual_rows()), text))
