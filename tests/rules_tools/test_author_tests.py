"""`rules test`: marks, clocks, lines, roots; blessing rewrites what it should and nothing else."""

from pathlib import Path

import pytest
from author import PACK, call, write_pack

LOG = """\
[  1.0] booting
#! acme-link-lost
[  2.0] acme fabric: link 3 of af0 lost
#~ acme-*
[  3.0] acme fabric: link 3 of af0 found
#? acme-link-lost
[  4.0] acme fabric: link 4 of af0 has been taken away
"""
MARKED = "      - marked: {node-1/dmesg.txt: {from: logs/long.txt}}\n"


def write_log(folder: Path, text: str = LOG) -> Path:
    (folder / "logs").mkdir(exist_ok=True)
    file = folder / "logs" / "long.txt"
    file.write_text(text)
    return file


def test_marks_hold_and_lines_are_those_of_the_file(tmp_path: Path) -> None:
    write_log(tmp_path)
    lines = '      - fires: {node-1/dmesg.txt: {from: logs/long.txt}}\n        lines: ["node-1/dmesg.txt:3"]\n'
    result = call("test", write_pack(tmp_path, PACK + MARKED + lines))
    assert result.exit_code == 0, result.stdout
    assert "acme-link-lost  ....\n" in result.stdout


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            "#! acme-link-lost\n[  2.0]",
            "#! acme-link-lost acme-other\n[  2.0]",
            "long.txt:3: acme-other must fire here",
        ),
        ("link 3 of af0 found", "link 3 of af0 lost", "long.txt:5: acme-link-lost must not fire here"),
        ("has been taken away", "lost", "long.txt:7: acme-link-lost fires here now: the gap is closed"),
    ],
)
def test_marks_that_do_not_hold_are_told_and_blessed(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    log = write_log(tmp_path, LOG.replace(old, new))
    pack = write_pack(tmp_path, PACK + MARKED)
    before = [line for line in log.read_text().splitlines() if not line.startswith("#")]
    assert complaint in call("test", pack).stdout
    assert call("test", "--bless", "--yes", pack).exit_code == 0
    assert [line for line in log.read_text().splitlines() if not line.startswith("#")] == before
    blessed = call("test", pack)
    assert blessed.exit_code == 0, log.read_text()
    assert "nothing to bless" in call("test", "--bless", pack).stdout


def test_a_log_outside_of_the_pack_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("x\n")
    result = call("test", write_pack(folder, PACK + MARKED.replace("logs/long.txt", "../secret.txt")))
    assert result.exit_code == 4
    assert "outside the pack's folder" in result.stdout


def test_blessing_asks_and_changes_only_what_is_wrong(tmp_path: Path) -> None:
    wrong = PACK.replace(
        'captures: {link: "3", card: af0}', "captures: {link: '9', card: af0}   # two\n        severity: fatal"
    )
    pack = write_pack(tmp_path, wrong)
    result = call("test", pack)
    assert result.exit_code == 4
    assert "capture link: wanted '9', got '3'" in result.stdout
    assert "severity: wanted fatal, got error" in result.stdout
    refused = call("test", "--bless", pack)
    assert refused.exit_code != 0
    assert "+        captures: {link: '3', card: af0}   # two" in refused.stdout
    assert pack.read_text() == wrong
    assert call("test", "--bless", "--yes", pack).exit_code == 0
    assert pack.read_text() == wrong.replace("'9'", "'3'").replace("severity: fatal", "severity: error")


def test_a_rule_that_does_not_fire_is_no_matter_of_blessing(tmp_path: Path) -> None:
    pack = write_pack(tmp_path, PACK.replace("af0 lost", "af0 gone"))
    result = call("test", "--bless", "--yes", pack)
    assert "cannot be blessed" in result.stdout
    assert "nothing to bless" in result.stdout


def test_every_failure_is_told_not_only_the_first(tmp_path: Path) -> None:
    extra = (
        "      - fires: {node-1/dmesg.txt: nothing}\n"
        '      - silent: {node-1/dmesg.txt: "acme fabric: link 3 of af0 lost"}\n'
    )
    result = call("test", write_pack(tmp_path, PACK + extra))
    assert "acme-link-lost  ..FF" in result.stdout
    assert "test 3: did not fire" in result.stdout
    assert "test 4: fired on" in result.stdout


ORDER = """\
pack: acme
version: 1.0.0
signals:
  acme_first: {match: 'acme fabric went down'}
rules:
  - id: acme-first-down
    cause: acme.first-down
    role: cause
    severity: error
    when: {first: acme_first}
    title: "{node} went down first"
    remediation: [Look at it.]
    references: [none]
    tests:
      - fires: &bundle
          n1: {worker.log: BODY1}
          n2: {worker.log: BODY2}
"""


def test_clock_offsets_move_one_nodes_times(tmp_path: Path) -> None:
    """n1 is first by a minute; a clock that is two minutes ahead makes it look last, and sync points tell."""

    def body(minute: int) -> str:
        return f'["2024-03-01T10:{minute:02}:00Z acme fabric went down"]'

    text = ORDER.replace("&bundle", "").replace("BODY1", body(1)).replace("BODY2", body(2))
    plain = write_pack(tmp_path, text + "        node: n1\n")
    assert call("test", plain).exit_code == 0
    moved = write_pack(tmp_path, text + "        node: n2\n        clock_offset: {n1: 120}\n")
    assert call("test", moved).exit_code == 0, call("test", moved).stdout
    unknown = write_pack(tmp_path, text + "        clock_offset: {n3: 120}\n")
    assert "clock_offset names n3" in call("test", unknown).stdout


def test_the_root_and_what_must_not_be_it(tmp_path: Path) -> None:
    good = (
        "        root: {node: node-1, cause: acme.link-lost, rule: acme-link-lost}\n"
        "        findings: [acme-*]\n        not: [other-*]\n"
    )
    first = PACK.index("      - silent")
    assert call("test", write_pack(tmp_path, PACK[:first] + good + PACK[first:])).exit_code == 0
    bad = (
        good.replace("node: node-1", "node: node-2")
        .replace("other-*", "acme-*")
        .replace("[acme-*]\n        not", "[x-*]\n        not")
    )
    stdout = call("test", write_pack(tmp_path, PACK[:first] + bad + PACK[first:])).stdout
    for expected in (
        "root node: wanted node-2, got node-1",
        "acme-link-lost must not be a root cause",
        "x-* must be found too",
    ):
        assert expected in stdout


def test_mutation_says_what_a_rule_hangs_on(tmp_path: Path) -> None:
    text = PACK.replace(
        '{node-1/dmesg.txt: "[  10.5] acme fabric: link 3 of af0 lost"}',
        '{node-1/dmesg.txt: ["[  9.5] hello", "[  10.5] acme fabric: link 3 of af0 lost", "[  11.5] bye"]}',
    )
    stdout = call("test", "--mutate", write_pack(tmp_path, text)).stdout
    assert "failed on test 1: drop node-1/dmesg.txt:2" in stdout
    assert "2/3" in stdout  # drops
    assert "silent: 1 of 1 mutants (100.0%)" in stdout


def test_costs_name_the_dearest_pattern(tmp_path: Path) -> None:
    stdout = call("test", "--cost", write_pack(tmp_path, PACK + "    also: 'x'\n")).stdout
    assert "acme-link-lost: acme fabric" in stdout
