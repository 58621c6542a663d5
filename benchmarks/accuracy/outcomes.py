"""Cases, each built, analyzed and scored, on several cores."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from accuracy import answers, cases
from accuracy.run_files import load_causes, load_runs
from accuracy.runs import Run
from accuracy.sampling import Draw
from accuracy.score import Score, score
from accuracy.splits import Part, part_of


@dataclass(frozen=True, slots=True)
class Outcome:
    draw: Draw
    fault: str  # of a healthy run: what about it might be taken for one
    program: str
    part: Part
    wanted: str  # cause and culprits, as the truth has them
    answer: str  # the first causes with node and confidence, as the analysis has them
    scores: Mapping[str, Score]  # by who answers, see answers.ANSWERS


@cache
def recorded() -> Mapping[str, Run]:
    """By name; read once in a process, and by those that are forked of it not at all."""
    return {run.name: run for run in load_runs(load_causes())}


def measure(draws: Sequence[Draw], jobs: int) -> Iterator[Outcome]:
    """In the order of the draws."""
    recorded()
    if jobs == 1:
        yield from map(try_case, draws)
        return
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        yield from pool.imap(try_case, draws, chunksize=4)


def try_case(draw: Draw) -> Outcome:
    run = recorded()[draw.run]
    bundle = cases.build(draw, recorded())
    with tempfile.TemporaryDirectory(prefix="accuracy-") as scratch:
        folder = Path(scratch) / "bundle"
        folder.mkdir()
        cases.write(bundle.files, folder)
        incident = answers.analyze(folder)
    given = {who: find(incident) if incident else [] for who, find in answers.ANSWERS.items()}
    scores = {who: score(run.truth, bundle.culprits, bundle.tellable, answer) for who, answer in given.items()}
    return Outcome(
        draw,
        run.fault if run.fault != "none" else f"none: {run.variation}",
        run.program,
        part_of(run, draw.collector),
        " ".join((run.truth.cause, *run.truth.culprits)),
        ", ".join(f"{guess.cause} on {guess.node} {guess.confidence:.2f}" for guess in given["analysis"][:3])
        or (incident.verdict if incident else "unreadable"),
        scores,
    )
