"""The resolver of claims: the strongest decides, equal ones that contradict each other decide nothing."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from analyzer.facts.claims import Claim, Relation, Strength, describe_conflicts, resolve_names

A, B, C = ("a.log", ""), ("b.log", ""), ("c.log", "worker:1")


def claim(subject: tuple[str, str], strength: Strength, name: str, relation: Relation = Relation.RUNS_ON) -> Claim:
    relation = Relation.IS_TASK if strength is Strength.TASK else relation
    return Claim(subject, relation, name, strength, "a line states it")


def test_the_strongest_claim_names_the_node() -> None:
    claims = [claim(A, Strength.LINE_PREFIX, "relay"), claim(A, Strength.STATED_HOST, "gx07")]
    resolution = resolve_names(claims)
    assert resolution.names == {A: "gx07"}
    assert resolution.deciding[A] == claims[1]
    assert not resolution.conflicts


def test_equal_claims_that_contradict_each_other_decide_nothing_and_are_told() -> None:
    claims = [claim(A, Strength.STATED_HOST, "gx07"), claim(A, Strength.STATED_HOST, "gx08")]
    assert resolve_names(claims).names == {}
    weaker = claim(A, Strength.LINE_PREFIX, "gx07")
    resolution = resolve_names([*claims, weaker])
    assert resolution.names == {A: "gx07"}
    assert describe_conflicts(resolution.conflicts, 5) == [
        "a.log runs on host gx07, gx08: none of these names its node"
    ]


def test_a_task_joins_the_one_node_that_states_it() -> None:
    claims = [claim(A, Strength.PATH, "gx07", Relation.IS_NAMED), claim(A, Strength.TASK, "worker:1")]
    by_task = claim(C, Strength.TASK, "worker:1")
    assert resolve_names([*claims, by_task]).names == {A: "gx07", C: "gx07"}
    rival = [claim(B, Strength.PATH, "gx08", Relation.IS_NAMED), claim(B, Strength.TASK, "worker:1")]
    assert resolve_names([*claims, *rival, by_task]).names == {A: "gx07", B: "gx08", C: "worker:1"}


def test_what_nobody_claims_has_no_name() -> None:
    assert resolve_names([]).names == {}


def test_the_full_name_of_a_machine_joins_its_short_one() -> None:
    full = [claim(A, Strength.PATH, "gx07.rack.example.org"), claim(C, Strength.PATH, "gx09.rack.example.org")]
    assert set(resolve_names(full).names.values()) == {"gx07.rack.example.org", "gx09.rack.example.org"}
    assert resolve_names([*full, claim(B, Strength.PATH, "GX07")]).names == {A: "GX07", B: "GX07", C: "gx09"}
    other = claim(("d.log", ""), Strength.PATH, "gx07.site.example.com")
    assert other.object in resolve_names([*full, other, claim(B, Strength.PATH, "gx07")]).names.values()


def test_names_in_capitals_are_those_of_hosts() -> None:
    claims = [claim(A, Strength.LINE_PREFIX, "TYR"), claim(A, Strength.SERVED_ADDRESS, "tyr")]
    assert resolve_names(claims).names == {A: "tyr"}


def test_addresses_and_names_in_versions_join_nothing() -> None:
    names = ["10", "10.0.3.7", "job", "job.7"]
    claims = [claim((f"{name}.log", ""), Strength.PATH, name) for name in names]
    assert sorted(resolve_names(claims).names.values()) == names


CLAIMS = st.builds(
    claim,
    st.sampled_from([A, B, C]),
    st.sampled_from(Strength),
    st.sampled_from(["gx07", "GX07", "gx08", "worker:1", "10.0.0.7", ""]),
)


@given(st.lists(CLAIMS, max_size=25), st.integers())
def test_the_order_of_claims_does_not_matter(claims: list[Claim], seed: int) -> None:
    shuffled = claims.copy()
    random.Random(seed).shuffle(shuffled)
    assert resolve_names(shuffled) == resolve_names(claims)
