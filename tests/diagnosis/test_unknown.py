"""Unknown errors: grouped by statement, ranked by how new and local they are, bounded whatever a log holds."""

from __future__ import annotations

import io
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import call

from analyzer.bundle import Loss, open_bundle
from analyzer.diagnosis.masks import make_mask, mask_variables
from analyzer.diagnosis.templates import MAX_GROUPS, KnownTemplates, fold_messages
from analyzer.diagnosis.unknown_errors import MAX_TEMPLATES as MOST_TEMPLATES
from analyzer.reading import ReadPlan, read_source
from analyzer.reading.hits import MAX_HEAD_HITS, MAX_TAIL_HITS
from analyzer.reading.shapes import MAX_SHAPES as MOST_SHAPES
from analyzer.reading.shapes import OTHER_SHAPE

FIXTURES = Path(__file__).parents[2] / "fixtures"
STEPS = "".join(f"2026-01-02 03:04:{second:02d},000 INFO train: step {second} loss 0.5\n" for second in range(40))
STATEMENT = re.compile(r"(?:^|[\s\]])([\w./-]+\.(?:cc|h)):(\d+)\]\s?(.*)$")
QUOTES_AN_ERROR = re.compile(r"\b[A-Z]{4,}(?:_[A-Z]+)*: |with [A-Z]+_?[A-Z]*\b")


def error(second: int, text: str) -> str:
    return f"2026-01-02 03:04:{second:02d},500 ERROR app: {text}\n"


def analyze(*words: object) -> dict[str, Any]:
    result = call("analyze", *words, "--json", "-", "-q")
    assert result.returncode == 0, result.stderr
    written: dict[str, Any] = json.loads(result.stdout)
    return written


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = tmp_path / "bad"
    for node in ("n1", "n2", "n3"):
        (folder / node).mkdir(parents=True)
        odd = [error(50 + k, f"ring slot {17 * k} lost its owner") for k in range(3)] if node == "n2" else []
        lines = [error(41, f"cannot push gauge 4 to {node}"), *odd, error(55, f"giving up on {node}")]
        (folder / node / "worker.log").write_text(STEPS + "".join(lines))
    return folder


@pytest.fixture
def good(tmp_path: Path) -> Path:
    (tmp_path / "good" / "m7").mkdir(parents=True)
    text = STEPS + error(41, "cannot push gauge 9 to m7") + "2026-01-02 03:05:00,000 INFO train: training finished\n"
    (tmp_path / "good" / "m7" / "worker.log").write_text(text)
    return tmp_path / "good"


def test_what_one_node_alone_says_comes_first(bundle: Path) -> None:
    first, *others = analyze(bundle)["unclassified"]
    assert (first["template"], first["count"], first["nodes"]) == ("ring slot <n> lost its owner", 3, ["n2"])
    assert first["why"] == ["only on n2"]
    assert [(row["count"], row["nodes"]) for row in others] == [(3, ["n1", "n2", "n3"])] * 2


@pytest.mark.parametrize("form", ["bundle", "report.json", "report.html"])
def test_what_a_good_run_has_too_comes_last(form: str, bundle: Path, good: Path, tmp_path: Path) -> None:
    baseline = good
    if form != "bundle":
        baseline = tmp_path / form
        option = "--json" if form.endswith("json") else "-o"
        assert call("analyze", good, "-q", option, baseline).returncode == 0
    templates = analyze(bundle, "--baseline", baseline)["unclassified"]
    assert [template["new"] for template in templates] == [True, True, False]
    assert templates[-1]["template"] == "cannot push gauge <n> to <host>"
    assert "not in the good run" in templates[0]["why"]


def read(text: str, plan: ReadPlan) -> Any:
    return read_source("n/worker.log", io.BytesIO(text.encode()), plan)


def test_a_rare_error_in_a_flood_is_kept_and_counts_are_exact(plan: ReadPlan) -> None:
    flood = [error(number % 60, f"queue {number} is full, dropping") for number in range(4000)]
    flood[2000:2000] = [error(9, "the manifest names a shard that nobody wrote")]
    result = read("".join(flood), plan)
    assert any("manifest" in event.text for event in result.events)
    assert sorted(result.shapes.values()) == [1, 4000]


def test_a_log_of_nothing_but_new_errors_stays_bounded(plan: ReadPlan) -> None:
    chance = random.Random(4)
    words = ["".join(chance.choices("abcdefghij", k=8)) for _ in range(500)]
    lines = [error(number % 60, " ".join(chance.choices(words, k=4))) for number in range(20_000)]
    result = read("".join(lines), plan)
    assert len(result.shapes) == MOST_SHAPES + 1
    assert sum(result.shapes.values()) == 20_000
    assert result.shapes["", OTHER_SHAPE] == 20_000 - MOST_SHAPES
    kept = Counter(event.signal for event in result.events)
    assert max(kept.values()) <= MAX_HEAD_HITS + MAX_TAIL_HITS + 300


def test_groups_are_bounded_and_do_not_depend_on_order() -> None:
    chance = random.Random(5)
    messages = [
        mask_variables(f"{word} failed at {n}") for n, word in enumerate(chance.choices("abcdefghijklmnop", k=200))
    ]
    messages += [f"{'x' * (n % 97)} {n % 13 * 'y'} {chr(97 + n % 26)}{n}" for n in range(6000)]
    groups = fold_messages(messages)
    assert len(groups) <= MAX_GROUPS
    assert sum(len(group.messages) for group in groups) == len(messages)
    chance.shuffle(messages)
    assert sorted(group.template for group in fold_messages(messages)) == sorted(group.template for group in groups)


def test_names_of_machines_are_no_words() -> None:
    hide = make_mask(["gpu-17", "node3.cluster.example", "train"])
    assert hide("train on gpu-17 and NODE3: 5 of 10.0.0.1:22") == "train on <host> and NODE<n>: <n> of <address>"
    assert hide("lost node3.cluster.example") == "lost <host>"


def statements() -> Iterator[tuple[tuple[str, str], str]]:
    """(file and line of the C++ statement, its message) of every line of the fixtures that names its statement."""
    for path in sorted(FIXTURES.glob("*/bundle.tar.gz")):
        for item in open_bundle([path]):
            data = b"" if isinstance(item, Loss) else item.stream.read(1 << 22)
            if data.lstrip()[:1] != b"{" and b"\0" not in data[:4096]:
                for line in data.decode("utf-8", "replace").splitlines():
                    if (match := STATEMENT.search(line[:400])) and not QUOTES_AN_ERROR.search(match[3]):
                        yield (match[1].rpartition("/")[2], match[2]), match[3]


def test_templates_are_statements_of_the_program() -> None:
    """Grouping accuracy (Zhu et al., ICSE-SEIP 2019) on real TensorFlow logs, whose prefix names the statement.

    A statement stands on another line in another version: where messages are equal, it is the same one.
    """
    lines = sorted(set(statements()))
    owner: dict[tuple[str, str], tuple[str, str]] = {}
    first: dict[str, tuple[str, str]] = {}
    for statement, message in lines:
        owner[statement] = owner.get(statement) or owner.get(first.get(mask_variables(message), statement), statement)
        first.setdefault(mask_variables(message), owner[statement])
    group_of = {
        message: n
        for n, group in enumerate(fold_messages({mask_variables(m) for _, m in lines}))
        for message in group.messages
    }
    ours, true = defaultdict(set), defaultdict(set)
    for number, (statement, message) in enumerate(lines):
        ours[group_of[mask_variables(message)]].add(number)
        true[owner[statement]].add(number)
    right = {frozenset(group) for group in true.values()}
    accuracy = sum(len(our) for our in ours.values() if frozenset(our) in right) / len(lines)
    assert len(true) > 25
    assert accuracy >= 0.95


def test_a_known_template_is_known_again() -> None:
    known_templates = KnownTemplates(["ring slot <n> lost its owner <*>", "giving up on <host>"])
    assert known_templates.contains("ring slot <n> lost its owner <hex>")
    assert not known_templates.contains("disk slot is full of old errors")


def test_kinds_of_errors_beyond_the_bounds_are_told_of(tmp_path: Path) -> None:
    chance = random.Random(4)
    words = ["".join(chance.choices("abcdefghij", k=8)) for _ in range(500)]
    lines = [error(number % 60, " ".join(chance.choices(words, k=4))) for number in range(MOST_SHAPES + 700)]
    (tmp_path / "worker.log").write_text("".join(lines))
    incident = analyze(tmp_path)
    assert len(incident["unclassified"]) == MOST_TEMPLATES
    notes = " ".join(incident["notes"])
    assert re.search(
        rf"no rule explains [\d,]+ kinds of errors; the {MOST_TEMPLATES} most significant are listed", notes
    )
    assert "700 error lines were only counted" in notes
