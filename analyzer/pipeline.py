"""The whole flow on one screen: bundle → sources → events → timeline → findings → incident."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.assembly.assemble import assemble
from analyzer.bundle import BundleLimits, Input, list_input_files
from analyzer.diagnosis.build_incident import build_incident
from analyzer.diagnosis.templates import KnownTemplates
from analyzer.engine.ingest import IngestResult, read_input_files, read_small_text
from analyzer.engine.monitor import ProgressMonitor
from analyzer.engine.parts import PartPlan, plan_parts, split_into_parts
from analyzer.errors import InputError
from analyzer.incident import Incident
from analyzer.paths import cache_dir, is_folder
from analyzer.reading import ReadPlan, build_plan
from analyzer.rules.packs.cache import load_packs
from analyzer.rules.packs.user_packs import UserPacks, find_user_packs
from analyzer.rules.types import Packs

__all__ = ["IngestResult", "Options", "analyze", "diagnose", "read_inputs", "read_small_text"]


LOW_MEMORY_NOTE = "Memory allows fewer reading processes than requested: {jobs}."
MAX_LOGGED_REASONS = 10
MAX_LISTED_FAILURES = 5  # files that an error names with why they cannot be read
STOPPED_NOTE = "Reading was stopped early: the content of the remaining files is unknown."
_log = logging.getLogger("analyzer.pipeline")


@dataclass(frozen=True, slots=True)
class Options:
    """How an analysis is done."""

    rules: tuple[Path, ...] = ()
    limits: BundleLimits = field(default_factory=BundleLimits)
    monitor: ProgressMonitor = field(default_factory=ProgressMonitor)
    jobs: int | None = None  # processes; None: as many as the machine has cores and the input is worth
    good_run_templates: tuple[str, ...] | None = None  # templates of the error lines of a good run
    engine: str = "local"  # or "dask"
    scheduler: str | None = None  # of dask; None: from Dask's own configuration
    config: Path | None = None  # used instead of the current folder's tf-postmortem.toml
    compared_inputs: tuple[Input, ...] = ()  # of another analysis: a configuration that came with them is not read


def analyze(inputs: Sequence[Input], options: Options | None = None) -> Incident:
    """Return the incident in `inputs`. Raises InputError if nothing can be read, and RuleError if a pack does not
    exist.
    """
    options = options or Options()
    cache = cache_dir()
    packs = load_packs(options.rules, cache, _find_user_packs(inputs, options))
    plan = build_plan(packs, cache)
    good_run = None if options.good_run_templates is None else KnownTemplates(options.good_run_templates)
    return diagnose(read_inputs(inputs, plan, options, packs), packs, good_run)


def _find_user_packs(inputs: Sequence[Input], options: Options) -> UserPacks:
    return find_user_packs(inputs=(*inputs, *options.compared_inputs), config=options.config)


def diagnose(ingested: IngestResult, packs: Packs, good_run: KnownTemplates | None = None) -> Incident:
    """Return the incident in what was read. `good_run`: templates of error lines that a good run has, too."""
    assembly = assemble(ingested.results, ingested.cores, ingested.other_sources, packs)
    notes = (*map(str, packs.problems), *ingested.notes)
    del ingested  # frees the memory of up to a hundred thousand sources
    return build_incident(assembly, packs, notes, good_run)


def read_inputs(inputs: Sequence[Input], plan: ReadPlan, options: Options, packs: Packs | None = None) -> IngestResult:
    """Read all inputs.

    Several processes read only if `packs` are given, because each compiles a plan of its own from them. Raises
    InputError if nothing can be read.
    """
    parts = split_into_parts(list_input_files(inputs))
    sysroots = [path for path in inputs if isinstance(path, Path) and is_folder(path)]
    options.monitor.begin(sum(part.size for part in parts))
    part_plan = PartPlan(parts) if options.engine == "dask" or not packs else plan_parts(parts, options.jobs)
    if options.engine == "dask" and packs:
        from analyzer.engine import cluster  # heavy, and an extra

        ingested = cluster.read_parts_on_cluster(
            parts, packs, options.limits, sysroots, options.scheduler, options.monitor
        )
    elif part_plan.jobs > 1 and packs:
        from analyzer.engine.processes import read_parts_in_processes  # a small bundle does not need it

        ingested = read_parts_in_processes(
            part_plan.parts, packs, plan, options.limits, sysroots, part_plan.jobs, options.monitor
        )
    else:
        files = [item for part in parts for item in part.items]
        ingested = read_input_files(files, plan, options.limits, sysroots, options.monitor)
    ingested.finish()
    if options.jobs and part_plan.is_memory_limited:
        ingested.notes.append(LOW_MEMORY_NOTE.format(jobs=part_plan.jobs))
    if options.monitor.should_stop():
        ingested.notes.append(STOPPED_NOTE)
    _log_reading(ingested)
    options.monitor.begin_diagnosis(len(ingested.results) + len(ingested.cores))
    if not ingested.cores and all(result.status == "failed" for result in ingested.results):
        raise _nothing_read_error(ingested)
    return ingested


def _log_reading(ingested: IngestResult) -> None:
    """Log how many sources were read, and what was not read and why, folded by reason."""
    if not _log.isEnabledFor(logging.INFO):
        return
    _log.info("%d text sources and %d cores were read", len(ingested.results), len(ingested.cores))
    unread: dict[str, list[str]] = {}
    for source in ingested.other_sources:
        if source.status != "read":
            unread.setdefault(source.problem or source.status, []).append(source.file)
    for reason, files in sorted(unread.items(), key=lambda item: -len(item[1]))[:MAX_LOGGED_REASONS]:
        _log.info("files not read as text: %d, such as %s: %s", len(files), files[0], reason)


def _nothing_read_error(ingested: IngestResult) -> InputError:
    if STOPPED_NOTE in ingested.notes:
        return InputError("the reading was stopped before any file was read", "there is nothing to report yet")
    broken = [
        *(f"{result.file}: {result.problem}" for result in ingested.results),
        *(f"{source.file}: {source.problem}" for source in ingested.other_sources),
    ]
    listed = "\n".join(
        (
            *broken[:MAX_LISTED_FAILURES],
            *([f"and {len(broken) - MAX_LISTED_FAILURES:,} more"] if len(broken) > MAX_LISTED_FAILURES else []),
        )
    )
    return InputError(
        f"nothing in the input could be read as a log or a core file{':' if listed else ''}\n{listed}".rstrip(),
        "give a tarball, a folder or a file with logs of the job's nodes",
    )
