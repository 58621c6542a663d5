"""`make accuracy`: draws cases, analyzes them and prints how often the answers are right."""

from __future__ import annotations

import argparse
import fnmatch
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from accuracy import cases
from accuracy.collectors import load_collectors
from accuracy.corpus import measure_corpus
from accuracy.disturbances import load_disturbances
from accuracy.outcomes import measure, recorded, try_case
from accuracy.run_files import RunError
from accuracy.sampling import draw_cases, parse_draw
from accuracy.score import add_up
from accuracy.scoreboard import compare_faults, render, summary

SORTS: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "run": ("runs", lambda run: run.name),
    "fault": ("runs", lambda run: run.fault),
    "program": ("runs", lambda run: run.program),
    "collector": ("collectors", lambda collector: collector.name),
    "disturbance": ("disturbances", lambda disturbance: disturbance.name),
}


def main() -> None:
    options = _options().parse_args()
    try:
        _run(options)
    except RunError as error:
        raise SystemExit(f"error: {error}") from error


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="accuracy", description=__doc__)
    parser.add_argument("--number", "-n", type=int, default=2000, help="cases to draw")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--only", default="", help=f"PATTERNs such as 'fault=nan* collector=cri'; of {', '.join(SORTS)}"
    )
    parser.add_argument("--case", default="", help="RUN/COLLECTOR/DISTURBANCES/SEED, as the table names it")
    parser.add_argument("--write", type=Path, help="write the bundle of --case into this folder; analyze nothing")
    parser.add_argument("--corpus", type=Path, help="a folder of labelled bundles: one more row")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, help="also write the tables to this file")
    return parser


def _run(options: argparse.Namespace) -> None:
    if options.case:
        _show_case(options)
        return
    if options.write:
        raise SystemExit("error: --write needs --case: which bundle to write")
    began = time.monotonic()
    pool = _select(options.only)
    draws = list(draw_cases(pool["runs"], pool["collectors"], pool["disturbances"], options.number, options.seed))
    outcomes = []
    for number, outcome in enumerate(measure(draws, options.jobs), 1):
        outcomes.append(outcome)
        if number % 100 == 0:
            summary_line = summary(add_up(outcome.scores["analysis"] for outcome in outcomes))
            print(f"{number} of {len(draws)}: {summary_line}", file=sys.stderr, flush=True)
    corpus = list(measure_corpus(options.corpus, options.jobs)) if options.corpus else []
    runs, faults = pool["runs"], {run.fault for run in pool["runs"].values()} - {"none"}
    head = (
        f"{len(draws)} cases (seed {options.seed}) of {len(runs)} runs with {len(faults)} kinds of fault, "
        f"{len(pool['collectors'])} collectors and {len(pool['disturbances'])} disturbances; "
        f"{(time.monotonic() - began) / 60:.1f} minutes on {options.jobs} cores"
    )
    text = "\n".join((head, "", *render(outcomes, corpus), "", *compare_faults(outcomes)))
    print(text)
    if options.out:
        options.out.write_text(f"# Accuracy\n\nHow it is measured: docs/accuracy.md. {text}\n")


def _show_case(options: argparse.Namespace) -> None:
    try:
        draw = parse_draw(options.case)
    except ValueError as error:
        raise SystemExit(f"error: --case is RUN/COLLECTOR/DISTURBANCES/SEED, not {options.case!r}") from error
    wanted = {"runs": {draw.run}, "collectors": {draw.collector}, "disturbances": set(draw.disturbances)}
    for sort, things in _all().items():
        if unknown := wanted[sort] - things.keys():
            raise SystemExit(f"error: none of the {sort} is called {', '.join(sorted(unknown))}")
    if options.write:
        bundle = cases.build(draw, recorded())
        cases.write(bundle.files, options.write)
        print(f"{len(bundle.files)} files in {options.write}")
        return
    outcome = try_case(draw)
    print(f"wanted {outcome.wanted}\nsaid   {outcome.answer}\nmarks  {dict(outcome.scores['analysis'].marks)}")


def _all() -> dict[str, dict[str, Any]]:
    return {
        "runs": dict(recorded()),
        "collectors": dict(load_collectors()),
        "disturbances": dict(load_disturbances()),
    }


def _select(only: str) -> dict[str, dict[str, Any]]:
    pool = _all()
    for word in only.split():
        sort, equals, pattern = word.partition("=")
        if sort not in SORTS or not equals:
            raise SystemExit(
                f"error: --only: {word!r} is not one of {', '.join(f'{sort_name}=PATTERN' for sort_name in SORTS)}"
            )
        table, read = SORTS[sort]
        pool[table] = {name: thing for name, thing in pool[table].items() if fnmatch.fnmatchcase(read(thing), pattern)}
    if lacking := [sort for sort in ("runs", "collectors") if not pool[sort]]:
        raise SystemExit(f"error: there are no {' and no '.join(lacking)} to draw from")
    return pool


if __name__ == "__main__":
    main()
