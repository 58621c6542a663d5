"""Fuzzes for as long as asked and keeps each input that broke a promise.

    python -m tests.fuzz.run [TARGET…] --seconds 3600 --keep fuzz-found [--guided]

`--guided` lets atheris (a fuzzer led by coverage; not among the dependencies) choose the inputs.
A found input belongs into tests/fuzz/found/TARGET/, where the suite runs it for good.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import random
import resource
import sys
import time
import traceback
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from tests.fuzz import (
    archives,
    bundles,
    dumps,
    facts,
    forms,
    histories,
    imports,
    incidents,
    libraries,
    listings,
    mails,
    minidumps,
    packs,
    redaction,
    texts,
    times,
)
from tests.fuzz.guide import guide
from tests.fuzz.target import Target

ROOM = 6 << 30  # bytes of address space

TARGETS: Mapping[str, Target] = {
    target.name: target
    for target in (
        archives.TARGET,
        *texts.TARGETS,
        times.TARGET,
        *facts.TARGETS,
        forms.TARGET,
        *incidents.TARGETS,
        bundles.TARGET,
        packs.TARGET,
        imports.TARGET,
        histories.TARGET,
        *redaction.TARGETS,
        dumps.TARGET,
        minidumps.TARGET,
        libraries.TARGET,
        listings.TARGET,
        mails.TARGET,
    )
}


def fuzz(
    target: Target, seconds: float, keep: Path, chance: random.Random, with_seeds: bool = False
) -> tuple[int, int]:
    """(inputs tried, distinct failures kept) within so many seconds of CPU time. `whole`: first come the seeds."""
    first = iter(target.seeds() if with_seeds else ())
    end = time.process_time() + seconds
    tried, seen = 0, set[str]()
    while time.process_time() < end:
        tried += 1
        seed = next(first, None)
        _try(target, target.draw(chance) if seed is None else seed, seen, keep)
    return tried, len(seen)


def fuzz_alone(name: str, seconds: float, keep: Path, seed: int) -> int:
    """Failures of a target in a process of its own."""
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))  # what takes all memory is found and does not end the machine
    tried, failures = fuzz(TARGETS[name], seconds, keep, random.Random(seed), with_seeds=True)
    print(f"{name}: {tried:,} inputs, {failures} kinds of failure", flush=True)
    return failures


def _try(target: Target, data: bytes, seen: set[str], keep: Path) -> None:
    """Keeps an input that breaks a promise in a way that was not seen before."""
    try:
        target.run(data)
    except Exception as error:  # noqa: BLE001  whatever it is, it is what is looked for
        place = _place(error)
        if place not in seen:
            seen.add(place)
            _keep(keep / target.name, data, place)


def _place(error: BaseException) -> str:
    """Where it was raised: one defect is kept once."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/analyzer/" in frame.filename]
    frame = (frames or traceback.extract_tb(error.__traceback__))[-1]
    return f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}: {str(error)[:200]}"[:400]


def _keep(folder: Path, data: bytes, place: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(data).hexdigest()[:12]
    (folder / name).write_bytes(data)
    print(f"{folder / name}: {place}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument(
        "--seconds", type=float, default=3600, help="of CPU time (guided: by the clock), of all targets"
    )
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="targets that are fuzzed side by side")
    parser.add_argument("--guided", action="store_true")
    given = parser.parse_args()
    chosen = [TARGETS[name] for name in given.targets or TARGETS]
    if given.guided:
        for target in chosen:
            run = partial(_try, target, seen=set(), keep=given.keep)
            spent = guide(target, given.seconds / len(chosen), given.keep / "corpus" / target.name, run)
            print(f"{target.name}: guided for {spent:,.0f} s of CPU time", flush=True)
        return
    fuzz_target = partial(fuzz_alone, seconds=given.seconds / len(chosen), keep=given.keep, seed=given.seed)
    with multiprocessing.get_context("spawn").Pool(given.jobs, maxtasksperchild=1) as pool:
        failures = sum(pool.imap_unordered(fuzz_target, [target.name for target in chosen]))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
