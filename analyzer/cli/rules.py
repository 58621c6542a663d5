"""`tf-postmortem rules`: the packs to look at; the tools of their authors stand in the files beside."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.errors import UsageError

if TYPE_CHECKING:
    from analyzer.rules.types import Packs, Rule

group = typer.Typer(no_args_is_help=True, help="The rule packs: list, show, explain, lint, test, new.")
Paths = Annotated[
    list[Path] | None,
    typer.Argument(help="Packs or folders; default: all that are configured.", show_default=False),
]
Extra = Annotated[
    list[Path] | None, typer.Option("--rules", metavar="PACK_OR_DIR", help="More rule packs; may be given again.")
]


def add_to(app: typer.Typer) -> None:
    app.add_typer(group, name="rules")


@group.command(name="list")
def list_rules(
    cause: Annotated[str | None, typer.Option(help="Only rules whose cause begins so.")] = None,
    source: Annotated[
        str | None, typer.Option(help="Only rules that search this kind: worker, kernel, scheduler …")
    ] = None,
    pack: Annotated[str | None, typer.Option(help="Only rules of this pack.")] = None,
    form: Annotated[
        str, typer.Option("--format", help="table, json or markdown (a reference of all rules).")
    ] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    paths: Paths = None,
) -> None:
    """Every rule with its role, cause, sources and pack."""
    from analyzer.model import Kind
    from analyzer.rules.reference import brief, kinds_of, write_markdown

    form = "json" if as_json else form
    if form not in ("table", "json", "markdown"):
        raise UsageError(f"--format {form}: it is table, json or markdown")
    if source is not None and source not in [kind.value for kind in Kind]:
        raise UsageError(
            f"--source {source}: there is no such kind", f"it is one of {', '.join(kind.value for kind in Kind)}"
        )
    packs = load(paths)
    tell_problems(packs)
    files = files_of(paths)
    chosen = [
        rule
        for rule in packs.rules.values()
        if (files is None or rule.file in files)
        and (not cause or (rule.cause or "").startswith(cause))
        and (not pack or rule.pack == pack)
        and (source is None or source in (kinds_of(rule, packs) or (source,)))
    ]
    if form == "json":
        sys.stdout.write(json.dumps([brief(rule, packs) for rule in chosen], indent=1) + "\n")
    elif form == "markdown":
        sys.stdout.writelines(f"{line}\n" for line in write_markdown(chosen, packs))
    else:
        sys.stdout.writelines(_table(chosen, packs))


@group.command()
def show(
    rule_id: Annotated[str, typer.Argument(help="As `rules list` and reports name it.", show_default=False)],
    paths: Paths = None,
) -> None:
    """One rule in prose: what it looks for, what it explains and what explains it, what to do, and its tests."""
    from analyzer.rules.fields import nearest
    from analyzer.rules.reference import describe

    packs = load(paths)
    tell_problems(packs)
    if rule_id not in packs.rules:
        raise UsageError(f"there is no rule {rule_id}", nearest(rule_id, packs.rules))
    sys.stdout.writelines(f"{line}\n" for line in describe(packs.rules[rule_id], packs))


def load(paths: Iterable[Path] | None) -> Packs:
    """The packs that `analyze` would use here and those under `paths`, with their tests.

    Raises RuleError where a path does not exist. The patterns of the built-in packs are checked only where those are
    asked for.
    """
    from analyzer.resources import rules_dir
    from analyzer.rules.load import load_packs
    from analyzer.rules.user import find_user_packs

    ours, user, paths = rules_dir().resolve(), find_user_packs(), list(paths or ())
    named = [path for path in paths if not path.resolve().is_relative_to(ours)]
    packs = load_packs(named, trust=bool(paths) and named == paths, user=user)
    return replace(packs, problems=(*user.problems, *packs.problems))


def tell_problems(packs: Packs) -> None:
    """To standard error: a table that lacks a broken rule says so."""
    for problem in packs.problems:
        sys.stderr.write(f"{problem}\n")


def files_of(paths: Iterable[Path] | None) -> frozenset[str] | None:
    """The files under `paths` by the names that the loader gives them; None: all files."""
    from analyzer.resources import rules_dir
    from analyzer.rules.load import yaml_files

    if not paths:
        return None
    ours = rules_dir()
    named: set[str] = set()
    for path in paths:
        if path.resolve().is_relative_to(ours.resolve()):  # loaded as our own, whatever way led there
            path = ours / path.resolve().relative_to(ours.resolve())
        named.update(map(str, yaml_files(path)))
    return frozenset(named)


def _table(rules: Iterable[Rule], packs: Packs) -> Iterable[str]:
    from analyzer.rules.reference import kinds_of

    rules = list(rules)
    width = max((len(rule.id) for rule in rules), default=0)
    for rule in rules:
        sources = ",".join(sorted(kind.value for kind in kinds_of(rule, packs))) or "any"
        yield f"{rule.id:<{width}}  {rule.role.value:<8} {rule.cause or '-':<32} {sources:<18} {rule.pack}\n"
    yield f"{len(rules)} rules\n"
