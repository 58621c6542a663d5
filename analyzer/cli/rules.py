"""`tf-postmortem rules list` and `show`. The commands for rule authors are in the `rules_*.py` files beside this
one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.errors import RuleError, UsageError

if TYPE_CHECKING:
    from analyzer.rules.packs.user_packs import UserPacks
    from analyzer.rules.types import Packs, Rule

group = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Work with rule packs: list, show, explain, lint, test, watch, new, import.",
)
PackPaths = Annotated[
    list[Path] | None,
    typer.Argument(help="Packs or folders of packs; default: all configured packs.", show_default=False),
]
ResultFormat = Annotated[
    str, typer.Option("--format", help="text, or for programs: json, junit (XML) or github (workflow commands).")
]
ExtraPacks = Annotated[
    list[Path] | None,
    typer.Option("--rules", metavar="PACK_OR_DIR", help="An additional rule pack or a folder of packs; repeatable."),
]


def add_to(app: typer.Typer) -> None:
    app.add_typer(group, name="rules")


@group.command(name="list")
def list_rules(
    cause: Annotated[str | None, typer.Option(help="Only rules whose cause begins with this text.")] = None,
    source: Annotated[
        str | None, typer.Option(help="Only rules that search this kind of source: worker, kernel, scheduler …")
    ] = None,
    pack: Annotated[str | None, typer.Option(help="Only rules of this pack.")] = None,
    status: Annotated[str | None, typer.Option(help="Only experimental, stable or deprecated rules.")] = None,
    form: Annotated[
        str, typer.Option("--format", help="table, json or markdown (a reference of all rules).")
    ] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    paths: PackPaths = None,
) -> None:
    """List every rule with its role, cause, sources and pack."""
    from analyzer.model import Kind
    from analyzer.rules.authoring.reference import rule_row, source_kinds, write_markdown
    from analyzer.rules.parsing.keys import STATUSES

    form = "json" if as_json else form
    if form not in ("table", "json", "markdown"):
        raise UsageError(f"--format {form} is not a valid choice", "choose table, json or markdown")
    if source is not None and source not in [kind.value for kind in Kind]:
        raise UsageError(
            f"--source {source} is not a kind of source",
            f"choose one of {', '.join(kind.value for kind in Kind)}",
        )
    if status is not None and status not in STATUSES:
        raise UsageError(f"--status {status} is not a valid choice", f"choose one of {', '.join(STATUSES)}")
    packs = load_packs_for(paths)
    print_problems(packs)
    files = pack_files(paths)
    chosen = [
        rule
        for rule in packs.rules.values()
        if (files is None or rule.file in files)
        and (not cause or (rule.cause or "").startswith(cause))
        and (not pack or rule.pack == pack)
        and (not status or rule.status == status)
        and (source is None or source in (source_kinds(rule, packs) or (source,)))
    ]
    if form == "json":
        sys.stdout.write(json.dumps([rule_row(rule, packs) for rule in chosen], indent=1) + "\n")
    elif form == "markdown":
        sys.stdout.writelines(f"{line}\n" for line in write_markdown(chosen, packs))
    else:
        sys.stdout.writelines(_format_table(chosen, packs))


@group.command()
def show(
    rule_id: Annotated[
        str, typer.Argument(help="The id of the rule, as in `rules list` and in reports.", show_default=False)
    ],
    paths: PackPaths = None,
) -> None:
    """Describe one rule: its signals, what it explains and what explains it, its advice, and its tests."""
    from analyzer.rules.authoring.reference import describe_rule
    from analyzer.rules.parsing.fields import suggest_name

    packs = load_packs_for(paths)
    print_problems(packs)
    rule = packs.find_rule(rule_id)
    if rule is None:
        raise UsageError(f"there is no rule {rule_id}", suggest_name(rule_id, packs.rules))
    sys.stdout.writelines(f"{line}\n" for line in describe_rule(rule, packs))


def check_format(form: str) -> None:
    """Raise UsageError if there is no such format of results."""
    if form not in ("text", "json", "junit", "github"):
        raise UsageError(f"--format {form} is not a valid choice", "choose text, json, junit or github")


def load_packs_for(paths: Iterable[Path] | None, user_packs: UserPacks | None = None) -> Packs:
    """Return the packs that `analyze` would use here and those under `paths`, with their tests.

    `user_packs`: what `choose_packs` returns for the input; None if there is no input. The patterns of the built-in
    packs are checked only if `paths` names them. Raises RuleError if a path does not exist.
    """
    from analyzer.resources import rules_dir
    from analyzer.rules.load import load_packs
    from analyzer.rules.packs.user_packs import find_user_packs

    built_in, paths = rules_dir().resolve(), list(paths or ())
    user_packs = user_packs or find_user_packs()
    extra_paths = [path for path in paths if not path.resolve().is_relative_to(built_in)]
    packs = load_packs(extra_paths, trust=bool(paths) and extra_paths == paths, user=user_packs)
    return replace(packs, problems=(*user_packs.problems, *packs.problems))


def print_problems(packs: Packs) -> None:
    """Print the problems of the packs to standard error, because a table silently lacks a broken rule."""
    for problem in packs.problems:
        sys.stderr.write(f"{problem}\n")


def pack_files(paths: Iterable[Path] | None) -> frozenset[str] | None:
    """Return the files under `paths` by the names that the loader gives them; None stands for all files."""
    from analyzer.resources import rules_dir
    from analyzer.rules.load import yaml_files

    if not paths:
        return None
    built_in = rules_dir()
    files: set[str] = set()
    for path in paths:
        if path.resolve().is_relative_to(built_in.resolve()):  # loaded as our own, whatever way led there
            path = built_in / path.resolve().relative_to(built_in.resolve())
        if not (pack_names := [*map(str, yaml_files(path))]):
            raise RuleError(f"{path} has no rule pack", "a pack is a file that ends in .yaml or .yml")
        files.update(pack_names)
    return frozenset(files)


def _format_table(rules: Iterable[Rule], packs: Packs) -> Iterable[str]:
    from analyzer.rules.authoring.reference import source_kinds

    rules = list(rules)
    width = max((len(rule.id) for rule in rules), default=0)
    for rule in rules:
        sources = ",".join(sorted(kind.value for kind in source_kinds(rule, packs))) or "any"
        yield f"{rule.id:<{width}}  {rule.role.value:<8} {rule.cause or '-':<32} {sources:<18} {rule.pack}\n"
    yield f"{len(rules)} rules\n"
