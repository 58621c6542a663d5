"""The manual pages say what the help says, and groff reads them without a complaint."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest
from command_line import call_for_text

from analyzer.cli import PROGRAM, build_full_command
from analyzer.cli._man_pages import find_command, format_page, list_commands
from analyzer.errors import UsageError

CONTEXTS = {context.command_path: context for context in list_commands(build_full_command(), PROGRAM)}


@pytest.mark.parametrize("name", CONTEXTS)
def test_a_page_has_each_option_and_argument_of_the_help(name: str) -> None:
    context = CONTEXTS[name]
    page = format_page(context, "1.0").replace("\\-", "-")
    assert page.startswith(".TH ") and ".SH NAME" in page and ".SH SYNOPSIS" in page
    for parameter in context.command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            assert all(option in page for option in parameter.opts), parameter.opts
    if isinstance(context.command, click.Group):
        assert all(f"{name} {child}" in page for child in context.command.commands)
    known_requests = r"\.(?:TH|SH|PP|TP|nf|fi|RS|RE)\b"
    assert not [
        line for line in page.splitlines() if line.startswith((".", "'")) and not re.match(known_requests, line)
    ]


def test_the_page_of_analyze_has_its_groups_and_examples() -> None:
    page = format_page(CONTEXTS[f"{PROGRAM} analyze"], "1.0").replace("\\-", "-")
    for words in (".SH INPUT", ".SH OUTPUT", ".SH PRIVACY", ".SH EXAMPLES", "kubectl logs", "--fail-on", "--sarif"):
        assert words in page


def test_an_unknown_command_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="no command analyse"):
        find_command(build_full_command(), ["analyse"], PROGRAM)


def test_the_command_prints_one_page_and_writes_all(tmp_path: Path) -> None:
    assert call_for_text("man", "rules", "lint").stdout.startswith('.TH "TF\\-POSTMORTEM\\-RULES\\-LINT" "1"')
    result = call_for_text("man", "-o", tmp_path / "man1")
    assert result.returncode == 0, result.stderr
    names = {page.name for page in (tmp_path / "man1").iterdir()}
    assert {"tf-postmortem.1", "tf-postmortem-analyze.1", "tf-postmortem-history-report.1"} <= names
    assert len(names) == len(CONTEXTS)


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff on this machine")
def test_groff_reads_every_page_without_a_warning() -> None:
    pages = "".join(format_page(context, "1.0") for context in CONTEXTS.values())
    result = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8"], input=pages, capture_output=True, text=True)
    assert result.stderr == ""
