"""`make drop-factors`: writes into docs/accuracy.md what each factor of judgement contributes to the answers.

Each row gives one factor the weight 0 and leaves the others as they are in `factors.yaml`. The cases are those of the
committed table of candidates, on which the weights were fitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from accuracy.factor_weights import WeightEntry, read_entries
from accuracy.fit import Candidates, answer_cases, names_of, read_table
from accuracy.table_scores import TableScore, score_answers
from analyzer.diagnosis.ranking import WEIGHTS_FILE

DOCUMENT = Path(__file__).parents[2] / "docs" / "accuracy.md"
BEGIN, END = "<!-- make drop-factors: begin -->\n", "<!-- make drop-factors: end -->\n"


def replace_table(document: str) -> str:
    """Return the document with the table anew. Raises ValueError if the document lacks the marks around it."""
    before, begin, behind = document.partition(BEGIN)
    _, end, after = behind.partition(END)
    if not (begin and end):
        raise ValueError("the document has no marks around the table of factors")
    lines = render_costs(read_table(), read_entries(WEIGHTS_FILE))
    return before + begin + "\n" + "".join(f"{line}\n" for line in lines) + "\n" + end + after


def render_costs(table: Sequence[Candidates], entries: dict[str, WeightEntry]) -> Iterator[str]:
    """Yield the lines of a Markdown table: the score of all factors, then the change without each, the worst first."""
    weights = {name: entry.weight for name, entry in entries.items()}
    base = score_answers(list(answer_cases(table, weights)))
    measured = set(names_of(table))
    scores = {
        name: score_answers(list(answer_cases(table, {**weights, name: 0.0}))) for name in weights if name in measured
    }
    yield "| without | weight | incidents | Brier | first right | surely wrong |"
    yield "|---|---|---|---|---|---|"
    yield (
        f"| none: all factors | | {len(table)} | {base.brier:.4f} | {base.first_right} of {base.solvable}"
        f" | {base.surely_wrong} |"
    )
    for name, score in sorted(scores.items(), key=lambda item: (-round(item[1].brier - base.brier, 4), item[0])):
        yield f"| `{name}` | {weights[name]:+.2f} | {entries[name].n} | {_changes(score, base)} |"
    for name in sorted(weights.keys() - scores.keys()):
        yield f"| `{name}` | {weights[name]:+.2f} | 0 | not measured | | |"


def _changes(score: TableScore, base: TableScore) -> str:
    brier = round(score.brier - base.brier, 4) or 0.0
    return " | ".join(
        (
            f"{brier:+.4f}",
            f"{score.first_right - base.first_right:+d}",
            f"{score.surely_wrong - base.surely_wrong:+d}",
        )
    )


def main() -> None:
    DOCUMENT.write_text(replace_table(DOCUMENT.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
