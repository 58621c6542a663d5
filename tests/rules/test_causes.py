"""The list of causes and the rules know each other."""

from __future__ import annotations

from builtin_rules import builtin_packs


def test_every_cause_has_a_rule_and_every_rule_a_known_cause() -> None:
    packs = builtin_packs()
    looked_up = {value for table in packs.tables.values() for row in table.values() for value in row.values()}
    named = {rule.cause for rule in packs.rules.values() if rule.cause and "{" not in rule.cause}
    assert set(packs.causes) - named - looked_up == set()
    assert named - set(packs.causes) == set()
