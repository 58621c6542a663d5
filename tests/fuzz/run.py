"""Fuzzes for as long as asked and keeps each input that broke a promise.

    python -m tests.fuzz.run [TARGET…] --seconds 3600 --keep fuzz-found [--guided]

`--guided` lets atheris (a fuzzer led by coverage; not among the dependencies) choose the inputs of one target.
A found input belongs into tests/fuzz/found/TARGET/, where the suite runs it for good.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import resource
import sys
import time
import traceback
from collections.abc import Mapping
from pathlib import Path

from tests.fuzz import archives, bundles, dumps, histories, incidents, libraries, listings, packs, texts, times
from tests.fuzz.target import BUILT, Target

ROOM = 6 << 30  # bytes of address space

TARGETS: Mapping[str, Target] = {
    target.name: target
    for target in (
        archives.TARGET,
        *texts.TARGETS,
        times.TARGET,
        *incidents.TARGETS,
        bundles.TARGET,
        packs.TARGET,
        histories.TARGET,
        dumps.TARGET,
        libraries.TARGET,
        listings.TARGET,
    )
}


def fuzz(target: Target, seconds: float, keep: Path, chance: random.Random) -> tuple[int, int]:
    """(inputs tried, distinct failures kept) within so many seconds of CPU time."""
    target.seeds()
    end = time.process_time() + seconds
    tried, seen = 0, set[str]()
    while time.process_time() < end:
        data, tried = target.draw(chance), tried + 1
        try:
            target.run(data)
        except Exception as error:  # noqa: BLE001  whatever it is, it is what is looked for
            place = _place(error)
            if place not in seen:
                seen.add(place)
                _keep(keep / target.name, data, place)
    return tried, len(seen)


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


def _guide(target: Target, seconds: float, keep: Path) -> None:
    import atheris

    corpus = keep / f"{target.name}-corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in target.seeds():
        (corpus / hashlib.sha256(seed).hexdigest()[:12]).write_bytes(seed)
    limits = [f"-max_total_time={seconds:.0f}", "-rss_limit_mb=4096", "-timeout=60", "-max_len=20000", "-verbosity=0"]

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        return target.spoil(data, chance)[:most] if chance.random() < BUILT else atheris.Mutate(data, most)

    atheris.instrument_all()
    arguments = [sys.argv[0], *limits, f"-artifact_prefix={keep}/{target.name}-", str(corpus)]
    atheris.Setup(arguments, target.run, custom_mutator=mutate)
    atheris.Fuzz()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=float, default=3600, help="of CPU time, of all targets together")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--guided", action="store_true")
    given = parser.parse_args()
    chosen = [TARGETS[name] for name in given.targets or TARGETS]
    if given.guided:
        _guide(chosen[0], given.seconds, given.keep)
        return
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))  # what takes all memory is found and does not end the machine
    failures = 0
    for target in chosen:
        tried, found = fuzz(target, given.seconds / len(chosen), given.keep, random.Random(given.seed))
        failures += found
        print(f"{target.name}: {tried:,} inputs, {found} kinds of failure", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
