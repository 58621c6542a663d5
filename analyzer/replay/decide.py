"""Replay the first two hypotheses of an incident, and say whose pattern fits the incident better."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from analyzer.errors import UsageError
from analyzer.replay.evidence import Json
from analyzer.replay.parameters import to_cause, to_text
from analyzer.replay.pattern import read_diagnosis
from analyzer.replay.pattern_match import DIFFERS, SAME, SIGNATURE
from analyzer.replay.plan import ReplayPlan, plan_replay
from analyzer.replay.repro_folder import write_repro
from analyzer.replay.result import ReplayResult
from analyzer.replay.run import RunTarget, run_repro
from analyzer.replay.verdict import INCONCLUSIVE, NOT_REPRODUCED
from analyzer.report.formatting import plural

MAX_PLACE_CHARS = 80  # of a node's name


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisReplay:
    """One hypothesis and its replay. If it was not replayed, `result` is None and `problem` says why."""

    cause: str
    place: str  # the task or node; "" if the hypothesis names none
    plan: ReplayPlan | None = None
    result: ReplayResult | None = None
    problem: str = ""

    @property
    def name(self) -> str:
        return f"{self.cause} on {self.place}" if self.place else self.cause

    @property
    def fit(self) -> tuple[int, int] | None:
        """The numbers of equal and of differing aspects of the pattern; None if the replay shows no failure.

        The signature does not count: it is that of the diagnosis, so it would always favour the first hypothesis.
        """
        if self.result is None or self.result.verdict in (INCONCLUSIVE, NOT_REPRODUCED):
            return None
        matches = self.result.decisive.judgement.matches
        results = [match.result for match in matches if match.aspect != SIGNATURE]
        return results.count(SAME), results.count(DIFFERS)


@dataclass(frozen=True, slots=True)
class Decision:
    """The replays of the diagnosis and of its first rival, if there is one."""

    replays: Sequence[HypothesisReplay]

    @property
    def better(self) -> int | None:
        """The position of the hypothesis with fewer differing aspects, or else with more equal ones; None if both fit
        equally well.
        """
        fits = [replay.fit for replay in self.replays]
        if len(fits) < 2 or None in fits:
            return None
        ranks = [(-fit[1], fit[0]) for fit in fits if fit is not None]
        return None if ranks[0] == ranks[1] else ranks.index(max(ranks))

    @property
    def first(self) -> tuple[ReplayPlan, ReplayResult]:
        """The plan and the result of the first hypothesis that was replayed. At least one was."""
        return next((replay.plan, replay.result) for replay in self.replays if replay.plan and replay.result)

    @property
    def sentence(self) -> str:
        """The sentence that says which hypothesis fits better, or why that is not decided."""
        if len(self.replays) < 2:
            return "there is no second hypothesis with another cause or place, so nothing is decided"
        if missing := [replay for replay in self.replays if replay.fit is None]:
            return "nothing is decided: " + "; ".join(_explain_missing(replay) for replay in missing)
        counts = " and ".join(f"{replay.name} ({_count_aspects(replay)})" for replay in self.replays)
        if self.better is None:
            return f"the replays do not decide between {counts}"
        return f"{self.replays[self.better].name} fits the incident better: {counts}"

    def to_json(self) -> dict[str, object]:
        """Return the decision as plain JSON values."""
        return {
            "sentence": self.sentence,
            "better": self.better,
            "hypotheses": [_write_replay(replay) for replay in self.replays],
        }


def _explain_missing(replay: HypothesisReplay) -> str:
    if replay.result is None:
        return f"{replay.name} was not replayed: {replay.problem}"
    return f"the replay of {replay.name} shows no failure: {replay.result.verdict}"


def _count_aspects(replay: HypothesisReplay) -> str:
    same, differing = replay.fit or (0, 0)
    return f"{plural(same, 'aspect')} as in the incident, {differing} not"


def _write_replay(replay: HypothesisReplay) -> dict[str, object]:
    result = replay.result
    return {
        "cause": replay.cause,
        "place": replay.place,
        "problem": replay.problem,
        "verdict": result.verdict if result else None,
        "reasons": list(result.reasons) if result else [],
        "pattern": result.write_pattern() if result else [],
        "confidence": result.confidence if result else None,
        "command": result.command if result else "",
    }


def list_rivals(incident: Json) -> list[Json]:
    """Return the first root cause and its first rival, both as root causes.

    The rival is the next root cause with another cause or place, or else the runner-up of the first.
    """
    roots = list(incident.get("root_causes") or ())
    if not roots:
        return []
    first = roots[0]
    others = [root for root in roots[1:] if _identify(root) != _identify(first)]
    rivals = others or list(_find_runner_up(incident, first))
    return [first, *rivals[:1]]


def _identify(root: Json) -> tuple[object, object]:
    return root.get("cause"), root.get("task") or root.get("node")


def _find_runner_up(incident: Json, root: Json) -> Iterator[Json]:
    """Yield the finding of the runner-up as a root cause, without a confidence, which a report does not have."""
    runner_up = root.get("runner_up")
    if not isinstance(runner_up, Mapping):
        return
    for finding in incident.get("findings") or ():
        if (
            finding.get("role") == "cause"
            and finding.get("cause") == runner_up.get("cause")
            and finding.get("node") == runner_up.get("node")
            and _identify(finding) != _identify(root)
        ):
            yield finding


def decide_between(
    incident: Json,
    out: Path,
    target: RunTarget,
    repeat: int = 1,
    analogue: bool = False,
    announce: Callable[[Path, ReplayPlan], None] = lambda folder, plan: None,
) -> Decision:
    """Replay the first two hypotheses in folders below `out`, and return how well they fit.

    `announce` is called before each replay with its folder and plan. The result includes a hypothesis that cannot be
    replayed. Raises UsageError if neither can be replayed, or if `out` exists.
    """
    document = {**incident, "root_causes": list_rivals(incident)}
    if out.exists():
        raise UsageError(f"{out} already exists", "choose another folder with --out, or remove it")
    replays: list[HypothesisReplay] = []
    for position, plan in enumerate(plan_rivals(document, analogue, target.other_python)):
        root = document["root_causes"][position]
        cause, place = to_cause(root.get("cause")), to_text(root.get("task") or root.get("node"), MAX_PLACE_CHARS)
        if isinstance(plan, UsageError):
            replays.append(HypothesisReplay(cause=cause, place=place, problem=plan.message))
            continue
        folder = out / f"hypothesis-{position + 1}"
        write_repro(document, folder, position, analogue, target.other_python)
        announce(folder, plan)
        result = run_repro(folder, target, repeat=repeat, diagnosis=read_diagnosis(document, position))
        replays.append(HypothesisReplay(cause=cause, place=place, plan=plan, result=result))
    return Decision(replays)


def plan_rivals(
    document: Json, analogue: bool = False, other_python: str | None = None
) -> list[ReplayPlan | UsageError]:
    """Return a plan for each root cause, or the reason why there is none. Raises UsageError if there
    is no plan at all.
    """
    plans: list[ReplayPlan | UsageError] = []
    for position in range(max(1, len(document["root_causes"]))):
        try:
            plans.append(plan_replay(document, position, analogue, other_python))
        except UsageError as error:
            plans.append(error)
    if not any(isinstance(plan, ReplayPlan) for plan in plans):
        raise next(plan for plan in plans if isinstance(plan, UsageError))
    return plans
