"""Podman: files of the k8s-file driver with `podman inspect`, and `podman logs --timestamps`.

conmon writes the files, ctr.log, with local times and all nine digits, and marks what it read without a line feed `P`:
https://github.com/containers/conmon/blob/main/src/ctr_logging.c. It reads 8 KiB at a time (STDIO_BUF_SIZE).
`podman logs --timestamps`: https://docs.podman.io/en/latest/markdown/podman-logs.1.html, the times as in the files.
`podman inspect`: https://docs.podman.io/en/latest/markdown/podman-inspect.1.html.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import (
    Container,
    attempts_of,
    command_of,
    containers,
    environment_of,
    is_task,
    name_image,
    split_lines,
    was_oom_killed,
)
from accuracy.collectors._stamps import local_go_fixed, local_iso
from accuracy.collectors._utf8 import dump
from accuracy.collectors.docker import container_id, group_container, lines_of, name_of
from accuracy.identities import Identities
from accuracy.runs import Process, ReceivedLine, Run

MAX_RECORD_BYTES = 8192
_RECORD = re.compile(rb"\S+ (stdout|stderr) ([PF]) (.*)", re.DOTALL)
_STAMPED = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}(?:Z|[+-]\d\d:\d\d) (.*)", re.DOTALL)


def _format_file(run: Run, host: str, lines: list[ReceivedLine]) -> bytes:
    parts = []
    for line in lines:
        head = f"{local_iso(run, host, line.time_ns)} std{line.stream} ".encode()
        pieces = [line.text[at : at + MAX_RECORD_BYTES] for at in range(0, len(line.text), MAX_RECORD_BYTES)] or [b""]
        parts += [head + b"P " + piece + b"\n" for piece in pieces[:-1]]
        parts.append(head + (b"F " if line.is_complete else b"P ") + pieces[-1] + b"\n")
    return b"".join(parts)


def inspect(run: Run, identities: Identities, container: Container) -> dict[str, Any]:
    process, host = container.last, container.host
    running = process.ended_ns is None
    number = container_id(identities, container)
    ended = "0001-01-01T00:00:00Z" if process.ended_ns is None else local_iso(run, host, process.ended_ns)
    return {
        "Id": number,
        "Created": local_iso(run, host, container.attempts[0].started_ns - 97_000_000),
        "Path": command_of(process)[0],
        "Args": command_of(process)[1:],
        "State": {
            "OciVersion": "1.2.0",
            "Status": "running" if running else "exited",
            "Running": running,
            "Paused": False,
            "Restarting": False,
            "OOMKilled": was_oom_killed(run, process),
            "Dead": False,
            "Pid": identities.number(2000, 4_000_000, "pid", process.name) if running else 0,
            "ExitCode": 0 if running else process.shell_status or 0,
            "Error": "",
            "StartedAt": local_iso(run, host, process.started_ns),
            "FinishedAt": ended,
            "CheckpointedAt": "0001-01-01T00:00:00Z",
            "RestoredAt": "0001-01-01T00:00:00Z",
        },
        "Image": identities.digest("image", run.tensorflow),
        "ImageName": f"docker.io/{name_image(run)}",
        "Rootfs": "",
        "Pod": "",
        "RestartCount": len(container.attempts) - 1,
        "Name": name_of(container),
        "Driver": "overlay",
        "IsInfra": False,
        "IsService": False,
        "Config": {
            "Hostname": host,
            "Domainname": "",
            "User": "",
            "Tty": False,
            "Env": [f"{name}={value}" for name, value in environment_of(run, process).items()],
            "Cmd": command_of(process),
            "Image": f"docker.io/{name_image(run)}",
            "WorkingDir": "/workspace",
        },
        "HostConfig": {"LogConfig": {"Type": "k8s-file", "Config": None, "Path": _log_path(number), "Size": "0B"}},
    }


def _log_path(number: str) -> str:
    return f"/var/lib/containers/storage/overlay-containers/{number}/userdata/ctr.log"


def render_files(run: Run, identities: Identities, chance: random.Random) -> Files:
    """From each host its containers' ctr.log, and `podman inspect` of them all."""
    files: dict[str, bytes] = {}
    inspected: dict[str, list[dict[str, Any]]] = {}
    for container in containers(run):
        path = f"{container.host}{_log_path(container_id(identities, container))}"
        files[path] = _format_file(run, container.host, lines_of(run, container))
        inspected.setdefault(container.host, []).append(inspect(run, identities, container))
    for host, rows in inspected.items():
        files[f"{host}/podman-inspect.json"] = dump(rows, indent=5) + b"\n"
    return files


def read_files(files: Files) -> Iterator[GroupLine]:
    names = {
        row["Id"]: row["Name"]
        for path, content in files.items()
        if path.endswith("inspect.json")
        for row in json.loads(content)
    }
    for path, content in files.items():
        if path.endswith("ctr.log"):
            name = names[path.split("/")[-3]]
            yield from ((name, text) for text in _join_records(content))


def _join_records(content: bytes) -> Iterator[bytes]:
    """A piece shorter than the buffer was the last that its stream gave."""
    pending: dict[bytes, bytes] = {}
    for record in split_lines(content):
        match = _RECORD.fullmatch(record)
        if not match:
            raise ValueError(f"no record of conmon: {record[:80]!r}")
        text = pending.pop(match[1], b"") + match[3]
        if match[2] == b"P" and len(match[3]) == MAX_RECORD_BYTES:
            pending[match[1]] = text
        else:
            yield text


def render_logs(run: Run, identities: Identities, chance: random.Random) -> Files:
    """podman logs --timestamps NAME > NAME.log 2>&1, on each host"""
    return {
        f"{name_of(container)}.log": b"".join(
            f"{local_go_fixed(run, container.host, line.time_ns)} ".encode() + line.text + b"\n"
            for line in lines_of(run, container)
        )
        for container in containers(run)
    }


def read_logs(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        for record in split_lines(content):
            match = _STAMPED.fullmatch(record)
            if not match:
                raise ValueError(f"no time: {record[:80]!r}")
            yield path.removesuffix(".log"), match[1]


def _is_last(run: Run, process: Process) -> bool:
    """`podman inspect` tells of the last end alone."""
    return is_task(run, process) and process == attempts_of(run, process)[-1]


def name_places(identities: Identities, process: Process) -> frozenset[str]:
    return frozenset((identities.container(process)[:12],))


COLLECTORS = (
    Collector(
        "podman-k8s-file",
        render_files,
        read_files,
        carries=frozenset({"lines", "exit", "environment"}),
        keeps=is_task,
        ends=_is_last,
        group=group_container,
        names=name_places,
    ),
    Collector("podman-logs", render_logs, read_logs, keeps=is_task, group=group_container),
)
