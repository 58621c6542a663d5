"""Hosts with a name, an address and a network of their own, and root folders for their tasks."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from accuracy.record.reuse import Interpreter, Switch
from accuracy.record.rows import RunPlan

SHARED = ("usr", "etc", "dev", "proc", "sys")  # of this machine, in every root
MIB = 2**20
UNPREPARED_STATUS = 99  # status of a task whose root folder could not be made
LINKS = ("bin", "sbin", "lib", "lib64")


class Hosts:
    """Each is a process that sleeps in its namespaces: a host outlives its tasks, and who calls it is refused."""

    def __init__(self, row: RunPlan, scratch: Path) -> None:
        self.row, self.scratch = row, scratch
        self.switch = Switch()
        self.holders: dict[str, subprocess.Popen[bytes]] = {}
        for number, name in enumerate(row.names):
            self.holders[name] = self._start(name)
            self.switch.plug(number, self.holders[name].pid, row.address(name))
        lines = "".join(f"{row.address(name)} {name}\n" for name in row.names)
        (scratch / "hosts").write_text("127.0.0.1 localhost\n" + lines)
        (scratch / "resolv.conf").write_text(f"nameserver {row.net}.2\n")

    def _start(self, name: str) -> subprocess.Popen[bytes]:
        script = f"hostname {shlex.quote(name)} && ip link set lo up && echo up && exec sleep 1000000"
        holder = subprocess.Popen(
            ["unshare", "--uts", "--net", "sh", "-c", script], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL
        )
        assert holder.stdout is not None
        holder.stdout.readline()
        return holder

    def number(self, host: str) -> int:
        return self.row.names.index(host)

    def inside(self, host: str) -> list[str]:
        """What a command has to begin with to run on the host."""
        return ["nsenter", f"--target={self.holders[host].pid}", "--net", "--uts"]

    def end(self) -> None:
        for holder in self.holders.values():
            holder.send_signal(signal.SIGKILL)
            holder.wait()


class Cgroup:
    """Limits of a task's, in version 1's trees, by controller and file."""

    def __init__(self, name: str, limits: Mapping[str, Mapping[str, object]]) -> None:
        self.folders = [Path("/sys/fs/cgroup") / controller / name for controller in limits]
        for folder, files in zip(self.folders, limits.values(), strict=True):
            folder.mkdir(parents=True)
            for file, value in files.items():
                (folder / file).write_text(str(value))

    def set(self, controller: str, file: str, value: object) -> None:
        next(folder for folder in self.folders if folder.parts[4] == controller).joinpath(file).write_text(str(value))

    def remove(self) -> None:
        for folder in self.folders:
            while len(folder.parts) > 5:
                try:
                    folder.rmdir()
                except OSError:
                    break
                folder = folder.parent


class BrokenDisk:
    """A file system on a loop device whose backing file ends too early: what lies behind cannot be read."""

    def __init__(self, scratch: Path, content: Path) -> None:
        self.image, self.folder = scratch / "disk.img", scratch / "disk"
        self.folder.mkdir()
        self.image.write_bytes(b"")
        os.truncate(self.image, 8 * MIB)
        _run("mkfs.ext4", "-q", str(self.image))
        self.device = _run("losetup", "-f", "--show", str(self.image)).strip()
        _run("mount", self.device, str(self.folder))
        (self.folder / "readme").write_bytes(bytes(3 * MIB))
        for path in content.iterdir():
            shutil.copyfile(path, self.folder / path.name)
        _run("umount", str(self.folder))  # so that nothing of it is in memory
        _run("mount", self.device, str(self.folder))
        os.truncate(self.image, MIB)

    @property
    def name(self) -> str:
        return self.device.rpartition("/")[2]

    def remove(self) -> None:
        _run("umount", "--lazy", str(self.folder))
        _run("losetup", "-d", self.device)


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def root_script(
    row: RunPlan, task: str, place: Mapping[str, str], python: Interpreter, scratch: Path, cgroups: list[Path]
) -> Iterator[str]:
    """Lines of shell that make a task's root folder and leave for it."""
    root, quote = scratch / "root", shlex.quote
    code, home = place["code"], place["python"]
    packages = f"{home}/{python.packages.relative_to(python.packages.parents[2])}"
    yield "set -e"
    yield f"trap 'exit {UNPREPARED_STATUS}' EXIT"  # which the program that takes this shell's place does not inherit
    for folder in cgroups:
        yield f"echo $$ > {quote(str(folder / 'cgroup.procs'))}"
    yield f"mount -t tmpfs -o mode=755 tmpfs {root}"
    yield f"cd {root} && mkdir {' '.join(SHARED)} tmp root && chmod 1777 tmp"
    for name in SHARED:
        yield f"mount --rbind /{name} {root}/{name}"
    for name in LINKS:
        yield f"ln -s usr/{name} {root}/{name}"
    wanted = [
        str(root) + folder for folder in (home, code, "/data", place.get("home", "/root")) if folder != "/usr/local"
    ]
    yield f"mkdir -p {' '.join(wanted)}"
    yield f"mount --bind {quote(str(python.base))} {root}{home}"
    yield f"mount -o remount,bind,ro {root}{home}"
    yield f"mount --bind {quote(str(python.packages))} {root}{packages}"
    yield f"mount -o remount,bind,ro {root}{packages}"
    yield f"mount --bind {quote(str(scratch / 'code' / task.replace(':', '-')))} {root}{code}"
    yield f"mount --bind {quote(str(scratch / 'data'))} {root}/data"
    for name in ("hosts", "resolv.conf"):
        yield f"mount --bind {quote(str(scratch / name))} {root}/etc/{name}"
    if task == row.culprit:
        for path, size in row.mounts.items():
            yield f"mkdir -p {root}{path} && mount -t tmpfs -o {size} tmpfs {root}{path}"
        if row.disk:
            yield f"mount --bind {quote(str(scratch / 'disk'))} {root}{row.disk}"
        for letter, value in row.limits.items():
            yield f"ulimit -{letter} {value}"
    yield "ulimit -c " + ("unlimited" if row.core and task == row.culprit else "0")


def sign_of(number: int) -> str:
    return signal.Signals(number).name


def kill(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
