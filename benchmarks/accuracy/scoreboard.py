"""The tables that are printed and kept in benchmarks/ACCURACY.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from accuracy.answers import ANSWERS
from accuracy.outcomes import Outcome
from accuracy.score import TOTALS, Score, add_up, brier, reliability

MAX_WORST_CELLS = 10  # cells that are shown
MAX_GROUPS = 20  # faults and collectors
NUMERATION = "share (right/asked)"


def render(outcomes: Sequence[Outcome], corpus: Sequence[Score] = ()) -> Iterator[str]:
    """Markdown, line by line."""
    yield from _totals(outcomes, corpus)
    yield ""
    yield from _reliability([outcome.scores["analysis"] for outcome in outcomes])
    yield ""
    yield from _worst(outcomes)


def _totals(outcomes: Sequence[Outcome], corpus: Sequence[Score]) -> Iterator[str]:
    def scores(who: str, part: str = "") -> list[Score]:
        return [outcome.scores[who] for outcome in outcomes if part in ("", outcome.part)]

    develop, held_out = scores("analysis", "develop"), scores("analysis", "measure")
    yield f"| {NUMERATION} | {' | '.join(TOTALS)} | Brier |"
    yield "|---|" + "---:|" * (len(TOTALS) + 1)
    yield _row("**analysis**", scores("analysis"))
    yield _row("part to develop on", develop)
    yield _row("part that only measures", held_out)
    yield _distance(develop, held_out)
    for who in list(ANSWERS)[1:]:
        yield _row(who, scores(who))
    if corpus:
        yield _row("labelled bundles", corpus)


def _row(name: str, scores: Sequence[Score]) -> str:
    shown = [f"{right / asked:.3f} ({right}/{asked})" if asked else "–" for right, asked in add_up(scores).values()]
    square = brier(scores)
    return f"| {name} | {' | '.join(shown)} | {'–' if square is None else f'{square:.3f}'} |"


def _distance(develop: Sequence[Score], held_out: Sequence[Score]) -> str:
    pairs = zip(add_up(develop).values(), add_up(held_out).values(), strict=True)
    shown = [f"{b[0] / b[1] - a[0] / a[1]:+.3f}" if a[1] and b[1] else "–" for a, b in pairs]
    return f"| distance of the two | {' | '.join(shown)} | |"


def _reliability(scores: Sequence[Score]) -> Iterator[str]:
    yield "| stated confidence | answers | right |"
    yield "|---|---:|---:|"
    for low, high, asked, right in reliability(scores):
        if asked:
            yield f"| {low:.1f} to {high:.1f} | {asked} | {right / asked:.2f} |"


def _worst(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Cells of fault × collector by how many of their cases are wrong, and then by how surely."""
    cells: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        cells.setdefault((outcome.fault, outcome.draw.collector), []).append(outcome)
    wrong = {cell: [outcome for outcome in inside if not _is_right(outcome)] for cell, inside in cells.items()}
    order = sorted(wrong, key=lambda cell: (-len(wrong[cell]), -max(map(_surety, wrong[cell]), default=0.0), cell))
    yield "| fault | collector | wrong | asked for | said | `make accuracy CASE=` |"
    yield "|---|---|---:|---|---|---|"
    for cell in order[:MAX_WORST_CELLS]:
        if wrong[cell]:
            example = max(wrong[cell], key=_surety)
            count = f"{len(wrong[cell])}/{len(cells[cell])}"
            yield f"| {cell[0]} | {cell[1]} | {count} | {example.wanted} | {example.answer} | `{example.draw}` |"


def _is_right(outcome: Outcome) -> bool:
    return all(outcome.scores["analysis"].marks.values())


def _surety(outcome: Outcome) -> float:
    return outcome.scores["analysis"].confidence or 0.0


def compare_faults(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The share of right answers of the faults and collectors that fare worst."""
    for title in ("fault", "collector"):
        groups: dict[str, list[Outcome]] = {}
        for outcome in outcomes:
            groups.setdefault(outcome.fault if title == "fault" else outcome.draw.collector, []).append(outcome)
        yield f"| {title} | right |"
        yield "|---|---:|"
        for name, inside in sorted(groups.items(), key=_by_share)[:MAX_GROUPS]:
            yield f"| {name} | {_share(inside)} |"
        yield ""


def _share(inside: Sequence[Outcome]) -> str:
    right = sum(map(_is_right, inside))
    return f"{right / len(inside):.2f} ({right}/{len(inside)})"


def _by_share(group: tuple[str, Sequence[Outcome]]) -> float:
    return sum(map(_is_right, group[1])) / len(group[1])


def summary(totals: Mapping[str, tuple[int, int]]) -> str:
    return ", ".join(f"{name} {right}/{asked}" for name, (right, asked) in totals.items() if asked)
