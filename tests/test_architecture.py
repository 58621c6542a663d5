"""Imports run downwards, nothing but the command line prints, and Python names no rule."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "analyzer"
# From the bottom to the top: a part may import itself and everything on its left.
ORDER = [
    "errors",
    "model",
    "feeds",
    "incident",
    "interrupts",
    "paths",
    "resources",
    "arrays",
    "redact",
    "collect",
    "record",
    "bundle",
    "formats",
    "scan",
    "cores",
    "apart",
    "shelf",
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
    "api",
    "history",
    "replay",
    "rule_tests",
    "cli",
    "__main__",
]
# Reading needs what signals are, and nothing of how rules are judged.
EXCUSED = {("reading", "analyzer.rules.types"), ("reading", "analyzer.rules.compiled")}


def modules() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if "_data" not in path.parts)


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
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
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print"


def test_analysis_never_imports_tensorflow() -> None:
    for path in modules():
        assert not re.search(r"^\s*(?:import|from) tensorflow", path.read_text(), re.M), path


def test_python_names_no_rule() -> None:
    from analyzer.rules.load import load_packs

    rules = set(load_packs().rules)
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert node.value not in rules, f"{path} names the rule {node.value}"
