"""One slip of a pack's author is one message, at its place, that says what to do, and nothing that only follows."""

from __future__ import annotations

from pathlib import Path

import pytest
from author import call

PACK = r"""pack: shop
version: 1.0.0
signals:
  path_down:
    source: kernel
    match: 'box(?P<unit>\d+): path (?P<path>\S+) down'
rules:
  - id: box-offline
    cause: shop.offline
    role: cause
    severity: fatal
    match: 'box(?P<unit>\d+) is offline, failing all I/O'
    title: "{node}: box {unit} went offline"
    remediation: [Ask the shop.]
    references: ["https://example.org/box"]
    tests:
      - fires: {node-1/dmesg.txt: "[  812.1] box0 is offline, failing all I/O"}
      - silent: {node-1/dmesg.txt: "[  812.1] box0 is online"}
  - id: paths-lost
    cause: shop.paths
    role: cause
    severity: error
    when: {count: path_down, at_least: 2, within: 60s}
    title: "{node}: paths were lost"
    remediation: [Look at the cables.]
    references: ["https://example.org/box"]
    tests:
      - fires: {node-1/dmesg.txt: ["[  812.1] box0: path a down", "[  813.1] box0: path b down"]}
      - silent: {node-1/dmesg.txt: "[  812.1] box0: path a down"}
"""
SLIPS = [
    ("    cause: shop.paths", "\tcause: shop.paths", "20:1: not valid YAML", "YAML does not allow tabs"),
    ("'box(?P<unit>\\d+) is", '"box(?P<unit>\\d+) is', "12:", "single quotes"),
    ('"{node}: paths were lost"', "{node}: paths were lost", "24:18: ", "put a text that begins with { or [ in quotes"),
    ("pack: shop", "pak: shop\npack: shop", "1:1: pack: unknown key 'pak'", "'pack'"),
    ("pack: shop\n", "", "1:1: the pack has no name", "`pack: NAME`"),
    ("\nrules:", "\nrule:", "7:1: pack: unknown key 'rule'", "'rules'"),
    ("(?P<unit>\\d+) is offline, failing all I/O'", "(?P<unit>\\d+ is off'", "12:12: ", "'box(?P<unit>\\d+ is off'"),
    ("'box(?P<unit>\\d+) is offline, failing all I/O'", "'.*'", "12:12: ", "matches an empty line"),
    ("{count: path_down", "{count: path_dwn", "23:19: ", "'path_down'"),
    ("at_least: 2", "atleast: 2", "23:", "'at_least'"),
    ("within: 60s", "within: 60 seconds", "23:11: ", "30s, 2m or 1h"),
    ("severity: error", "severity: warn", "22:15: ", "'warning'"),
    ("remediation: [Look", "remedy: x\n    remediation: [Look", "25:5: ", "docs/rules.md lists all keys"),
    ("box {unit} went", "box {unti} went", "13:12: ", "'unit'"),
    ("cause: shop.paths", "cause: shelf.paths", "20:12: ", "shop.NAME"),
    ("id: paths-lost", "id: box-offline", "19:9: ", "exists already"),
    ("id: paths-lost", "id: paths-lost\n    extends: box-ofline", "20:14: ", "box-offline"),
]


@pytest.mark.parametrize(("old", "new", "place", "advice"), SLIPS, ids=[new.strip()[:30] for _, new, *_ in SLIPS])
def test_a_slip_is_one_message(tmp_path: Path, old: str, new: str, place: str, advice: str) -> None:
    assert PACK.count(old) == 1
    file = tmp_path / "shop.yaml"
    file.write_text(PACK.replace(old, new))
    result = call("lint", file)
    *messages, summary = result.stdout.splitlines()
    assert len(messages) == 1, messages
    assert messages[0].startswith(f"{file}:{place}") and advice in messages[0], messages[0]
    assert summary.endswith(": 1 error, 0 hints") and result.exit_code == 4
