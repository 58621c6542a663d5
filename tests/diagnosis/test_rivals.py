"""The second candidate: why it lost, or that nothing in the bundle tells it from the first."""

from __future__ import annotations

from analyzer.diagnosis.certainty import explain_margin
from analyzer.diagnosis.factors import Candidate
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.incident import Factor, Finding, RootCause
from analyzer.model import Event, Kind, Locus, Node, Role, Severity, Source

WEIGHTS = {"rule": 1.0, "late": -1.0}
KERNEL = Source("n1/dmesg", "n1", Kind.KERNEL, 1, "read")


def pair(lateness: float, status: str = "supported", **more: object) -> tuple[list[RootCause], list[Candidate]]:
    """The second candidate is late: `lateness` logits behind the first."""
    roots, candidates = [], []
    for index, behind in enumerate((0.0, lateness), 1):
        event = Event("s", Locus(f"n{index}/a.log", 1), "x", node=f"n{index}")
        explained = tuple(more.get("explained_by", ())) if index == 2 else ()  # type: ignore[call-overload]
        finding = Finding(
            f"f{index}", f"rule-{index}", Role.CAUSE, Severity.ERROR, (event,), f"cause.{index}", f"n{index}",
            explained_by=explained, title=f"title {index}",
        )  # fmt: skip
        factors = [Factor("rule", 2.0), *([Factor("late", behind, "it came late")] if behind else [])]
        candidates.append(Candidate(finding, factors, WEIGHTS))
        roots.append(RootCause(finding, 0.5, status, ("why",)))
    return roots, candidates


STORIES = {name: NodeActivity(Node(name)) for name in ("n1", "n2")}


def test_the_reason_is_what_spoke_against_it() -> None:
    roots, notes = explain_margin(*pair(2.0), STORIES, [KERNEL])
    assert roots[0].runner_up is not None
    assert (roots[0].runner_up.cause, roots[0].runner_up.why) == ("cause.2", "it came late")
    assert not notes
    assert roots[0].status == "supported"


def test_a_consequence_lost_because_it_is_one() -> None:
    roots, _ = explain_margin(*pair(2.0, explained_by=["f1"]), STORIES, [KERNEL])
    assert roots[0].runner_up is not None and roots[0].runner_up.why == "it follows from the first cause"


def test_two_that_are_as_good_as_equal_are_said_to_be_with_what_would_tell() -> None:
    roots, notes = explain_margin(*pair(0.1), STORIES, [KERNEL])
    assert roots[0].status == "hypothesis"
    assert notes == [
        "cause.1 on n1 and cause.2 on n2 cannot be told apart without "
        "the kernel log of n2 or the exit status of n1 or the exit status of n2"
    ]
    assert roots[0].runner_up is not None and roots[0].runner_up.why == notes[0]
    assert notes[0] not in roots[0].why, "it speaks for neither of them"


def test_two_established_causes_are_two_causes() -> None:
    roots, notes = explain_margin(*pair(0.1, "established"), STORIES, [KERNEL])
    assert not notes
    assert [root.status for root in roots] == ["established", "established"]


def test_one_alone_has_no_rival() -> None:
    roots, candidates = pair(2.0)
    assert explain_margin(roots[:1], candidates[:1], STORIES, [])[0][0].runner_up is None
