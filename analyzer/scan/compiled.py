"""What is compiled of many patterns, in a process of its own.

Widening two thousand patterns, choosing gates and compiling takes 150 MB, of which the allocator gives little back: in
the process that reads they would lie below everything that it keeps of the logs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.scan.automaton import build, dump, express, express_texts
from analyzer.scan.gate import Gates, choose_gates
from analyzer.scan.widen import widen

MANY = 200  # patterns, from which on a process is worth its start
# -I: a folder in which somebody analyzes logs may hold a pickle.py, and PYTHONPATH may lead there
_COMMAND = """\
import pickle, sys
sys.path, parent, patterns = pickle.load(sys.stdin.buffer)
from analyzer.interrupts import die_with
die_with(parent)
from analyzer.scan.compiled import compile_here
pickle.dump(compile_here(patterns), sys.stdout.buffer)
"""


@dataclass(frozen=True, slots=True)
class Compiled:
    """`front`: of the direct patterns and the gates; `gated`: of the patterns behind these. As `dump` writes them."""

    gates: Gates
    front: bytes
    gated: bytes


def compile_patterns(patterns: Sequence[str]) -> Compiled:
    """Raises `re.error` where a pattern is not valid. Where no process can be had, this one does it."""
    return (len(patterns) >= MANY and _compile_apart(patterns)) or compile_here(patterns)


def compile_here(patterns: Sequence[str]) -> Compiled:
    gates = choose_gates(patterns)
    gated = build(express({index: widen(patterns[index]) for index in gates.behind}))
    return Compiled(gates, compile_front(patterns, gates), dump(gated))


def compile_front(patterns: Sequence[str], gates: Gates) -> bytes:
    """Of the direct patterns and, numbered behind all patterns, the gates."""
    direct = express({index: widen(patterns[index]) for index in gates.direct})
    return dump(build([*direct, *express_texts(gates.texts, len(patterns))]))


def _compile_apart(patterns: Sequence[str]) -> Compiled | None:
    """None where that fails, for whatever reason: whoever does it here then says which."""
    import pickle  # for a first run alone
    import subprocess

    try:
        done = subprocess.run(
            [sys.executable or "", "-I", "-c", _COMMAND],
            input=pickle.dumps((sys.path, os.getpid(), tuple(patterns))),
            capture_output=True,
            start_new_session=True,  # Ctrl-C is for this process, which ends that one, or reads on with --partial
            check=False,
        )
        compiled = pickle.loads(done.stdout) if done.returncode == 0 else None
    except (OSError, pickle.UnpicklingError, EOFError):
        return None
    return compiled if isinstance(compiled, Compiled) else None
