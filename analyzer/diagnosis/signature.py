"""Compute stable ids of an incident, from fine to coarse: the same fault elsewhere or later has the same ids.

exact     the same words: cause, rule, evidence and place in the program, without hosts, numbers and paths
usual     the same fault: cause, rule, and the captures that say what failed; for an unknown fault its first template
coarse    the same cause
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from analyzer.diagnosis.masks import TextMask
from analyzer.formats import read_line
from analyzer.incident import SIGNATURE_LEVELS, Finding, RootCause, Template, Verdict
from analyzer.model import Kind, Role

# Captures that say what failed, and not where, when or to which task.
IDENTIFYING_CAPTURES = ("exception", "signal", "xid", "sxid", "frame", "function", "library", "symbol", "op", "message")
_MAX_UNKNOWN_TEMPLATES = 5  # of an undiagnosed incident


def compute_signatures(
    verdict: Verdict,
    roots: Sequence[RootCause],
    findings: Sequence[Finding],
    unknown_templates: Sequence[Template],
    text_mask: TextMask,
) -> Mapping[str, str]:
    """Return one id of 16 hexadecimal digits for each of SIGNATURE_LEVELS.

    They come from the first root cause, else from the unexplained errors and symptoms, else from the verdict.
    """
    if roots:
        words = _words_of_cause(roots[0].finding, text_mask)
    elif verdict == "undiagnosed":
        words = _words_of_unknown(findings, unknown_templates)
    else:
        words = [(verdict,)] * 3
    return {level: _digest((level, verdict, *parts)) for level, parts in zip(SIGNATURE_LEVELS, words, strict=True)}


def _words_of_cause(finding: Finding, text_mask: TextMask) -> list[tuple[str, ...]]:
    coarse = (finding.cause or "",)
    usual = (
        *coarse,
        finding.rule,
        *(f"{name}={text_mask(finding.captures[name])}" for name in IDENTIFYING_CAPTURES if name in finding.captures),
    )
    first = finding.evidence[0]
    location = [
        text_mask(f"{name}={value}") for name, value in sorted(finding.captures.items()) if name in _LOCATION_CAPTURES
    ]
    message = "" if first.kind in (Kind.DERIVED, Kind.CORE) else text_mask(read_line(first.text).message)
    return [(*usual, *location, message[-300:]), usual, coarse]


_LOCATION_CAPTURES = frozenset({"code", "crash", "module", "python_function", "errno", "reason", "how"})


def _words_of_unknown(findings: Sequence[Finding], unknown_templates: Sequence[Template]) -> list[tuple[str, ...]]:
    """Return the words of an undiagnosed incident: its unexplained errors, or its symptoms if there are none."""
    symptoms = tuple(sorted({finding.cause or finding.rule for finding in findings if finding.role is Role.SYMPTOM}))
    templates = [template.template for template in unknown_templates[:_MAX_UNKNOWN_TEMPLATES]]
    return [(*symptoms, *sorted(templates)), (*(templates[:1] or symptoms),), symptoms]


def _digest(words: Sequence[str]) -> str:
    return hashlib.sha256("\x1f".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:16]
