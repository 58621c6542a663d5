"""Settings of devices as their tools list them. The values of all devices of a node become one setting.

`nvidia-smi --query-gpu=… --format=csv`, the sections of `nvidia-smi -q`, `ibstat` (infiniband-diags), `ethtool`, and
the tables that the collector writes of interfaces, InfiniBand ports and control groups.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from analyzer.model import Setting

DEVICE_LINE_PATTERN = (  # a file that lists devices has a line that begins so
    r"CA '\w+'$|Settings for \w[\w.-]*:$|firmware-version: |[\w.-]+ (?:up|down) speed=\d|\w+/ports/\d+/state="
    r"|/\S*: \{\"|NVRM version: |cpus=\d+$"
    r"|(?:index|name|uuid|timestamp|count|gpu_\w+|driver_version|pci\.\w+|memory\.\w+)(?: \[\w+\])?, "
)
_HEADER = re.compile(r"[a-z_]\w*(?:\.\w+)*(?: \[\w+\])?(?:, [a-z_]\w*(?:\.\w+)*(?: \[[\w %/]+\])?)+$")
# Column of --query-gpu → setting. Readings that change from second to second (clocks, power, load) are no settings.
_COLUMNS = {
    "driver_version": "driver",
    "vbios_version": "gpu vbios",
    "memory.total": "gpu memory",
    "compute_mode": "gpu compute mode",
    "persistence_mode": "gpu persistence mode",
    "ecc.mode.current": "gpu ecc",
    "mig.mode.current": "gpu mig",
    "pcie.link.width.max": "gpu pcie width",
    "pcie.link.gen.max": "gpu pcie generation",
    "power.limit": "gpu power limit",
    "clocks.max.sm": "gpu max clock",
}
_GPU_NAME_COLUMNS = ("name", "gpu_name")
_SECTION = re.compile(r"^\s+([A-Z][\w ]*\w)\s*$")
_CURRENT_VALUE = re.compile(r"^\s+Current\s+: (\S+)$")
_SECTIONS = {"ecc mode": "gpu ecc", "mig mode": "gpu mig"}
_PORT_WORDS = {"state": "state", "physical state": "physical state", "rate": "rate", "link layer": "link layer"}
_CA_WORDS = {"ca type": "type", "firmware version": "firmware"}
_STANDALONE_FORMS = tuple(
    (re.compile(pattern).match, name)
    for pattern, name in (
        (r"^NVRM version: .*?Kernel Module(?: for \S+)?\s+(\d[\d.]+)", "driver"),
        (r"^firmware-version: (\S.*)", "nic firmware"),
        (r"^/\S*: \{.*?\"memory_max\": (\d{1,18})", "control group memory limit"),
        (r"^cpus=(\d{1,18})$", "cpus"),
    )
)
_INTERFACE = re.compile(r"^([\w.@-]+) (up|down) speed=(\d{1,18})Mb/s mtu=(\d{1,18})")
_IB_FILE = re.compile(r"^(\w+)/ports/(\d{1,18})/(state|phys_state|rate)=(?:\d+: )?([\w.]+)")
_PAIR = re.compile(r"^\s*+([A-Z]\w*+(?: ++\w++)*+)\s*+: (\S.*)$")


def read_devices(lines: Sequence[str]) -> Iterator[Setting]:
    """Yield each setting once; if devices differ, its value lists all theirs in order. Lines are counted from 1."""
    lines_by_value: dict[str, dict[str, int]] = {}
    gpus: Counter[str] = Counter()
    listing = _ListingParser()
    for number, line in enumerate(lines, 1):
        for name, value in listing.read_line(line):
            if name in _GPU_NAME_COLUMNS:
                gpus[value] += 1
                lines_by_value["gpus"] = {", ".join(f"{count} × {gpu}" for gpu, count in sorted(gpus.items())): number}
            elif value not in ("", "N/A", "[N/A]", "[Not Supported]"):
                lines_by_value.setdefault(name, {}).setdefault(value, number)
    for name, values in lines_by_value.items():
        yield Setting(name, ", ".join(sorted(values)), min(values.values()))


class _ListingParser:
    """Reads a listing line by line; keeps the columns of a table, the device, its port and the section."""

    def __init__(self) -> None:
        self._columns: list[str] = []
        self._device = self._port = self._section = ""

    def read_line(self, line: str) -> Iterator[tuple[str, str]]:
        if _HEADER.match(line) and any(name in line for name in (*_COLUMNS, *_GPU_NAME_COLUMNS)):
            self._columns = [cell.partition(" [")[0] for cell in line.split(", ")]
            return
        cells = line.split(", ") if self._columns else []
        if len(cells) == len(self._columns) > 1:
            pairs = zip(self._columns, cells, strict=True)
            yield from (
                (_COLUMNS.get(name, name), value) for name, value in pairs if name in (*_COLUMNS, *_GPU_NAME_COLUMNS)
            )
            return
        self._columns = []
        yield from self._read_pairs(line)

    def _read_pairs(self, line: str) -> Iterator[tuple[str, str]]:
        if match := re.match(r"^CA '(\w+)'$|^Settings for ([\w.-]+):$", line):
            self._device, self._port = match[1] or match[2], ""
        elif self._device and (match := re.match(r"^\s+Port (\d{1,18}):$", line)):
            self._port = match[1]
        elif self._device and (match := _PAIR.match(line)):
            yield from self._read_device_value(match[1].lower(), match[2])
        elif match := _CURRENT_VALUE.match(line):
            yield from [(_SECTIONS[self._section], match[1])] if self._section in _SECTIONS else []
        elif match := _SECTION.match(line):
            self._section = match[1].lower()
        else:
            yield from _read_standalone_line(line)

    def _read_device_value(self, word: str, value: str) -> Iterator[tuple[str, str]]:
        if self._port and word in _PORT_WORDS:
            yield f"ib {self._device}:{self._port} {_PORT_WORDS[word]}", value.lower()
        elif not self._port and word in _CA_WORDS:
            yield f"ib {self._device} {_CA_WORDS[word]}", value
        elif word == "speed" and value[0].isdecimal():
            yield f"speed {self._device}", value


def _read_standalone_line(line: str) -> Iterator[tuple[str, str]]:
    """Yield the settings of a line whose meaning does not depend on earlier lines."""
    if match := _INTERFACE.match(line):
        yield f"mtu {match[1]}", match[4]
        yield f"link {match[1]}", match[2].upper()
        if match[3] != "0":
            yield f"speed {match[1]}", f"{match[3]}Mb/s"
    elif match := _IB_FILE.match(line):
        word = match[3].replace("phys_", "physical ")
        yield f"ib {match[1]}:{match[2]} {word}", match[4].lower()
    for match_form, name in _STANDALONE_FORMS:
        if match := match_form(line):
            yield name, match[1]
