"""Packs and bundles in a few lines, judged by the real loader, reader and rules."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

from analyzer.incident import Finding, Incident
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import build_plan, read_source
from analyzer.rules.load import load_packs
from analyzer.rules.types import Packs

CLEAN = "2026-03-01 10:00:00.000000: I tensorflow/core/x.cc:1] "


def load_text(folder: Path, *texts: str) -> Packs:
    """Each text is a pack; they are read in this order, without the built-in ones."""
    files = []
    for number, text in enumerate(texts):
        files.append(folder / f"pack{number}.yaml")
        files[-1].write_text(text)
    return load_packs(files, builtin=False)


def one_rule(rule: str, signals: str = "") -> str:
    """A pack with the signals alpha, beta, gamma (`alpha id=3 pid=7`) and one rule `r` of these keys."""
    words = "".join(
        f"  {word}: {{match: '\\b{word}\\b(?: id=(?P<id>\\S+))?(?: {name}=(?P<{name}>\\S+))?'}}\n"
        for word, name in (("alpha", "pid"), ("beta", "tid"), ("gamma", "pid"))
    )
    body = "\n".join(f"    {line}" for line in rule.strip().splitlines())
    return f"pack: small\nversion: 1.0.0\nsignals:\n{words}{signals}rules:\n  - id: r\n{body}\n"


def analyze(packs: Packs, texts: Mapping[str, str] | str) -> Incident:
    """`texts` are lines by file, or one worker's; a line `10 alpha` is said ten seconds after the start."""
    intake = IngestResult()
    plan = build_plan(packs)
    for path, text in ({"node-1/worker.log": texts} if isinstance(texts, str) else texts).items():
        intake.results.append(read_source(path, io.BytesIO(stamp_lines(text).encode()), plan))
    return diagnose(intake, packs)


def find(packs: Packs, texts: Mapping[str, str] | str, rule: str = "r") -> list[Finding]:
    return [finding for finding in analyze(packs, texts).findings if finding.rule == rule]


def stamp_lines(text: str) -> str:
    return "".join(_stamp(line) + "\n" for line in text.strip().splitlines())


def _stamp(line: str) -> str:
    seconds, _, message = line.strip().partition(" ")
    if not seconds.isdigit():
        return line.strip()
    return f"2026-03-01 10:{int(seconds) // 60:02}:{int(seconds) % 60:02}.000000: I tensorflow/core/x.cc:1] {message}"
