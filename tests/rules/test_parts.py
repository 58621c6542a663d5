"""Named parts of patterns, bits of a word, and tables one behind the other."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_packs import find, load_text

from analyzer.rules.load import load_packs

PACK = r"""
pack: parts
patterns: {word: '0x(?P<word>[0-9a-f]{8})', ends: 'done'}
signals:
  report:
    match: {any: ['report %{word}']}
    block: {lines: 9, prefixed: true, until: '%{ends}'}
    also: 'seen (?P<seen>\w+)'
    bits: {low: 'word[3:0]', top: 'word[31]', middle: 'word[25:20]', none: 'seen[1:0]'}
    set: {key: 'm{middle}'}
    lookup: [{table: first, key: key}, {table: second, key: low}]
rules:
  - id: r
    when: report
    title: "{name}, {more?}"
"""


def test_parts_bits_and_tables_become_captures(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "first.yaml").write_text("m33: {name: left}\n")
    (tmp_path / "tables" / "second.yaml").write_text("6: {name: right, more: true}\n")
    (tmp_path / "pack.yaml").write_text(PACK)
    packs = load_packs([tmp_path], builtin=False)
    assert not packs.problems
    (finding,) = find(packs, "0 report 0x821425c6\n1 seen xyz\n2 done\n3 seen later")
    expected = {"low": "6", "top": "1", "middle": "33", "name": "left", "more": "true"}
    assert expected.items() <= finding.captures.items()
    assert "none" not in finding.captures  # no hexadecimal number


def test_a_rule_of_another_pack_needs_no_part_of_what_it_extends(tmp_path: Path) -> None:
    packs = load_text(
        tmp_path,
        "pack: a\npatterns: {n: '(?P<n>\\d+)'}\nrules: [{id: base, match: 'shard %{n}'}]\n",
        "pack: b\nrules: [{id: r, extends: base, title: 'mine {n}'}]\n",
    )
    assert not packs.problems
    assert find(packs, "0 shard 7")[0].captures["n"] == "7"


@pytest.mark.parametrize(
    ("pack", "complaint"),
    [
        ("pack: a\nrules: [{id: r, match: 'x %{nowhere} y'}]", "%{nowhere} is not one of the pack's `patterns`"),
        ("pack: a\npatterns: [1]\nrules: [{id: r, match: xyz}]", "patterns is not a mapping"),
        (f"pack: a\npatterns: {{p: {'a' * 9000}}}\nrules: [{{id: r, match: '%{{p}}%{{p}}'}}]", "more than 16384"),
        ("pack: a\nrules: [{id: r, match: '(?P<w>x+)', bits: {b: 'w[1:2]'}}]", "is not a range of bits"),
        ("pack: a\nrules: [{id: r, match: '(?P<w>x+)', lookup: [1]}]", "lookup needs a table and a key"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, pack: str, complaint: str) -> None:
    assert any(complaint in str(problem) for problem in load_text(tmp_path, pack).problems)
