"""Records the runs of the table, or those that are named: `python -m accuracy.record [--python PYTHON ...] [NAME ...]`.

Linux, as root: namespaces, cgroups (version 1) and the kernel's log; `unshare`, `nsenter`, `ip`. Each PYTHON has a
TensorFlow; a row that asks for a version that none has is left out.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path

from accuracy.record.job import Job, clean
from accuracy.record.keep import make_run
from accuracy.record.reuse import Interpreter, ask_interpreter, enter_network, enter_place
from accuracy.record.rows import RunPlan, load_rows
from accuracy.record.truth import UnseenError
from accuracy.run_files import RUNS, RunError, load_causes, load_run, save_run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", default=[], help="one that has a TensorFlow; may be repeated")
    parser.add_argument("--jobs", type=int, default=1, help="runs side by side")
    parser.add_argument("--missing", action="store_true", help="leave out what is recorded already")
    parser.add_argument("--into", type=Path, default=RUNS)
    parser.add_argument("--keep-failed", type=Path, help="where to save what does not show its fault, to look at")
    parser.add_argument("--any-version", action="store_true", help="run under what there is, whatever a row asks for")
    parser.add_argument("--interpreters", help="the Pythons, as this program describes them to its own children")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of rows; may hold *")
    options = parser.parse_args()
    sys.argv[:1] = ["-m", "accuracy.record"]  # for the start in other namespaces
    enter_place()
    rows = [
        row
        for row in load_rows().values()
        if not options.names or any(fnmatch(row.name, pattern) for pattern in options.names)
    ]
    if options.interpreters:
        interpreters = {name: read_interpreter(words) for name, words in json.loads(options.interpreters).items()}
        return record(rows[0], interpreters, options.into, options.keep_failed)
    rows = in_breadth(rows)
    if options.missing:
        rows = [row for row in rows if not (options.into / row.name / "run.yaml").exists()]
    pythons = find_pythons(options.python)
    if options.any_version:
        first = next(iter(pythons.values()))
        pythons |= {version: first for row in rows for version in (row.tf, row.other, row.build_for) if version}
    options.interpreters = json.dumps({name: write_interpreter(python) for name, python in pythons.items()})
    causes = load_causes()
    with ThreadPoolExecutor(options.jobs) as pool:
        return max(pool.map(lambda row: record_apart(row, options, causes), rows), default=0)


def in_breadth(rows: list[RunPlan]) -> list[RunPlan]:
    """One row of each fault first, so that a recording that is cut short has as many of them as possible."""
    count: Counter[str] = Counter()
    numbers = {}
    for row in rows:
        numbers[row.name] = 0 if row.cause == "none" else count[row.fault]
        count[row.fault] += 1
    return sorted(rows, key=lambda row: numbers[row.name])


def record_apart(row: RunPlan, options: argparse.Namespace, causes: frozenset[str]) -> int:
    """In a process of its own, which has a network of its own; what does not fit together is not kept."""
    command = [
        sys.executable,
        "-m",
        "accuracy.record",
        f"--interpreters={options.interpreters}",
        f"--into={options.into}",
    ]
    command += [f"--keep-failed={options.keep_failed}"] if options.keep_failed else []
    status = subprocess.run([*command, row.name]).returncode
    folder = options.into / row.name
    try:
        if status == 0:
            load_run(folder, causes)
    except RunError as error:
        print(f"{row.name}: NOT KEPT: {error}", flush=True)
        shutil.rmtree(folder)
        return 1
    return status


def write_interpreter(interpreter: Interpreter) -> list[str]:
    return [str(interpreter.base), str(interpreter.packages), interpreter.version]


def read_interpreter(lines: list[str]) -> Interpreter:
    return Interpreter(Path(lines[0]), Path(lines[1]), lines[2])


def find_pythons(pythons: list[str]) -> dict[str, Interpreter]:
    """By TensorFlow's version; `2.21.0/3.13` where another Python than the first has it too."""
    interpreters: dict[str, Interpreter] = {}
    for python in pythons or [sys.executable]:
        interpreter = ask_interpreter(python)
        tensorflow = interpreter.version.split()[-1]
        name = (
            f"{tensorflow}/{interpreter.version.split()[1].rpartition('.')[0]}"
            if tensorflow in interpreters
            else tensorflow
        )
        interpreters[name] = interpreter
    return interpreters


def record(row: RunPlan, pythons: Mapping[str, Interpreter], into: Path, failed: Path | None) -> int:
    if missing := {row.tf, row.other or row.tf} - pythons.keys():
        print(f"{row.name}: no Python with TensorFlow {', '.join(missing)}", flush=True)
        return 1
    began = time.monotonic()
    scratch = Path(tempfile.mkdtemp(prefix="tf-run-"))
    scratch.chmod(0o755)
    enter_network()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    job = Job(row, pythons, scratch)
    try:
        job.run()
        try:
            run = make_run(job, began)
            save_run(run, into / row.name)
        except UnseenError as error:
            print(f"{row.name}: NOT SAVED: {error} ({time.monotonic() - began:.1f} s)", flush=True)
            if failed:
                keep_lines(job, failed / row.name)
            return 1
    finally:
        clean(scratch)
    ends = " ".join(f"{process.name}={process.code}" for process in job.started if process.task)
    print(f"{row.name}: {time.monotonic() - began:.1f} s, {ends}, {len(run.lines)} lines", flush=True)
    return 0


def keep_lines(job: Job, folder: Path) -> None:
    """What was said, in one file for each process."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in {line.process for line in job.lines}:
        text = b"".join(line.text + b"\n" for line in job.lines if line.process == name)
        (folder / f"{name}.log").write_bytes(text)
    ends = "".join(f"{process.name} {process.code} {process.by_launcher}\n" for process in job.started)
    (folder / "ends.txt").write_text(ends)


if __name__ == "__main__":
    sys.exit(main())
