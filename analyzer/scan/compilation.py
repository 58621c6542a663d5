"""Compiles many patterns in a child process.

Widening two thousand patterns, choosing gates and compiling takes 150 MB, and the allocator gives little of it back to
the system. In the process that reads logs, it would stay allocated for the whole run.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from analyzer.scan.automaton import compile_automaton, dump_automaton, make_expressions, make_text_expressions
from analyzer.scan.digits import split_by_digits
from analyzer.scan.gates import Gates, choose_gates
from analyzer.scan.widen import widen

_log = logging.getLogger("analyzer.scan")
MIN_PATTERNS_FOR_PROCESS = 200  # for fewer, starting a process costs more than it saves
# -I: the current folder, which PYTHONPATH may name, may hold a pickle.py among its logs.
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
    """The automata of a HyperscanScanner, as `dump_automaton` writes them, and the gates that they were made for.

    `first_pass` finds the direct patterns and the gates; `second_pass` finds the patterns that have gates. `digit_pass`
    finds the patterns that ask for particular digits: where they match with some digits, numbered as they are, and
    where they match with any, numbered behind all patterns.
    """

    gates: Gates
    first_pass: bytes
    second_pass: bytes
    digit_pass: bytes


def compile_patterns(patterns: Sequence[str]) -> CompiledScanner:
    """Return the automata of the patterns. Raises `re.error` if a pattern is not valid.

    If no child process can be started, this process compiles.
    """
    return (len(patterns) >= MIN_PATTERNS_FOR_PROCESS and _compile_in_child(patterns)) or compile_here(patterns)


def compile_here(patterns: Sequence[str]) -> CompiledScanner:
    """Return the automata of the patterns, compiled in this process."""
    gates = choose_gates(patterns)
    gated = compile_automaton(make_expressions({index: widen(patterns[index]) for index in gates.initially_gated}))
    return CompiledScanner(
        gates=gates,
        first_pass=compile_first_pass(patterns, gates),
        second_pass=dump_automaton(gated),
        digit_pass=_compile_digit_pass(patterns),
    )


def _compile_digit_pass(patterns: Sequence[str]) -> bytes:
    widened = {}
    for number, pattern in enumerate(map(widen, patterns)):
        for offset, expression in enumerate(split_by_digits(pattern.expression) or ()):
            if expression is not None:
                widened[number + offset * len(patterns)] = replace(pattern, expression=expression)
    return dump_automaton(compile_automaton(make_expressions(widened)))


def compile_first_pass(patterns: Sequence[str], gates: Gates) -> bytes:
    """Return the automaton of the direct patterns and of the gates, which are numbered behind all patterns."""
    direct = make_expressions({index: widen(patterns[index]) for index in gates.direct})
    return dump_automaton(compile_automaton([*direct, *make_text_expressions(gates.texts, len(patterns))]))


def _compile_in_child(patterns: Sequence[str]) -> CompiledScanner | None:
    """Return the automata; None if that fails for any reason, which `compile_here` then meets again and raises."""
    import pickle  # needed only if the cache is empty
    import subprocess

    try:
        done = subprocess.run(
            [sys.executable or "", "-I", "-c", _COMMAND],
            input=pickle.dumps((sys.path, os.getpid(), tuple(patterns))),
            capture_output=True,
            start_new_session=True,  # Ctrl-C is for this process, which ends the child, or reads on with --partial
            check=False,
        )
        if done.returncode:
            _log.debug("the process that compiles patterns failed: %s", done.stderr[-500:].decode("utf-8", "replace"))
            return None
        compiled = pickle.loads(done.stdout)
    except (OSError, pickle.UnpicklingError, EOFError) as error:
        _log.debug("no process compiles patterns, so this one does: %r", error)
        return None
    return compiled if isinstance(compiled, CompiledScanner) else None
