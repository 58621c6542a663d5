"""Stable ids of an incident, from fine to coarse: the same fault elsewhere and later has the same ones.

exact     the same words: cause, rule, what the evidence says and where in the program, less hosts, numbers and paths
usual     the same fault: cause, rule, and the captures that tell what failed; for an unknown fault its first template
coarse    the same cause
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from analyzer.diagnosis.masks import Mask
from analyzer.formats import read_line
from analyzer.incident import SIGNATURE_LEVELS, Finding, RootCause, Template, Verdict
from analyzer.model import Kind, Role

# Captures that say what failed, and never where, when or to whom.
TELLING = ("exception", "signal", "xid", "sxid", "frame", "function", "library", "symbol", "op", "message")
_UNKNOWN = 5  # templates that an undiagnosed incident is known by


def sign(
    verdict: Verdict,
    roots: Sequence[RootCause],
    findings: Sequence[Finding],
    unknown: Sequence[Template],
    mask: Mask,
) -> Mapping[str, str]:
    """One id of 16 hexadecimal digits for each of SIGNATURE_LEVELS."""
    if roots:
        words = _of_cause(roots[0].finding, mask)
    elif verdict == "undiagnosed":
        words = _of_unknown(findings, unknown)
    else:
        words = [(verdict,)] * 3
    return {level: _digest((level, verdict, *said)) for level, said in zip(SIGNATURE_LEVELS, words, strict=True)}


def _of_cause(top: Finding, mask: Mask) -> list[tuple[str, ...]]:
    coarse = (top.cause or "",)
    usual = (*coarse, top.rule, *(f"{name}={mask(top.captures[name])}" for name in TELLING if name in top.captures))
    first = top.evidence[0]
    place = [mask(f"{name}={value}") for name, value in sorted(top.captures.items()) if name in _PLACES]
    said = "" if first.kind in (Kind.DERIVED, Kind.CORE) else mask(read_line(first.text).message)
    return [(*usual, *place, said[-300:]), usual, coarse]


_PLACES = frozenset({"code", "crash", "module", "python_function", "errno", "reason", "how"})


def _of_unknown(findings: Sequence[Finding], unknown: Sequence[Template]) -> list[tuple[str, ...]]:
    """Without a cause an incident is known by what nobody explains, else by its symptoms."""
    symptoms = tuple(sorted({finding.cause or finding.rule for finding in findings if finding.role is Role.SYMPTOM}))
    templates = [template.template for template in unknown[:_UNKNOWN]]
    return [(*symptoms, *sorted(templates)), (*(templates[:1] or symptoms),), symptoms]


def _digest(words: Sequence[str]) -> str:
    return hashlib.sha256("\x1f".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:16]
