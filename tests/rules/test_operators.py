"""Each word of the rule language, on a bundle that it holds on and on the nearest one that it does not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from small_packs import find, load_text, one_rule

from analyzer.incident import Finding

Lines = Mapping[str, str] | str


def judge(folder: Path, rule: str, texts: Lines, signals: str = "") -> list[Finding]:
    version = "  version: {match: 'uses (?P<name>\\w+)=(?P<value>\\S+)', feeds: version}\n"
    accuses = "  lost: {match: '\\blost (?P<host>[\\w-]+)', feeds: accuses}\n"
    packs = load_text(folder, one_rule(rule, signals + version + accuses))
    assert not packs.problems
    return find(packs, texts)


CASES: dict[str, tuple[str, Lines, Lines]] = {
    "a list of patterns": ("match: ['one (?P<x>\\d)', 'two']", "0 two", "0 three"),
    "any under match": ("match: {any: ['one (?P<x>\\d)', 'two']}", "0 one 1", "0 one"),
    "not_match": ("match: word\nnot_match: 'but \\w+'", "0 word and more", "0 word but less"),
    "not_match in the block": (
        "match: word\nnot_match: ['fine', 'ignore']\nblock: {lines: 5}",
        "0 word\n    bad",
        "0 word\n    you may ignore it",
    ),
    "a block that ends": (
        "match: word\nalso: 'last (?P<last>\\w+)'\nblock: {lines: 9, until: '--'}\n"
        "when: {signal: r, where: {last: two}}",
        "0 word\n    last two\n    --\n    last three",
        "0 word\n    --\n    last two",
    ),
    "a block of lines with prefixes": (
        "match: word\ncontains: more\nblock: {lines: 1, prefixed: true}",
        "0 word\n1 more",
        "0 word\n1 less\n2 more",
    ),
    "set from captures": (
        "match: 'word (?P<x>\\d) (?P<y>\\d)'\nset: {both: '{x}-{y}'}\nwhen: {signal: r, where: {both: 1-2}}",
        "0 word 1 2",
        "0 word 2 1",
    ),
    "any": ("when: {all: [alpha, {any: [beta, gamma]}]}", "0 alpha\n1 gamma", "0 alpha"),
    "not": (
        "when: {all: [alpha, {not: {signal: beta, where: {id: 1}}}]}",
        "0 alpha\n1 beta id=2",
        "0 alpha\n1 beta id=1",
    ),
    "unless": ("when: {signal: alpha, unless: beta}", "0 alpha", "0 alpha\n900 beta"),
    "unless in a window": (
        "when: {signal: alpha, unless: beta, within: 60s}",
        "0 alpha\n90 beta",
        "0 alpha\n50 beta",
    ),
    "a count that is exact": (
        "when: {count: alpha, at_least: 2, at_most: 2}",
        "0 alpha\n1 alpha",
        "0 alpha\n1 alpha\n2 alpha",
    ),
    "a count at most": (
        "when: {all: [beta, {count: alpha, at_most: 1}]}",
        "0 beta\n1 alpha",
        "0 beta\n1 alpha\n2 alpha",
    ),
    "a count beyond what is kept": (
        "when: {count: alpha, at_least: 5000}",
        "0 alpha\n" * 5000,
        "0 alpha\n" * 4999,
    ),
    "a count beyond what is kept, in a window that holds all": (
        "when: {count: {any: [alpha, beta]}, at_least: 1001, within: 1m}",
        "0 alpha\n" * 1000 + "59 beta",
        "0 alpha\n" * 1000 + "90 beta",
    ),
    "contains alone": ("contains: ['a (+) b', c.d]", "0 see c.d then a (+) b", "0 see a (+) b then cxd"),
    "contains beside match": ("match: word\ncontains: more", "0 word and more", "0 word and less"),
    "contains in the block": ("match: word\ncontains: more\nblock: {lines: 5}", "0 word\n    more", "0 word\n    less"),
    "an optional step is there": (
        "when: {sequence: [alpha, {signal: beta, optional: true}, gamma], within: 60s}",
        "0 alpha\n1 beta\n2 gamma",
        "0 alpha\n1 beta",
    ),
    "an optional step is missing": (
        "when: {sequence: [alpha, {signal: beta, optional: true}, gamma]}",
        "0 alpha\n2 gamma",
        "0 gamma\n2 alpha",
    ),
    "an optional step at the start": (
        "when: {sequence: [{signal: beta, optional: true}, alpha, gamma]}",
        "0 alpha\n2 gamma",
        "0 beta\n2 gamma",
    ),
    "an optional step that stands too late is left out": (
        "when: {sequence: [alpha, {signal: beta, optional: true}, gamma]}",
        "0 alpha\n2 gamma\n3 beta",
        "0 gamma\n1 alpha\n3 beta",
    ),
    "unless before": (
        "when: {signal: alpha, unless: {before: beta, within: 60s}}",
        "0 alpha\n5 beta",
        "0 beta\n5 alpha",
    ),
    "unless before, outside its window": (
        "when: {signal: alpha, unless: {before: beta, within: 60s}}",
        "0 beta\n90 alpha",
        "0 beta\n50 alpha",
    ),
    "unless after": ("when: {signal: alpha, unless: {after: beta}}", "0 beta\n5 alpha", "0 alpha\n5 beta"),
    "unless after a combination": (
        "when: {sequence: [alpha, gamma], unless: {after: beta}}",
        "0 alpha\n1 beta\n2 gamma",
        "0 alpha\n1 gamma\n2 beta",
    ),
    "a reference to the anchor": (
        'when: {all: [alpha, {signal: gamma, where: {pid: "{pid}"}}]}\nby: [pid]',
        "0 alpha id=1 pid=7\n1 gamma id=2 pid=7",
        "0 alpha id=1 pid=7\n1 gamma id=2 pid=8",
    ),
    "a reference on another node": (
        'when: {all: [alpha, {signal: gamma, at: other_node, where: {id: "{id}"}}]}\nby: [id]',
        {"node-1/a.log": "0 alpha id=1", "node-2/a.log": "1 gamma id=1"},
        {"node-1/a.log": "0 alpha id=1", "node-2/a.log": "1 gamma id=2"},
    ),
    "a reference in a comparison": (
        'when: {all: [alpha, {signal: gamma, where: {id: "> {id}"}}]}\nby: [id]',
        "0 alpha id=5\n1 gamma id=10",
        "0 alpha id=10\n1 gamma id=5",
    ),
    "a reference to what the anchor lacks": (
        'when: {all: [alpha, {signal: gamma, where: {pid: ["{pid}", "9"]}}]}\nby: [pid]',
        "0 alpha\n1 gamma id=2 pid=9",
        "0 alpha\n1 gamma id=2 pid=7",
    ),
    "an alias": (
        'when: {all: [alpha, {signal: beta, where: {tid: "{who}"}}]}\nby: [{who: [pid, tid]}]',
        "0 alpha id=1 pid=7\n1 beta id=2 tid=7",
        "0 alpha id=1 pid=7\n1 beta id=2 tid=8",
    ),
    "a size": (
        "match: 'used (?P<used>\\S+)'\nwhen: {signal: r, where: {used: '>= 2GiB'}}",
        "0 used 2048MiB",
        "0 used 2047MiB",
    ),
    "a size in bytes": (
        "match: 'used (?P<used>\\S+)'\nwhen: {signal: r, where: {used: '> 1kB'}}",
        "0 used 1025",
        "0 used 1024",
    ),
    "a number": ("when: {signal: alpha, where: {id: '> 9'}}", "0 alpha id=10", "0 alpha id=9"),
    "a number with an exponent": (
        "match: 'loss (?P<l>\\S+)'\nwhen: {signal: r, where: {l: '> 1000000'}}",
        "0 loss 9.9e10",
        "0 loss 9.9e-10",
    ),
    "another value": ("when: {signal: alpha, where: {id: '!= 9'}}", "0 alpha id=10", "0 alpha id=9"),
    "a pattern": ("when: {signal: alpha, where: {id: '~ ^ab?c$'}}", "0 alpha id=ac", "0 alpha id=abbc"),
    "a version": ("match: 'tf (?P<v>\\S+)'\nwhen: {signal: r, where: {v: '< 2.10'}}", "0 tf 2.9.3", "0 tf 2.10.0"),
    "a version of fewer parts": (
        "match: 'tf (?P<v>\\S+)'\nwhen: {signal: r, where: {v: '<= 2.10'}}",
        "0 tf 2.10.0",
        "0 tf 2.10.1",
    ),
    "two versions of two parts": (
        "match: 'tf (?P<v>\\S+)'\nwhen: {signal: r, where: {v: '< v2.10'}}",
        "0 tf 2.9",
        "0 tf 2.10",
    ),
    "one of several values": ("when: {signal: alpha, where: {id: [1, 2]}}", "0 alpha id=2", "0 alpha id=3"),
    "a count in a window": (
        "when: {count: alpha, at_least: 3, within: 10s}",
        "0 alpha\n5 alpha\n9 alpha",
        "0 alpha\n5 alpha\n19 alpha",
    ),
    "distinct values": (
        "when: {distinct: id, of: alpha, at_least: 2}",
        "0 alpha id=1\n1 alpha id=2",
        "0 alpha id=1\n1 alpha id=1",
    ),
    "exactly one node": (
        "when: {share: alpha, exactly: 1}",
        {"node-1/a.log": "0 alpha", "node-2/a.log": "0 beta"},
        {"node-1/a.log": "0 alpha", "node-2/a.log": "0 alpha"},
    ),
    "a share of nodes": (
        "when: {share: alpha, at_least: 90%}",
        {"node-1/a.log": "0 alpha", "node-2/a.log": "0 alpha"},
        {"node-1/a.log": "0 alpha", "node-2/a.log": "0 beta"},
    ),
    "on any node": (
        "when: {all: [alpha, {signal: beta, at: any_node}]}",
        {"node-1/a.log": "0 alpha", "node-2/a.log": "0 beta"},
        {"node-1/a.log": "0 alpha", "node-2/a.log": "0 gamma"},
    ),
    "on the accused node": (
        "when: {all: [lost, {signal: beta, at: accused_node}]}",
        {"node-1/a.log": "0 lost node-2", "node-2/a.log": "0 beta", "node-3/a.log": "0 gamma"},
        {"node-1/a.log": "0 lost node-2", "node-2/a.log": "0 gamma", "node-3/a.log": "0 beta"},
    ),
    "first beyond the error": (
        "when: {first: alpha}",
        {"node-1/a.log": "0 alpha", "node-2/a.log": "600 alpha"},
        {"node-1/a.log": "0 alpha", "node-2/a.log": "1 alpha"},
    ),
    "a setting of the node": (
        "when: {signal: derived.setting, where: {key: tf, value: '< 2.10'}}",
        "0 uses tf=2.9.3",
        "0 uses tf=2.10.0",
    ),
    "a setting beside a line": (
        "when: {all: [alpha, {signal: derived.setting, where: {key: tf, value: 2.9.3}}]}",
        "0 alpha\n1 uses tf=2.9.3",
        "0 uses tf=2.9.3",
    ),
    "absent": ("when: {all: [alpha, {absent: beta}]}", "0 alpha", "0 alpha\n1 beta"),
    "all and unless keep both windows": (
        "when: {all: [alpha, beta], within: 10s, unless: gamma}",
        "0 alpha\n5 beta",
        "0 alpha\n900 beta",
    ),
    "all in a window, with an exception in it": (
        "when: {all: [alpha, beta], within: 10s, unless: gamma}",
        "0 alpha\n5 beta\n90 gamma",
        "0 alpha\n5 beta\n9 gamma",
    ),
    "unless judges each event of a plain signal": (
        "when: {signal: alpha, unless: beta, within: 60s}",
        "0 alpha\n5 beta\n3000 alpha",
        "0 alpha\n5 beta",
    ),
    "unless judges each event of any of several signals": (
        "when: {any: [alpha, gamma], unless: beta, within: 60s}",
        "0 alpha\n5 beta\n3000 gamma",
        "0 alpha\n5 beta\n20 gamma",
    ),
    "unless judges a combination as a whole": (
        "when: {all: [alpha, gamma], unless: beta}",
        "0 alpha\n1 gamma",
        "0 alpha\n1 gamma\n900 beta",
    ),
    "the first of all is the first in time": (
        "when: {all: [gamma, alpha], unless: {before: beta}}",
        "0 alpha\n5 beta\n9 gamma",
        "0 beta\n5 alpha\n9 gamma",
    ),
    "the last of all is the last in time": (
        "when: {all: [gamma, alpha], unless: {after: beta}}",
        "0 alpha\n5 beta\n9 gamma",
        "0 alpha\n5 gamma\n9 beta",
    ),
    "distinct values in a window": (
        "when: {distinct: id, of: alpha, at_least: 3, within: 10s}",
        "0 alpha id=0\n900 alpha id=1\n905 alpha id=2\n910 alpha id=3",
        "0 alpha id=1\n900 alpha id=2\n1800 alpha id=3",
    ),
    "the same signal twice needs two lines": ("when: {sequence: [alpha, alpha]}", "0 alpha\n0 alpha", "0 alpha"),
    "two signals on one line are no sequence": ("when: {sequence: [alpha, beta]}", "0 alpha\n0 beta", "0 alpha beta"),
    "nothing between the steps": (
        "when: {sequence: [alpha, beta], unless: {between: gamma}}",
        "0 gamma\n1 alpha\n2 beta\n3 gamma",
        "0 alpha\n1 gamma\n2 beta",
    ),
    "nothing between later steps either": (
        "when: {sequence: [alpha, beta], unless: {between: gamma}}",
        "0 alpha\n1 gamma\n2 alpha\n3 beta",
        "0 alpha\n1 gamma\n2 beta\n3 alpha",
    ),
    "nothing between, in a window that opens late": (
        "when: {sequence: [alpha, beta, beta], within: 10s, from: 2, unless: {between: gamma}}",
        "0 alpha\n1 gamma\n2 alpha\n100 beta\n105 beta",
        "0 alpha\n1 gamma\n100 beta\n105 beta",
    ),
    "a window that opens at the second step": (
        "when: {sequence: [alpha, beta, gamma], within: 10s, from: 2}",
        "0 alpha\n50 beta\n900 beta\n905 gamma",
        "0 alpha\n50 beta\n900 gamma",
    ),
    "a window that opens late still needs the first step": (
        "when: {sequence: [alpha, beta, gamma], within: 10s, from: 2}",
        "0 alpha\n900 beta\n905 gamma",
        "900 beta\n905 gamma\n906 alpha",
    ),
    "a step before the opening may be missing": (
        "when: {sequence: [{signal: alpha, optional: true}, beta, gamma], within: 10s, from: 2}",
        "900 beta\n905 gamma",
        "900 beta\n915 gamma",
    ),
    "a window with a lower bound": (
        "when: {sequence: [alpha, beta], within: {ge: 60s, le: 2m}}",
        "0 alpha\n5 beta\n70 beta",
        "0 alpha\n5 beta\n130 beta",
    ),
    "a lower bound alone": (
        "when: {sequence: [alpha, beta], within: {ge: 60s}}",
        "0 alpha\n5 beta\n900 beta",
        "0 alpha\n59 beta",
    ),
    "a range": ("when: {signal: alpha, where: {id: {gt: 5, le: 9}}}", "0 alpha id=9", "0 alpha id=10"),
    "a range has two ends": ("when: {signal: alpha, where: {id: {gt: 5, le: 9}}}", "0 alpha id=6", "0 alpha id=5"),
    "a range of sizes": (
        "match: 'used (?P<used>\\S+)'\nwhen: {signal: r, where: {used: {ge: 1GiB, lt: 2GiB}}}",
        "0 used 1.5GiB",
        "0 used 2048MiB",
    ),
    "a range that leaves out values": (
        "when: {signal: alpha, where: {id: {gt: 5, ne: [7, 8]}}}",
        "0 alpha id=9",
        "0 alpha id=8",
    ),
    "a range of the anchor's value": (
        'when: {all: [alpha, {signal: gamma, where: {id: {gt: "{id}", lt: 9}}}]}\nby: [id]',
        "0 alpha id=5\n1 gamma id=8",
        "0 alpha id=5\n1 gamma id=4",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_operator_holds_and_its_near_miss_does_not(name: str, tmp_path: Path) -> None:
    rule, fires, silent = CASES[name]
    assert judge(tmp_path, rule, fires), "silent"
    assert not judge(tmp_path, rule, silent), "fired"


def test_optional_steps_are_evidence_where_they_are_there(tmp_path: Path) -> None:
    rule = "when: {sequence: [alpha, {signal: beta, optional: true}, gamma]}"
    [finding] = judge(tmp_path, rule, "0 alpha\n1 beta\n2 gamma")
    assert [event.signal for event in finding.evidence] == ["alpha", "beta", "gamma"]


def test_unless_takes_away_single_events(tmp_path: Path) -> None:
    rule = "when: {signal: alpha, unless: {after: beta, within: 5s}}"
    [finding] = judge(tmp_path, rule, "0 alpha id=1\n2 beta\n60 alpha id=2")
    assert finding.captures["id"] == "2"


def test_an_alias_groups_and_names_a_capture(tmp_path: Path) -> None:
    rule = "when: {any: [alpha, beta]}\nby: [{who: [pid, tid]}]\ntitle: 'of {who}'"
    findings = judge(tmp_path, rule, "0 alpha id=1 pid=7\n1 beta id=2 tid=7\n2 beta id=3 tid=8")
    assert sorted((finding.title, finding.count) for finding in findings) == [("Of 7", 2), ("Of 8", 1)]


def test_by_knows_what_the_prefix_says(tmp_path: Path) -> None:
    packs = load_text(tmp_path, one_rule("when: alpha\nby: [line.pid]"))
    lines = "\n".join(f"Mar  1 10:00:0{second} host-a app[{pid}]: alpha" for second, pid in ((1, 11), (2, 12), (3, 11)))
    assert sorted(finding.count for finding in find(packs, {"node-1/syslog": lines})) == [1, 2]


@pytest.mark.parametrize(
    ("log", "confidence"),
    [
        ("0 alpha", 0.5),
        ("0 alpha\n1 beta", 0.7),
        ("0 alpha\n1 gamma", 0.1),
        ("0 alpha\n1 beta\n2 gamma", 0.3),
        ("0 alpha\n1 delta", 1.0),
    ],
)
def test_confidence_moves_with_what_else_is_there(log: str, confidence: float, tmp_path: Path) -> None:
    rule = "when: alpha\nconfidence: {base: 0.5, raise: {beta: 0.2, other: 0.9}, lower: {gamma: 0.4}}"
    packs = load_text(tmp_path, one_rule(rule) + "  - {id: other, match: delta}\n")
    assert not packs.problems
    [finding] = find(packs, log)
    assert finding.confidence == pytest.approx(confidence)


def test_explained_by_is_explains_from_the_other_side(tmp_path: Path) -> None:
    text = one_rule("match: effect\nrole: symptom\nexplained_by: [source-*, small.other]")
    text += "  - {id: source-1, match: origin, role: cause, cause: small.it}\n  - {id: x, match: extra, role: cause, cause: small.other}\n"  # noqa: E501
    packs = load_text(tmp_path, text)
    assert packs.rules["source-1"].explains == packs.rules["x"].explains == ("r",)


def test_explained_by_waits_for_a_cause_that_is_a_template(tmp_path: Path) -> None:
    """Which cause `{kind}.{what}` is, the line says; only then is it known what follows from it."""
    rule = "when: beta\nexplained_by: [small.bad-luck]\nrole: context"
    templated = "rules:\n  - {id: t, role: cause, cause: 'small.{what}', match: 'it was (?P<what>[\\w-]+)'}\n"
    packs = load_text(tmp_path, one_rule(rule).replace("rules:\n", templated))
    assert not packs.problems
    for word, explained in (("bad-luck", True), ("good-luck", False)):
        symptom, cause = (find(packs, f"0 it was {word}\n1 beta", rule) for rule in ("r", "t"))
        assert (cause[0].cause, cause[0].id in symptom[0].explained_by) == (f"small.{word}", explained)


def test_reasons_and_replay_come_with_the_finding(tmp_path: Path) -> None:
    rule = "match: 'bad (?P<what>\\w+)'\nwhy: ['{what} is bad']\nreplay: {fault: killed, role: worker}"
    [finding] = judge(tmp_path, rule, "0 bad luck")
    assert finding.why == ("luck is bad",)
    assert finding.replay == {"fault": "killed", "role": "worker"}
    assert finding.pack == "small"


@pytest.mark.parametrize(
    ("rule", "place", "complaint"),
    [
        ("when: {sequence: [{signal: alpha, optional: true}]}", "9:11", "at least one step must be required"),
        ("when: {signal: alpha, unless: {before: beta, after: beta}}", "9:11", "write only one of them"),
        ("when: {signal: alpha, within: 5s, unless: {before: beta}}", "9:11", "write it inside"),
        ("when: {all: [alpha, {signal: beta, where: {id: '~ ('}}]}", "9:25", "not valid"),
        ("when: {all: [alpha, {signal: beta, whre: {id: 3}}]}", "9:40", "did you mean 'where'?"),
        ("when: {all: [alpha, betta]}", "9:25", "unknown signal betta; did you mean 'beta'?"),
        ("when: {signal: alpha, unless: {after: gama, within: 5s}}", "9:43", "did you mean 'gamma'?"),
        ("when: alpha\nconfidence: {base: 0.5, raise: {beta: 3}}", "10:36", "write it as {NAME: 0.1}"),
        ("when: alpha\nconfidence: {base: 0.5, rise: {beta: 0.1}}", "10:29", "did you mean 'raise'"),
        ("when: alpha\nby: [[a]]", "10:9", "write a list of captures"),
        ("when: alpha\nrole: culprit", "10:11", "the known names are cause, context, symptom"),
        ("when: alpha\ncause: config.dsn", "10:12", "unknown cause config.dsn"),
        ("match: [a.c, 'b(']", "9:18", "not valid"),
        ("match: {any: [a.c, 'b(']}", "9:24", "not valid"),
        ("match: a.c\nblock: {lines: -1}", "10:20", "a whole number from 1"),
        ("match: a.c\nblock: {lines: 5, until: '('}", "10:30", "not valid"),
        ("match: a.c\nblock: {line: 5}", "10:13", "did you mean 'lines'"),
        ("when: alpha\nreplay: killed", "10:13", "write it as {fault"),
        ("match: {some: [a.c]}", "9:13", "unknown key 'some'"),
        ("match: a.c\nlookup: {table: xidd, key: x}", "10:13", "unknown table xidd"),
        ("extends: s", "9:14", "not an earlier rule; the known names are none"),
        ("when: alpha\noverride: true", "10:15", "overrides no earlier rule"),
    ],
)
def test_what_is_wrong_is_said_at_its_place(rule: str, place: str, complaint: str, tmp_path: Path) -> None:
    problems = load_text(tmp_path, one_rule(rule)).problems
    problem = next(problem for problem in problems if complaint in str(problem))
    assert str(problem).startswith(f"{tmp_path}/pack0.yaml:{place}: "), problems
    assert problem.advice
