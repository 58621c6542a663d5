"""The list of causes and the rules know each other."""

from __future__ import annotations

from builtin_rules import builtin_packs
from tf_strings.wordings import MIN_WORDINGS, count_wordings, reasons_for_few_wordings


def test_every_cause_has_a_rule_and_every_rule_a_known_cause() -> None:
    packs = builtin_packs()
    looked_up = {value for table in packs.tables.values() for row in table.values() for value in row.values()}
    named = {rule.cause for rule in packs.rules.values() if rule.cause and "{" not in rule.cause}
    assert set(packs.causes) - named - looked_up == set()
    assert named - set(packs.causes) == set()


def test_every_cause_has_three_independent_wordings_or_a_reason_why_not() -> None:
    few = {cause for cause, number in count_wordings(builtin_packs()).items() if number < MIN_WORDINGS}
    assert few == set(reasons_for_few_wordings())
