"""`make fit`: fits the weights of judgement (`analyzer/diagnosis/factors.yaml`) on labelled candidates.

`--collect` analyzes the part of the cases that may be developed on, and labelled bundles, and writes the table of
candidates: for each case the factors of "none of these" and of every candidate, and which candidates are right. Without
it, the fit uses the committed table, so that it needs no bundles.

The model is a conditional logit: in each case, the probabilities of all candidates and of "none of these" are the
softmax of their log-odds (McFadden, "Conditional logit analysis of qualitative choice behavior", 1973). A case in which
no candidate is right counts for "none of these". The fit maximizes the likelihood less a quadratic penalty on the
distance from the weights of judgement (`JUDGEMENT`), and keeps the signs that meaning demands. Factors whose weight in
`factors.yaml` is judged (`source: judgement`) keep it, and the others are fitted around them; `--refit-judged` fits
those as well that occur in the table.
"""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import multiprocessing
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from accuracy import answers, cases
from accuracy.collectors import load_collectors
from accuracy.disturbances import load_disturbances
from accuracy.factor_weights import FITTED, JUDGED, WeightEntry, read_entries, write_entries
from accuracy.outcomes import recorded
from accuracy.runs import Truth
from accuracy.sampling import Draw, draw_cases
from accuracy.splits import part_of
from accuracy.table_scores import TableAnswer, score_answers
from analyzer.diagnosis.ranking import WEIGHTS_FILE
from analyzer.incident import Factor, Incident

TABLE = Path(__file__).with_name("candidates.txt.gz")
PENALTY_CASES = 2.0  # cases: a weight that is one logit off its judgement costs as much as half of this log-likelihood
CORPUS_WEIGHT = 3.0  # a bundle of other people counts for so many drawn cases
MAX_CANDIDATES = 12  # of a case; those that rank lower are never right where one of these is not
ITERATIONS = 3000
STEP_FACTOR = 4.0  # the bound of the curvature is a sum over all factors, of which a few occur together
# The weights, in logits, that a fitted factor starts from: 0 where only the data can tell.
JUDGEMENT: Mapping[str, float] = {
    "rule": 1.0,
    "warning": -1.5,
    "explained": -3.0,
    "stale": -2.5,
    "restarted": -2.5,
    "accused": 1.2,
    "launcher-accuses": 1.0,
    "others-accused": -0.5,
    "named-elsewhere": -0.7,
    "ending-explained": 1.0,
    "ending-contradicted": -2.0,
    "crash-elsewhere": -1.0,
    "own-pid": 0.3,
    "survived": -2.5,
    "survived-again": -1.0,
    "late": -1.5,
    "ended-well": -2.0,
    "first-of-cause": 1.0,
    "echo": -1.0,
}


@dataclass(frozen=True, slots=True)
class Candidates:
    """One case: row 0 is "none of these". `right` holds the rows that are right; it is never empty."""

    origin: str  # `develop` or `corpus`
    rows: Sequence[Mapping[str, float]]
    right: frozenset[int]

    @property
    def weight(self) -> float:
        return CORPUS_WEIGHT if self.origin == "corpus" else 1.0


def read_table(path: Path = TABLE) -> list[Candidates]:
    """Return the cases of a table: a header line `origin rows`, then for each row `+` or `-` and its factors."""
    candidates: list[Candidates] = []
    lines = iter(gzip.decompress(path.read_bytes()).decode().splitlines())
    for header in lines:
        origin, count = header.split()
        body = [next(lines).split() for _ in range(int(count))]
        rows = [{name: float(value) for name, value in (cell.split("=") for cell in cells[1:])} for cells in body]
        candidates.append(Candidates(origin, rows, frozenset(i for i, cells in enumerate(body) if cells[0] == "+")))
    return candidates


def write_table(table: Iterable[Candidates], path: Path = TABLE) -> None:
    lines: list[str] = []
    for case in table:
        lines.append(f"{case.origin} {len(case.rows)}")
        lines += (
            " ".join(("+" if i in case.right else "-", *(f"{name}={value:.4g}" for name, value in sorted(row.items()))))
            for i, row in enumerate(case.rows)
        )
    path.write_bytes(gzip.compress("\n".join(lines).encode() + b"\n", mtime=0))


# ---- collecting -----------------------------------------------------------------------------------------------------


def collect(number: int, seed: int, corpus: Path | None, jobs: int) -> Iterator[Candidates]:
    """Yield the candidates of the drawn cases that may be developed on, then those of labelled bundles."""
    runs = recorded()
    draws = [
        draw
        for draw in draw_cases(dict(runs), dict(load_collectors()), dict(load_disturbances()), number, seed)
        if part_of(runs[draw.run], draw.collector) == "develop"
    ]
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        yield from filter(None, pool.imap(_try_draw, draws, chunksize=4))
        if corpus:
            yield from filter(None, pool.imap(_try_labelled, sorted(corpus.glob("*.truth.yaml"))))


def _try_draw(draw: Draw) -> Candidates | None:
    bundle = cases.build(draw, recorded())
    with tempfile.TemporaryDirectory(prefix="fit-") as scratch:
        folder = Path(scratch) / "bundle"
        folder.mkdir()
        cases.write(bundle.files, folder)
        incident = answers.analyze(folder)
    return _label("develop", incident, recorded()[draw.run].truth, bundle.culprits)


def _try_labelled(truth_file: Path) -> Candidates | None:
    label = yaml.safe_load(truth_file.read_text())
    culprits = label.get("culprit_node") or []
    culprits = [culprits] if isinstance(culprits, str) else culprits
    truth = Truth(label["cause"], tuple(culprits), tuple(label.get("also_acceptable", ())))
    return _label("corpus", answers.analyze(truth_file.parent / label["archive"]), truth, frozenset(culprits))


def _label(origin: str, incident: Incident | None, truth: Truth, culprits: frozenset[str]) -> Candidates | None:
    """Return the candidates of an incident with those that are right; None if there are none to choose from."""
    hypotheses = incident.hypotheses[:MAX_CANDIDATES] if incident else ()
    if incident is None or not hypotheses:
        return None
    right = frozenset(
        position
        for position, hypothesis in enumerate(hypotheses, 1)
        if hypothesis.finding.cause in truth.accepted
        and (not truth.culprits or hypothesis.finding.node in culprits or (hypothesis.finding.task or "") in culprits)
    )
    rows = [_add_up(incident.none_factors), *(_add_up(hypothese.factors) for hypothese in hypotheses)]
    return Candidates(origin, rows, right or frozenset((0,)))


def _add_up(factors: Iterable[Factor]) -> dict[str, float]:
    values: dict[str, float] = {}
    for factor in factors:
        values[factor.name] = values.get(factor.name, 0.0) + factor.value
    return values


# ---- fitting --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fit:
    """`weights` and the half widths of their 95 % intervals, in logits, by the names of `names`."""

    names: Sequence[str]
    weights: np.ndarray  # (factors,)
    half_widths: np.ndarray  # (factors,)
    loss: float  # mean negative log-likelihood of a case, in nats
    held: Mapping[str, float]  # the weights, in logits, of the factors that were not fitted


@dataclass(frozen=True, slots=True)
class _Design:
    """All rows of all cases: `first[c]` is the first row of case c."""

    rows: np.ndarray  # (rows, factors)
    right: np.ndarray  # (rows,) bool
    first: np.ndarray  # (cases,)
    case_of: np.ndarray  # (rows,)
    weight: np.ndarray  # (cases,)

    def shares(self, scores: np.ndarray) -> np.ndarray:
        """Return the softmax of the scores within each case."""
        highest = np.maximum.reduceat(scores, self.first)
        raised = np.exp(scores - highest[self.case_of])
        return np.asarray(raised / np.add.reduceat(raised, self.first)[self.case_of])


def _make_design(table: Sequence[Candidates], names: Sequence[str]) -> _Design:
    column = {name: at for at, name in enumerate(names)}
    counts = [len(case.rows) for case in table]
    rows = np.zeros((sum(counts), len(names)))
    for at, row in enumerate(row for case in table for row in case.rows):
        for name, value in row.items():
            if name in column:
                rows[at, column[name]] = value
    right = np.array([position in case.right for case in table for position in range(len(case.rows))])
    return _Design(
        rows=rows,
        right=right,
        first=np.concatenate(([0], np.cumsum(counts)[:-1])),
        case_of=np.repeat(np.arange(len(table)), counts),
        weight=np.array([case.weight for case in table]),
    )


def fit(
    table: Sequence[Candidates],
    names: Sequence[str],
    held: Mapping[str, float] | None = None,
    judgement: Mapping[str, float] = JUDGEMENT,
) -> Fit:
    """Return the weights of greatest likelihood, by projected gradient ascent with momentum (Nesterov, 1983).

    Args:
        table: the labelled cases.
        names: the factors to fit; the others count for nothing, unless they are held.
        held: factors that keep a weight, in logits.
        judgement: the weights, in logits, from which a distance costs, and whose signs the fit keeps.
    """
    held = held or {}
    design = _make_design(table, names)
    fixed_scores = _make_design(table, list(held)).rows @ np.array(list(held.values()))
    prior = np.array([judgement.get(name, 0.0) for name in names])
    row_weight = design.weight[design.case_of]
    curvature = (
        0.25 * (row_weight[:, None] * design.rows**2).sum() + PENALTY_CASES
    )  # bounds the Hessian's largest eigenvalue
    step, weights, ahead, momentum = STEP_FACTOR / curvature, prior.copy(), prior.copy(), 1.0
    for _ in range(ITERATIONS):
        shares = design.shares(design.rows @ ahead + fixed_scores)
        right = _among_right(design, shares)
        gradient = design.rows.T @ (row_weight * (right - shares)) - PENALTY_CASES * (ahead - prior)
        moved = _keep_signs(ahead + step * gradient, prior)
        momentum_next = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
        ahead = moved + (momentum - 1) / momentum_next * (moved - weights)
        weights, momentum = moved, momentum_next
    shares = design.shares(design.rows @ weights + fixed_scores)
    hit = np.add.reduceat(np.where(design.right, shares, 0.0), design.first)
    mean = np.zeros((len(table), len(names)))
    np.add.at(mean, design.case_of, shares[:, None] * design.rows)
    information = (row_weight[:, None] * shares[:, None] * design.rows).T @ design.rows
    information += PENALTY_CASES * np.eye(len(names)) - (design.weight[:, None] * mean).T @ mean
    half_widths = 1.96 * np.sqrt(np.diag(np.linalg.inv(information)))
    loss = float(-(design.weight * np.log(np.maximum(hit, 1e-12))).sum() / design.weight.sum())
    return Fit(names=names, weights=weights, half_widths=half_widths, loss=loss, held=held)


def _among_right(design: _Design, shares: np.ndarray) -> np.ndarray:
    """Return the shares of the right rows among the right rows of their case, and 0 for the others."""
    hits = np.where(design.right, shares, 0.0)
    return np.asarray(hits / np.maximum(np.add.reduceat(hits, design.first), 1e-300)[design.case_of])


def _keep_signs(weights: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return the weights, none with another sign than judgement demands."""
    return np.asarray(
        np.where(prior > 0, np.maximum(weights, 0.0), np.where(prior < 0, np.minimum(weights, 0.0), weights))
    )


def names_of(table: Iterable[Candidates]) -> list[str]:
    """Return the names of all factors of the table."""
    return sorted({name for case in table for row in case.rows for name in row})


def fit_file(table: Sequence[Candidates], path: Path = WEIGHTS_FILE, refit_judged: bool = False) -> Fit:
    """Fit the weights of a file and write them into it.

    Judged weights stay as they are, unless `refit_judged` and their factor occurs in the table. Of every factor, `n` is
    counted anew.
    """
    former = read_entries(path)
    judged = {name: entry for name, entry in former.items() if entry.source == JUDGED}
    judged_weights = {name: entry.weight for name, entry in judged.items()}
    held = {} if refit_judged else judged_weights
    names = [name for name in names_of(table) if name not in held]
    result = fit(table, names, held, {**JUDGEMENT, **judged_weights})
    counts = Counter(name for case in table for name in {name for row in case.rows for name in row})
    entries = {name: dataclasses.replace(entry, n=counts[name]) for name, entry in judged.items()}
    for name, weight, half_width in zip(result.names, result.weights, result.half_widths, strict=True):
        entries[name] = WeightEntry(
            weight=float(weight),
            half_width=float(half_width),
            n=counts[name],
            source=FITTED,
            means=former[name].means if name in former else "",
        )
    write_entries(entries, path)
    return result


def answer_cases(table: Sequence[Candidates], weights: Mapping[str, float]) -> Iterator[TableAnswer]:
    """Yield the answer that the weights give in each case."""
    design = _make_design(table, list(weights))
    shares = design.shares(design.rows @ np.array(list(weights.values())))
    for case, first in zip(table, design.first, strict=True):
        own = shares[first : first + len(case.rows)]
        best = 1 + int(own[1:].argmax())
        yield TableAnswer(confidence=float(own[best]), is_right=best in case.right, is_solvable=0 not in case.right)


def cross_validate(
    table: Sequence[Candidates], names: Sequence[str], held: Mapping[str, float], folds: int = 5
) -> Iterator[TableAnswer]:
    """Yield the answers in cases that the fit had not seen."""
    for fold in range(folds):
        seen = [case for at, case in enumerate(table) if at % folds != fold]
        unseen = [case for at, case in enumerate(table) if at % folds == fold]
        weights = zip(names, fit(seen, names, held).weights, strict=True)
        yield from answer_cases(unseen, {**held, **dict(weights)})


def main() -> None:
    parser = argparse.ArgumentParser(prog="fit", description=__doc__)
    parser.add_argument("--collect", type=int, default=0, metavar="N", help="draw N cases anew and write the table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path, help="a folder of labelled bundles")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--refit-judged", action="store_true", help="fit the judged weights too")
    options = parser.parse_args()
    if options.collect:
        write_table(collect(options.collect, options.seed, options.corpus, options.jobs))
    table = read_table()
    result = fit_file(table, refit_judged=options.refit_judged)
    names, held = result.names, result.held
    print(f"{len(table)} incidents, {len(names)} factors, loss {result.loss:.4f}")
    _print_reliability(list(cross_validate(table, names, held)))
    for at, name in enumerate(names):
        without = fit(table, [*names[:at], *names[at + 1 :]], held)
        print(f"without {name}: {without.loss - result.loss:+.4f}")


def _print_reliability(answered: Sequence[TableAnswer]) -> None:
    """Print how often answers of each stated probability are right, in cases that the fit had not seen."""
    for low in (0.0, 0.5, 0.6, 0.7, 0.8, 0.9):
        high = low + 0.1 if low else 0.5
        inside = [
            answer.is_right
            for answer in answered
            if low <= answer.confidence < high or (high >= 0.999 and answer.confidence >= low)
        ]
        if inside:
            print(f"{low:.1f} to {high:.1f}: {len(inside)} answers, {sum(inside) / len(inside):.2f} right")
    score = score_answers(answered)
    trust = 1 - score.surely_wrong / len(answered)
    print(f"first right where any is: {score.first_right}/{score.solvable}; trust {trust:.3f}")


if __name__ == "__main__":
    main()
