"""For programs and notebooks: `from analyzer import analyze; analyze("bundle.tar.gz")`."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.incident import Finding, Incident, RootCause
from analyzer.model import Node

if TYPE_CHECKING:
    import pandas as pd

    from analyzer.bundle import BundleLimits
    from analyzer.pipeline import Options
    from analyzer.report.document import WrittenIncident

Input = str | PathLike[str]


@dataclass(frozen=True)
class Analysis:
    """The result for one incident. A notebook displays it as its report.

    `incident` has the typed objects; their times are seconds since the epoch, UTC, as the sources stated them.
    """

    incident: Incident

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

        return write_incident(self.incident)

    def to_html(self) -> str:
        """Return the whole report as one HTML file."""
        from analyzer.report.html import render_html

        return render_html(self._written)

    def to_markdown(self) -> str:
        """Return a text for a ticket, of at most 65,536 characters."""
        from analyzer.report.markdown import render_markdown

        return render_markdown(self._written)

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
    progress: Callable[[str, int, int], None] | None = None,
) -> Analysis:
    """Read tarballs, zips, folders, logs or cores of one incident, also behind URLs, and find what failed first.

    `rules`: more rule packs, files or folders. `config`: a configuration to use instead of `tf-postmortem.toml` in
    the current folder. `baseline`: a bundle or report of a good run, whose error lines rank last. `limits` bound
    archives (`analyzer.bundle.BundleLimits`); `jobs`, `engine` and `scheduler` are those of the command line.
    `progress` is called with the file that is read, the bytes read so far and the bytes in all; what it raises ends
    the analysis. Raises `analyzer.errors.InputError` if nothing can be read, `RuleError` if one of `rules` does not
    exist, and `UsageError` if `config` does not exist; an error inside a pack is one of the notes. Nothing is
    printed, and nothing is written beside the inputs.
    """
    from analyzer.bundle import BundleLimits, parse_input
    from analyzer.engine.monitor import CallbackMonitor, ProgressMonitor
    from analyzer.pipeline import Options
    from analyzer.pipeline import analyze as run
    from analyzer.report.reader import is_report

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
    return Analysis(run(opened, options))


def _templates_of(good_run: Path, options: Options) -> tuple[str, ...]:
    """Return the templates of the error lines of a good run, a bundle or a report."""
    from analyzer.pipeline import analyze as run
    from analyzer.report.reader import is_report, read_incident

    if is_report(good_run):
        return tuple(row.template for row in read_incident(good_run).unclassified)
    return tuple(row.template for row in run([good_run], options).unclassified)
