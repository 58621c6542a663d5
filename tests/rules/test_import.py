"""`rules import`: rules of other tools become packs that load and fire, and what is lost is said rule by rule."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from small_packs import find, load_text

from analyzer.errors import InputError
from analyzer.rules.importing.import_file import import_file, write_pack
from analyzer.rules.importing.imported_rules import NotCarriedOverError, translate_pattern
from analyzer.rules.types import Packs

NPD = {
    "plugin": "kmsg",
    "source": "kernel-monitor",
    "rules": [
        {"type": "temporary", "reason": "LinkFlap", "pattern": "fabric card \\w+ flapped .*"},
        {"type": "temporary", "reason": "LinkFlap", "pattern": "fabric card \\w+ bounced"},
        {"type": "permanent", "condition": "FabricDown", "reason": "FabricIsDown", "pattern": "fabric .* is gone"},
        {"type": "temporary", "reason": "TwoLines", "pattern": "one\\ntwo"},
    ],
}


def cre(rule: str, terms: str = "") -> str:
    about = "{id: CRE-2031-0001, severity: 0, title: 'A {title}', mitigation: \"- first\\n- second\"}"
    return f"rules:\n  - cre: {about}\n    rule: {rule}\n{terms}"


def convert(folder: Path, text: str) -> Packs:
    file = folder / "theirs.yaml"
    file.write_text(text)
    rules = list(import_file(file, "theirs"))
    assert [rule.problem for rule in rules if rule.problem] == []
    packs = load_text(folder, write_pack("theirs", rules))
    assert not packs.problems
    return packs


@pytest.mark.parametrize(
    ("rule", "fires", "silent"),
    [
        ("{set: {match: [alpha word]}}", "0 alpha word", "0 alpha"),
        ("{set: {match: [{regex: 'al[[:alpha:]]+ \\d+.*'}]}}", "0 alpha 7", "0 alpha x"),
        ("{set: {window: 9s, match: [alpha, beta]}}", "5 beta\n0 alpha", "0 alpha\n30 beta"),
        ("{set: {window: 9s, match: [{value: alpha, count: 2}]}}", "0 alpha\n5 alpha", "0 alpha\n30 alpha"),
        ("{set: {window: 9s, match: [alpha, beta], negate: [gamma]}}", "0 alpha\n1 beta", "0 alpha\n1 beta\n2 gamma"),
        ("{set: {window: 9s, match: [alpha], negate: [gamma, delta]}}", "0 alpha\n20 gamma", "0 alpha\n2 delta"),
        ("{sequence: {window: 9s, order: [alpha, beta]}}", "0 alpha\n5 beta", "0 beta\n5 alpha"),
        (
            "{sequence: {window: 9s, order: [alpha, beta], negate: [gamma]}}",
            "0 alpha\n5 beta\n6 gamma",
            "0 alpha\n4 gamma\n5 beta",
        ),
        (
            "{sequence: {window: 9s, order: [alpha, {set: {window: 2s, match: [beta, gamma]}}]}}",
            "0 alpha\n4 gamma\n5 beta",
            "0 alpha\n1 gamma\n5 beta",
        ),
    ],
)
def test_a_cre_rule_fires_where_it_does_in_its_own_tool(rule: str, fires: str, silent: str, tmp_path: Path) -> None:
    packs = convert(tmp_path, cre(rule))
    assert find(packs, fires, "cre-2031-0001") and not find(packs, silent, "cre-2031-0001")


def test_texts_terms_and_examples_are_carried_over(tmp_path: Path) -> None:
    (tmp_path / "test.log").write_text("alpha 7\n")
    terms = "terms: {word: {regex: 'alpha \\d'}}\n"
    rule = convert(tmp_path, cre("{set: {match: [word]}}", terms)).rules["cre-2031-0001"]
    assert (rule.title, rule.remediation, rule.severity) == ("A (title)", ("first", "second"), "fatal")
    assert rule.status == "experimental" and rule.cause == "theirs.cre-2031-0001"
    assert rule.tests == ({"fires": {"node-1/example.log": "alpha 7\n"}},)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("{set: {match: [{jq: '.a'}]}}", "`jq` does not search"),
        ("{set: {match: [{regex: 'a\\nb'}]}}", "spans several lines"),
        ("{set: {match: [{regex: 'some ('}]}}", "is not valid here"),
        ("{set: {match: []}}", "no match"),
        ("{sequence: {window: 5s, order: [alpha]}}", "of one step"),
        ("{}", "neither a set nor a sequence"),
    ],
)
def test_what_cannot_be_carried_over_is_said(rule: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "theirs.yaml").write_text(cre(rule))
    (imported,) = import_file(tmp_path / "theirs.yaml", "theirs")
    assert imported.problem and reason in imported.problem


def test_options_without_a_counterpart_are_noted(tmp_path: Path) -> None:
    (tmp_path / "theirs.yaml").write_text(
        cre(
            "{sequence: {window: 9s, event: {source: cre.log.x}, correlations: [pod], order: [alpha, beta], "
            "negate: [{value: gamma, slide: 3s}]}}"
        )
    )
    (imported,) = import_file(tmp_path / "theirs.yaml", "theirs")
    assert [word for word in ("cre.log.x", "pod", "slide") if word not in " ".join(imported.notes)] == []


def test_a_node_problem_detector_configuration_becomes_symptoms_and_causes(tmp_path: Path) -> None:
    (tmp_path / "monitor.json").write_text(json.dumps(NPD))
    rules = list(import_file(tmp_path / "monitor.json", "npd"))
    assert [rule.problem for rule in rules] == [None, None, "none of its patterns could be carried over"]
    packs = load_text(tmp_path, write_pack("npd", rules))
    lines = "[ 5.1] fabric card f0 bounced\n[ 6.1] fabric card f1 flapped twice\n[ 7.1] fabric f0 is gone"
    texts = {"node-1/dmesg.txt": lines}
    assert find(packs, texts, "npd-link-flap")[0].role.value == "symptom"
    (down,) = find(packs, texts, "npd-fabric-is-down")
    assert (down.role.value, down.cause) == ("cause", "npd.fabric-is-down")


@pytest.mark.parametrize(
    "text", ["", "a: [", "logsource: {product: linux}\ndetection: {}\n", "rules: [{id: a}]\n", "{", "\x00"]
)
def test_a_file_of_another_format_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "theirs.yaml").write_text(text)
    with pytest.raises(InputError):
        list(import_file(tmp_path / "theirs.yaml", "theirs"))


NESTED = zip("abcdefg", "bcdefgh", strict=True)
LAUGHING = ", ".join(f"{name}: {{set: {{match: [{', '.join([inner] * 12)}]}}}}" for name, inner in NESTED)
GIANT = "x" * 2_000_000


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (cre("{set: {match: [a]}}", f"terms: {{{LAUGHING}}}\n"), "more than 1,000 terms"),
        (cre("{set: {match: [a]}}", "terms: {a: {set: {match: [a, a]}}}\n"), "nested too deeply"),
        (cre(f"{{set: {{match: [{', '.join(f't{n}' for n in range(20_000))}]}}}}"), "more than 1,000 terms"),
        (cre(f"{{set: {{match: [{{regex: {GIANT}}}]}}}}"), "2,000,000 characters"),
        (cre(f"{{set: {{match: [{GIANT}]}}}}"), "2,000,000 characters"),
        (
            json.dumps({"plugin": "kmsg", "rules": [{"reason": "A", "pattern": GIANT}]}),
            "none of its patterns",
        ),
    ],
    ids=["multiplying terms", "a term in itself", "many terms", "a giant regex", "a giant text", "a giant pattern"],
)
def test_a_hostile_file_is_refused_soon(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "theirs.yaml").write_text(text)
    began = time.process_time()
    (imported,) = import_file(tmp_path / "theirs.yaml", "theirs")
    assert time.process_time() - began < 10  # seconds; before, minutes
    assert imported.problem and reason in imported.problem and len(imported.problem) < 1000


@pytest.mark.parametrize("severity", ["''", "'12'", "1234", "-1", "[1]", "9" * 5000, "{a: b}", "null"])
def test_any_severity_is_a_severity(severity: str, tmp_path: Path) -> None:
    text = cre("{set: {match: [alpha]}}").replace("severity: 0", f"severity: {severity}")
    assert convert(tmp_path, text).rules["cre-2031-0001"].severity == "error"


@pytest.mark.parametrize("count", ["9" * 5000, "-3", "[2]", "1.5", "'²'", "{a: b}", "true"])
def test_a_count_that_is_no_number_counts_one(count: str, tmp_path: Path) -> None:
    packs = convert(tmp_path, cre(f"{{set: {{match: [{{value: alpha, count: {count}}}]}}}}"))
    assert find(packs, "0 alpha", "cre-2031-0001")


def test_a_file_without_an_end_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "giant.yaml").open("wb") as giant:
        giant.truncate(1 << 40)
    with pytest.raises(InputError, match="bytes"):
        list(import_file(tmp_path / "giant.yaml", "theirs"))


def test_the_example_beside_a_rule_is_no_way_to_files_of_whoever_imports_it(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("alpha, and what is nobody's business\n")
    (tmp_path / "test.log").symlink_to(tmp_path / "mine.txt")
    assert not convert(tmp_path, cre("{set: {match: [alpha]}}")).rules["cre-2031-0001"].tests
    (tmp_path / "test.log").unlink()
    (tmp_path / "test.log").write_text("alpha password=hunter2\n")
    assert "hunter2" not in str(convert(tmp_path, cre("{set: {match: [alpha]}}")).rules["cre-2031-0001"].tests)


def test_patterns_of_go_are_translated() -> None:
    assert translate_pattern(r".*a(?<n>\d)\z") == r"a(?P<n>\d)\Z"
    assert translate_pattern(r"\Qa.b\E c.*") == r"a\.b c"
    assert translate_pattern(r"ends with a dot \.*") == r"ends with a dot \.*"
    with pytest.raises(NotCarriedOverError):
        translate_pattern("(?s)a.b")
