"""The environment of tasks: a private network, small file systems, other users. None of it outlives the tasks."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import pathlib
import signal
import socket
import struct
import subprocess

from job.plan import UnableError

NEW_MOUNT, NEW_USER, NEW_NET = 0x00020000, 0x10000000, 0x40000000  # of unshare(2)
PRIVATE = 0x4000 | 0x40000  # MS_REC | MS_PRIVATE of mount(2)
libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(number: int = signal.SIGKILL) -> None:
    libc.prctl(1, number)  # PR_SET_PDEATHSIG


def enter_network() -> bool:
    """Enter a network with only loopback, if the system permits it, because TensorFlow listens on all addresses."""
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(NEW_NET):
        if libc.unshare(NEW_NET | NEW_USER):
            return False
        for file, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            pathlib.Path("/proc/self", file).write_text(text)
    raise_loopback()
    return True


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        fcntl.ioctl(probe, 0x8914, struct.pack("16sh14x", b"lo", 0x41))  # SIOCSIFFLAGS, IFF_UP | IFF_RUNNING


def choose_addresses(cluster: dict, network: str = "127.0.0") -> dict:
    """Give each task its own address, so that messages identify the task."""
    addresses, last = {}, 10
    for job, count in cluster.items():
        addresses[job] = []
        for _ in range(count):
            last += 1
            with socket.socket() as probe:
                probe.bind(("", 0))
                addresses[job].append(f"{network}.{last}:{probe.getsockname()[1]}")
    return addresses


class Switch:
    """A network namespace for each task and a bridge between them, like separate machines; made with iproute2.

    Only in a private network, which the kernel takes away with its last process.
    """

    network = "10.77.0"

    def __init__(self) -> None:
        self._run("link", "add", "bridge0", "type", "bridge")
        self._run("link", "set", "bridge0", "up")

    def plug(self, number: int, pid: int, address: str) -> None:
        """Connect the process, which is in its own namespace, to the bridge, with this address."""
        self._run("link", "add", f"port{number}", "type", "veth", "peer", "name", "eth0", "netns", str(pid))
        self._run("link", "set", f"port{number}", "master", "bridge0", "up")
        inside = ("nsenter", "--net", f"--target={pid}")
        self._run("address", "add", f"{address}/24", "dev", "eth0", inside=inside)
        self._run("link", "set", "eth0", "up", inside=inside)

    def unplug(self, number: int) -> None:
        self._run("link", "set", f"port{number}", "down")

    def drop(self, number: int) -> None:
        """Keep the link up, but drop all packets on it."""
        self._run("link", "set", f"port{number}", "nomaster")

    @staticmethod
    def _run(*arguments: str, inside: tuple[str, ...] = ()) -> None:
        try:
            done = subprocess.run([*inside, "ip", *arguments], capture_output=True, text=True)
        except FileNotFoundError as error:
            raise UnableError("iproute2 and nsenter, to give each task its own network") from error
        if done.returncode:
            raise UnableError(f"networks of the tasks' own: ip {' '.join(arguments)}: {done.stderr.strip()}")


def leave_network() -> None:
    """Enter a network namespace that has only loopback until `Switch.plug` adds a link."""
    if libc.unshare(NEW_NET):
        raise UnableError("network namespaces")
    raise_loopback()


def mount_small(path: pathlib.Path, size: int) -> None:
    """Mount a file system of `size` bytes that is visible only to this thread."""
    if libc.unshare(NEW_MOUNT) or libc.mount(None, b"/", None, PRIVATE, None):
        raise UnableError(f"a mount namespace, for a small {path}")
    if libc.mount(b"tmpfs", bytes(path), b"tmpfs", 0, f"size={size}".encode()):
        raise UnableError(f"permission to mount a small {path}")


def become_nobody() -> None:
    """Drop root, which may write every file and has no thread limit."""
    if os.geteuid() == 0:
        try:
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
        except OSError:  # the only user of a namespace, an ordinary one outside: without its capabilities
            libc.capset(struct.pack("II", 0x20080522, 0), bytes(24))
            return
        die_with_parent()  # the kernel forgets it when the user changes


def sweep(top: pathlib.Path) -> None:
    """Remove the cgroups that killed launchers left behind; nothing else outlives the processes."""
    for folder in top.glob("replay_*"):
        pid = folder.name.rpartition("_")[2]
        if pid.isdigit() and not pathlib.Path("/proc", pid).exists():
            with contextlib.suppress(OSError):  # somebody else's, or not empty
                folder.rmdir()


class MemoryCgroup:
    """Create a cgroup with a limit in bytes; version 1 has a tree for each controller."""

    def __init__(self, limit: int) -> None:
        top = pathlib.Path("/sys/fs/cgroup")
        old = (top / "memory").is_dir()
        self.folder = (top / "memory" if old else top) / f"replay_{os.getpid()}"
        sweep(self.folder.parent)
        files = ["memory.limit_in_bytes"] if old else ["memory.max", "memory.swap.max"]
        try:
            self.folder.mkdir()
            for file, value in zip(files, (limit, 0)):
                (self.folder / file).write_text(str(value))
        except OSError as error:
            self.remove()
            raise UnableError(f"permission to create a memory cgroup: {error}") from error

    def add(self, pid: int) -> None:
        (self.folder / "cgroup.procs").write_text(str(pid))

    def remove(self) -> None:
        if self.folder.is_dir():
            self.folder.rmdir()
