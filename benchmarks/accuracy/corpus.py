"""Bundles that somebody else labelled: NAME.truth.yaml (archive, cause, culprit_node, also_acceptable) beside each."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import yaml

from accuracy import answers
from accuracy.runs import Truth
from accuracy.score import Score, score


def measure_corpus(folder: Path, jobs: int) -> Iterator[Score]:
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        yield from pool.imap(try_bundle, sorted(folder.glob("*.truth.yaml")))


def try_bundle(truth_file: Path) -> Score:
    fields = yaml.safe_load(truth_file.read_text())
    culprits = fields.get("culprit_node") or []
    culprits = [culprits] if isinstance(culprits, str) else culprits
    truth = Truth(fields["cause"], tuple(culprits), tuple(fields.get("also_acceptable", ())))
    incident = answers.analyze(truth_file.parent / fields["archive"])
    given = answers.answer(incident) if incident else []
    return score(truth, frozenset(culprits), frozenset(("cause", "node")), given)
