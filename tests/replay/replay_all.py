"""Replays every fixture whose cause has a recipe, each with a wrong fault and a wrong diagnosis too: `make replay-all`.

    python -m tests.replay.replay_all --python PATH [--other-python PATH] [--only WORD…] [--out DIR] [BUNDLE…]

One at a time. Prints a line a fixture and leaves with 1 where a replay did not end as it must: the control run passes,
the right fault ends `reproduced`, the wrong one `different-failure` or `not-reproduced`. A wrong diagnosis names
another cause at the same place, whose fault ends a task in another way; its replay must not end as `reproduced`.
Seconds are of all runs.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analyzer.errors import UsageError
from analyzer.pipeline import analyze
from analyzer.replay import ReplayPlan, RunTarget, read_diagnosis, read_plan, run_again, run_repro, write_repro
from analyzer.replay.job_modules import vocabulary
from analyzer.replay.pattern import FAILED
from analyzer.report.json import to_json

FIXTURES = Path(__file__).parents[2] / "fixtures"
ROW = "{:22} {:24} {:24} {:8} {:18} {:24} {:24} {:>6}\n"


@dataclass(frozen=True, slots=True)
class Replayed:
    """One line of the table; `well` as everything must be."""

    fault: str
    well: bool


def misplace(folder: Path) -> None:
    """Puts a fault into the plan that cannot show the expected cause: an exception, or a kill in place of one."""
    plan = read_plan(folder)
    wrong: Mapping[str, object] = (
        {"fault": "killed", "signal": 9}
        if plan["fault"] == "exception"
        else {"fault": "exception", "exception": "KeyError", "message": "'wrong'"}
    )
    kept = {key: value for key, value in plan.items() if key in vocabulary().COMMON}
    (folder / "plan.yaml").write_text(json.dumps({**kept, **wrong}), "utf-8")


def misdiagnose(incident: Mapping[str, Any]) -> dict[str, Any]:
    """The incident with another cause at the same place: a kill if the culprit ended with an error, else an exception.

    It has no signature, because its own names the right cause.
    """
    root = incident["root_causes"][0]
    is_error = read_diagnosis(incident).pattern.culprit_ending == FAILED
    wrong = "process.killed-by-signal" if is_error else "user.code-error"
    root = {**root, "cause": wrong, "rule": "wrong", "title": "wrong", "captures": {}, "evidence": []}
    return {**incident, "root_causes": [root], "signature": ""}


def incidents(bundles: list[Path]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for bundle in bundles:
        incident = to_json(analyze([bundle]))
        if incident["root_causes"]:
            yield bundle.parent.name, incident


def replay(name: str, incident: Mapping[str, Any], plan: ReplayPlan, folder: Path, where: RunTarget) -> bool:
    """Whether the replays of one fixture ended as they must."""
    began = time.monotonic()
    right = run_repro(folder, where, diagnosis=read_diagnosis(incident))
    misplace(folder)
    wrong = run_again(folder, right)
    wrong_incident, wrong_folder = misdiagnose(incident), folder.with_name(folder.name + ".misdiagnosed")
    wrong_plan = write_repro(wrong_incident, wrong_folder)
    refuted = run_repro(wrong_folder, where, diagnosis=read_diagnosis(wrong_incident))
    control = (
        "passed" if any("control run, without the fault, passed" in reason for reason in right.reasons) else "failed"
    )
    took = f"{time.monotonic() - began:.0f} s"
    shown = (plan.fault, name, right.verdict, control, wrong.verdict, wrong_plan.cause, refuted.verdict, took)
    sys.stdout.write(ROW.format(*shown))
    well = (
        right.verdict == "reproduced"
        and wrong.verdict in ("different-failure", "not-reproduced")
        and refuted.verdict not in ("reproduced", "inconclusive")
    )
    differing = [
        match.describe_difference() for match in refuted.decisive.judgement.matches if match.result == "differs"
    ]
    for reason in differing if well else (*right.reasons, *wrong.reasons, *refuted.reasons):
        sys.stdout.write(f"    {reason}\n")
    sys.stdout.flush()
    return well


def replay_all(bundles: list[Path], only: list[str], out: Path, python: str, other: str | None) -> Iterator[Replayed]:
    """What cannot be replayed here is told, and is no failure."""
    for name, incident in incidents(bundles):
        try:
            plan = write_repro(incident, out / name, other_python=other)
        except UsageError as error:
            sys.stdout.write(f"{'none':22} {name:24} {error.message}\n")
            continue
        if not only or any(word in (name, plan.fault) for word in only):
            yield Replayed(plan.fault, replay(name, incident, plan, out / name, RunTarget(python, other_python=other)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="has TensorFlow")
    parser.add_argument("--other-python", default=None, help="has another TensorFlow, for version skew")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="these faults or fixtures")
    parser.add_argument("--out", type=Path, default=None, help="keep the folders here")
    parser.add_argument("bundles", type=Path, nargs="*")
    options = parser.parse_args()
    bundles = options.bundles or sorted(FIXTURES.glob("*/bundle.tar.gz"))
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # unwinds: processes and folders go
    sys.stdout.write(
        ROW.format(
            "fault", "fixture", "verdict", "control", "with a wrong fault", "wrong diagnosis", "its verdict", "took"
        )
    )
    with tempfile.TemporaryDirectory(prefix="replay-all.") as scratch:
        out = options.out or Path(scratch)
        ended = list(replay_all(bundles, options.only, out, options.python, options.other_python))
    faults = {run.fault for run in ended if run.well} - {run.fault for run in ended if not run.well}
    well = sum(run.well for run in ended)
    sys.stdout.write(f"{well} of {len(ended)} as they must; {len(faults)} different faults always so\n")
    return 0 if well == len(ended) else 1


if __name__ == "__main__":
    sys.exit(main())
