"""Judge whether a replay failed like the incident: by its control run, its cause, its culprit and its pattern.

The cause alone proves little: the analysis recognizes the injected fault even if the diagnosis is wrong. So the pattern
of the run is compared with that of the incident.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from analyzer.replay.pattern import FailurePattern, read_replay_pattern
from analyzer.replay.pattern_match import DIFFERS, NOT_SHOWN, SAME, AspectMatch, match_patterns

ReplayVerdict = Literal["reproduced", "same-cause-other-pattern", "different-failure", "not-reproduced", "inconclusive"]
REPRODUCED: Final = "reproduced"
OTHER_PATTERN: Final = "same-cause-other-pattern"
DIFFERENT_FAILURE: Final = "different-failure"
NOT_REPRODUCED: Final = "not-reproduced"
INCONCLUSIVE: Final = "inconclusive"
EXIT_CODES: Mapping[ReplayVerdict, int] = {
    REPRODUCED: 0,
    NOT_REPRODUCED: 11,
    DIFFERENT_FAILURE: 12,
    INCONCLUSIVE: 13,
    OTHER_PATTERN: 14,
}
UNABLE_EXIT_CODE = 77  # of a launcher on a machine that lacks something; its last output says what (job/plan.py)


@dataclass(frozen=True, slots=True)
class RunView:
    """The relevant results of a run: exit codes by task (None: still running at the end), the limit that it hit, and
    its incident.

    `said` is the last output of its launcher if the launcher failed.
    """

    codes: Mapping[str, int | None]
    exceeded: str | None
    launcher_code: int | None
    incident: Mapping[str, Any]
    launcher_message: str = ""

    @property
    def why_inconclusive(self) -> str | None:
        """The reason why the run is inconclusive, independent of its tasks; None if there is none."""
        if self.exceeded:
            return self.exceeded
        if self.launcher_code == UNABLE_EXIT_CODE and self.launcher_message:
            return self.launcher_message
        if self.launcher_code:
            return f"its launcher exited with {self.launcher_code}" + (
                f": {self.launcher_message}" if self.launcher_message else ""
            )
        return None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one run with the fault, its reasons, and the comparison of its pattern; empty if none was made."""

    verdict: ReplayVerdict
    reasons: tuple[str, ...]
    matches: tuple[AspectMatch, ...] = ()


def judge_replay(
    plan: Mapping[str, Any], control: RunView, faulty: RunView, expected: FailurePattern | None = None
) -> Judgement:
    """Return the verdict. `expected` is the pattern of the incident; without it, no aspect is compared."""
    if problem := why_control_failed(plan, control):
        return Judgement(INCONCLUSIVE, (f"the control run, without the fault, did not pass: {problem}",))
    control_passed = "the control run, without the fault, passed"
    if faulty.why_inconclusive:
        stopped = f"the run with the fault was stopped: {faulty.why_inconclusive}"
        return Judgement(INCONCLUSIVE, (control_passed, stopped))
    verdict, reasons = _judge_cause(plan, faulty)
    matches = _match_pattern(plan, faulty, expected) if verdict != NOT_REPRODUCED else ()
    if verdict == REPRODUCED and any(match.result == DIFFERS for match in matches):
        verdict = OTHER_PATTERN
    return Judgement(verdict, (control_passed, *reasons, *_describe_matches(matches)), matches)


def _judge_cause(plan: Mapping[str, Any], faulty: RunView) -> tuple[ReplayVerdict, list[str]]:
    """Return the verdict by cause and place alone, and its reasons."""
    roots = faulty.incident.get("root_causes") or []
    if not roots:
        return _judge_without_cause(plan, faulty)
    cause = roots[0].get("cause")
    if cause != plan["expected_cause"]:
        return DIFFERENT_FAILURE, [f"the replay's cause is {cause}, not {plan['expected_cause']}"]
    # Identify a task with a wrong index by its folder: the index that it states is the fault.
    named_tasks = {str(roots[0][key]).replace("-", ":") for key in ("task", "node") if roots[0].get(key)}
    if named_tasks and plan["culprit"] not in named_tasks:
        named_list = " or ".join(sorted(named_tasks))
        return DIFFERENT_FAILURE, [
            f"the cause is {cause} as expected, but on {named_list} instead of {plan['culprit']}"
        ]
    culprit_reason = (
        f"it names {plan['culprit']}, where the fault was injected" if named_tasks else "no file names the faulty task"
    )
    return REPRODUCED, [f"the replay's cause is {cause} as expected", culprit_reason]


def _match_pattern(
    plan: Mapping[str, Any], faulty: RunView, expected: FailurePattern | None
) -> tuple[AspectMatch, ...]:
    if expected is None:
        return ()
    pattern = read_replay_pattern(faulty.incident, plan["culprit"], faulty.codes)
    return tuple(match_patterns(expected, pattern, plan["expected_cause"] != plan["incident_cause"]))


def _describe_matches(matches: Sequence[AspectMatch]) -> Iterator[str]:
    """Yield each difference, then the equal aspects, then those that one side does not show."""
    yield from (match.describe_difference() for match in matches if match.result == DIFFERS)
    for result, words in ((SAME, "as in the incident: "), (NOT_SHOWN, "not shown, so not compared: ")):
        if aspects := [match.aspect for match in matches if match.result == result]:
            yield words + ", ".join(aspects)


def why_control_failed(plan: Mapping[str, Any], control: RunView) -> str | None:
    """Return why the control run did not pass; None if it did.

    The launcher ends servers when the chief has left, so they need no exit code.
    """
    if control.why_inconclusive:
        return control.why_inconclusive
    chief = "chief" in plan["cluster"]
    failed = [
        f"{task} exited with {code}" if code is not None else f"{task} did not end"
        for task, code in control.codes.items()
        if code or (code is None and (not chief or task.startswith("chief")))
    ]
    if failed or not control.codes:
        return ", ".join(failed) or "no task ran"
    if control.incident.get("verdict") != "no-failure":
        causes = [str(root.get("cause")) for root in control.incident.get("root_causes") or ()]
        return (
            f"the verdict of the analysis is {control.incident.get('verdict')} ({', '.join(causes[:1]) or 'no cause'})"
        )
    return None


def _judge_without_cause(plan: Mapping[str, Any], faulty: RunView) -> tuple[ReplayVerdict, list[str]]:
    failed = sorted(task for task, code in faulty.codes.items() if code)
    if faulty.incident.get("verdict") == "no-failure" and not failed:
        return NOT_REPRODUCED, [f"with the fault '{plan['fault']}' the job did not fail either"]
    return DIFFERENT_FAILURE, [f"{', '.join(failed) or 'the job'} failed, and their files show no cause"]
