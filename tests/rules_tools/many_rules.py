"""Packs of as many rules as one wants, no two alike, each as large as the built-in ones are: patterns, tests, edges."""

import random
from collections.abc import Iterator
from pathlib import Path

_THINGS = [
    "feeder",
    "shard",
    "cache",
    "broker",
    "mount",
    "lease",
    "volume",
    "tunnel",
    "sampler",
    "ledger",
    "spool",
    "beacon",
]
_VERBS = [
    "refused",
    "dropped",
    "stalled",
    "truncated",
    "rejected",
    "mislaid",
    "corrupted",
    "starved",
    "evicted",
    "fenced",
]
_PREFIX = "2026-03-01 10:00:07.123456: E x/y.cc:88]"
_RULE = """\
  - id: {id}
    cause: {pack}.{id}
    role: cause
    severity: error
    source: worker
    match:
      - '{what} (?P<{name}>[\\w.-]{{1,64}}) of (?P<path>/[^\\s:,]{{1,300}}) is {verb} after (?P<took>\\d{{1,9}}) ?ms'
      - '{what}\\[(?P<{name}>\\w+)\\]: {verb}(?: at offset (?P<offset>\\d+))?; giving up on (?P<path>\\S+)'
      - '(?:ERROR|FATAL): {what} {verb}: (?P<reason>[^;]{{1,200}}); rank (?P<rank>\\d+)'
    not_match: '{what} \\S+ of \\S+ \\w+ {verb} after 0 ?ms'
    by: [path]
    confidence: 0.8
    explains: [{follows}]
    title: "{{node}}: the {what} {{{name}?}} was {verb}"
    summary: "The {what} {{{name}?}} of {{path?}} on {{node}} was {verb}."
    remediation: ["Look at the {what} of {{path?}}."]
    references: ["https://example.org/{id}"]
    tests:
      - fires: {{node-1/worker.log: "{prefix} {what} f7 of /data/{n} is {verb} after 12 ms"}}
        captures: {{{name}: f7, path: /data/{n}}}
      - silent: {{node-1/worker.log: "{prefix} {what} f7 of /data/{n} is well after 12 ms"}}
"""


def write_many(folder: Path, count: int, name: str, rules_per_pack: int = 50) -> Path:
    """A folder of packs with `count` rules in all. Another name makes other patterns."""
    chance = random.Random(name)
    folder.mkdir()
    for start in range(0, count, rules_per_pack):
        rules = "".join(_rules(name, range(start, min(start + rules_per_pack, count)), chance))
        (folder / f"{name}-{start}.yaml").write_text(f"pack: {name}\nversion: 1.0.0\nrules:\n{rules}")
    return folder


def _rules(pack: str, numbers: range, chance: random.Random) -> Iterator[str]:
    for n in numbers:
        thing, verb = chance.choice(_THINGS), chance.choice(_VERBS)
        what = f"{thing} {pack}{chance.randrange(16**4):04x} {n}"
        follows = f"{pack}-{n + 1}" if n + 1 in numbers else ""
        yield _RULE.format(
            id=f"{pack}-{n}", pack=pack, n=n, what=what, verb=verb, name=thing, follows=follows, prefix=_PREFIX
        )
