"""Judge whether a replay failed as the incident did: by its cause, its culprit and its control run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

ReplayVerdict = Literal["reproduced", "different-failure", "not-reproduced", "inconclusive"]
REPRODUCED: Final = "reproduced"
DIFFERENT_FAILURE: Final = "different-failure"
NOT_REPRODUCED: Final = "not-reproduced"
INCONCLUSIVE: Final = "inconclusive"
EXIT_CODES: Mapping[ReplayVerdict, int] = {REPRODUCED: 0, NOT_REPRODUCED: 11, DIFFERENT_FAILURE: 12, INCONCLUSIVE: 13}
UNABLE_EXIT_CODE = 77  # of a launcher whose machine lacks something; its last output says what (job/plan.py)


@dataclass(frozen=True, slots=True)
class RunView:
    """The relevant results of a run: exit codes by task (None: still running at the end), the limit that it hit, its
    incident.

    `said` is the last output of its launcher if the launcher failed.
    """

    codes: Mapping[str, int | None]
    exceeded: str | None
    launcher_code: int | None
    incident: Mapping[str, Any]
    launcher_message: str = ""

    @property
    def why_inconclusive(self) -> str | None:
        """The reason why the run shows nothing, independent of its tasks; None if there is none."""
        if self.exceeded:
            return self.exceeded
        if self.launcher_code == UNABLE_EXIT_CODE and self.launcher_message:
            return self.launcher_message
        if self.launcher_code:
            return f"its launcher exited with {self.launcher_code}" + (
                f": {self.launcher_message}" if self.launcher_message else ""
            )
        return None


def judge_replay(plan: Mapping[str, Any], control: RunView, faulty: RunView) -> tuple[ReplayVerdict, list[str]]:
    """Return the verdict and its reasons."""
    if problem := why_control_failed(plan, control):
        return INCONCLUSIVE, [f"the control run, without the fault, did not pass: {problem}"]
    control_passed = "the control run, without the fault, passed"
    if faulty.why_inconclusive:
        return INCONCLUSIVE, [control_passed, f"the run with the fault was stopped: {faulty.why_inconclusive}"]
    roots = faulty.incident.get("root_causes") or []
    if not roots:
        return _judge_without_cause(plan, faulty, control_passed)
    cause = roots[0].get("cause")
    if cause != plan["expected_cause"]:
        return DIFFERENT_FAILURE, [control_passed, f"the replay's cause is {cause}, not {plan['expected_cause']}"]
    # Identify a task with a wrong index by its folder: its own statement is the fault.
    named_tasks = {str(roots[0][key]).replace("-", ":") for key in ("task", "node") if roots[0].get(key)}
    if named_tasks and plan["culprit"] not in named_tasks:
        named_list = " or ".join(sorted(named_tasks))
        return DIFFERENT_FAILURE, [
            control_passed,
            f"the cause is {cause} as expected, but on {named_list} instead of {plan['culprit']}",
        ]
    culprit_reason = (
        f"it names {plan['culprit']}, where the fault was injected" if named_tasks else "no file names the faulty task"
    )
    return REPRODUCED, [
        control_passed,
        f"the replay's cause is {cause} as expected",
        culprit_reason,
        _compare_signatures(plan, faulty),
    ]


def why_control_failed(plan: Mapping[str, Any], control: RunView) -> str | None:
    """Return why the control run proves nothing, or None.

    Servers are ended when the chief has left, so they need no exit code.
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


def _judge_without_cause(
    plan: Mapping[str, Any], faulty: RunView, control_passed: str
) -> tuple[ReplayVerdict, list[str]]:
    failed = sorted(task for task, code in faulty.codes.items() if code)
    if faulty.incident.get("verdict") == "no-failure" and not failed:
        return NOT_REPRODUCED, [control_passed, f"with the fault '{plan['fault']}' the job did not fail either"]
    return DIFFERENT_FAILURE, [
        control_passed,
        f"{', '.join(failed) or 'the job'} failed, and their files show no cause",
    ]


def _compare_signatures(plan: Mapping[str, Any], faulty: RunView) -> str:
    replay_signature, incident_signature = faulty.incident.get("signature"), plan.get("incident_signature")
    if not (replay_signature and incident_signature):
        return f"there is no signature for {'the incident' if replay_signature else 'the replay'} to compare"
    if replay_signature == incident_signature:
        return f"its signature equals the incident's: {replay_signature}"
    return (
        f"its signature {replay_signature} differs from the incident's {incident_signature}: same cause, other evidence"
    )
