"""`tf-postmortem rules`: list, show, lint and test packs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from analyzer.errors import RuleError, UsageError
from analyzer.rules.types import Packs, Rule

group = typer.Typer(no_args_is_help=True, help="The rule packs: list, show, lint, test.")
Paths = Annotated[list[Path] | None, typer.Argument(help="Packs or folders; default: the built-in ones.", show_default=False)]


def add_to(app: typer.Typer) -> None:
    app.add_typer(group, name="rules")


@group.command(name="list")
def list_rules(
    cause: Annotated[str | None, typer.Option(help="Only rules whose cause begins so.")] = None,
    pack: Annotated[str | None, typer.Option(help="Only rules of this pack.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list.")] = False,
    paths: Paths = None,
) -> None:
    """Every rule with its pack, role, cause and title."""
    chosen = [r for r in _load(paths).rules.values() if (not cause or (r.cause or "").startswith(cause)) and (not pack or r.pack == pack)]
    if as_json:
        sys.stdout.write(json.dumps([_brief(rule) for rule in chosen], indent=1) + "\n")
        return
    width = max((len(rule.id) for rule in chosen), default=0)
    for rule in chosen:
        sys.stdout.write(f"{rule.id:<{width}}  {rule.role.value:<8} {rule.cause or '-':<32} {rule.pack}\n")
    sys.stdout.write(f"{len(chosen)} rules\n")


@group.command()
def show(rule_id: str, paths: Paths = None) -> None:
    """One rule in prose: what it looks for, what it explains, what to do, and its tests."""
    packs = _load(paths)
    if rule_id not in packs.rules:
        raise UsageError(f"there is no rule {rule_id}", "`tf-postmortem rules list` names them all")
    sys.stdout.write("\n".join(_describe(packs.rules[rule_id], packs)) + "\n")


@group.command()
def lint(paths: Paths = None) -> None:
    """Every problem of the packs at once; exit 4 if there is any."""
    from analyzer.rules.lint import lint_packs

    packs = _load(paths)
    problems = [*packs.problems, *map(str, lint_packs(packs))]
    sys.stdout.write("".join(f"{problem}\n" for problem in problems))
    sys.stdout.write(f"{len(packs.packs)} packs, {len(packs.rules)} rules, {len(packs.signals)} signals: {len(problems)} problems\n")
    if problems:
        raise typer.Exit(RuleError.exit_code)


@group.command()
def test(paths: Paths = None, only: Annotated[str, typer.Option(help="Rules whose id holds this.")] = "") -> None:
    """Run every test of every rule; exit 4 if one fails."""
    from analyzer.paths import cache_dir
    from analyzer.reading import build_plan
    from analyzer.rule_tests import run_tests

    packs = _load(paths)
    plan = build_plan(packs, cache_dir())
    for problem in packs.problems:
        sys.stdout.write(f"PROBLEM {problem}\n")
    mine = {str(path) for path in paths or ()}
    chosen = {name: rule for name, rule in packs.rules.items() if only in name and (not mine or any(rule.file.startswith(m) for m in mine))}
    outcomes = list(run_tests(chosen, packs, plan))
    failed = [outcome for outcome in outcomes if outcome.wrong]
    for outcome in failed:
        rule = packs.rules[outcome.rule]
        sys.stdout.write(f"FAIL {rule.file}:{rule.line} {outcome.rule} test {outcome.number}: {outcome.wrong}\n")
    untested = [name for name, rule in chosen.items() if not rule.tests]
    sys.stdout.write(f"{len(chosen)} rules, {len(outcomes)} tests: {len(outcomes) - len(failed)} passed, {len(failed)} failed; "
                     f"{len(untested)} rules without a test\n")
    if failed or packs.problems:
        raise typer.Exit(RuleError.exit_code)


def _load(paths: Iterable[Path] | None) -> Packs:
    from analyzer.resources import rules_dir
    from analyzer.rules.load import load_packs

    ours = rules_dir().resolve()
    extra = [path for path in paths or () if not path.resolve().is_relative_to(ours)]
    return load_packs(extra)


def _brief(rule: Rule) -> dict[str, object]:
    return {"id": rule.id, "pack": rule.pack, "role": rule.role.value, "cause": rule.cause, "severity": rule.severity,
            "confidence": rule.confidence, "title": rule.title, "tests": len(rule.tests), "file": rule.file, "line": rule.line}


def _describe(rule: Rule, packs: Packs) -> Iterable[str]:
    from analyzer.rules.conditions import signals_of

    yield f"{rule.id} ({rule.pack}, {rule.file}:{rule.line})"
    yield f"  {rule.title}"
    yield f"  role {rule.role.value}, cause {rule.cause or 'none'}, severity {rule.severity}, confidence {rule.confidence}"
    yield f"  {rule.summary}"
    for name in dict.fromkeys(signals_of(rule.when)):
        signal = packs.signals.get(name)
        for pattern in signal.match if signal else ():
            yield f"  looks for ({name}): {pattern}"
    for label, names in (("explains", rule.explains), ("silences", rule.silences), ("do", rule.remediation), ("see", rule.references)):
        for text in names:
            yield f"  {label}: {text}"
    yield f"  {len(rule.tests)} tests"
