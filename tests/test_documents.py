"""What README and docs/ show is so: commands and options exist, links lead somewhere, the shown output comes out."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from command_line import call_for_text

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("fixtures/README.md")])
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.M | re.S)
INDENTED = re.compile(r"(?:^(?: {4}.*)?\n)+", re.M)
ENDS = {"|", "||", "&&", ";", ">", "<", "2>", "#"}


def commands(text: str) -> Iterator[list[str]]:
    """The words behind `tf-postmortem` in code, up to the end of that command."""
    code = [match[3] for match in FENCE.finditer(text)] + INDENTED.findall(FENCE.sub("", text))
    code += re.findall(r"`(tf-postmortem [^`]+)`", text)
    for line in "\n".join(code).replace("\\\n", " ").splitlines():
        if match := re.search(r"(?:^\s*\$? ?|; |&& )tf-postmortem (.+)", line):
            words = shlex.split(match[1], comments=True)
            yield words[: next((place for place, word in enumerate(words) if word in ENDS), None)]


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    from analyzer.cli import _add_commands, app, build_command

    if not app.registered_commands:
        _add_commands("")
    command: click.Command = build_command()
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        assert words[0] in command.commands, f"there is no command {words[0]}"
        command, words = command.commands[words[0]], words[1:]
    return command, words


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_and_options_exist(document: Path) -> None:
    for words in commands(document.read_text("utf-8")):
        if not words[0].isalpha():  # a pattern of commands
            continue
        if words[0] in ("collect", "record"):  # they hand their words on to argparse
            help_output = call_for_text(words[0], "-h")
            known_options, arguments = set(re.findall(r"--?[a-z][a-z-]*", help_output.stdout)), words[1:]
            arguments = arguments[: arguments.index("--")] if "--" in arguments else arguments
        else:
            command, arguments = command_of(words)
            known_options = {option for param in command.params for option in param.opts} | {"-h", "--help"}
            if command.context_settings.get("ignore_unknown_options"):  # it hands them on to `analyze`
                known_options |= {option for param in command_of(["analyze"])[0].params for option in param.opts}
        for word in arguments:
            option = re.sub("^-v+$", "-v", word.partition("=")[0])
            assert not re.match(r"--?[a-z]", option) or option in known_options, (
                f"{shlex.join(words)}: no option {option}"
            )


def test_targets_of_make_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    for document in DOCUMENTS:
        asked = set(re.findall(r"(?:`|^    )make ([a-z][a-z-]*)", document.read_text("utf-8"), re.M))
        assert asked <= targets, f"{document.name}: {asked - targets}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    text = FENCE.sub("", document.read_text("utf-8"))
    for target in re.findall(r"\]\((?!https?:)([^)#\s]+)", text):
        assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_map_is_the_tree() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    parts = {path.name + "/" * path.is_dir() for path in (ROOT / "analyzer").iterdir() if path.name[0] != "_"}
    assert {part for part in parts if f"`{part}`" not in text and f"`{part.removesuffix('.py')}`" not in text} == set()
    rows = set(re.findall(r"^\| `([a-z_]+(?:/|\.py))` \|", text, re.M))
    assert rows <= parts
    files = {name for name in re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.(?:py|yaml|md))`", text) if "<" not in name}
    assert {name for name in files if not ((ROOT / name).exists() or (ROOT / "analyzer" / name).exists())} == set()


def test_the_names_on_the_map_are_in_the_code() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    names = {name.rpartition(".")[2] for name in re.findall(r"`([A-Za-z_][\w.]*)`", text)}
    code = "".join(
        f"{path.name} {path.read_text('utf-8')}"
        for folder in ("analyzer", "benchmarks", "tests")
        for path in (ROOT / folder).rglob("*.py")
        if path != Path(__file__)
    )
    rules = "".join(path.read_text("utf-8") for path in (ROOT / "rules").rglob("*.yaml"))
    assert names - {"py", "yaml", "html", "css", "pyz"} - set(re.findall(r"\w+", code + rules)) == set()


def shown_commands() -> Iterator[tuple[str, list[str], str]]:
    """Yield (document, words, output) of the commands upon a fixture that stand above their output."""
    for document in ("README.md", "docs/troubleshooting.md"):
        for block in INDENTED.findall((ROOT / document).read_text("utf-8")):
            if match := re.match(r"\s*\$ tf-postmortem (.*fixtures/.*)\n((?s:.*))", block):
                yield document, shlex.split(match[1]), match[2]


def test_the_output_that_documents_show(tmp_path: Path) -> None:
    """`…` stands for lines that are left out. The log is on standard error, the report on standard output."""
    samples = list(shown_commands())
    assert {document for document, _, _ in samples} == {"README.md", "docs/troubleshooting.md"}
    for document, words, output in samples:
        words = [str(ROOT / word) if word.startswith("fixtures/") else word for word in words]
        result = call_for_text(*words, cwd=tmp_path, environment={**os.environ, "COLUMNS": "200"})
        assert result.returncode == 0, result.stderr
        printed = [line.strip() for line in (*result.stderr.splitlines(), *result.stdout.splitlines())]
        for line in filter(None, (line.strip() for line in output.splitlines())):
            if line != "…":
                assert line in printed, f"{document}: {line}"
                printed = printed[printed.index(line) + 1 :]
