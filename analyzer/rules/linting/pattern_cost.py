"""Measure what each pattern costs on clean and on junk text: how often the scanner stops, and the time to confirm a
line.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from analyzer.rules.linting.faults import required_literals
from analyzer.rules.types import Packs
from analyzer.scan.pattern_check import ScanSlowdown
from analyzer.scan.widen import widen
from analyzer.signals.compiled_patterns import CompiledPattern, compile_pattern

SEARCH_TIMEOUT_S = 0.5  # as in the reader
SEED = 20240229
JUNK_LINES, JUNK_LINE_CHARS = 54, 2000  # lines of noise, and the characters of each
MAX_SHOWN_PATTERNS = 15  # patterns in the list of the most expensive
# What healthy jobs log, in the formats of TensorFlow, Keras, Python, NCCL, the kernel, Slurm and Kubernetes.
_CLEAN_LINES = (
    "2024-02-29 {h:02}:{m:02}:{s:02}.{n:06} I tensorflow/gpu_device.cc:1928] Created device GPU:{g} with {n} MB",
    "I0000 00:00:1709{n:06}.{n:06}   {p} service.cc:146] XLA service 0x7f{n:06x} initialized for platform CUDA",
    "{b}/1000 [======>.......................] - ETA: {s}:{m:02} - loss: 0.{n} - accuracy: 0.{n}",
    "INFO:tensorflow:global_step/sec: {m}.{n}",
    "INFO:tensorflow:loss = 1.{n}, step = {n} ({m}.{s} sec)",
    "{h:02}:{m:02}:{s:02} [INFO] worker-{g}: step {n} loss 0.{n} lr 1e-4 host node{g:03} time {s}ms",
    "2024-02-29T{h:02}:{m:02}:{s:02}.{n:06}Z stdout F Epoch {b}/90 finished in {n} s",
    "node{g:03}:{p}:{p} [{g}] NCCL INFO Channel {m:02}/0 : {g}[{g}] -> {m}[{m}] via P2P/CUMEM/read",
    "[{n:>5}.{n:06}] eth{g}: renamed from veth{n:06x}",
    "[{n:>5}.{n:06}] systemd[1]: Started Session {b} of user trainer.",
    "Feb 29 {h:02}:{m:02}:{s:02} node{g:03} slurmstepd[{p}]: task {g} ({p}) exited with exit code 0.",
    "Feb 29 {h:02}:{m:02}:{s:02} node{g:03} kubelet[{p}]: Pulled image registry.example/train:{b} in {m}.{s}s",
    "WARNING:absl:Skipping variable loading for optimizer 'Adam', because it has {m} variables in the checkpoint",
    "Saving checkpoint to /scratch/run-{b}/ckpt-{n} (http status 200, 0 errors, 0 failed)",
    "DEBUG:root:worker {g} task {m} batch {b} device cuda:{g} file part-{n:05}.tfrecord read {n} lines, error rate 0.0",
)
_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + " " * 12 + "/._-:=,[](){}<>'\"+*|\\"


@dataclass(frozen=True, slots=True)
class PatternCost:
    """The cost of one pattern.

    `stops_per_thousand_lines`: how often the scanner stops in 1,000 clean lines. `clean_line_us`, `junk_line_us`:
    microseconds to confirm a line. `scan_slowdown`: by what share the scan of clean lines becomes slower; 0 if the
    pattern waits behind a rare text.
    """

    signal: str
    pattern: str
    literal: str
    stops_per_thousand_lines: float
    clean_line_us: float
    junk_line_us: float
    scan_slowdown: float
    gave_up: bool = False


def clean_lines(count: int = 600) -> list[str]:
    """Return lines of healthy jobs; the same ones in every run."""
    rng = random.Random(SEED)
    return [
        _CLEAN_LINES[number % len(_CLEAN_LINES)].format(
            h=rng.randrange(24),
            m=rng.randrange(60),
            s=rng.randrange(60),
            n=rng.randrange(1, 999999),
            g=rng.randrange(8),
            p=rng.randrange(1000, 99999),
            b=rng.randrange(1, 1000),
        )
        for number in range(count)
    ]


def clean_text() -> bytes:
    """Return half a megabyte of clean lines: a scan of it takes long enough to be measured."""
    return ("\n".join(clean_lines()) + "\n").encode() * 10


def junk_lines() -> list[str]:
    """Return long lines of noise, and of one thing repeated: a confirmation should give up on them at once."""
    rng = random.Random(SEED)
    noise = ["".join(rng.choices(_ALPHABET, k=JUNK_LINE_CHARS)) for _ in range(JUNK_LINES)]
    return [
        *noise,
        "a" * JUNK_LINE_CHARS,
        "0" * JUNK_LINE_CHARS,
        " " * JUNK_LINE_CHARS,
        "/a" * (JUNK_LINE_CHARS // 2),
        "1.2.3.4:5 " * (JUNK_LINE_CHARS // 10),
        "[x] " * (JUNK_LINE_CHARS // 4),
    ]


def stops_per_thousand(pattern: str, text: str, line_count: int) -> float:
    """Return how often a block scanner reports the widened pattern in 1,000 lines. Raises re.error."""
    widened = widen(pattern)
    stops = re.compile(widened.expression, re.M | (re.I if widened.caseless else 0)).finditer(text)
    return sum(1 for _ in stops) * 1000 / line_count


def measure_costs(packs: Packs, names: Set[str] | None = None) -> Iterator[PatternCost]:
    """Yield the cost of each pattern under `match` of the named signals; of all signals if `names` is None.

    Times are processor times, which other programs disturb little.
    """
    clean_log, junk_log = clean_lines(), junk_lines()
    text = "\n".join(clean_log)
    slowdown = ScanSlowdown([pattern for signal in packs.signals.values() for pattern in signal.match], clean_text())
    for signal in packs.signals.values():
        for pattern in signal.match if names is None or signal.name in names else ():
            compiled = compile_pattern(pattern)
            literals = sorted(required_literals(pattern), key=len)
            clean_us, clean_gave_up = _time_searches(compiled, clean_log)
            junk_us, junk_gave_up = _time_searches(compiled, junk_log)
            yield PatternCost(
                signal=signal.name,
                pattern=pattern,
                literal=literals[0] if literals else "",
                stops_per_thousand_lines=stops_per_thousand(pattern, text, len(clean_log)),
                clean_line_us=clean_us,
                junk_line_us=junk_us,
                scan_slowdown=slowdown.measure(pattern),
                gave_up=clean_gave_up or junk_gave_up,
            )


def _time_searches(pattern: CompiledPattern, lines: Sequence[str]) -> tuple[float, bool]:
    """Return the microseconds for one line, and whether a search was given up."""
    start = time.process_time()
    for line in lines:
        try:
            pattern.search(line, timeout=SEARCH_TIMEOUT_S)
        except TimeoutError:
            return (time.process_time() - start) * 1e6, True
    return (time.process_time() - start) * 1e6 / len(lines), False


def most_expensive(costs: Sequence[PatternCost]) -> list[PatternCost]:
    """Return the MAX_SHOWN_PATTERNS most expensive patterns.

    First those that stop the scanner most (Python confirms each stop), then the slowest to confirm.
    """
    return sorted(
        costs,
        key=lambda cost: (cost.gave_up, cost.stops_per_thousand_lines * cost.clean_line_us + cost.junk_line_us),
        reverse=True,
    )[:MAX_SHOWN_PATTERNS]
