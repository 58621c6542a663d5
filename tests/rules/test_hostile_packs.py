"""Packs that are made to break the program: a clear error or a result, soon, and the other packs go on."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_packs import analyze, find, load_text, one_rule

from analyzer.reading import regex_budget
from analyzer.rules.load import load_packs
from analyzer.rules.parsing.pack import PackReader
from analyzer.rules.parsing.yaml_documents import MAX_BYTES, MAX_VALUES, read_yaml
from analyzer.rules.parsing.yaml_values import PackProblem

GOOD = "pack: good\nrules: [{id: good, match: fine words}]\n"
BOMB = "pack: &a [x, x, x, x, x, x, x, x]\n" + "".join(f"k{n}: &n{n} [{', '.join(['*a'] * 9)}]\n" for n in range(9))

DOCUMENTS: dict[str, tuple[bytes, str]] = {
    "a bomb of aliases": (BOMB.encode(), "aliases"),
    "an object tag": (b"pack: !!python/object/apply:os.system ['true']\n", "not allowed"),
    "an object tag on a text": (b"pack: !!python/name:os.system x\n", "not allowed"),
    "a custom tag": (b"pack: x\nrules:\n  - !rule {id: a, match: b}\n", "not allowed"),
    "a set": (b"pack: x\nrules: !!set {a, b}\n", "not allowed"),
    "invalid UTF-8": (b"pack: caf\xe9\n", "not valid YAML"),
    "a control character": (b"pack: a\x00b\n", "not valid YAML"),
    "deep nesting": (b"pack: x\nrules: " + b"[" * 200_000, "deep"),
    "deep nesting of mappings": (b"pack: x\nrules: " + b"{a: " * 100_000, "deep"),
    "a torn document": (b"pack: x\nrules: [{id: 'a", "not valid YAML"),
    "two documents": (b"pack: x\n---\npack: y\n", "not valid YAML"),
    "a key twice": (b"pack: x\npack: y\n", "occurs twice"),
    "a list as key": (b"pack: x\n? [a]\n: b\n", "plain word"),
    "too much": (b"pack: x\n" + b"#" * MAX_BYTES, "bytes"),
    "too many values": (b"pack: x\nrules: [" + b"a," * MAX_VALUES + b"]", "values"),
    "a boolean that is none": (b"pack: x\nversion: !!bool foo\n", "not allowed"),
    "a number that is none": (b"pack: x\nversion: !!int ''\n", "not allowed"),
    "a time that is none": (b"pack: x\n!!timestamp foo: 1\n", "not allowed"),
    "a number that cannot be printed": (b"pack: x\nconfidence: 0x" + b"f" * 6000, "confidence"),
    "a number to the base of 60": (b"pack: x\nconfidence: 1" + b":1" * 500_000, "confidence"),
    "a text": (b"just a text", "a rule pack is a mapping"),
    "nothing": (b"", "a rule pack is a mapping"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_hostile_document_is_refused_and_the_next_one_is_read(name: str, tmp_path: Path) -> None:
    document, complaint = DOCUMENTS[name]
    (tmp_path / "bad.yaml").write_bytes(document)
    (tmp_path / "good.yaml").write_text(GOOD)
    packs = load_packs([tmp_path / "bad.yaml", tmp_path / "good.yaml"], builtin=False)
    assert any(complaint in str(problem) for problem in packs.problems), packs.problems
    assert all(len(str(problem)) < 1000 for problem in packs.problems)
    assert "good" in packs.rules


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(
        ["a", "(", "~ (", "> 3", "{a}", "{", "5s", "90%", "cause", "xid", "(?P<a>x)", "signal", "r", ".*"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "signal",
                    "where",
                    "on",
                    "all",
                    "any",
                    "not",
                    "count",
                    "at_least",
                    "at_most",
                    "within",
                    "distinct",
                    "of",
                    "sequence",
                    "optional",
                    "unless",
                    "before",
                    "after",
                    "absent",
                    "first",
                    "share",
                    "exactly",
                    "base",
                    "raise",
                    "lower",
                    "lines",
                    "until",
                    "prefixed",
                    "table",
                    "key",
                    "fault",
                    "x",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@settings(max_examples=300)
@given(
    pack=st.fixed_dictionaries(
        {"pack": values},
        optional={
            "disable": values,
            "signals": values
            | st.dictionaries(
                st.sampled_from(["a", "b"]),
                st.dictionaries(
                    st.sampled_from(
                        [
                            "match",
                            "not_match",
                            "contains",
                            "source",
                            "severity",
                            "block",
                            "also",
                            "set",
                            "bits",
                            "lookup",
                            "feeds",
                            "noise",
                        ]
                    ),
                    values,
                ),
            ),
            "rules": st.lists(
                st.dictionaries(
                    st.sampled_from(
                        [
                            "id",
                            "extends",
                            "match",
                            "contains",
                            "when",
                            "by",
                            "cause",
                            "role",
                            "confidence",
                            "explains",
                            "explained_by",
                            "why",
                            "replay",
                            "tests",
                            "block",
                            "set",
                            "override",
                            "title",
                        ]
                    ),
                    values,
                ),
                max_size=3,
            )
            | values,
        },
    )
)
def test_no_value_anywhere_breaks_the_loader_or_the_judgement(pack: dict[str, object]) -> None:
    import yaml

    from analyzer.rules.packs.merge import merge_packs

    problems: list[PackProblem] = []
    read = PackReader("pack.yaml", problems).read_pack(read_yaml(yaml.safe_dump(pack).encode(), "pack.yaml", problems))
    packs = merge_packs([read] if read else [], {}, {}, problems)
    analyze(packs, "0 a b x r signal\n    more\n1 a ( . x cause 90%\n2 {a} xid")


SLOW = "  - {id: slow, match: 'x(?:a+)+$', title: slow}\n  - {id: also, match: 'x', also: '(?P<y>(?:a+)+)$', not_match: '(?:a|a)+b', title: 'also {y?}'}\n"  # noqa: E501


def test_a_pattern_that_explodes_is_given_up_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regex_budget, "SEARCH_TIMEOUT_S", 0.02)
    packs = load_text(tmp_path, one_rule("match: alpha") + SLOW)
    incident = analyze(packs, "0 alpha\n" + f"1 x{'a' * 5000}!\n" * 300)
    assert {finding.rule for finding in incident.findings} == {"r", "also"}
    for rule in ("slow", "also"):
        assert sum(f"pattern of {rule} took too long" in note for note in incident.notes) == 1


def test_the_time_that_all_patterns_may_lose_is_bounded() -> None:
    import regex

    budget = regex_budget.RegexTimeoutBudget(spent_s=regex_budget.TOTAL_TIMEOUT_S)
    explosive = regex.compile("(?:a+)+$")
    for name in ("p", "q"):
        assert budget.search(name, explosive, "a" * 5000 + "!") is None
    assert budget.abandoned_signals == ["p", "q"]
    assert budget.spent_s == pytest.approx(regex_budget.TOTAL_TIMEOUT_S + 2 * regex_budget.SHORT_TIMEOUT_S)
    assert budget.search("r", regex.compile("b"), "abc") is not None


@pytest.mark.parametrize("key", ["match", "contains", "fields", "not_match", "also", "where"])
def test_a_giant_pattern_is_refused_before_anything_compiles_it(key: str, tmp_path: Path) -> None:
    text = "x" * 2_000_000
    bodies = {"where": f"when: {{signal: alpha, where: {{id: '~ {text}'}}}}", "fields": f"fields: {{msg: {text}}}"}
    body = bodies.get(key, f"{key}: {text}")
    also = ", match: beta" if key in ("not_match", "also") else ""
    began = time.process_time()
    packs = load_text(tmp_path, one_rule("match: alpha") + f"  - {{id: giant, {body}{also}}}\n")
    assert time.process_time() - began < 5  # seconds; compiling it would take minutes
    assert any("characters" in problem.text for problem in packs.problems)
    assert all(len(str(problem)) < 1000 for problem in packs.problems)
    assert find(packs, "0 alpha", "r")


def test_a_pack_without_an_end_is_read_up_to_the_bound(tmp_path: Path) -> None:
    """A FIFO in a folder of packs would be waited for, and a giant file would fill the memory."""
    (tmp_path / "good.yaml").write_text(GOOD)
    os.mkfifo(tmp_path / "fifo.yaml")
    with (tmp_path / "giant.yaml").open("wb") as giant:
        giant.truncate(1 << 40)
    packs = load_packs([tmp_path], builtin=False)
    assert set(packs.rules) == {"good"}
    assert {(Path(problem.file).name, problem.text) for problem in packs.problems} == {
        ("fifo.yaml", "cannot be read: it is not a regular file"),
        ("giant.yaml", f"the file has more than {MAX_BYTES:,} bytes"),
    }


def test_ten_thousand_rules_are_read_and_judged(tmp_path: Path) -> None:
    rules = "".join(
        f"  - {{id: rule-{n}, match: 'fault number {n} of (?P<what>\\w+)', title: '{{what}}'}}\n" for n in range(10_000)
    )
    packs = load_text(tmp_path, one_rule("match: alpha") + rules)
    assert not packs.problems
    assert [finding.title for finding in find(packs, "0 fault number 9876 of mine", "rule-9876")] == ["mine"]


@pytest.mark.parametrize(
    "title",
    ["{__class__}", "{what.__class__}", "{what!r}", "{what[0]}", "{0}", "{", "}", "{{what}}", "{what:>1000000000}"],
)
def test_titles_are_filled_from_captures_and_from_nothing_else(title: str, tmp_path: Path) -> None:
    [finding] = find(load_text(tmp_path, one_rule(f"match: 'bad (?P<what>\\w+)'\ntitle: '{title}'")), "0 bad luck")
    assert "class '" not in finding.title
    assert len(finding.title) < 100


def test_captures_cannot_grow_without_bound_nor_be_read_as_templates(tmp_path: Path) -> None:
    doubled = "".join(f"  c{n + 1}: '{{c{n}}}{{c{n}}}'\n" for n in range(60))
    packs = load_text(
        tmp_path, one_rule(f"match: 'bad (?P<c0>\\S+)'\nset:\n  other: secret\n  again: '{{c0}} {{other}}'\n{doubled}")
    )
    [finding] = find(packs, "0 bad {other}")
    assert finding.captures["again"] == "{other} secret"
    assert max(map(len, finding.captures.values())) <= 16 * 1024


@pytest.mark.parametrize("value", ["{pid}", "{id}{id}", "(((", "> 3"])
def test_what_a_line_says_is_never_taken_for_a_test(value: str, tmp_path: Path) -> None:
    rule = "when: {all: [alpha, {signal: gamma, where: {pid: ['{id}', '~ ^{id}$']}}]}\nby: [id]"
    packs = load_text(tmp_path, one_rule(rule))
    text = value.replace(" ", "")
    assert find(packs, f"0 alpha id={text}\n1 gamma id=2 pid={text}")
    assert not find(packs, f"0 alpha id={text}\n1 gamma id=2 pid=9")


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("code [[:digit:]]+ failed", "[:digit:] is not supported"),
        ("x[^[:space:]]y", "[:space:] is not supported"),
        ("shape {d} failed", "{d} requests fuzzy matching"),
        ("(?:frobnication){e<=2} failed", "{e<=2} requests fuzzy matching"),
        ("frobnication{i, 1<=d<=2, 2i+1s<=4:[a-z]} failed", "requests fuzzy matching"),
        (r"shape \{d} failed", ""),
        ("axes [[a-z]+ failed", ""),
        ("a{2,3}b {name} failed", ""),
    ],
)
def test_what_the_scanner_would_read_otherwise_is_refused(
    pattern: str, fault: str, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    packs = load_text(tmp_path, one_rule("match: alpha") + f"  - {{id: odd, match: '{pattern}'}}\n")
    assert ("odd" in packs.rules) == (not fault)
    assert not fault or any(fault in problem.text for problem in packs.problems)
    assert not recwarn.list


@pytest.mark.parametrize(
    "pattern",
    [
        "x((a{1,32}b?){1,32}c?){1,32}d",
        "x(?:[ab]{1,32}[cd]{1,32}){20,32}[xyz]{1,32}(?:.{1,32}q){30}",
        "x(.{1,30}a){30}b",
    ],
)
def test_a_pattern_too_large_for_the_scanner_is_refused_alone(pattern: str, tmp_path: Path) -> None:
    packs = load_text(tmp_path, one_rule("match: alpha") + f"  - {{id: large, match: '{pattern}'}}\n")
    analyze(packs, "0 alpha")  # whatever was not refused can be compiled with the others
    assert "r" in packs.rules
    assert ("large" in packs.rules) != any("the scanner cannot use" in problem.text for problem in packs.problems)
    assert "large" not in packs.rules or "{1,32}" not in pattern
