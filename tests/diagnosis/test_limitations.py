"""What limits an answer: files of two jobs in one bundle."""

from __future__ import annotations

from pathlib import Path

from analyzer.pipeline import analyze

FIXTURES = Path(__file__).parents[2] / "fixtures"


def notes_of(*names: str) -> tuple[list[str], list[str]]:
    """Return the notes on separate jobs, and what speaks against the first root cause."""
    incident = analyze([FIXTURES / name / "bundle.tar.gz" for name in names])
    return [note for note in incident.notes if "look like" in note], [
        reason for root in incident.root_causes[:1] for reason in root.against
    ]


def test_two_incidents_in_one_call_are_said_to_be_two() -> None:
    [note], against = notes_of("killed-worker", "memory-cgroup-oom")
    first, _, second = note.partition("; then ")
    assert "look like 2 jobs" in first and "ip-10-0-1-11" in first and "ip-10-42-7-21" not in first
    assert "ip-10-42-7-22" in second and "ip-10-0-1-12" not in second
    assert note in against


def test_the_answer_for_one_of_two_jobs_says_so_and_is_not_sure() -> None:
    incident = analyze([FIXTURES / name / "bundle.tar.gz" for name in ("ps-killed", "memory-cgroup-oom")])
    root = incident.root_causes[0]
    assert root.finding.summary.startswith("These files look like 2 jobs; this is about the job of ip-10-42-7-21")
    assert root.confidence <= 0.5 and root.status == "supported"
    own = {finding.id for finding in incident.findings if (finding.node or "").startswith("ip-10-42")}
    assert root.explains and set(root.explains) <= own
    assert not any(fact.explained_by == (0,) for fact in incident.hard_facts if (fact.node or "").startswith("recsys"))


def test_one_job_is_not_several_even_if_its_clocks_differ_or_a_task_moved() -> None:
    for name in ("skewed-clocks", "ps-worker-replaced", "tf-config-duplicate"):
        assert notes_of(name)[0] == []
