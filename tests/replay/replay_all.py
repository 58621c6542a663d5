"""Replays every fixture whose cause has a recipe, and each with a wrong fault too: `make replay-all`.

    python -m tests.replay.replay_all --python PATH [--out DIR] [BUNDLE…]

One at a time. Prints a line a fixture and leaves with 1 where a replay did not end as it must: the right fault
`reproduced`, the wrong one `different-failure` or `not-reproduced`.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from analyzer.errors import UsageError
from analyzer.pipeline import analyze
from analyzer.replay import ReplayResult, run_repro, write_repro
from analyzer.report.json import to_json

FIXTURES = Path(__file__).parents[2] / "fixtures"
ROW = "{:24} {:22} {:18} {:>6} {:18} {:>6}\n"


def misplace(folder: Path) -> None:
    """Puts a fault into the plan that cannot show the expected cause: an exception, or a kill in place of one."""
    plan = (folder / "plan.yaml").read_text("utf-8").splitlines()
    fault = next(json.loads(line.partition(": ")[2]) for line in plan if line.startswith("fault: "))
    wrong: Mapping[str, object] = (
        {"fault": "killed", "signal": 9}
        if fault == "exception"
        else {"fault": "exception", "exception": "KeyError", "message": "'wrong'"}
    )
    kept = [line for line in plan if line.partition(":")[0] not in wrong]
    lines = [*kept, *(f"{key}: {json.dumps(value)}" for key, value in wrong.items())]
    (folder / "plan.yaml").write_text("\n".join(lines) + "\n", "utf-8")


def incidents(bundles: list[Path]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for bundle in bundles:
        incident = to_json(analyze([bundle]))
        if incident["root_causes"]:
            yield bundle.parent.name, incident


def timed(folder: Path, python: str) -> tuple[ReplayResult, str]:
    began = time.monotonic()
    result = run_repro(folder, python)
    return result, f"{time.monotonic() - began:.0f} s"


def replay(name: str, incident: Mapping[str, Any], out: Path, python: str) -> bool:
    """Whether both replays of one fixture ended as they must; also where none can be made, which is told."""
    folder = out / name
    try:
        plan = write_repro(incident, folder)
    except UsageError as error:
        sys.stdout.write(f"{name:24} none: {error.message}\n")
        return True
    right, took = timed(folder, python)
    misplace(folder)
    wrong, took_too = timed(folder, python)
    sys.stdout.write(ROW.format(name, plan.fault, right.verdict, took, wrong.verdict, took_too))
    well = right.verdict == "reproduced" and wrong.verdict in ("different-failure", "not-reproduced")
    for said in () if well else (*right.reasons, *wrong.reasons):
        sys.stdout.write(f"    {said}\n")
    sys.stdout.flush()
    return well


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="has TensorFlow")
    parser.add_argument("--out", type=Path, default=None, help="keep the folders here")
    parser.add_argument("bundles", type=Path, nargs="*")
    options = parser.parse_args()
    bundles = options.bundles or sorted(FIXTURES.glob("*/bundle.tar.gz"))
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # unwinds: processes and folders go
    sys.stdout.write(ROW.format("fixture", "fault", "verdict", "took", "with a wrong fault", "took"))
    with tempfile.TemporaryDirectory(prefix="replay-all.") as scratch:
        out = options.out or Path(scratch)
        ended = [replay(name, incident, out, options.python) for name, incident in incidents(bundles)]
    sys.stdout.write(f"{sum(ended)} of {len(ended)} as they must\n")
    return 0 if all(ended) else 1


if __name__ == "__main__":
    sys.exit(main())
