"""Collect a process's settings: environment, TF_CONFIG, limits, control groups, threads and files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.collect.argument_masking import mask_command, mask_value, mask_variables
from analyzer.collect.cgroup import find_memory_cgroups, read_usage
from analyzer.collect.node_archive import NodeArchive
from analyzer.collect.request import CollectRequest
from analyzer.redact.secrets import mask_text

if TYPE_CHECKING:
    import psutil

# Of the collector's own environment, where no process is named: what a launcher sets for the job's processes too.
_RELEVANT_PREFIXES = (
    "TF_",
    "NCCL_",
    "CUDA_",
    "NVIDIA_",
    "XLA_",
    "GRPC_",
    "HOROVOD_",
    "OMPI_",
    "PMI",
    "OMP_",
    "KMP_",
    "MKL_",
    "SLURM_",
    "PBS_",
    "LSB_",
    "KUBERNETES_",
    "POD_",
    "MALLOC_",
    "LD_",
    "PYTHON",
    "PATH",
    "HOSTNAME",
    "UCX_",
    "FI_",
    "GLOO_",
    "RAY_",
    "TPU_",
    "no_proxy",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
)


def collect_processes(archive: NodeArchive, request: CollectRequest) -> None:
    """Add the settings of the requested processes, or those of the collector itself if none is requested."""
    for pid in request.pids:
        folder = f"process/{pid}"
        variables = read_environment(pid, archive)
        _add_environment(archive, folder, variables)
        for name in ("limits", "status", "cgroup", "oom_score_adj", "smaps_rollup"):
            add_proc_file(
                archive, f"{folder}/limits{'' if name == 'limits' else '-' + name}.txt", Path(f"/proc/{pid}/{name}")
            )
        _add_cgroups(archive, folder, pid)
        _add_process_table(archive, folder, pid)
    if not request.pids:
        own_variables = {name: value for name, value in os.environ.items() if name.startswith(_RELEVANT_PREFIXES)}
        _add_environment(archive, "process", own_variables)
        _add_cgroups(archive, "process", os.getpid())
        add_proc_file(archive, "process/limits.txt", Path("/proc/self/limits"))


def read_environment(pid: int, archive: NodeArchive) -> dict[str, str]:
    """Return the environment that a living process was started with."""
    try:
        raw = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError as error:
        archive.add_missing(f"environment of process {pid}", _read_problem(error))
        return {}
    pairs = (entry.decode("utf-8", "replace").partition("=") for entry in raw.split(b"\0") if b"=" in entry)
    return {name: value for name, _, value in pairs}


def add_proc_file(archive: NodeArchive, name: str, path: Path) -> None:
    """Add a file of /proc or /sys, which is small and states no size."""
    try:
        data = path.read_bytes()
    except OSError as error:
        archive.add_missing(str(path), _read_problem(error))
        return
    if data.strip():
        archive.add_bytes(name, data, str(path))


def _add_environment(archive: NodeArchive, folder: str, variables: Mapping[str, str]) -> None:
    """Add the environment. A value of several lines is quoted, so that one variable stays one line."""
    if not variables:
        return
    lines = (
        f"{name}={value if value.isprintable() else json.dumps(value)}"
        for name, value in sorted(mask_variables(variables).items())
    )
    archive.add_bytes(f"{folder}/env.txt", "\n".join(lines) + "\n", "environment")
    if config := variables.get("TF_CONFIG"):
        archive.add_bytes(f"{folder}/tf_config.json", mask_value("TF_CONFIG", config) + "\n", "TF_CONFIG")


def _add_cgroups(archive: NodeArchive, folder: str, pid: int) -> None:
    groups = find_memory_cgroups(pid)
    if not groups:
        archive.add_missing(f"control groups of process {pid}", "none are visible")
    lines = [f"{group.folder}: " + json.dumps(read_usage(group)) for group in groups]
    if lines:
        archive.add_bytes(f"{folder}/limits-cgroup_memory.txt", "\n".join(lines) + "\n", str(groups[0].folder))


def _add_process_table(archive: NodeArchive, folder: str, pid: int) -> None:
    """Add a table of the process and its descendants, from psutil."""
    try:
        import psutil

        root = psutil.Process(pid)
        processes = [root, *root.children(recursive=True)]
    except ImportError:
        archive.add_missing(f"process tree of {pid}", "this Python has no psutil module")
        return
    except psutil.Error as error:
        archive.add_missing(f"process tree of {pid}", str(error))
        return
    archive.add_bytes(f"{folder}/env-processes.txt", "\n".join(_process_lines(processes)) + "\n", "psutil")


def _process_lines(processes: Sequence[psutil.Process]) -> Iterator[str]:
    import psutil

    yield "pid ppid user state threads fds rss_bytes cpu_seconds started command"
    for process in processes:
        attributes = process.as_dict(
            ["pid", "ppid", "username", "status", "num_threads", "num_fds", "memory_info", "cpu_times", "create_time"]
        )
        memory, cpu = attributes["memory_info"], attributes["cpu_times"]
        try:
            command = " ".join(mask_command(process.cmdline())) or process.name()
        except psutil.Error:
            command = "-"
        cells = [attributes[name] for name in ("pid", "ppid", "username", "status", "num_threads", "num_fds")]
        cells += [memory.rss if memory else None, round(sum(cpu[:2]), 1) if cpu else None, attributes["create_time"]]
        yield " ".join("-" if cell is None else str(cell) for cell in cells) + " " + mask_text(command)[:2000]


def _read_problem(error: OSError) -> str:
    return "not there" if isinstance(error, (FileNotFoundError, ProcessLookupError)) else str(error.strerror)
