"""Collect facts about the machine: versions, memory, file systems, network, clocks. From psutil where it has the
fact.
"""

from __future__ import annotations

import ctypes
import os
import platform
import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from analyzer.collect.ethtool import list_counters
from analyzer.collect.node_archive import NodeArchive
from analyzer.collect.packages import add_packages
from analyzer.collect.process import add_proc_file
from analyzer.collect.request import CollectRequest
from analyzer.collect.timeouts import iterate_with_timeout

TABLE_TIMEOUT_S = 10.0  # seconds for one table
# The first word of a name says what it is to a reader and to the analyzer: settings, not a log.
_FILES = (
    ("memory/meminfo.txt", "/proc/meminfo"),
    ("memory/meminfo-vmstat.txt", "/proc/vmstat"),
    ("memory/meminfo-pressure.txt", "/proc/pressure/memory"),
    ("mounts/mounts.txt", "/proc/self/mountinfo"),
    ("net/hosts", "/etc/hosts"),
    ("net/resolv.conf", "/etc/resolv.conf"),
    ("net/net-snmp.txt", "/proc/net/snmp"),
    ("net/net-netstat.txt", "/proc/net/netstat"),
    ("versions/version-os.txt", "/etc/os-release"),
    ("versions/version-nvidia.txt", "/proc/driver/nvidia/version"),
    ("versions/version-cuda.json", "/usr/local/cuda/version.json"),
)
_SYSCTLS = (
    "kernel/core_pattern",
    "kernel/pid_max",
    "kernel/threads-max",
    "kernel/dmesg_restrict",
    "vm/overcommit_memory",
    "vm/swappiness",
    "vm/max_map_count",
    "fs/file-nr",
    "net/core/somaxconn",
    "net/ipv4/tcp_retries2",
    "net/ipv4/tcp_keepalive_time",
)
_TOOLS = (
    ("time/env-chrony_tracking.txt", ("chronyc", "-n", "tracking")),
    ("time/env-chrony_sources.txt", ("chronyc", "-n", "sources")),
    ("time/env-ntpq.txt", ("ntpq", "-pn")),
    ("time/env-timedatectl.txt", ("timedatectl", "show")),
    ("nvidia/nvidia-smi.txt", ("nvidia-smi", "-q")),
    ("nvidia/nvidia-smi-topo.txt", ("nvidia-smi", "topo", "-m")),
    ("net/net-ibstat.txt", ("ibstat",)),
)


def collect_node(archive: NodeArchive, request: CollectRequest) -> None:
    """Add what describes the node: files of /proc and /etc, packages, and the output of its tools."""
    for name, path in _FILES:
        add_proc_file(archive, name, Path(path))
    _add_system(archive)
    add_packages(archive, request)
    tables: Sequence[tuple[str, Callable[[], Iterator[str]]]] = (
        ("memory/meminfo-psutil.txt", _memory_lines),
        ("mounts/df.txt", _disk_lines),
        ("net/net-interfaces.txt", _interface_lines),
        ("net/net-ports.txt", _port_lines),
        ("net/net-infiniband.txt", _infiniband_lines),
        ("limits/sysctl.txt", _sysctl_lines),
    )
    for name, table in tables:
        _add_table(archive, name, table)
    _add_table(archive, "net/net-counters.txt", list_counters, "SIOCETHTOOL")
    for name, command in _TOOLS:
        archive.add_tool_output(name, command)


def read_clock_sync() -> dict[str, object]:
    """Return the kernel's view of its clock: `synchronized`, `max_error` and `estimated_error` in seconds.

    From adjtimex(2), which anybody may call. ntpd, chronyd and timesyncd all discipline the clock through it.
    """
    time = _Timex()
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.byref(time))
    except AttributeError:
        return {}
    unsynchronized = state < 0 or state == 5 or bool(time.status & 0x40)  # TIME_ERROR, STA_UNSYNC
    return {
        "synchronized": not unsynchronized,
        "max_error": time.maxerror / 1e6,
        "estimated_error": time.esterror / 1e6,
    }


class _Timex(ctypes.Structure):
    """struct timex of <sys/timex.h> on 64-bit Linux, with room behind the fields that are read."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_char * 256),
    )


def _add_table(
    archive: NodeArchive, name: str, make_lines: Callable[[], Iterator[str]], origin: str = "psutil"
) -> None:
    """Add the lines of a table. A dead NFS mount or a missing psutil costs this table only."""
    lines: list[str] = []
    try:
        lines.extend(iterate_with_timeout(make_lines(), TABLE_TIMEOUT_S))
    except ImportError:
        archive.add_missing(name, "this Python has no psutil module")
    except (OSError, RuntimeError, ValueError) as error:
        archive.add_missing(name, str(error))
    if lines:
        archive.add_bytes(name, "\n".join(lines) + "\n", origin)


def _add_system(archive: NodeArchive) -> None:
    system = platform.uname()
    # as `uname -a` and `ldd --version` say it
    lines = [f"{system.system} {system.node} {system.release} {system.version} {system.machine} GNU/Linux"]
    lines += [f"ldd (GNU libc) {version}" for name, version in [platform.libc_ver()] if name == "glibc"]
    archive.add_bytes("versions/uname.txt", "\n".join(lines) + "\n", "platform")


def _memory_lines() -> Iterator[str]:
    import psutil

    for kind, usage in (("memory", psutil.virtual_memory()), ("swap", psutil.swap_memory())):
        yield from (f"{kind}.{name}={value}" for name, value in usage._asdict().items())
    yield f"cpus={psutil.cpu_count()}"
    yield "load=" + " ".join(f"{value:.2f}" for value in psutil.getloadavg())


def _disk_lines() -> Iterator[str]:
    import psutil

    yield "mount type used_bytes free_bytes used_percent inodes_free device"
    mounts = [
        (partition.mountpoint, partition.fstype, partition.device) for partition in psutil.disk_partitions(all=False)
    ]
    for mount, kind, device in [*mounts, ("/dev/shm", "tmpfs", "shm"), ("/tmp", "-", "-"), (os.getcwd(), "-", "-")]:  # noqa: PTH109
        try:
            usage, inodes = psutil.disk_usage(mount), os.statvfs(mount).f_favail
        except OSError as error:
            yield f"{mount} {kind} - - - - {error.strerror}"
            continue
        yield f"{mount} {kind} {usage.used} {usage.free} {usage.percent} {inodes} {device}"


def _interface_lines() -> Iterator[str]:
    import psutil

    counters, states = psutil.net_io_counters(pernic=True), psutil.net_if_stats()
    for name, addresses in sorted(psutil.net_if_addrs().items()):
        state, count = states.get(name), counters.get(name)
        up = "-" if state is None else f"{'up' if state.isup else 'down'} speed={state.speed}Mb/s mtu={state.mtu}"
        yield f"{name} {up} " + " ".join(address.address for address in addresses if address.family != socket.AF_PACKET)
        if count is not None:
            yield "  " + " ".join(f"{key}={value}" for key, value in count._asdict().items())


def _port_lines() -> Iterator[str]:
    import psutil

    yield "address port pid"
    for connection in psutil.net_connections(kind="inet"):
        if connection.status == psutil.CONN_LISTEN and connection.laddr:
            yield f"{connection.laddr.ip} {connection.laddr.port} {connection.pid or '-'}"


def _infiniband_lines() -> Iterator[str]:
    for port in sorted(Path("/sys/class/infiniband").glob("*/ports/*")):
        for path in [port / "state", port / "phys_state", port / "rate", *sorted(port.glob("*counters/*"))]:
            yield f"{path.relative_to('/sys/class/infiniband')}={_read_on_one_line(path)}"


def _sysctl_lines() -> Iterator[str]:
    for name in _SYSCTLS:
        if value := _read_on_one_line(Path("/proc/sys") / name):
            yield f"{name.replace('/', '.')}={value}"


def _read_on_one_line(path: Path) -> str:
    try:
        return " ".join(path.read_text().split())
    except OSError:
        return ""
