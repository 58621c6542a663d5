"""What is compiled of many patterns, in a process of its own.

Widening two thousand patterns, choosing gates and compiling takes 150 MB, of which the allocator gives little back: in
the process that reads they would lie below everything that it keeps of the logs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.scan.automaton import compile_automaton, dump_automaton, make_expressions, make_text_expressions
from analyzer.scan.gates import Gates, choose_gates
from analyzer.scan.widen import widen

MIN_PATTERNS_FOR_PROCESS = 200  # patterns, from which on a process is worth its start
# -I: a folder in which somebody analyzes logs may hold a pickle.py, and PYTHONPATH may lead there
_COMMAND = """\
import pickle, sys
sys.path, parent, patterns = pickle.load(sys.stdin.buffer)
from analyzer.interrupts import die_with_parent
die_with_parent(parent)
from analyzer.scan.compilation import compile_here
pickle.dump(compile_here(patterns), sys.stdout.buffer)
"""


@dataclass(frozen=True, slots=True)
class CompiledScanner:
    """`front`: of the direct patterns and the gates; `gated`: of the patterns behind these. As `dump` writes them."""

    gates: Gates
    first_pass: bytes
    second_pass: bytes


def compile_patterns(patterns: Sequence[str]) -> CompiledScanner:
    """Raises `re.error` where a pattern is not valid. Where no process can be had, this one does it."""
    return (len(patterns) >= MIN_PATTERNS_FOR_PROCESS and _compile_in_child(patterns)) or compile_here(patterns)


def compile_here(patterns: Sequence[str]) -> CompiledScanner:
    gates = choose_gates(patterns)
    gated = compile_automaton(make_expressions({index: widen(patterns[index]) for index in gates.initially_gated}))
    return CompiledScanner(gates, compile_first_pass(patterns, gates), dump_automaton(gated))


def compile_first_pass(patterns: Sequence[str], gates: Gates) -> bytes:
    """Of the direct patterns and, numbered behind all patterns, the gates."""
    direct = make_expressions({index: widen(patterns[index]) for index in gates.direct})
    return dump_automaton(compile_automaton([*direct, *make_text_expressions(gates.texts, len(patterns))]))


def _compile_in_child(patterns: Sequence[str]) -> CompiledScanner | None:
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
    return compiled if isinstance(compiled, CompiledScanner) else None
