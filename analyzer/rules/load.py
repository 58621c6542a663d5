"""Finds, reads and checks packs; a broken pack or rule is a problem and never stops the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from analyzer.errors import RuleError
from analyzer.resources import rules_dir
from analyzer.rules.conditions import signals_of
from analyzer.rules.parse import Reader
from analyzer.rules.places import Place, Problem, read_yaml
from analyzer.rules.types import Pack, Packs, Rule, Signal

DERIVED = frozenset({
    "derived.vanished", "derived.isolated", "derived.unreachable", "derived.stalled", "derived.never_started",
    "derived.never_connected", "derived.duplicate_task", "derived.cluster_differs", "derived.localhost_cluster",
    "derived.address_mismatch", "derived.finished_early", "derived.version_differs", "derived.exited",
    "derived.straggler", "derived.absent_peer", "derived.odd_member", "core.crash",
})


def load_packs(extra: Sequence[Path] = (), builtin: bool = True, trust: bool = False) -> Packs:
    """The built-in packs and those under `extra` (files or folders). Raises RuleError if an extra one cannot be found.

    With `trust` the patterns of the built-in packs are not compiled to be checked: lint did that before they were shipped.
    """
    problems: list[Problem] = []
    packs: list[Pack] = []
    tables: dict[str, Mapping[str, Mapping[str, str]]] = {}
    causes: dict[str, Mapping[str, str]] = {}
    roots = ([rules_dir()] if builtin else []) + list(extra)
    for root in roots:
        for file in yaml_files(root):
            raw = read_yaml(_read(file, problems), str(file), problems)
            if file.name == "causes.yaml":
                causes.update(_causes(raw))
            elif file.parent.name == "tables":
                tables[file.stem] = _table(raw)
            elif pack := Reader(str(file), problems, trust and root == rules_dir()).read_pack(raw):
                packs.append(pack)
    if not builtin:
        causes.update(_causes(read_yaml((rules_dir() / "causes.yaml").read_bytes(), "causes.yaml", [])))
    return _join(packs, tables, causes, problems)


def load_strictly(extra: Sequence[Path]) -> Packs:
    """As `load_packs`, for packs that the user names: raises RuleError with every problem of *their* packs."""
    packs = load_packs(extra, trust=True)
    ours = str(rules_dir())
    if theirs := [problem for problem in packs.problems if not problem.startswith(ours)]:
        raise RuleError("\n".join(theirs), "`tf-postmortem rules lint PATH` shows all problems of a pack at once")
    return packs


def yaml_files(root: Path) -> Iterator[Path]:
    if root.is_file():
        yield root
    elif root.is_dir():
        yield from sorted(path for path in root.rglob("*.y*ml") if path.suffix in (".yaml", ".yml"))
    else:
        raise RuleError(f"{root}: there is no such rule pack", "--rules takes a YAML file or a folder of them")


def _read(file: Path, problems: list[Problem]) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        problems.append(Problem(str(file), 1, 1, f"cannot be read: {error.strerror}"))
        return b""


def _causes(raw: object) -> Iterator[tuple[str, Mapping[str, str]]]:
    for group in raw.values() if isinstance(raw, Mapping) else ():
        for name, body in group.items() if isinstance(group, Mapping) else ():
            if isinstance(body, Mapping):
                yield name, {key: str(value) for key, value in body.items()}


def _table(raw: object) -> Mapping[str, Mapping[str, str]]:
    """A table is a mapping of a key to a row, or a list of rows whose first column is the key."""
    rows = raw.get("rows", raw) if isinstance(raw, Place) else raw
    if isinstance(rows, Mapping):
        return {str(key): _row(row) for key, row in rows.items() if isinstance(row, Mapping)}
    if isinstance(rows, list):
        return {str(next(iter(row.values()))): _row(row) for row in rows if isinstance(row, Mapping) and row}
    return {}


def _row(row: Mapping[str, object]) -> Mapping[str, str]:
    return {str(key): str(value).lower() if isinstance(value, bool) else str(value) for key, value in row.items() if value is not None}


def _join(packs: Iterable[Pack], tables: Mapping[str, Mapping[str, Mapping[str, str]]],
          causes: Mapping[str, Mapping[str, str]], problems: list[Problem]) -> Packs:
    signals: dict[str, Signal] = {}
    rules: dict[str, Rule] = {}
    packs = tuple(packs)
    for pack in packs:
        for signal in pack.signals:
            if signal.name in signals:
                problems.append(Problem(pack.file, 1, 1, f"the signal {signal.name} exists already; choose another name"))
            else:
                signals[signal.name] = signal
            if signal.lookup and signal.lookup.table not in tables:
                problems.append(Problem(pack.file, 1, 1, f"{signal.name}: there is no table {signal.lookup.table}"))
        for rule in pack.rules:
            if rule.id in rules:
                problems.append(Problem(rule.file, rule.line, 1, f"the rule {rule.id} exists already in {rules[rule.id].file}"))
            rules[rule.id] = rule
    for rule in list(rules.values()):
        if unknown := [name for name in signals_of(rule.when) if name not in signals and name not in DERIVED]:
            problems.append(Problem(rule.file, rule.line, 1, f"rule {rule.id}: unknown signal {', '.join(unknown)}"))
            del rules[rule.id]
        elif rule.cause and "{" not in rule.cause and rule.cause not in causes and not rule.cause.startswith(f"{rule.pack}."):
            problems.append(Problem(rule.file, rule.line, 1, f"rule {rule.id}: unknown cause {rule.cause}"))
    return Packs(packs, signals, rules, tables, causes, tuple(map(str, problems)))
