"""For programs and notebooks: `from tf_postmortem import analyze; analyze("bundle.tar.gz")`."""

from __future__ import annotations

import html
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.incident import Finding, Incident, RootCause
from analyzer.model import Node

if TYPE_CHECKING:
    import pandas as pd

    from analyzer.bundle import BundleLimits
    from analyzer.bundle import Input as BundleInput
    from analyzer.pipeline import Options
    from analyzer.redact.rename import Renaming
    from analyzer.report.document import WrittenIncident

Input = str | PathLike[str]
ProgressCallback = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Analysis:
    """The result for one incident. A notebook displays it as its report.

    `incident` has the typed objects; their times are seconds since the epoch, UTC, as the sources stated them. With
    `redact`, they and the timeline keep the original names, and all that is written or shown has made-up ones.
    """

    incident: Incident
    _prepared: WrittenIncident | None = field(default=None, repr=False)
    _renaming: Renaming | None = field(default=None, repr=False)

    @property
    def verdict(self) -> str:
        """`diagnosed`, `undiagnosed` or `no-failure`."""
        return self.incident.verdict

    @property
    def root_causes(self) -> tuple[RootCause, ...]:
        """Most likely first; empty unless diagnosed."""
        return self.incident.root_causes

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every rule that held, with its evidence."""
        return self.incident.findings

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes, with their clocks: offset and error in seconds."""
        return self.incident.nodes

    @cached_property
    def timeline(self) -> pd.DataFrame:
        """One row an event, in corrected order.

        Columns: corrected, time (datetime64 in UTC, NaT if unknown), node, task, severity, signal, file (text), line
        (Int64), text, inferred (bool: the time is that of an earlier line).
        """
        from analyzer.timeline.dataframe import make_dataframe

        return make_dataframe(self.incident)

    @cached_property
    def data(self) -> Mapping[str, object]:
        """The object of incident.json; its schema is `tf-postmortem schema incident`."""
        from analyzer.report.encode import to_plain

        plain: Mapping[str, object] = to_plain(self._written)
        return plain

    @cached_property
    def _written(self) -> WrittenIncident:
        from analyzer.report.json import write_incident

        return self._prepared or write_incident(self.incident)

    def to_html(self) -> str:
        """Return the whole report as one HTML file."""
        return self.render("html")

    def to_markdown(self) -> str:
        """Return a text for a ticket, of at most 65,536 characters."""
        return self.render("markdown")

    def render(self, form: str) -> str:
        """Return any output of the command: `html`, `json`, `markdown`, `jira`, `gitlab`, `brief`, `sarif`, `junit`,
        `annotations`, `code-quality`. Raises UsageError for another word, and AnalyzerError if a name that is to be
        redacted would stay.
        """
        from analyzer.errors import UsageError
        from analyzer.report.forms import output_forms
        from analyzer.report.redaction import check_output

        if form not in output_forms():
            raise UsageError(f"{form} is not an output form", f"choose one of {', '.join(output_forms())}")
        return check_output("".join(output_forms()[form].render(self._written)), self._renaming)

    def _repr_html_(self) -> str:
        # A frame isolates the report's style and its content security policy.
        inside = html.escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{inside}" sandbox="allow-scripts" style="width:100%;height:80vh;border:0"></iframe>'

    def __repr__(self) -> str:
        first = self.root_causes[0].finding if self.root_causes else None
        cause = f": {first.cause} on {first.node or 'no single node'}" if first else ""
        return f"<{type(self).__name__} {self.verdict}{cause}>"


def analyze(
    *inputs: Input,
    rules: Sequence[Input] = (),
    config: Input | None = None,
    baseline: Input | None = None,
    limits: BundleLimits | None = None,
    jobs: int | None = None,
    engine: str = "local",
    scheduler: str | None = None,
    redact: bool = False,
    redact_words: Sequence[str] = (),
    history: Input | None = None,
    meta: Mapping[str, str] | None = None,
    progress: ProgressCallback | None = None,
) -> Analysis:
    """Read tarballs, zips, folders, logs or cores of one incident, also behind URLs, and find what failed first.

    `rules`: more rule packs, files or folders. `config`: a configuration to use instead of `tf-postmortem.toml` in
    the current folder. `baseline`: a bundle or report of a good run, whose error lines rank last. `limits` bound
    archives (`analyzer.bundle.BundleLimits`); `jobs`, `engine` and `scheduler` are those of the command line, as are
    `redact` with `redact_words`, the folder `history`, and `meta`, which is shown in the header. `progress` is called
    with the file that is read, the bytes read so far and the bytes in all; what it raises ends the analysis. Without
    it a notebook shows a bar. Raises `analyzer.errors.InputError` if nothing can be read, `RuleError` if one of
    `rules` does not exist, and `UsageError` if `config` does not exist; an error inside a pack is one of the notes.
    Nothing is printed, and nothing is written but the history.
    """
    from analyzer.bundle import BundleLimits, parse_input
    from analyzer.engine.monitor import CallbackMonitor, ProgressMonitor
    from analyzer.pipeline import Options
    from analyzer.pipeline import analyze as run
    from analyzer.report.reader import is_report

    progress = progress or _make_notebook_progress()
    options = Options(
        rules=tuple(Path(pack) for pack in rules),
        config=None if config is None else Path(os.fspath(config)),
        limits=limits or BundleLimits(),
        monitor=CallbackMonitor(progress) if progress else ProgressMonitor(),
        jobs=jobs,
        engine=engine,
        scheduler=scheduler,
    )
    opened = [parse_input(os.fspath(source)) for source in inputs]
    if baseline is not None:
        good_run = Path(os.fspath(baseline))
        templates = _templates_of(good_run, replace(options, compared_inputs=tuple(opened)))
        compared = () if is_report(good_run) else (good_run,)
        options = replace(options, good_run_templates=templates, compared_inputs=compared)
    incident = run(opened, options)
    if not (redact or history or meta):
        return Analysis(incident)
    written, renaming = _prepare(incident, options, opened, tuple(redact_words) if redact else None, meta or {})
    if history is not None:
        from analyzer.history import recall

        written.history, _ = recall(written, Path(os.fspath(history)), without_names=redact)
    return Analysis(incident, written, renaming)


def _prepare(
    incident: Incident,
    options: Options,
    inputs: Sequence[BundleInput],
    redact_words: Sequence[str] | None,
    meta: Mapping[str, str],
) -> tuple[WrittenIncident, Renaming | None]:
    """Return the incident as it is to be written, and the renaming. `redact_words`: None if nothing is redacted."""
    from analyzer.report.job_facts import mask_meta
    from analyzer.report.json import write_incident
    from analyzer.report.redaction import redact_written
    from analyzer.rules.packs.user_packs import find_user_packs

    written = write_incident(incident)
    written.meta.update(mask_meta(meta))
    if redact_words is None:
        return written, None
    packs = find_user_packs(inputs=(*inputs, *options.compared_inputs), config=options.config)
    return redact_written(written, redact_words, packs)


def _make_notebook_progress() -> ProgressCallback | None:
    """Return a callback that moves a progress bar below the cell; None outside of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if not hasattr(shell, "kernel"):  # a terminal has none
        return None
    from IPython.display import ProgressBar

    bar = ProgressBar(100)
    bar.display()

    def show(_: str, read: int, total: int) -> None:
        percent = 100 * read // total if total else 100
        if percent != bar.progress:
            bar.progress = percent

    return show


def _templates_of(good_run: Path, options: Options) -> tuple[str, ...]:
    """Return the templates of the error lines of a good run, a bundle or a report."""
    from analyzer.pipeline import analyze as run
    from analyzer.report.reader import is_report, read_incident

    if is_report(good_run):
        return tuple(row.template for row in read_incident(good_run).unclassified)
    return tuple(row.template for row in run([good_run], options).unclassified)
