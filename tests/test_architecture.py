"""Imports run downwards, nothing but the command line prints, and Python names no rule."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from builtin_rules import builtin_packs

ROOT = Path(__file__).parent.parent / "analyzer"
# From the bottom to the top: a part may import itself and everything on its left.
ORDER = [
    "errors",
    "wording",
    "model",
    "signal_semantics",
    "core_dump",
    "incident",
    "interrupts",
    "paths",
    "scratch",
    "resources",
    "arrays",
    "untrusted",
    "redact",
    "collect",
    "record",
    "bundle",
    "formats",
    "scan",
    "signals",
    "cores",
    "crash_isolation",
    "core_store",
    "reading",
    "facts",
    "samples",
    "timeline",
    "rules",
    "assembly",
    "diagnosis",
    "engine",
    "pipeline",
    "report",
    "history",
    "api",
    "replay",
    "rule_tests",
    "inquiry",
    "cli",
    "__main__",
]
# (part, module): imports that run upwards all the same. There are none, and there should be none.
EXCUSED: set[tuple[str, str]] = set()


def modules() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if "_data" not in path.parts)


@cache
def nodes_of(path: Path) -> Sequence[ast.AST]:
    """All nodes of a file, which many tests look through."""
    return tuple(ast.walk(ast.parse(path.read_text())))


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def imports(path: Path) -> Iterator[str]:
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("analyzer."):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("analyzer."))


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_run_downwards(path: Path) -> None:
    own = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if own in ("__init__", "__main__"):
        return
    assert own in ORDER, f"{own} has no place in the order"
    for module in imports(path):
        other = part_of(module)
        if other != own and (own, module) not in EXCUSED:
            assert ORDER.index(other) < ORDER.index(own), f"{own} imports {module}"


@pytest.mark.parametrize(
    "path", [p for p in modules() if "cli" not in p.parts], ids=lambda path: str(path.relative_to(ROOT))
)
def test_only_the_command_line_prints(path: Path) -> None:
    for node in nodes_of(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print"


def test_analysis_never_imports_tensorflow() -> None:
    for path in modules():
        assert not re.search(r"^\s*(?:import|from) tensorflow", path.read_text(), re.M), path


def test_python_names_no_rule() -> None:
    rules = set(builtin_packs().rules)
    for path in modules():
        for node in nodes_of(path):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert node.value not in rules, f"{path} names the rule {node.value}"


# What reads documents, and why not through analyzer/untrusted: file → what it reads.
READERS = {
    "untrusted/documents.py": "the readers themselves",
    "untrusted/literals.py": "the readers themselves",
    "untrusted/references.py": "the readers themselves",
    "formats/records/json_lines.py": "each record of a JSON log, at speed; its result is only written as text again",
    "rules/parsing/yaml_documents.py": "rule packs, with line numbers, and within bounds of its own",
    "rules/parsing/yaml_spans.py": "rule packs that rules/parsing/yaml_documents.py has found to be within bounds",
    "report/reader.py": "whole reports of this program, which are fitted to their schema",
    "scan/gates.py": "the cache",
    "collect/": "runs with Python 3.9 and nothing else of ours",
    "record/": "runs with Python 3.9 and nothing else of ours",
    "replay/": "the package's own templates, and plans",
}
UNBOUNDED = {
    "json": {"load", "loads"},
    "yaml": {"load", "load_all", "safe_load", "safe_load_all", "full_load", "compose", "compose_all", "parse"},
    "ast": {"literal_eval"},
    "csv": {"reader", "DictReader"},
    "html": {"unescape"},
}  # fmt: skip


def test_the_readers_that_are_listed_exist() -> None:
    assert [reader for reader in READERS if not (ROOT / reader).exists()] == []


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_documents_of_strangers_are_read_in_one_place(path: Path) -> None:
    where = str(path.relative_to(ROOT))
    for node in nodes_of(path):
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=name) if name in UNBOUNDED.get(module, ()):
                assert any(where.startswith(reader) for reader in READERS), f"{where} calls {module}.{name}"


def test_the_collector_opens_what_a_path_names_in_one_place() -> None:
    """Root collects in folders of users. Besides: the kernel's log, a file of memory, and a new file in a folder."""
    opening = {
        path.name
        for part in ("collect", "record")
        for path in (ROOT / part).glob("*.py")
        for node in nodes_of(path)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("open", "os.open", "io.open", "path.open", "glob.glob")
    }
    assert opening == {"safe_open.py", "kernel.py", "external_tools.py", "collect.py"}


def test_a_class_name_exists_once() -> None:
    """A name in an error or a log leads to one thing. Private classes count too; those of tests do not."""
    places: dict[str, list[str]] = {}
    for folder in (ROOT, ROOT.parent / "benchmarks"):
        for path in folder.rglob("*.py"):
            if {"_data", "programs", "make"} & {*path.parts}:  # programs of users, and of those who make incidents
                continue
            for node in nodes_of(path):
                if isinstance(node, ast.ClassDef):
                    places.setdefault(node.name, []).append(str(path.relative_to(ROOT.parent)))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


VAGUE_NAMES = frozenset(("one", "said", "told", "found", "way", "ways", "whole", "mine", "saying", "tell"))
ALSO_VAGUE = frozenset(("each", "done", "known", "rest", "there"))
# Packages that still have names of `ALSO_VAGUE`, or whose tests have.
TO_BE_RENAMED = frozenset(("reading", "scan"))


def named_files() -> Iterator[Path]:
    """Yield the files whose names are the project's own: no programs of users, and of those who make incidents."""
    for folder in (ROOT, ROOT.parent / "tests", ROOT.parent / "benchmarks", ROOT.parent / "fixtures" / "make"):
        for path in folder.rglob("*.py"):
            if not {"_data", "programs", "parts", "make"} & {*path.relative_to(folder).parts}:
                yield path


def vague_words_of(path: Path) -> frozenset[str]:
    """Return the words that name nothing in this file."""
    is_renamed = any(
        path.is_relative_to(folder) and path.relative_to(folder).parts[0] not in TO_BE_RENAMED
        for folder in (ROOT, ROOT.parent / "tests", ROOT.parent / "benchmarks")
    )
    return VAGUE_NAMES | ALSO_VAGUE if is_renamed else VAGUE_NAMES


def bound_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node gives to variables, parameters, attributes, functions, classes and imports."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
            yield name
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            yield name


def test_no_name_is_a_vague_word() -> None:
    """A name says what it holds: `line`, `match`, `report`. A method `tell` is a file's, which Python names."""
    vague = []
    for path in named_files():
        nodes = nodes_of(path)
        methods = {id(method) for node in nodes if isinstance(node, ast.ClassDef) for method in node.body}
        words = vague_words_of(path)
        for node in nodes:
            for name in bound_names(node):
                word = name.strip("_").lower()
                if word in words and not (name == "tell" and id(node) in methods):
                    vague.append(f"{path.relative_to(ROOT.parent)}:{getattr(node, 'lineno', 0)}: {name}")
        if path.stem.strip("_") in words:
            vague.append(str(path.relative_to(ROOT.parent)))
    assert vague == []


# (file, record): built once for each hit, event, symbol or row of unwinding, where names would cost time.
BUILT_BY_POSITION = {
    ("model.py", "Event"),
    ("reading/source_reader.py", "Hit"),
    ("reading/hit_throttle.py", "Hit"),
    ("reading/hit_throttle.py", "_DeferredLine"),
    ("facts/time_resolution.py", "TimeContext"),
    ("cores/dwarf/cfa_program.py", "UnwindRow"),
    ("cores/elf/symbol_table.py", "Symbol"),
}
MAX_FIELDS_BY_POSITION = 4


def records() -> Iterator[tuple[str, int]]:
    """(name, number of fields) of each dataclass, named tuple and struct."""
    for path in modules():
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef):
                kinds = " ".join(map(ast.unparse, (*node.decorator_list, *node.bases)))
                if re.search("dataclass|NamedTuple|Struct", kinds):
                    yield node.name, sum(isinstance(statement, ast.AnnAssign) for statement in node.body)


def test_wide_records_are_built_by_keyword() -> None:
    """A field that is put in between would shift the values of those behind it."""
    wide = {name for name, fields in records() if fields > MAX_FIELDS_BY_POSITION}
    assert len(wide) > 100
    by_position = {
        (str(path.relative_to(ROOT)), node.func.id)
        for path in modules()
        for node in nodes_of(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in wide
        if len(node.args) > MAX_FIELDS_BY_POSITION
    }
    assert by_position == BUILT_BY_POSITION


def test_a_name_of_a_test_file_exists_once() -> None:
    """Folders of tests are no packages, so pytest imports two files of one name as one module, and collects neither."""
    tests = [path for path in (ROOT.parent / "tests").rglob("test_*.py") if not (path.parent / "__init__.py").exists()]
    assert [name for name, number in Counter(path.name for path in tests).items() if number > 1] == []


def test_what_is_listed_as_slow_exists() -> None:
    folder = ROOT.parent / "tests"
    for entry in (folder / "slow.txt").read_text().split():
        file, _, function = entry.partition("::")
        assert (folder / file).exists(), entry
        assert not function or f"def {function}(" in (folder / file).read_text(), entry
