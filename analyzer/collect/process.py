"""A process and the settings it runs under: environment, TF_CONFIG, limits, control groups, its threads and files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.collect.cgroup import find_groups, read_usage
from analyzer.collect.parcel import Parcel
from analyzer.collect.redact import mask_command, mask_value, mask_variables
from analyzer.collect.wish import Wish
from analyzer.redact.secrets import mask_text

if TYPE_CHECKING:
    import psutil

# Of the collector's own environment, where no process is named: what a launcher sets for the job's processes too.
_RELEVANT = (
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


def collect_processes(parcel: Parcel, wish: Wish) -> None:
    for pid in wish.pids:
        folder = f"process/{pid}"
        variables = read_environment(pid, parcel)
        _add_environment(parcel, folder, variables)
        for name in ("limits", "status", "cgroup", "oom_score_adj", "smaps_rollup"):
            add_proc(
                parcel, f"{folder}/limits{'' if name == 'limits' else '-' + name}.txt", Path(f"/proc/{pid}/{name}")
            )
        _add_groups(parcel, folder, pid)
        _describe(parcel, folder, pid)
    if not wish.pids:
        own = {name: value for name, value in os.environ.items() if name.startswith(_RELEVANT)}
        _add_environment(parcel, "process", own)
        _add_groups(parcel, "process", os.getpid())
        add_proc(parcel, "process/limits.txt", Path("/proc/self/limits"))


def read_environment(pid: int, parcel: Parcel) -> dict[str, str]:
    """Of a living process; what it started with."""
    try:
        raw = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError as error:
        parcel.lack(f"environment of process {pid}", _gone(error))
        return {}
    pairs = (entry.decode("utf-8", "replace").partition("=") for entry in raw.split(b"\0") if b"=" in entry)
    return {name: value for name, _, value in pairs}


def add_proc(parcel: Parcel, name: str, path: Path) -> None:
    """A file of /proc or /sys: small, without a size of its own."""
    try:
        data = path.read_bytes()
    except OSError as error:
        parcel.lack(str(path), _gone(error))
        return
    if data.strip():
        parcel.add(name, data, str(path))


def _add_environment(parcel: Parcel, folder: str, variables: Mapping[str, str]) -> None:
    """Values of several lines are written in quotes, so that one variable stays one line."""
    if not variables:
        return
    lines = (
        f"{name}={value if value.isprintable() else json.dumps(value)}"
        for name, value in sorted(mask_variables(variables).items())
    )
    parcel.add(f"{folder}/env.txt", "\n".join(lines) + "\n", "environment")
    if config := variables.get("TF_CONFIG"):
        parcel.add(f"{folder}/tf_config.json", mask_value("TF_CONFIG", config) + "\n", "TF_CONFIG")


def _add_groups(parcel: Parcel, folder: str, pid: int) -> None:
    groups = find_groups(pid)
    if not groups:
        parcel.lack(f"control groups of process {pid}", "none can be seen")
    lines = [f"{group.folder}: " + json.dumps(read_usage(group)) for group in groups]
    if lines:
        parcel.add(f"{folder}/limits-cgroup_memory.txt", "\n".join(lines) + "\n", str(groups[0].folder))


def _describe(parcel: Parcel, folder: str, pid: int) -> None:
    """The process tree in a table, by psutil."""
    try:
        import psutil

        root = psutil.Process(pid)
        family = [root, *root.children(recursive=True)]
    except ImportError:
        parcel.lack(f"process tree of {pid}", "no psutil module here")
        return
    except psutil.Error as error:
        parcel.lack(f"process tree of {pid}", str(error))
        return
    parcel.add(f"{folder}/env-processes.txt", "\n".join(_rows(family)) + "\n", "psutil")


def _rows(family: Sequence[psutil.Process]) -> Iterator[str]:
    import psutil

    yield "pid ppid user state threads fds rss_bytes cpu_seconds started command"
    for process in family:
        said = process.as_dict(
            ["pid", "ppid", "username", "status", "num_threads", "num_fds", "memory_info", "cpu_times", "create_time"]
        )
        memory, cpu = said["memory_info"], said["cpu_times"]
        try:
            command = " ".join(mask_command(process.cmdline())) or process.name()
        except psutil.Error:
            command = "-"
        cells = [said[name] for name in ("pid", "ppid", "username", "status", "num_threads", "num_fds")]
        cells += [memory.rss if memory else None, round(sum(cpu[:2]), 1) if cpu else None, said["create_time"]]
        yield " ".join("-" if cell is None else str(cell) for cell in cells) + " " + mask_text(command)[:2000]


def _gone(error: OSError) -> str:
    return "not there" if isinstance(error, (FileNotFoundError, ProcessLookupError)) else str(error.strerror)
