"""The result of a replay, as the section `replay` of an incident."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from analyzer.replay.pattern import Diagnosis
from analyzer.replay.pattern_match import lower_confidence
from analyzer.replay.process_monitor import ProcessSample, TaskCurves
from analyzer.replay.verdict import INCONCLUSIVE, OTHER_PATTERN, REPRODUCED, Judgement, ReplayVerdict

Json = Mapping[str, Any]
MAX_RUN_EVENTS = 300  # events of one run's timeline that are kept, the more severe ones first
MAX_CURVE_POINTS = 400  # of one curve
# Names of the columns of `_curve_rows`, and their units as in `resources`.
_METRICS = (("memory", "bytes"), ("cpu", "percent"), ("threads", "count"), ("fds", "count"))


@dataclass(frozen=True, slots=True)
class ReplayRun:
    """One run of the job. `codes` has None for a task that still ran at the end; `began` is UTC seconds."""

    name: str
    folder: Path
    began: float
    seconds: float
    codes: Mapping[str, int | None]
    exceeded: str | None
    launcher_code: int | None
    output: str
    curves: TaskCurves


@dataclass(frozen=True, slots=True)
class ReplayAttempt:
    """One run with the fault, its analysis, and the comparison with the incident."""

    judgement: Judgement
    run: ReplayRun
    incident: Json

    @property
    def verdict(self) -> ReplayVerdict:
        return self.judgement.verdict


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """One control run and `wanted` runs with the fault; only one of those if the control run failed.

    `diagnosis` is that of the incident; if None, the runs are compared with the plan alone.
    """

    folder: Path
    python: str
    plan: Json
    control: ReplayRun
    control_incident: Json
    attempts: tuple[ReplayAttempt, ...]
    runs_wanted: int = 1
    hosts: tuple[str, ...] = ()  # the options of worker.py that name the hosts
    other_python: str | None = None
    diagnosis: Diagnosis | None = None

    @property
    def command(self) -> str:
        """The command that runs the job again, without and with the fault; on hosts, only with it."""
        local_command = ["./run.sh", self.python, *([self.other_python] if self.other_python else [])]
        words = ["python3", "-B", "worker.py", *self.hosts] if self.hosts else local_command
        return f"cd {shlex.quote(str(self.folder.resolve()))} && {shlex.join(words)}"

    @property
    def decisive(self) -> ReplayAttempt:
        """The attempt that decides: one that reproduced the failure, or else one with the most frequent verdict."""
        counts = Counter(attempt.verdict for attempt in self.attempts)
        verdict = REPRODUCED if counts[REPRODUCED] else counts.most_common(1)[0][0]
        return next(attempt for attempt in self.attempts if attempt.verdict == verdict)

    @property
    def verdict(self) -> ReplayVerdict:
        return self.decisive.verdict

    @property
    def reasons(self) -> tuple[str, ...]:
        rate = () if self.runs_wanted == 1 else (self.describe_rate(),)
        return (*rate, *self.decisive.judgement.reasons, *self._describe_confidence())

    @property
    def confidence(self) -> float | None:
        """The confidence of the diagnosis after the replay; None if that of the incident is unknown.

        A differing pattern lowers it. Other verdicts do not change it.
        """
        if self.diagnosis is None or self.diagnosis.confidence is None:
            return None
        matches = self.decisive.judgement.matches if self.verdict == OTHER_PATTERN else ()
        return round(lower_confidence(self.diagnosis.confidence, matches), 4)

    def _describe_confidence(self) -> Iterator[str]:
        after, before = self.confidence, self.diagnosis and self.diagnosis.confidence
        if self.verdict == OTHER_PATTERN and after is not None and before is not None:
            yield f"the confidence of the diagnosis falls from {before:.2f} to {after:.2f}"

    def describe_rate(self) -> str:
        """`reproduced in 2 of 3 runs (1 not-reproduced)`; inconclusive runs are listed separately."""
        counts = Counter(attempt.verdict for attempt in self.attempts)
        other_verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if verdict != REPRODUCED)
        incomplete_note = f"; {self.runs_wanted} were requested" if self.runs_wanted != len(self.attempts) else ""
        others = f" ({other_verdicts})" if other_verdicts else ""
        return f"reproduced in {counts[REPRODUCED]} of {len(self.attempts)} runs{others}{incomplete_note}"

    def write_pattern(self) -> list[dict[str, str]]:
        """Return the comparison of the decisive run's pattern, as plain JSON values."""
        return [
            {"aspect": match.aspect, "incident": match.incident, "replay": match.replay, "result": match.result}
            for match in self.decisive.judgement.matches
        ]

    def to_json(self) -> dict[str, object]:
        """Return the result as plain JSON values."""
        counts = Counter(attempt.verdict for attempt in self.attempts)
        judged_count = len(self.attempts) - counts[INCONCLUSIVE]
        return {
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "verdicts": dict(counts),
            "rate": round(counts[REPRODUCED] / judged_count, 4) if judged_count else None,
            "confidence": self.confidence,
            "pattern": self.write_pattern(),
            "plan": {key: value for key, value in self.plan.items() if key != "notes"},
            "command": self.command,
            "root_causes": list(self.decisive.incident.get("root_causes") or ()),
            "runs": [
                _write_run(self.control, self.control_incident),
                *(
                    {**_write_run(attempt.run, attempt.incident), "verdict": attempt.verdict}
                    for attempt in self.attempts
                ),
            ],
        }


def _write_run(run: ReplayRun, incident: Json) -> dict[str, object]:
    return {
        "name": run.name,
        "folder": str(run.folder),
        "began": _format_stamp(run.began),
        "seconds": round(run.seconds, 1),
        "codes": dict(run.codes),
        "exceeded": run.exceeded,
        "launcher_code": run.launcher_code,
        "output": run.output,
        "root_causes": [_shorten_root(root) for root in incident.get("root_causes") or ()],
        "nodes": list(incident.get("nodes") or ()),
        "timeline": _shorten_timeline(incident.get("timeline") or {}),
        "resources": list(_resource_series(run)),
    }


def _format_stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _shorten_root(root: Json) -> dict[str, object]:
    return {key: root.get(key) for key in ("cause", "title", "node", "task", "time")}


def _shorten_timeline(timeline: Json) -> dict[str, object]:
    events = list(timeline.get("events") or ())
    ranked = sorted(events, key=lambda event: event.get("severity") not in ("fatal", "error", "warning"))
    kept = {id(event) for event in ranked[:MAX_RUN_EVENTS]}
    return {
        "events": [event for event in events if id(event) in kept],
        "progress": list(timeline.get("progress") or ()),
    }


def _resource_series(run: ReplayRun) -> Iterator[Json]:
    """Return a series as in `resources` of an incident: `points` are [seconds since `start`, lowest, mean, highest]."""
    for task, samples in run.curves.items():
        rows = list(_curve_rows(samples[:: -(-len(samples) // MAX_CURVE_POINTS)]))
        for column, (metric, unit) in enumerate(_METRICS, 1):
            yield {
                "node": task,
                "scope": "process",
                "metric": metric,
                "what": task,
                "unit": unit,
                "limit": None,
                "start": _format_stamp(run.began),
                "points": [[row[0], row[column], row[column], row[column]] for row in rows],
            }


def _curve_rows(samples: Sequence[ProcessSample]) -> Iterator[tuple[float, ...]]:
    """Yield (time, bytes, percent of one core since the previous sample, threads, descriptors)."""
    previous = ProcessSample(time=0.0, rss=0, cpu_seconds=0.0, threads=0, fds=0)
    for sample in samples:
        elapsed_s = max(sample.time - previous.time, 1e-3)
        # The CPU time of an ended process is no longer counted.
        cpu_percent = max(0.0, sample.cpu_seconds - previous.cpu_seconds) / elapsed_s
        yield sample.time, sample.rss, round(100 * cpu_percent), sample.threads, sample.fds
        previous = sample
