"""`tf-postmortem mcp`: answers an assistant's questions about one incident over the Model Context Protocol."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
import typer

from analyzer.cli._config import Config, choose_packs
from analyzer.cli._inputs import STANDARD_INPUT, check_anything_read, open_inputs
from analyzer.cli._redaction import check_output, choose_incident_names
from analyzer.cli.show import Redact, RedactWord
from analyzer.errors import AnalyzerError, UsageError

if TYPE_CHECKING:
    from analyzer.bundle import Input
    from analyzer.inquiry.questions import IncidentQuestions
    from analyzer.redact.rename import Renaming
    from analyzer.report.document import WrittenIncident
    from analyzer.rules.packs.user_packs import UserPacks


def add_to(app: typer.Typer) -> None:
    app.command(name="mcp", epilog=EXAMPLE)(mcp)


EXAMPLE = """Example:

  claude mcp add incident -- tf-postmortem mcp incident.tar.zst --redact"""


def mcp(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT...",
            help="As for `analyze`, or one earlier report.",
            show_default=False,
            click_type=click.Path(),
        ),
    ],
    config: Config = None,
    redact: Redact = False,
    redact_word: RedactWord = None,
) -> None:
    """Answer an assistant's questions about one incident over standard input and output (MCP), read-only.

    The tools are facts, files, timeline, lines, search and why_not. An answer has at most 20,000 characters.

    No file outside the incident is read.
    """
    if STANDARD_INPUT in inputs:
        raise UsageError("standard input (-) carries the protocol", "give the bundle as a file")
    if redact_word and not redact:
        raise UsageError("--redact-word works only with --redact", "add --redact")
    try:
        from analyzer.inquiry.server import make_server
    except ImportError:
        raise AnalyzerError(
            "`mcp` needs the extra `mcp`", "pip install 'tf-postmortem[mcp]', or pipx inject tf-postmortem mcp"
        ) from None
    user_packs = choose_packs(inputs, config, redact)
    words = tuple(redact_word or ()) if redact else None
    report = Path(inputs[0]) if len(inputs) == 1 else None
    from analyzer.report.reader import is_report

    if report and is_report(report):
        questions = ask_report(report, words, user_packs)
        make_server(questions).run("stdio")
        return
    with open_inputs(inputs) as opened:
        questions = ask_bundle(opened, config, words, user_packs)
        sys.stderr.write("ready for questions on standard input\n")
        make_server(questions).run("stdio")


def ask_report(report: Path, redact_words: Iterable[str] | None, user_packs: UserPacks) -> IncidentQuestions:
    """Return the questions about an earlier report. `redact_words`: None if nothing is redacted."""
    from analyzer.inquiry.questions import IncidentQuestions
    from analyzer.inquiry.texts import QuotedLines
    from analyzer.report.reader import read_incident

    incident = read_incident(report)
    return IncidentQuestions(incident, QuotedLines(incident), None, _Names(incident, redact_words, user_packs))


def ask_bundle(
    inputs: list[Input], config: Path | None, redact_words: Iterable[str] | None, user_packs: UserPacks
) -> IncidentQuestions:
    """Analyze the inputs and return the questions about them."""
    from analyzer.cli.rules_explain import explain_rule_of
    from analyzer.inquiry.questions import IncidentQuestions
    from analyzer.inquiry.texts import BundleLines
    from analyzer.paths import cache_dir
    from analyzer.pipeline import Options, analyze
    from analyzer.report.json import write_incident
    from analyzer.rules.packs.cache import load_packs

    packs = load_packs((), cache_dir(), user_packs)
    incident = write_incident(analyze(inputs, Options(config=config)))
    check_anything_read(incident)
    names = _Names(incident, redact_words, user_packs)
    return IncidentQuestions(incident, BundleLines(inputs), lambda rule: explain_rule_of(inputs, rule, packs), names)


class _Names:
    """The names of an incident and, after it, those of the texts that were answered: all keep their made-up names."""

    def __init__(self, incident: WrittenIncident, words: Iterable[str] | None, user_packs: UserPacks) -> None:
        from analyzer.redact.rename import original_by_name

        self._incident, self._user_packs = incident, user_packs
        self._words = None if words is None else tuple(words)
        self._texts: dict[str, None] = {}
        self._renaming = self._choose()
        self._originals = original_by_name(self._renaming) if self._renaming else {}

    def hide(self, text: str) -> str:
        if self._renaming is None:
            return text
        self._texts[text] = None
        renaming = self._choose()
        assert renaming is not None
        return check_output(renaming.replace_names(text), renaming)

    def hide_name(self, name: str) -> str:
        return self._renaming.replace_names(name) if self._renaming else name

    def reveal(self, text: str) -> str:
        for name in sorted(self._originals, key=len, reverse=True):
            text = text.replace(name, self._originals[name])
        return text

    def _choose(self) -> Renaming | None:
        if self._words is None:
            return None
        return choose_incident_names(self._incident, self._words, self._texts, self._user_packs)
