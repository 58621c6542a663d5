"""Docker: the json-file driver's logs with `docker inspect`, and `docker compose logs`.

Files of the driver, /var/lib/docker/containers/ID/ID-json.log: https://docs.docker.com/engine/logging/drivers/json-file/.
Lines over 16 KiB are cut into records, of which all but the last lack `\\n`:
https://github.com/moby/moby/blob/master/daemon/logger/copier.go. A container that is started again keeps its file.
`docker inspect`, https://docs.docker.com/reference/cli/docker/inspect/, tells of the last end alone; `docker events`,
https://docs.docker.com/reference/cli/docker/system/events/, tells of each.
`docker compose` puts a container before each line: https://docs.docker.com/reference/cli/docker/compose/logs/.
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
    command_of,
    containers,
    environment_of,
    is_task,
    name_container,
    name_image,
    split_lines,
    was_oom_killed,
)
from accuracy.collectors._stamps import go_nano, iso, local_go_fixed
from accuracy.collectors._utf8 import dump, dump_docker, escape_surrogates, replace_invalid
from accuracy.identities import Identities
from accuracy.runs import Process, ReceivedLine, Run

MAX_RECORD_BYTES = 16 * 1024
_NEVER = "0001-01-01T00:00:00Z"
_COMPOSE = re.compile(rb"(\S+) +\| (.*)", re.DOTALL)
_STAMPED = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z (.*)", re.DOTALL)
_EXITED = re.compile(rb"\S+ exited with code \d+")


def container_id(identities: Identities, container: Container) -> str:
    """It stays the same when the container is started again."""
    return identities.container(container.attempts[0])


def name_of(container: Container) -> str:
    """As `docker run --name` was told: the host name that the container was given."""
    return container.host if container.name == "tensorflow" else f"{container.host}-{container.name}"


def lines_of(run: Run, container: Container) -> list[ReceivedLine]:
    return [line for process in container.attempts for line in run.lines_of(process.name)]


def group_container(run: Run, process: Process) -> str:
    return name_of(Container(process.host, name_container(run, process), ()))


def format_json_file(lines: list[ReceivedLine]) -> bytes:
    return b"".join(_format_record(record, line) for line in lines for record in _cut(line))


def _cut(line: ReceivedLine) -> list[bytes]:
    text = line.text + (b"\n" if line.is_complete else b"")
    return [text[at : at + MAX_RECORD_BYTES] for at in range(0, max(len(line.text), 1), MAX_RECORD_BYTES)]


def _format_record(text: bytes, line: ReceivedLine) -> bytes:
    record = {"log": escape_surrogates(text), "stream": f"std{line.stream}", "time": go_nano(line.time_ns)}
    return dump_docker(record) + b"\n"


def inspect(run: Run, identities: Identities, container: Container) -> dict[str, Any]:
    process = container.last
    running = process.ended_ns is None
    image = name_image(run)
    address = next(host.address for host in run.hosts if host.name == container.host)
    command = command_of(process)
    number = container_id(identities, container)
    folder = f"/var/lib/docker/containers/{number}"
    return {
        "Id": number,
        "Created": iso(container.attempts[0].started_ns - 184_000_000),
        "Path": command[0],
        "Args": command[1:],
        "State": {
            "Status": "running" if running else "exited",
            "Running": running,
            "Paused": False,
            "Restarting": False,
            "OOMKilled": was_oom_killed(run, process),
            "Dead": False,
            "Pid": identities.number(2000, 4_000_000, "pid", process.name) if running else 0,
            "ExitCode": 0 if running else process.shell_status or 0,
            "Error": "",
            "StartedAt": iso(process.started_ns),
            "FinishedAt": _NEVER if process.ended_ns is None else iso(process.ended_ns),
        },
        "Image": f"sha256:{identities.digest('image', run.tensorflow)}",
        "ResolvConfPath": f"{folder}/resolv.conf",
        "HostnamePath": f"{folder}/hostname",
        "HostsPath": f"{folder}/hosts",
        "LogPath": f"{folder}/{number}-json.log",
        "Name": f"/{name_of(container)}",
        "RestartCount": len(container.attempts) - 1,
        "Driver": "overlay2",
        "Platform": "linux",
        "HostConfig": {
            "LogConfig": {"Type": "json-file", "Config": {}},
            "NetworkMode": "training",
            "RestartPolicy": {
                "Name": "on-failure" if len(container.attempts) > 1 else "no",
                "MaximumRetryCount": 3 if len(container.attempts) > 1 else 0,
            },
            "AutoRemove": False,
            "ShmSize": 67108864,
            "Memory": 0,
        },
        "Config": {
            "Hostname": container.host,
            "Domainname": "",
            "User": "",
            "Env": [f"{name}={value}" for name, value in environment_of(run, process).items()],
            "Cmd": command,
            "Image": image,
            "WorkingDir": "/workspace",
        },
        "NetworkSettings": {"Networks": {"training": {"IPAddress": address}}},
    }


def _events(run: Run, identities: Identities, machine: str) -> bytes:
    """docker events --since 24h --until now --filter type=container"""
    events: list[tuple[int, str]] = []

    def say(container: Container, time_ns: int, action: str, extra: str = "") -> None:
        about = f"{extra}image={name_image(run)}, name={name_of(container)}"
        stamp = local_go_fixed(run, container.host, time_ns)
        events.append((time_ns, f"{stamp} container {action} {container_id(identities, container)} ({about})\n"))

    for container in containers(run):
        if identities.machine(container.last) != machine:
            continue
        for process in container.attempts:
            say(container, process.started_ns, "start")
            if process.ended_ns is None:
                continue
            if was_oom_killed(run, process):
                say(container, process.ended_ns, "oom")
            lasted = (process.ended_ns - process.started_ns) // 10**9
            say(container, process.ended_ns, "die", f"execDuration={lasted}, exitCode={process.shell_status or 0}, ")
    return "".join(text for _, text in sorted(events, key=lambda event: event[0])).encode()


def escape_pieces(text: bytes) -> bytes:
    """A record is cut after so many bytes, even within a character."""
    return b"".join(replace_invalid(text[at : at + MAX_RECORD_BYTES]) for at in range(0, len(text), MAX_RECORD_BYTES))


def render_json_file(run: Run, identities: Identities, chance: random.Random) -> Files:
    """From each docker host its containers' log files, `docker inspect $(docker ps -aq)` and `docker events`."""
    files: dict[str, bytes] = {}
    inspected: dict[str, list[dict[str, Any]]] = {}
    for container in containers(run):
        machine, number = identities.machine(container.last), container_id(identities, container)
        path = f"{machine}/var/lib/docker/containers/{number}/{number}-json.log"
        files[path] = format_json_file(lines_of(run, container))
        inspected.setdefault(machine, []).append(inspect(run, identities, container))
    for machine, rows in inspected.items():
        files[f"{machine}/docker-inspect.json"] = dump(rows, indent=4) + b"\n"
        files[f"{machine}/docker-events.txt"] = _events(run, identities, machine)
    return files


def read_json_file(files: Files) -> Iterator[GroupLine]:
    names = {
        row["Id"]: row["Name"].lstrip("/")
        for path, content in files.items()
        if path.endswith("inspect.json")
        for row in json.loads(content)
    }
    for path, content in files.items():
        if path.endswith("-json.log"):
            name = names[path.rpartition("/")[2].removesuffix("-json.log")]
            yield from ((name, text) for text in _join_records(content))


def _join_records(content: bytes) -> Iterator[bytes]:
    pending: dict[str, str] = {}
    for row in map(json.loads, split_lines(content)):
        text = pending.pop(row["stream"], "") + row["log"]
        if text.endswith("\n"):
            yield text[:-1].encode()
        elif len(row["log"].encode("utf-8", "replace")) >= MAX_RECORD_BYTES:
            pending[row["stream"]] = text
        else:
            yield text.encode()


def compose_name(container: Container) -> str:
    """Of the service's first container, without the project: what `docker compose` puts before its lines."""
    return f"{name_of(container)}-1"


def group_compose(run: Run, process: Process) -> str:
    return f"{group_container(run, process)}-1"


def _prefixes(run: Run) -> dict[str, bytes]:
    """By process. Names are padded to the longest of all."""
    names = {process.name: compose_name(container) for container in containers(run) for process in container.attempts}
    width = max(map(len, names.values()), default=0)
    return {process: f"{name:<{width}}  | ".encode() for process, name in names.items()}


def render_compose_logs(run: Run, identities: Identities, chance: random.Random) -> Files:
    """docker compose logs --no-color --timestamps"""
    return {"docker-compose.log": _compose_logs(run, stamped=True)}


def render_compose_plain(run: Run, identities: Identities, chance: random.Random) -> Files:
    """docker compose logs --no-color"""
    return {"docker-compose.log": _compose_logs(run, stamped=False)}


def _compose_logs(run: Run, stamped: bool) -> bytes:
    """Container after container."""
    prefixes = _prefixes(run)
    return b"".join(
        prefixes[line.process] + (f"{iso(line.time_ns)} ".encode() if stamped else b"") + line.text + b"\n"
        for container in containers(run)
        for line in lines_of(run, container)
    )


def render_compose_up(run: Run, identities: Identities, chance: random.Random) -> Files:
    """docker compose up --no-color 2>&1 | tee train.log: lines as they came, and how each container ended"""
    prefixes = _prefixes(run)
    shown = [
        (line.time_ns, 0, prefixes[line.process] + line.text + b"\n") for line in run.lines if line.process in prefixes
    ]
    for container in containers(run):
        for process in container.attempts:
            if process.ended_ns is not None:
                text = f"{compose_name(container)} exited with code {process.shell_status or 0}\n"
                shown.append((process.ended_ns, 1, text.encode()))
    names = ", ".join(compose_name(container) for container in containers(run))
    head = f"Attaching to {names}\n".encode()
    return {"train.log": head + b"".join(text for _, _, text in sorted(shown, key=lambda entry: entry[:2]))}


def read_compose_logs(files: Files) -> Iterator[GroupLine]:
    for name, text in _read_prefixed(files["docker-compose.log"]):
        match = _STAMPED.fullmatch(text)
        if not match:
            raise ValueError(f"no time: {text[:80]!r}")
        yield name, match[1]


def read_compose_plain(files: Files) -> Iterator[GroupLine]:
    return _read_prefixed(files["docker-compose.log"])


def read_compose_up(files: Files) -> Iterator[GroupLine]:
    _, _, content = files["train.log"].partition(b"\n")
    return _read_prefixed(content)


def _read_prefixed(content: bytes) -> Iterator[GroupLine]:
    for record in split_lines(content):
        if match := _COMPOSE.fullmatch(record):
            yield match[1].decode(), match[2]
        elif not _EXITED.fullmatch(record):
            raise ValueError(f"no line of docker compose: {record[:80]!r}")


def name_json_places(identities: Identities, process: Process) -> frozenset[str]:
    return frozenset((identities.machine(process), identities.container(process)[:12]))


def name_compose_places(identities: Identities, process: Process) -> frozenset[str]:
    return frozenset((group_compose(identities.run, process),))


COLLECTORS = (
    Collector(
        "docker-json-file",
        render_json_file,
        read_json_file,
        carries=frozenset({"lines", "exit", "environment"}),
        keeps=is_task,
        ends=is_task,
        group=group_container,
        escape=escape_pieces,
        names=name_json_places,
    ),
    Collector(
        "docker-compose-logs",
        render_compose_logs,
        read_compose_logs,
        keeps=is_task,
        group=group_compose,
        names=name_compose_places,
    ),
    Collector(
        "docker-compose-logs-plain",
        render_compose_plain,
        read_compose_plain,
        keeps=is_task,
        group=group_compose,
        names=name_compose_places,
        stamps=False,
    ),
    Collector(
        "docker-compose-up",
        render_compose_up,
        read_compose_up,
        carries=frozenset({"lines", "exit"}),
        keeps=is_task,
        ends=is_task,
        group=group_compose,
        names=name_compose_places,
        stamps=False,
    ),
)
