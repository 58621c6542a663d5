"""Whether a replay failed as the incident did. It can say no: by cause, by culprit, and because the control failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Outcome = Literal["reproduced", "different-failure", "not-reproduced", "inconclusive"]
REPRODUCED: Final = "reproduced"
DIFFERENT: Final = "different-failure"
NOT_REPRODUCED: Final = "not-reproduced"
INCONCLUSIVE: Final = "inconclusive"
EXIT_CODES: Mapping[Outcome, int] = {REPRODUCED: 0, NOT_REPRODUCED: 11, DIFFERENT: 12, INCONCLUSIVE: 13}
UNABLE = 77  # the exit code of a launcher that lacks something, which it says last (job/plan.py)


@dataclass(frozen=True, slots=True)
class RunView:
    """What counts of a run: exit codes by task (None: still there at the end), a limit that it hit, its incident.

    `said` is what its launcher said last, where that did not leave well.
    """

    codes: Mapping[str, int | None]
    exceeded: str | None
    launcher_code: int | None
    incident: Mapping[str, Any]
    said: str = ""

    @property
    def broken(self) -> str | None:
        """Why the run says nothing, whatever its tasks did."""
        if self.exceeded:
            return self.exceeded
        if self.launcher_code == UNABLE and self.said:
            return self.said
        if self.launcher_code:
            return f"its launcher left with {self.launcher_code}" + (f": {self.said}" if self.said else "")
        return None


def judge(plan: Mapping[str, Any], control: RunView, faulty: RunView) -> tuple[Outcome, list[str]]:
    """The verdict and its reasons."""
    if problem := unsound(plan, control):
        return INCONCLUSIVE, [f"the control run, without the fault, did not pass: {problem}"]
    passed = "the control run, without the fault, passed"
    if faulty.broken:
        return INCONCLUSIVE, [passed, f"the run with the fault was ended: {faulty.broken}"]
    roots = faulty.incident.get("root_causes") or []
    if not roots:
        return _without_cause(plan, faulty, passed)
    cause = roots[0].get("cause")
    if cause != plan["expected_cause"]:
        return DIFFERENT, [passed, f"the replay's cause is {cause}, not {plan['expected_cause']}"]
    # A task with a wrong index is known by its folder: what it calls itself is the fault.
    named = {str(roots[0][key]).replace("-", ":") for key in ("task", "node") if roots[0].get(key)}
    if named and plan["culprit"] not in named:
        who = " or ".join(sorted(named))
        return DIFFERENT, [passed, f"the cause is {cause} as expected, but of {who} instead of {plan['culprit']}"]
    whom = f"it names {plan['culprit']}, whom the fault was done to" if named else "nothing says whose fault it was"
    return REPRODUCED, [passed, f"the replay's cause is {cause} as expected", whom, _signatures(plan, faulty)]


def unsound(plan: Mapping[str, Any], control: RunView) -> str | None:
    """Why the control run proves nothing, or None.

    Servers are ended once the chief has left, so they owe no exit code.
    """
    if control.broken:
        return control.broken
    chief = "chief" in plan["cluster"]
    failed = [
        f"{task} left with {code}" if code is not None else f"{task} did not end"
        for task, code in control.codes.items()
        if code or (code is None and (not chief or task.startswith("chief")))
    ]
    if failed or not control.codes:
        return ", ".join(failed) or "no task ran"
    if control.incident.get("verdict") != "no-failure":
        causes = [str(root.get("cause")) for root in control.incident.get("root_causes") or ()]
        return f"the analyzer says {control.incident.get('verdict')} ({', '.join(causes[:1]) or 'no cause'})"
    return None


def _without_cause(plan: Mapping[str, Any], faulty: RunView, passed: str) -> tuple[Outcome, list[str]]:
    failed = sorted(task for task, code in faulty.codes.items() if code)
    if faulty.incident.get("verdict") == "no-failure" and not failed:
        return NOT_REPRODUCED, [passed, f"with the fault '{plan['fault']}' the job did not fail either"]
    return DIFFERENT, [passed, f"{', '.join(failed) or 'the job'} failed, and what they left shows no cause"]


def _signatures(plan: Mapping[str, Any], faulty: RunView) -> str:
    mine, theirs = faulty.incident.get("signature"), plan.get("incident_signature")
    if not (mine and theirs):
        return f"there is no signature of {'the incident' if mine else 'the replay'} to compare"
    if mine == theirs:
        return f"its signature is the incident's, {mine}"
    return f"its signature {mine} is not the incident's {theirs}: other evidence of the same cause"
