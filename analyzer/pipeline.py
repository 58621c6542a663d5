"""The whole flow on one screen: bundle → sources → events → timeline → findings → incident."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.assembly.assemble import assemble
from analyzer.bundle import Input, Limits, list_places
from analyzer.diagnosis.conclude import conclude
from analyzer.diagnosis.templates import Known
from analyzer.engine.members import Intake, read_places, read_small
from analyzer.engine.parts import Dealt, deal_out, split
from analyzer.engine.watch import Watch
from analyzer.errors import InputError
from analyzer.incident import Incident
from analyzer.paths import cache_dir, is_folder
from analyzer.reading import Plan, build_plan
from analyzer.rules.cache import load_packs
from analyzer.rules.types import Packs
from analyzer.rules.user import find_user_packs

__all__ = ["Intake", "Options", "analyze", "diagnose", "read_all", "read_small"]


SHORT = "There was memory for {jobs} reading process(es), fewer than were asked for."
TOLD = 5  # files of which an error says why they cannot be read
STOPPED = "The reading was stopped before its end: what the files after that point hold is not known."


@dataclass(frozen=True, slots=True)
class Options:
    rules: tuple[Path, ...] = ()
    limits: Limits = field(default_factory=Limits)
    watch: Watch = field(default_factory=Watch)
    jobs: int | None = None  # processes; None: as many as the machine has cores and the input is worth
    good: tuple[str, ...] | None = None  # templates of the error lines of a good run
    engine: str = "local"  # or "dask"
    scheduler: str | None = None  # of dask; None: as Dask's own configuration says
    config: Path | None = None  # read instead of the current folder's tf-postmortem.toml


def analyze(inputs: Sequence[Input], options: Options | None = None) -> Incident:
    """Raises InputError where nothing can be read and RuleError where a pack does not exist."""
    options = options or Options()
    cache = cache_dir()
    packs = load_packs(options.rules, cache, find_user_packs(inputs=inputs, config=options.config))
    plan = build_plan(packs, cache)
    good = None if options.good is None else Known(options.good)
    return diagnose(read_all(inputs, plan, options, packs), packs, good)


def diagnose(intake: Intake, packs: Packs, good: Known | None = None) -> Incident:
    assembly = assemble(intake.results, intake.cores, intake.others, packs)
    notes = (*map(str, packs.problems), *intake.notes)
    del intake  # a hundred thousand sources, whose place the answer takes
    return conclude(assembly, packs, notes, good)


def read_all(inputs: Sequence[Input], plan: Plan, options: Options, packs: Packs | None = None) -> Intake:
    """In several processes where `packs` are given, from which those make a plan of their own."""
    parts = split(list_places(inputs))
    sysroots = [path for path in inputs if isinstance(path, Path) and is_folder(path)]
    options.watch.begin(sum(part.size for part in parts))
    dealt = Dealt(parts) if options.engine == "dask" or not packs else deal_out(parts, options.jobs)
    if options.engine == "dask" and packs:
        from analyzer.engine import cluster  # heavy, and an extra

        intake = cluster.read_parts(parts, packs, options.limits, sysroots, options.scheduler, options.watch)
    elif dealt.jobs > 1 and packs:
        from analyzer.engine.processes import read_parts  # what a small bundle does without

        intake = read_parts(dealt.parts, packs, plan, options.limits, sysroots, dealt.jobs, options.watch)
    else:
        places = [item for part in parts for item in part.items]
        intake = read_places(places, plan, options.limits, sysroots, options.watch)
    intake.close()
    if options.jobs and dealt.short:
        intake.notes.append(SHORT.format(jobs=dealt.jobs))
    if options.watch.stopped():
        intake.notes.append(STOPPED)
    options.watch.judge(len(intake.results) + len(intake.cores))
    if not intake.cores and all(result.status == "failed" for result in intake.results):
        raise _nothing_read(intake)
    return intake


def _nothing_read(intake: Intake) -> InputError:
    if STOPPED in intake.notes:
        return InputError("the reading was stopped before any file was read", "there is nothing to report yet")
    broken = [
        *(f"{result.file}: {result.problem}" for result in intake.results),
        *(f"{source.file}: {source.problem}" for source in intake.others),
    ]
    told = "\n".join((*broken[:TOLD], *([f"and {len(broken) - TOLD:,} more"] if len(broken) > TOLD else [])))
    return InputError(
        f"nothing in the input could be read as a log or a core file{':' if told else ''}\n{told}".rstrip(),
        "give a tarball, a folder or a file with the logs of the job's nodes",
    )
