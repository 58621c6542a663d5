"""Sample GPUs: with NVML through ctypes if the driver's library is there, else with nvidia-smi.

NVML is the driver's own library and is called in this process; `nvidia-smi` is started again for each sample. Source:
NVML API reference, nvmlDeviceGet*; the struct layouts are those of nvml.h since release 3.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable

_QUERY_FIELDS = "index,memory.used,memory.total,utilization.gpu,temperature.gpu,power.draw"
NVIDIA_SMI_TIMEOUT_S = 10.0  # seconds for nvidia-smi; a lost GPU makes it hang
GpuRow = dict[str, object]
SampleGpus = Callable[[], list[GpuRow]]


class _Memory(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


class _Utilization(ctypes.Structure):
    _fields_ = (("gpu", ctypes.c_uint), ("memory", ctypes.c_uint))


def open_gpus() -> SampleGpus | None:
    """Return a function that samples all GPUs, or None if there are none.

    A sample has index, memory_used and memory_total in bytes, sm in percent, temperature in °C, power in W.
    """
    try:
        library = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return _sample_with_nvidia_smi if shutil.which("nvidia-smi") else None
    if library.nvmlInit_v2() != 0:
        return None
    return lambda: _sample_with_nvml(library)


def _sample_with_nvml(library: ctypes.CDLL) -> list[GpuRow]:
    count = ctypes.c_uint()
    if library.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
        return []
    rows = []
    for index in range(count.value):
        device = ctypes.c_void_p()
        if library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(device)) == 0:
            rows.append({"index": index, **_read_device(library, device)})
        else:
            rows.append({"index": index, "lost": True})
    return rows


def _read_device(library: ctypes.CDLL, device: ctypes.c_void_p) -> GpuRow:
    memory, utilization, number = _Memory(), _Utilization(), ctypes.c_uint()
    row: GpuRow = {}
    if library.nvmlDeviceGetMemoryInfo(device, ctypes.byref(memory)) == 0:
        row["memory_used"], row["memory_total"] = memory.used, memory.total
    if library.nvmlDeviceGetUtilizationRates(device, ctypes.byref(utilization)) == 0:
        row["sm"] = utilization.gpu
    if library.nvmlDeviceGetTemperature(device, 0, ctypes.byref(number)) == 0:
        row["temperature"] = number.value
    if library.nvmlDeviceGetPowerUsage(device, ctypes.byref(number)) == 0:
        row["power"] = number.value / 1000
    return row


def _sample_with_nvidia_smi() -> list[GpuRow]:
    """Return the samples of nvidia-smi, for a machine whose NVML cannot be loaded (another libc)."""
    command = ["nvidia-smi", f"--query-gpu={_QUERY_FIELDS}", "--format=csv,noheader,nounits"]
    try:
        completed = subprocess.run(command, capture_output=True, text=True, timeout=NVIDIA_SMI_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [row for line in completed.stdout.splitlines() if (row := parse_nvidia_smi_line(line))]


def parse_nvidia_smi_line(line: str) -> GpuRow:
    """Return the sample of a line `0, 4321, 81559, 17, 41, 69.12`: MiB, MiB, %, °C, W. Unknown values are `[N/A]`."""
    cells = [cell.strip() for cell in line.split(",")]
    names = ("index", "memory_used", "memory_total", "sm", "temperature", "power")
    units = (1, 1 << 20, 1 << 20, 1, 1, 1)
    row: GpuRow = {}
    for name, unit, cell in zip(names, units, cells):
        try:
            row[name] = float(cell) * unit if name == "power" else int(float(cell) * unit)
        except ValueError:
            continue
    return row if "index" in row else {}
