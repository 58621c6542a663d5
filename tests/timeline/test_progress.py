"""Who stopped, when, at which step, and what nobody can know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import pytest

from analyzer.incident import Incident

Analyze = Callable[[Mapping[str, str]], Incident]
STEPS = 30


def stamp(second: float) -> str:
    return f"{datetime.fromtimestamp(1_772_500_000 + second, UTC):%Y-%m-%d %H:%M:%S},000 "


def steps(number: int, lead: float = 0.0, timed: bool = True, first: int = 0) -> str:
    """One step a second from second 0 on, by a clock that is `lead` seconds ahead."""
    return "".join(
        f"{stamp(step + lead) if timed else ''}INFO train: step {step} loss 0.5\n" for step in range(first, number)
    )


def say(second: float, word: str) -> str:
    return f"{stamp(second)}INFO train: {word}\n"


def top(incident: Incident) -> tuple[str | None, str | None, str]:
    first = incident.root_causes[0]
    return first.finding.cause, first.finding.node, first.status


@pytest.mark.parametrize("timed", [True, False])
def test_all_stop_at_one_step_without_a_word(timed: bool, analyze: Analyze) -> None:
    incident = analyze({f"h{n}/worker.log": steps(STEPS, timed=timed) for n in range(3)})
    assert (incident.verdict, incident.root_causes) == ("undiagnosed", ())  # logs that were cut look the same
    assert [hypothesis.finding.cause for hypothesis in incident.hypotheses] == ["sync.hang"]
    assert all(node.reached_step and node.reached_step.step == STEPS - 1 for node in incident.nodes)
    assert any("no training log has times" in note for note in incident.notes) is not timed


@pytest.mark.parametrize("timed", [True, False])
def test_the_one_that_is_steps_behind_is_named(timed: bool, analyze: Analyze) -> None:
    incident = analyze({f"h{n}/worker.log": steps(STEPS - 5 * (n == 1), timed=timed) for n in range(3)})
    assert top(incident) == ("sync.hang", "h1", "hypothesis")


def test_what_ends_a_job_that_hangs_is_not_its_cause(analyze: Analyze) -> None:
    ended = say(900, "received signal 15, stopping")
    files = {f"h{n}/worker.log": steps(STEPS) + ended for n in range(3)}
    incident = analyze({**files, **{f"h{n}/exit_code": "143\n" for n in range(3)}})
    assert incident.root_causes[0].finding.cause == "sync.hang"
    assert incident.root_causes[0].finding.captures["seconds"] == "871"


@pytest.mark.parametrize(
    "last",
    [
        say(STEPS, "training finished"),
        say(STEPS, "step 30 loss 0.5")
        + "Traceback (most recent call last):\n  File 'x', line 1, in f\nKeyError: 'x'\n",
    ],
)
def test_who_ends_or_says_why_does_not_hang(last: str, analyze: Analyze) -> None:
    incident = analyze({f"h{n}/worker.log": steps(STEPS) + last for n in range(3)})
    assert not any(finding.cause == "sync.hang" for finding in incident.findings)


def test_the_first_to_stop_is_told_beyond_the_clocks_error_only(analyze: Analyze) -> None:
    """The others go on for some steps, as they do under a parameter server."""
    for gone, is_known in ((20, True), (STEPS, False)):
        incident = analyze({f"h{n}/worker.log": steps(gone if n == 2 else STEPS, lead=100.0 * n) for n in range(3)})
        nodes = [finding.node for finding in incident.findings if finding.rule == "task-stopped-first"]
        assert nodes == (["h2"] if is_known else [])


def test_a_job_that_slows_down(analyze: Analyze) -> None:
    slow = "".join(f"{stamp(STEPS + 5 * k)}INFO train: step {STEPS + k} loss 0.5\n" for k in range(40))
    incident = analyze({f"h{n}/worker.log": steps(STEPS) + slow + say(240, "training finished") for n in range(2)})
    slowed = next(finding for finding in incident.findings if finding.rule == "training-slowed")
    assert (slowed.captures["before"], slowed.captures["after"], slowed.node) == ("1", "5", None)
    assert incident.verdict == "no-failure"


def test_a_minority_that_slows_down_is_no_job_that_does(analyze: Analyze) -> None:
    slow, even = (
        "".join(f"{stamp(STEPS + pace * k)}INFO train: step {STEPS + k} loss 0.5\n" for k in range(40))
        for pace in (5, 1)
    )
    incident = analyze({f"h{n}/worker.log": steps(STEPS) + (even if n else slow) for n in range(3)})
    assert not any(finding.rule == "training-slowed" for finding in incident.findings)


@pytest.mark.parametrize(("silence", "how"), [(100, "ends"), (300, "stands")])
def test_a_silence_is_long_beside_the_usual_step(silence: int, how: str, analyze: Analyze) -> None:
    slow = "".join(f"{stamp(20 * step)}INFO train: step {step} loss 0.5\n" for step in range(STEPS))
    incident = analyze({f"h{n}/worker.log": slow + say(20 * (STEPS - 1) + silence, "cache is warm") for n in range(3)})
    stood = next(event for event in incident.events if event.signal == "derived.stood_still")
    assert stood.captures["how"] == how


def test_who_stopped_first_is_not_told_where_one_tells_no_time(analyze: Analyze) -> None:
    files = {"h0/worker.log": steps(STEPS), "h1/worker.log": steps(15), "h2/worker.log": steps(9, timed=False)}
    assert not any(event.signal == "derived.stopped_first" for event in analyze(files).events)
    del files["h2/worker.log"]
    assert any(event.signal == "derived.stopped_first" for event in analyze(files).events)


def test_logs_that_begin_late_or_end_early_are_named(analyze: Analyze) -> None:
    incident = analyze(
        {
            "h0/worker.log": steps(STEPS) + say(STEPS, "training finished"),
            "h1/worker.log": steps(STEPS) + stamp(STEPS) + "INFO train: st",
            "h1/dmesg.txt": "[90000.5] usb 1-1: new device\n[90001.5] usb 1-1: gone\n",
        }
    )
    notes = " | ".join(incident.notes)
    assert "the log of h1 (after step 29) stops without an error or an end" in notes
    assert "h1/worker.log ends in the middle of a line" in notes
    assert "h1/dmesg.txt (at uptime 90000 s) begins long after boot" in notes


def test_an_order_inside_the_error_is_not_told(analyze: Analyze) -> None:
    """Two causes on two nodes, of which one has no clock to compare."""
    oom = "Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB"
    xid = "NVRM: Xid (PCI:0000:17:00): 79, pid=77, GPU has fallen off the bus."
    incident = analyze(
        {
            "h0/dmesg.txt": f"[Tue Mar  3 12:00:00 2026] {oom}\n",
            "h1/dmesg.txt": f"[Tue Mar  3 12:00:02 2026] {xid}\n",
        }
    )
    assert any("is unknown: they are 2 s apart" in note for note in incident.notes)
