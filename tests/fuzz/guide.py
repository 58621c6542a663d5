"""Inputs chosen by coverage: what reaches new code is kept and changed further. atheris is not among the dependencies.

libFuzzer ends the process when its time is over, so each target has a process of its own.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import traceback
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import FunctionType

from tests.fuzz.target import BUILT, LONGEST, Target

WARM = 60  # seeds that are run first, so that what is loaded late is there to be followed
FOLLOWED = ("analyzer", "elftools")  # whose code is followed: ours, and what reads bytes of the input for us in Python


def guide(target: Target, seconds: float, corpus: Path, run: Callable[[bytes], None]) -> float:
    """CPU seconds that it took in about so many seconds by the clock; `run` is called with each input."""
    target.seeds()
    child = os.fork()
    if not child:
        try:
            _fuzz(target, seconds, corpus, run)
        except Exception:  # noqa: BLE001  it is told, and the process ends in any case
            traceback.print_exc()
        finally:
            os._exit(1)
    _, status, usage = os.wait4(child, 0)
    if status:
        print(f"{target.name}: ended with status {os.waitstatus_to_exitcode(status)}", flush=True)
    return usage.ru_utime + usage.ru_stime


def _fuzz(target: Target, seconds: float, corpus: Path, run: Callable[[bytes], None]) -> None:
    import atheris

    corpus.mkdir(parents=True, exist_ok=True)
    for seed in target.seeds():
        (corpus / sha256(seed).hexdigest()[:12]).write_bytes(seed)
    for seed in target.seeds()[:WARM]:
        run(seed)
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and (function.__module__ or "").startswith(FOLLOWED):
            atheris.instrument_func(function)

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        return target.spoil(data, chance)[:most] if chance.random() < BUILT else atheris.Mutate(data, most)

    limits = [f"-max_total_time={seconds:.0f}", "-rss_limit_mb=4096", "-timeout=60", f"-max_len={LONGEST}"]
    more = ["-verbosity=0", "-print_final_stats=1", f"-artifact_prefix={corpus}-", str(corpus)]
    atheris.Setup([sys.argv[0], *limits, *more], run, custom_mutator=mutate)
    atheris.Fuzz()
