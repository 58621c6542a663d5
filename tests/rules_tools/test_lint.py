"""Each fault is found at its line and column, all at once, and a clean pack has none."""

import re
from pathlib import Path

import pytest
from author import PACK, call, write_pack

CASES = [
    # what is changed, into what, what is said, line, column, is it an error
    ("severity: error", "severity: eror", "did you mean 'error'", 7, 15, True),
    (
        'title: "{node}: link {link}',
        'title: "{node}: link {lnik}',
        "{lnik} is not a capture of its signals; did you mean 'link'",
        9,
        12,
        True,
    ),
    ("    title:", "    explains: [acme-link-lsot]\n    title:", "did you mean 'acme-link-lost'", 9, 16, True),
    (
        "    title:",
        "    by: [crad]\n    title:",
        "by 'crad' is not a capture of its signals; did you mean 'card'",
        9,
        9,
        True,
    ),
    ("    remediation: [Reseat the cable.]\n", "", "needs remediation", 4, 5, True),
    ('    references: ["https://acme.example/fabric"]\n', "", "needs references", 4, 5, True),
    ("[Reseat the cable.]", "['TODO: think']", "this text contains a TODO", 11, 18, False),
    (
        '      - silent: {node-1/dmesg.txt: "[  10.5] acme fabric: link 3 of af0 found"}\n',
        "",
        "no near miss",
        14,
        7,
        True,
    ),
    ("captures: {link", "capture: {link", "unknown key 'capture'; did you mean 'captures'", 15, 18, True),
    ("    title:", "    not_match: 'x*'\n    title:", "matches the empty string", 9, 16, True),
    ("    title:", "    also: '(?P<more>(?:a|aa)+)$'\n    title:", "takes exponential time", 9, 11, True),
    ("rules:", "signals:\n  acme_idle: {match: acme fabric idle}\nrules:", "no rule uses it", 4, 14, True),
    (
        "rules:",
        "signals:\n  acme_two: {match: '\\d\\d', noise: true}\nrules:",
        "has no literal of 4 bytes",
        4,
        21,
        True,
    ),
    (
        "rules:",
        "signals:\n  acme_all: {match: 'loss.{1,9}\\d', severity: error}\nrules:",
        "% of clean lines",
        4,
        21,
        False,
    ),
    (
        "rules:",
        "signals:\n  acme_dear: {match: '(?:step|loss|worker|device)\\b.{1,30}x\\d{7}', severity: error}\nrules:",
        "is searched in every line, which makes the scan",
        4,
        22,
        False,
    ),
    (
        "    match:",
        "    when: {signal: acme-link-lost, where: {link: '~ ^(\\d|\\d\\d)+x$'}}\n    match:",
        "takes exponential time, for example on",
        8,
        11,
        True,
    ),
    (
        "    match:",
        "    when: {count: acme-link-lost, at_least: 101, within: 1m}\n    match:",
        "counts up to 101 events by time, captures or nodes; of each signal and stream the first 100",
        8,
        11,
        True,
    ),
    (
        "    match:",
        "    when: {distinct: link, of: acme-link-lost, at_least: 101}\n    match:",
        "counts 101 different values",
        8,
        11,
        True,
    ),
    ("(?P<card>\\w+)", "(?P<card>\\w+)?", "{card} may be missing", 9, 12, True),
    ("{link} of", "{link.__class__} of", "nothing fills {link.__class__}", 9, 12, True),
    ("{link} of", "{leader_host} of", "{leader_host} is not a capture of its signals", 9, 12, True),
    ("{link} of", "{__class__} of", "{__class__} is not a capture of its signals", 9, 12, True),
    ("    match:", "    when: {signal: acme-link-lost, where: {lnk: 3}}\n    match:", "where tests 'lnk'", 8, 11, True),
]


@pytest.mark.parametrize(
    ("old", "new", "complaint", "line", "column", "error"), CASES, ids=[case[2][:40] for case in CASES]
)
def test_a_fault_is_told_at_its_place(
    tmp_path: Path, old: str, new: str, complaint: str, line: int, column: int, error: bool
) -> None:
    assert PACK.count(old) == 1
    file = write_pack(tmp_path, PACK.replace(old, new))
    result = call("lint", file)
    (complaint_line,) = [text for text in result.stdout.splitlines() if complaint in text]
    assert complaint_line.startswith(f"{file}:{line}:{column}: "), complaint_line
    assert (": hint: " in complaint_line) != error
    assert result.exit_code == (4 if error else 0)
    assert call("lint", "--strict", file).exit_code == 4


def test_a_clean_pack_is_silent(tmp_path: Path) -> None:
    result = call("lint", write_pack(tmp_path))
    assert (result.exit_code, result.stdout) == (0, "1 file, 1 rule: 0 errors, 0 hints\n")


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    text = PACK.replace("{link} of", "{a} of").replace("{link}.", "{b}.").replace("severity: error", "severity: bad")
    result = call("lint", write_pack(tmp_path, text.replace("    role: cause", "    role: cause\n    rank: 3")))
    for expected in ("{a}", "{b}", "'bad'", "'rank'"):
        assert expected in result.stdout
    assert re.search(r": 4 errors, 0 hints$", result.stdout.strip())


def second(name: str, match: str, extra: str = "") -> str:
    body = PACK.partition("rules:\n")[2].replace("acme-link-lost", name).replace("acme.link-lost", f"acme.{name}")
    line = next(text for text in body.splitlines() if "match:" in text)
    return body.replace(line, f"    match: {match}\n{extra}".rstrip("\n"))


def test_rules_that_explain_each_other_by_name_are_an_error(tmp_path: Path) -> None:
    match = r"'acme fabric: link (?P<link>\d+) of (?P<card>\w+) lost'"
    text = PACK.replace("    title:", "    explains: [other-rule]\n    title:", 1)
    text += second("other-rule", match.replace("lost", "gone"), "    explains: [third-rule]")
    text += second("third-rule", match.replace("lost", "away"), "    explains: [acme-link-lost]")
    stdout = call("lint", write_pack(tmp_path, text)).stdout
    assert "acme-link-lost → other-rule → third-rule → acme-link-lost" in stdout
    stdout = call("lint", write_pack(tmp_path, text.replace("explains: [acme-link-lost]", "explains: []"))).stdout
    assert "cycle" not in stdout


def test_two_rules_on_one_line_want_an_edge(tmp_path: Path) -> None:
    match = r"'(?P<card>\w+) lost|fabric: link (?P<link>\d+)'"
    text = PACK + second("vague-rule", match)
    stdout = call("lint", write_pack(tmp_path, text)).stdout
    assert "hint: rule acme-link-lost: this rule and vague-rule fire on each other's tests" in stdout
    joined = text.replace("    title:", "    silences: [vague-*]\n    title:", 1)
    assert "each other" not in call("lint", write_pack(tmp_path, joined)).stdout


def test_one_pattern_in_two_signals_is_hinted_at(tmp_path: Path) -> None:
    text = PACK + second("twin-rule", r"'acme fabric: link (?P<link>\d+) of (?P<card>\w+) lost'")
    assert "the signal acme-link-lost has the same pattern" in call("lint", write_pack(tmp_path, text)).stdout


def test_rules_of_several_lines_overlap_too(tmp_path: Path) -> None:
    """A sequence and a condition with all rest on the same two lines of one test, and no edge joins them."""
    signals = "signals:\n  acme_probe: {match: 'acme fabric: probe of (?P<card>\\w+) failed'}\nrules:\n"
    text = PACK.replace("rules:\n", signals).replace(
        '"[  10.5] acme', '"[   9.5] acme fabric: probe of af0 failed\\n[  10.5] acme'
    )
    first = text.replace("    match:", "    when: {sequence: [acme_probe, acme-link-lost]}\n    match:")
    other = second("acme-probe-failed", "''").partition("    match: ''\n")
    other_rule = other[0] + "    when: {all: [acme_probe, acme-link-lost]}\n" + other[2]
    other_rule = other_rule.replace("link {link} of {card}", "{card}").replace(
        '"[  10.5] acme', '"[   9.5] acme fabric: probe of af0 failed\\n[  10.5] acme'
    )
    stdout = call("lint", write_pack(tmp_path, first + other_rule)).stdout
    assert "rule acme-link-lost: this rule and acme-probe-failed fire on each other's tests" in stdout, stdout
    joined = (first + other_rule).replace("    title:", "    silences: [acme-probe-failed]\n    title:", 1)
    assert "each other" not in call("lint", write_pack(tmp_path, joined)).stdout
