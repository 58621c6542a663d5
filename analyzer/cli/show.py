"""`tf-postmortem show`: an earlier report again, in any of the outputs; and the outputs themselves."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import _panels as panel
from analyzer.cli._config import Config, choose_packs
from analyzer.cli._outputs import chosen_files, write_target
from analyzer.cli._redaction import check_output, choose_incident_names, redact_incident
from analyzer.errors import UsageError
from analyzer.report.forms import output_forms

if TYPE_CHECKING:
    from analyzer.redact.rename import Renaming
    from analyzer.report.document import WrittenIncident
    from analyzer.rules.packs.user_packs import UserPacks

Redact = Annotated[
    bool,
    typer.Option(
        "--redact",
        help="Replace hosts, addresses, users and buckets with stable made-up names.",
        rich_help_panel=panel.PRIVACY,
    ),
]
RedactWord = Annotated[
    list[str] | None,
    typer.Option(
        "--redact-word",
        metavar="WORD",
        help="With --redact: hide this word too; repeatable.",
        rich_help_panel=panel.PRIVACY,
    ),
]
RedactMap = Annotated[
    Path | None,
    typer.Option(
        "--redact-map",
        metavar="FILE",
        help="With --redact: file for the original names; default: beside the first output.",
        rich_help_panel=panel.PRIVACY,
    ),
]
MetaValues = Annotated[
    list[str] | None,
    typer.Option(
        "--meta",
        metavar="KEY=VALUE",
        help="Show this in the header of every output, such as ticket=OPS-41 or commit=1a2b3c; repeatable. Annotations "
        "and code quality reports have no header.",
        rich_help_panel=panel.OUTPUT,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option("-q", "--quiet", help="Print neither the summary nor the progress.", rich_help_panel=panel.OUTPUT),
]
MAX_META, MAX_META_CHARS = 20, 500  # entries; characters of a value


def add_to(app: typer.Typer) -> None:
    app.command(name="show")(show)


def show(
    report: Annotated[
        Path, typer.Argument(help="A report that `analyze` wrote with -o or --json.", show_default=False)
    ],
    redacted: Redact = False,
    redact_word: RedactWord = None,
    redact_map: RedactMap = None,
    config: Config = None,
    meta: MetaValues = None,
    quiet: Quiet = False,
) -> None:
    """Read an HTML or JSON report: print its summary, or convert it to another format."""
    from analyzer.report.reader import read_incident

    outputs = Outputs(
        files=chosen_files(),
        quiet=quiet,
        redact=redacted,
        redact_words=tuple(redact_word or ()),
        redact_map=redact_map,
        meta=read_meta(meta or ()),
    )
    outputs.check()
    incident = read_incident(report)
    incident.meta.update(outputs.meta)
    write_outputs(incident, outputs, user=choose_packs((), config, redacted))


def read_meta(pairs: Sequence[str]) -> dict[str, str]:
    """Return the entries of `--meta KEY=VALUE`, secrets masked. Raises UsageError for an invalid pair, and for too
    many pairs.
    """
    from analyzer.report.job_facts import mask_meta

    entries: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (equals and key.strip() and value.strip()):
            raise UsageError(f"--meta {pair!r} is not KEY=VALUE", "as in --meta ticket=OPS-41")
        entries[key.strip()[:80]] = value.strip()[:MAX_META_CHARS]
    if len(entries) > MAX_META:
        raise UsageError(f"--meta is given {len(entries)} times", f"give at most {MAX_META}")
    return mask_meta(entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """What a command that has an incident is asked to write: `files` by the names of the forms (`report/forms/`)."""

    files: Mapping[str, str]
    quiet: bool = False
    redact: bool = False
    redact_words: tuple[str, ...] = field(default=())
    redact_map: Path | None = None
    meta: Mapping[str, str] = field(default_factory=dict)

    @property
    def targets(self) -> Mapping[str, str]:
        """Return option → its file."""
        return {output_forms()[name].options[0]: file for name, file in self.files.items()}

    def check(self, inputs: Sequence[str] = ()) -> None:
        """Check the outputs before anything is read. Raises UsageError for contradictory options, AnalyzerError for a
        file that cannot be written.
        """
        for option, target in {
            **self.targets,
            **({"--redact-map": str(self.redact_map)} if self.redact_map else {}),
        }.items():
            if any(_is_same_file(target, path) for path in inputs):
                raise UsageError(f"{option} {target} would overwrite the input", "choose another file")
        wanting = [option for option, target in self.targets.items() if target == "-"]
        if len(wanting) > 1:
            raise UsageError(
                f"{' and '.join(f'{name} -' for name in wanting)} both write to standard output",
                "write at least one of them to a file",
            )
        self._check_files()
        if (self.redact_words or self.redact_map) and not self.redact:
            raise UsageError("--redact-word and --redact-map work only with --redact", "add --redact")

    def _check_files(self) -> None:
        html_suffix = Path(self.files.get("html", "")).suffix.lower()
        for form in output_forms().values():
            if form.name != "html" and html_suffix in form.suffixes:
                html = self.files["html"]
                raise UsageError(
                    f"-o writes HTML, but {html} has the suffix of another format", f"give {form.options[0]} {html}"
                )
        from analyzer.report.output_file import check_writable

        for option, target in self.targets.items():
            if not target or (target.startswith("-") and target != "-"):
                hint = f"give a file name, as in {option} FILE; write ./{target} for a file with that name"
                raise UsageError(f"{option} needs a file name, but the next word is {target!r}", hint)
        files = [Path(target).absolute() for target in self.targets.values() if target != "-"]
        if twice := next((file for file in files if files.count(file) > 1), None):
            raise UsageError(f"{twice.name} is the file of two outputs", "choose a different file for each")
        for file in files:
            check_writable(file)


def _is_same_file(target: str, given: str) -> bool:
    try:
        return Path(target).samefile(given)
    except (OSError, ValueError):
        return False


def write_outputs(
    incident: WrittenIncident, outputs: Outputs, renaming: Renaming | None = None, user: UserPacks | None = None
) -> None:
    """Write all requested outputs. Write nothing if redaction would leave a name behind.

    `renaming`: the renaming that already redacted the incident, or None. `user`: as for `choose_names`.
    """
    if outputs.redact and renaming is None:
        renaming = choose_incident_names(incident, outputs.redact_words, user_packs=user)
        incident = redact_incident(incident, renaming)
    rendered = [(file, output_forms()[name].render(incident)) for name, file in outputs.files.items()]
    if renaming is not None:
        rendered = [
            (target, check_output(text if isinstance(text, str) else "".join(text), renaming))
            for target, text in rendered
        ]
        _write_redaction_map(renaming, outputs)
    for target, text in rendered:
        write_target(target, text)
    if not outputs.quiet:
        _print_summary(incident, outputs, renaming)


def _write_redaction_map(renaming: Renaming, outputs: Outputs) -> None:
    """Write the map from made-up name to original name, readable by its owner alone."""
    from analyzer.redact.rename import original_by_name
    from analyzer.report.output_file import write_output_file

    targets = [outputs.redact_map, *(Path(target) for target in outputs.targets.values() if target != "-")]
    first = next((target for target in targets if target is not None), None)
    if first is None:
        sys.stderr.write("the original names are not saved; --redact-map FILE saves them\n")
        return
    path = first if first == outputs.redact_map else first.with_name(first.stem + ".originals.json")
    write_output_file(path, json.dumps(original_by_name(renaming), ensure_ascii=False, indent=1) + "\n", mode=0o600)
    sys.stderr.write(f"wrote {len(renaming.identifiers)} original names to {path} (do not share this file)\n")


def _print_summary(incident: WrittenIncident, outputs: Outputs, renaming: Renaming | None) -> None:
    """Print the summary to standard output, unless an output goes there."""
    from analyzer.cli._streams import console_stderr, console_stdout
    from analyzer.report.controls import show_controls
    from analyzer.report.terminal import print_terminal, render_plain

    if renaming is not None:
        check_output(render_plain(incident), renaming)
    file = console_stderr() if "-" in outputs.targets.values() else console_stdout()
    print_terminal(incident, file)
    if (html := outputs.files.get("html", "-")) != "-":
        file.write(f"report: {show_controls(html)}\n")
