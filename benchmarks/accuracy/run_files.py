"""The folders of recorded runs: `run.yaml` (the processes), `lines.zst` (every line of every process), `truth.yaml`,
`samples.csv` (what the processes used), and `cores/PROCESS.core.zst` where the kernel wrote a core.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
import zstandard

from accuracy.runs import Host, Process, Proof, ReceivedLine, Run, Sample, Stream, Truth

ROOT = Path(__file__).resolve().parents[2]
RUNS = ROOT / "fixtures" / "runs"


class RunError(Exception):
    """A run's file is damaged, or contradicts another. The message names file and field."""


def load_run(folder: Path, causes: frozenset[str]) -> Run:
    """Raises RunError for what is damaged or inconsistent."""
    run_fields, truth = _read_yaml(folder / "run.yaml"), _read_yaml(folder / "truth.yaml")
    if run_fields.get("name") != folder.name:
        raise RunError(f"{folder / 'run.yaml'}: name: {run_fields.get('name')!r} is not the folder's")
    where = folder / "run.yaml"
    run: Run = _build(
        where,
        Run,
        {
            **run_fields,
            "hosts": tuple(_build(where, Host, row) for row in _rows(where, run_fields, "hosts")),
            "processes": tuple(_build(where, Process, row) for row in _rows(where, run_fields, "processes")),
            "truth": _build_truth(folder / "truth.yaml", truth),
            "lines": tuple(read_lines(folder / "lines.zst")),
            "samples": tuple(_read_samples(folder / "samples.csv")),
            "cores": {path.name.removesuffix(".core.zst"): _unpack(path) for path in folder.glob("cores/*.core.zst")},
        },
    )
    check_run(run, folder, causes)
    return run


def load_runs(causes: frozenset[str], folder: Path = RUNS) -> list[Run]:
    return [load_run(path.parent, causes) for path in sorted(folder.glob("*/run.yaml"))]


def save_run(run: Run, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    run_fields = dataclasses.asdict(run)
    truth = run_fields.pop("truth")
    del run_fields["lines"], run_fields["cores"], run_fields["samples"]
    run_fields["processes"] = [_differing(Process, row) for row in run_fields["processes"]]
    (folder / "run.yaml").write_text(_dump(run_fields))
    (folder / "truth.yaml").write_text(
        _dump(_differing(Truth, {**truth, "proofs": [_differing(Proof, row) for row in truth["proofs"]]}))
    )
    (folder / "lines.zst").write_bytes(pack_lines(run.lines))
    if run.samples:
        (folder / "samples.csv").write_text("".join(",".join(map(str, sample)) + "\n" for sample in run.samples))
    for name, core in run.cores.items():
        (folder / "cores").mkdir(exist_ok=True)
        (folder / "cores" / f"{name}.core.zst").write_bytes(zstandard.ZstdCompressor(19).compress(core))


def pack_lines(lines: Iterable[ReceivedLine]) -> bytes:
    """`TIME PROCESS STREAM TEXT` each: nanoseconds since the line before; `o` or `e`, in capitals where not whole."""
    parts, before = [], 0
    for line in lines:
        mark = line.stream[0] if line.is_complete else line.stream[0].upper()
        parts.append(b"%d %s %s %s\n" % (line.time_ns - before, line.process.encode(), mark.encode(), line.text))
        before = line.time_ns
    return zstandard.ZstdCompressor(19).compress(b"".join(parts))


def read_lines(path: Path) -> Iterable[ReceivedLine]:
    now = 0
    for number, record in enumerate(_unpack(path).split(b"\n")[:-1], 1):
        try:
            step, process, mark, text = record.split(b" ", 3)
            now += int(step)
            stream: Stream = {"o": "out", "e": "err"}[mark.decode().lower()]  # type: ignore[assignment]
        except (ValueError, KeyError) as error:
            raise RunError(f"{path}: line {number}: not TIME PROCESS STREAM TEXT: {record[:60]!r}") from error
        yield ReceivedLine(now, process.decode(), stream, text, mark.islower())


def _read_samples(path: Path) -> Iterable[Sample]:
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else (), 1):
        try:
            now, process, resident, seconds, threads = line.split(",")
            yield Sample(int(now), process, int(resident), float(seconds), int(threads))
        except ValueError as error:
            raise RunError(f"{path}: line {number}: not TIME,PROCESS,BYTES,SECONDS,THREADS: {line[:60]!r}") from error


def check_run(run: Run, folder: Path, causes: frozenset[str]) -> None:
    """Raises RunError where processes, lines and truth contradict each other."""
    where, truth = folder / "truth.yaml", run.truth

    def refuse(file: Path, field: str, why: str) -> None:
        raise RunError(f"{file}: {field}: {why}")

    if len(run.by_name) != len(run.processes):
        refuse(folder / "run.yaml", "processes", "two have the same name")
    hosts = {host.name for host in run.hosts}
    for process in run.processes:
        if process.host not in hosts:
            refuse(folder / "run.yaml", f"processes.{process.name}.host", f"{process.host!r} is none of the hosts")
        if (process.role == "task") != bool(process.task):
            refuse(folder / "run.yaml", f"processes.{process.name}.task", "tasks have one, and nobody else")
        if process.ended_ns is not None and process.ended_ns < process.started_ns:
            refuse(folder / "run.yaml", f"processes.{process.name}.ended_ns", "it ended before it started")
    if stranger := next((line.process for line in run.lines if line.process not in run.by_name), None):
        refuse(folder / "lines.zst", stranger, "a line of no process of the run")
    if any(late.time_ns < early.time_ns for early, late in zip(run.lines, run.lines[1:], strict=False)):
        refuse(folder / "lines.zst", "time", "the lines are not in the order of their times")
    for cause in truth.accepted - {"none"} - causes:
        refuse(where, "cause", f"{cause!r} is in no catalogue")
    tasks = {process.task for process in run.tasks}
    for culprit in truth.culprits:
        if culprit not in tasks:
            refuse(where, "culprits", f"{culprit!r} is no task of the run")
    if truth.ended_first and truth.ended_first not in run.by_name:
        refuse(where, "ended_first", f"{truth.ended_first!r} is no process of the run")
    if (truth.cause != "none") != bool(truth.proofs):
        refuse(where, "proofs", "what failed has some, and what is healthy has none")
    for number, proof in enumerate(truth.proofs):
        if proof.process not in run.by_name:
            refuse(where, f"proofs.{number}.process", f"{proof.process!r} is no process of the run")
        if proof.says and not any(proof.says.encode() in line.text for line in run.lines_of(proof.process)):
            refuse(where, f"proofs.{number}.says", f"in no line of {proof.process}: {proof.says!r}")


def load_causes() -> frozenset[str]:
    """Those of the project's catalogue."""
    groups = _read_yaml(ROOT / "rules" / "causes.yaml")
    return frozenset(cause for group in groups.values() for cause in group)


def _build_truth(where: Path, fields: Mapping[str, Any]) -> Truth:
    proofs = tuple(
        _build(where, Proof, {**row, "tells": tuple(row.get("tells", ()))}) for row in _rows(where, fields, "proofs")
    )
    lists = {key: tuple(fields.get(key, ())) for key in ("culprits", "also_acceptable")}
    truth: Truth = _build(where, Truth, {**fields, **lists, "proofs": proofs})
    return truth


def _build(where: Path, kind: Any, row: Mapping[str, Any]) -> Any:
    try:
        return kind(**row)
    except TypeError as error:
        raise RunError(f"{where}: {kind.__name__.lower()}: {error}") from error


def _rows(where: Path, document: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    rows = document.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise RunError(f"{where}: {key}: not a list of mappings")
    return rows


def _read_yaml(path: Path) -> Mapping[str, Any]:
    try:
        document = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise RunError(f"{path}: {error}") from error
    if not isinstance(document, dict):
        raise RunError(f"{path}: not a mapping")
    return document


def _unpack(path: Path) -> bytes:
    try:
        return zstandard.ZstdDecompressor().decompress(path.read_bytes())
    except (OSError, zstandard.ZstdError) as error:
        raise RunError(f"{path}: {error}") from error


def _differing(kind: Any, row: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is as `kind` has it by default."""
    usual = {column.name: column.default for column in dataclasses.fields(kind)}
    return {key: value for key, value in row.items() if value != usual[key] and value not in ({}, ())}


def _dump(value: Mapping[str, Any]) -> str:
    plain = _plain(value)
    return str(yaml.dump(plain, Dumper=yaml.CSafeDumper, sort_keys=False, width=118, allow_unicode=True))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
