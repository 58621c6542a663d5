"""Conditions that could never hold, always hold, or would not mean what they say: refused at their place."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_packs import load_text, one_rule

REFUSED: dict[str, str] = {
    "{absent: alpha, within: 5s}": "absent has no window",
    "{all: [alpha, {not: beta, within: 5s}]}": "not has no window",
    "{all: [alpha, {absent: beta, within: 5s}]}": "absent has no window",
    "{any: [alpha, beta], within: 5s}": "any has no window",
    "{signal: alpha, within: 5s}": "signal has no window",
    "{first: alpha, within: 5s}": "first has no window",
    "{share: alpha, exactly: 1, within: 5s}": "share has no window",
    "{not: alpha}": "names only what must not be there",
    "{absent: alpha}": "names only what must not be there",
    "{all: [{not: alpha}, {absent: beta}]}": "names only what must not be there",
    "{any: [alpha, {not: beta}]}": "a part of `any` names only",
    "{count: alpha, at_most: 0}": "names only what must not be there",
    "{signal: alpha, at: any_node}": "names nothing on the node itself",
    "{sequence: [{not: alpha}, beta]}": "must be an event",
    "{sequence: [alpha, {absent: beta}]}": "must be an event",
    "{sequence: [alpha]}": "of one step has no order",
    "{all: [alpha, {not: alpha}]}": "needs and excludes the same thing",
    "{all: [alpha, {absent: alpha}]}": "needs and excludes the same thing",
    "{signal: alpha, unless: alpha}": "its own exception",
    "{signal: alpha, unless: {before: {not: beta}}}": "so it has no time",
    "{sequence: [alpha, beta], unless: {between: {not: gamma}}}": "so it has no time",
    "{all: [alpha, beta], unless: {between: gamma}}": "between needs a sequence",
    "{sequence: [alpha, beta], unless: {between: gamma, within: 5s}}": "between does not take within",
    "{count: alpha, at_least: 3, at_most: 2}": "so the count never holds",
    "{count: alpha, at_least: 0}": "always holds",
    "{count: {not: alpha}}": "a negation has none",
    "{count: alpha, at_least: true}": "not a whole number",
    "{distinct: id, of: {not: alpha}}": "a negation has none",
    "{distinct: id, of: alpha, at_least: 0}": "always exist",
    "{share: alpha, at_least: 190%}": "above 0% and at most 100%",
    "{share: alpha, exactly: 0}": "never holds",
    "{share: alpha}": "share has no bound",
    "{signal: alpha, optional: true}": "only a step of a sequence can be optional",
    "{sequence: [alpha, {signal: beta, optional: maybe}]}": "neither true nor false",
    "{sequence: [alpha, beta], within: {ge: 9s, le: 5s}}": "no time lies in this range",
    "{sequence: [alpha, beta], within: {gt: 9s}}": "within has gt",
    "{sequence: [alpha, {signal: beta, optional: true}], within: {ge: 9s}}": "the last step is optional",
    "{sequence: [alpha, beta], from: 1}": "from needs within",
    "{sequence: [alpha, beta], within: 5s, from: 2}": "no window can open at step",
    "{sequence: [{signal: alpha, optional: true}, beta], within: 5s, from: 1}": "no window can open at step",
    "{all: [alpha, beta], within: {ge: 5s}}": "only a sequence has a lower bound",
    "{signal: alpha, on: any_node}": "write at: instead of on:",
    "{signal: alpha, where: {id: '=> 5'}}": "does not begin with a known sign; write {id: >= 5}",
    "{signal: alpha, where: {id: '= 7'}}": "write {id: 7}",
    "{signal: alpha, where: {id: '> 5 and < 9'}}": "is no number, size or version",
    "{signal: alpha, where: {id: ['> 5', '< 9']}}": "every number passes one of > 5, < 9",
    "{signal: alpha, where: {id: ['!= 7', '!= 8']}}": "lets nearly every value pass",
    "{signal: alpha, where: {id: ~}}": "has no test",
    "{signal: alpha, where: {id: []}}": "the list is empty",
    "{signal: alpha, where: {id: {gt: 9, lt: 5}}}": "no value lies in this range",
    "{signal: alpha, where: {id: {gt: 5, le: 5}}}": "no value lies in this range",
    "{signal: alpha, where: {id: {above: 5}}}": "'above' is not known",
}


@pytest.mark.parametrize("when", REFUSED)
def test_a_condition_that_would_not_mean_what_it_says_is_refused(when: str, tmp_path: Path) -> None:
    problems = load_text(tmp_path, one_rule(f"when: {when}")).problems
    assert len(problems) == 1, problems
    assert REFUSED[when] in str(problems[0])
    assert problems[0].position.line == 9


def test_all_errors_of_a_condition_are_reported_at_once(tmp_path: Path) -> None:
    when = "{all: [{signal: alpha, where: {id: '=> 5', pid: '> x'}}, {sequence: [beta]}, {share: gamma}], withn: 5s}"
    problems = load_text(tmp_path, one_rule(f"when: {when}")).problems
    wanted = ("'=> 5'", "'> x'", "of one step", "no bound", "did you mean 'within'")
    assert [text for text in wanted if any(text in str(problem) for problem in problems)] == list(wanted)
    assert len(problems) == len(wanted)


ACCEPTED = (
    "{all: [alpha, {any: [{not: beta}, gamma]}]}",
    "{all: [alpha, {count: beta, at_most: 0}]}",
    "{any: [alpha, beta], unless: gamma, within: 5s}",
    "{signal: alpha, where: {id: ['< 5', '> 9']}}",
    "{signal: alpha, where: {id: 5-9}}",
    "{signal: alpha, where: {id: '== 7'}}",
    "{signal: alpha, where: {id: '>= v2.10'}}",
    "{all: [alpha, {signal: beta, where: {id: '> {id}'}}]}",
)


@pytest.mark.parametrize("when", ACCEPTED)
def test_its_nearest_neighbour_is_accepted(when: str, tmp_path: Path) -> None:
    assert not load_text(tmp_path, one_rule(f"when: {when}")).problems
