"""Rules of other tools: whatever a file holds, each becomes a rule of a pack that loads, or says why it does not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

import yaml

from analyzer.errors import InputError
from analyzer.rules.importing.import_file import import_file, write_pack
from analyzer.rules.parsing.pack import PackReader
from analyzer.rules.parsing.yaml_documents import read_yaml
from analyzer.rules.parsing.yaml_values import PackProblem
from tests.fuzz.target import Target, workplace
from tests.fuzz.trees import twist_yaml

ABOUT = {
    "id": "CRE-2031-0001",
    "severity": 1,
    "title": "A title",
    "mitigation": "- first\n- second",
    "references": ["x"],
}
TERMS = {"up": {"regex": "al[[:alpha:]]+ \\d+.*"}, "both": {"set": {"window": "2s", "match": ["up", "down"]}}}
CONDITIONS: Sequence[object] = (
    {
        "set": {
            "window": "9s",
            "match": ["alpha", {"regex": "be(?<n>t)a"}],
            "negate": [{"value": "gamma", "slide": "3s"}],
        }
    },
    {"set": {"window": "9s", "event": {"source": "cre.log.x"}, "match": [{"value": "alpha", "count": 3}]}},
    {"sequence": {"window": "9s", "correlations": ["hostname", "pod"], "order": ["up", "both"], "negate": ["down"]}},
    {"sequence": {"order": ["alpha", {"sequence": {"order": ["up", "beta"]}}, {"set": {"match": [{"jq": ".a"}]}}]}},
)
MONITOR = {
    "plugin": "kmsg",
    "logPath": "/dev/kmsg",
    "source": "kernel-monitor",
    "rules": [
        {"type": "temporary", "reason": "LinkFlap", "pattern": "card \\w+ flapped .*"},
        {"type": "permanent", "condition": "FabricDown", "reason": "FabricIsDown", "pattern": "fabric .* is gone"},
    ],
}


@cache
def seeds() -> Sequence[bytes]:
    documents = [{"rules": [{"cre": ABOUT, "rule": condition}], "terms": TERMS} for condition in CONDITIONS]
    return [
        *(yaml.safe_dump(document, sort_keys=False).encode() for document in documents),
        json.dumps(MONITOR).encode(),
    ]


def check(data: bytes) -> None:
    file = workplace() / "theirs.yaml"
    file.write_bytes(data)
    try:
        rules = list(import_file(file, "theirs"))
    except InputError:
        return
    for rule in rules:
        assert rule.problem is None or 0 < len(rule.problem) < 2000
        problems: list[PackProblem] = []
        pack = read_yaml(write_pack("theirs", [rule]).encode(), "theirs.yaml", problems)
        if rule.problem is None:
            assert isinstance(pack, dict)
            PackReader("theirs.yaml", problems).read_pack(pack)
            assert not problems, problems


TARGET = Target("imports", seeds, check, (twist_yaml,))
