"""One job of three machines, as many programs and people collect it: the answer and its place stay the same."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from html import escape

import pytest

from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

HOSTS = ("wx-01", "wx-02", "wx-03")
Row = tuple[datetime, str, str]  # time, host, line
START = datetime(2026, 11, 24, 10, 30, tzinfo=UTC)


def log(number: int) -> list[Row]:
    host = HOSTS[number]
    server = f"2222-{number}.cc:467] Started server with target: grpc://{host}:2222"
    lines = [f"I0000 00:00:{START.timestamp():.6f}    {410 + number} {server.replace('2222-', 'grpc_server_lib')}"]
    lines += [f"step {step} loss {2 / step:.4f}" for step in range(1, 31)]
    if number == 1:
        lines += [
            "Traceback (most recent call last):",
            '  File "/srv/wx/fit.py", line 61, in parse',
            "KeyError: 'station'",
        ]
    else:
        prefix = f"E0000 00:00:{START.timestamp() + 40:.6f}    {410 + number} base_collective_executor.cc:252] "
        remote = "remote target /job:worker/replica:0/task:1 while calling /tensorflow.WorkerService/RecvBuf:"
        lines += [f"{prefix}StartAbort UNAVAILABLE: Socket closed", f"Additional GRPC error information from {remote}"]
    return [(START + timedelta(seconds=at, milliseconds=number), host, line) for at, line in enumerate(lines)]


ALL = sorted((row for number in range(3) for row in log(number)), key=lambda row: row[0])


def iso(time: datetime, digits: int = 3) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond:06}"[: 20 + digits] + "Z"


def merge(form: Callable[[datetime, str, str], str]) -> str:
    return "".join(form(*row) for row in ALL)


def apart(form: Callable[[str, list[str]], str]) -> str:
    return "".join(form(host, [line for _, name, line in ALL if name == host]) for host in HOSTS)


def cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def lines_of(host: str) -> list[str]:
    return [f"{line}\n" for _, name, line in ALL if name == host]


def chat() -> str:
    messages: list[Mapping[str, str]] = []
    for host in HOSTS:
        text = "\n".join(line for _, name, line in ALL if name == host)
        messages += [
            {"ts": "1795516200.1", "text": f"this is {host}:"},
            {"ts": "1795516201.1", "text": f"```{text}```"},
        ]
    return json.dumps(messages, indent=1)


def paragraph(lines: Iterable[str]) -> str:
    return "\n".join(lines)


COLLECTIONS: dict[str, dict[str, str]] = {
    "pdsh": {"out.txt": merge(lambda _, host, line: f"{host}: {line}\n")},
    "dshbak": {"out.txt": apart(lambda host, lines: f"{'-' * 16}\n{host}\n{'-' * 16}\n{paragraph(lines)}\n")},
    "ansible": {"out.txt": apart(lambda host, lines: f"{host} | CHANGED | rc=0 >>\n{paragraph(lines)}\n")},
    "a playbook": {
        "out.txt": apart(lambda host, lines: f"ok: [{host}] => {json.dumps({'stdout_lines': lines}, indent=4)}\n")
    },
    "a playbook, on one line": {
        "out.txt": apart(lambda host, lines: f"ok: [{host}] => {json.dumps({'stdout': paragraph(lines)})}\n")
    },
    "Jenkins": {"console.txt": "Started\n" + merge(lambda time, host, line: f"[{iso(time)}] [{host}] {line}\n")},
    "GitLab": {"job.log": merge(lambda time, host, line: f"{iso(time, 6)} 00O {host} | {line}\n")},
    "Splunk": {"a.csv": "_raw,_time,host\n" + merge(lambda time, host, line: f"{cell(line)},{iso(time)},{host}\n")},
    "Loki": {
        "a.txt": merge(lambda time, host, line: f'{time:%Y-%m-%d %H:%M:%S}\t{{host="{host}",job="wx"}}\t{line}\n')
    },
    "a spreadsheet": {
        "a.tsv": "Zeit\tRechner\tMeldung\n"
        + merge(lambda time, host, line: f"{time:%d.%m.%Y %H:%M:%S}\t{host}\t{line}\n")
    },
    "Google Cloud": {
        "a.json": merge(
            lambda time, host, line: (
                json.dumps(
                    {
                        "timestamp": iso(time),
                        "textPayload": line,
                        "labels": {"compute.googleapis.com/resource_name": host},
                    }
                )
                + "\n"
            )
        )
    },
    "a swarm": {"a.log": merge(lambda _, host, line: f"wx.{HOSTS.index(host) + 1}.k3x9p2q7w5e1@{host}    | {line}\n")},
    "stern": {"a.log": merge(lambda _, host, line: f"{host} tensorflow {line}\n")},
    "records of one's own": {
        "a.log": merge(lambda time, host, line: json.dumps({"t": time.timestamp(), "node": host, "txt": line}) + "\n")
    },
    "a shell's session": {
        "a.txt": apart(lambda host, lines: f"[met@{host} ~]$ tail /srv/fit.log\n{paragraph(lines)}\n")
    },
    "containers": {
        "a.txt": apart(lambda host, lines: f"root@pve:~# lxc exec {host} -- cat a.log\n{paragraph(lines)}\n")
    },
    "a page's text": {"a.txt": "Incident 5\n\n" + apart(lambda host, lines: f"{host}:\n{paragraph(lines)}\n\n")},
    "words and a name": {"a.txt": apart(lambda host, lines: f"Log von {host}\n\n{paragraph(lines)}\n\n")},
    "a list": {"a.txt": apart(lambda host, lines: f"{int(host[-1])}) {host}\n{paragraph(lines)}\n")},
    "a wiki": {"a.txt": apart(lambda host, lines: f"h3. {host}\n{{noformat}}\n{paragraph(lines)}\n{{noformat}}\n")},
    "a document": {"a.md": apart(lambda host, lines: f"**{host}**\n\n```\n{paragraph(lines)}\n```\n\n")},
    "a page": {
        "a.html": "<html>\n"
        + apart(lambda host, lines: f"<h2>{host}</h2>\n<pre>{paragraph(lines)}</pre>\n")
        + "</html>\n"
    },
    "a chat": {"ops/2026-11-24.json": chat()},
    "numbered files": {
        f"std_log_process_{number}.txt": paragraph(row[2] for row in log(number)) for number in range(3)
    },
}

MORE: dict[str, dict[str, str]] = {
    "PowerShell": {"a.txt": apart(lambda host, lines: f"PS C:\\logs> Get-Content .\\{host}.log\n{paragraph(lines)}\n")},
    "cmd": {"a.txt": apart(lambda host, lines: f"C:\\logs>type {host}.log\n{paragraph(lines)}\n")},
    "a cloud's command": {
        "a.txt": apart(lambda host, lines: f"$ gcloud compute ssh {host} --command 'cat a.log'\n{paragraph(lines)}\n")
    },
    "allocations": {
        "a.txt": apart(
            lambda host, lines: f"$ nomad alloc logs 8f3a2b{HOSTS.index(host)}c {host}\n{paragraph(lines)}\n"
        )
    },
    "a notebook": {
        "a.ipynb": json.dumps(
            {
                "cells": [
                    {"cell_type": "code", "source": [f"!ssh {host} cat a.log"], "outputs": [{"text": lines_of(host)}]}
                    for host in HOSTS
                ]
            },
            indent=1,
        )
    },
    "more": {"a.txt": apart(lambda host, lines: f"::::::::::::::\n{host}.log\n::::::::::::::\n{paragraph(lines)}\n")},
    "panes": {"a.txt": apart(lambda host, lines: f"--- pane %1 ({host}) ---\n{paragraph(lines)}\n")},
    "a quotation": {
        "a.txt": apart(lambda host, lines: f"\nmet wrote:\n> log on {host}:\n" + "".join(f"> {x}\n" for x in lines))
    },
    "TeamCity": {
        "a.log": merge(lambda time, host, line: f"[{time:%H:%M:%S}] :\t [Step 1/2] {host}: {line}\n"),
    },
    "Buildkite": {
        "a.log": merge(lambda time, host, line: f"\x1b_bk;t={time.timestamp() * 1000:.0f}\x07[{host}] {line}\n"),
    },
    "pm2": {"a.log": merge(lambda _, host, line: f"{HOSTS.index(host)}|{host}  | {line}\n")},
    "log streams": {"a.log": merge(lambda time, host, line: f"{iso(time, 6)[:-1]}+00:00 fit/{host}/0a1b {line}\n")},
    "groups and streams": {"a.log": merge(lambda _, host, line: f"/ecs/fit ecs/{host}/0a1b {line}\n")},
    "a name and a process": {"a.log": merge(lambda _, host, line: f"{host}/4711 {line}\n")},
    "ranks in brackets": {"a.log": merge(lambda _, host, line: f"[rank {HOSTS.index(host)}] {line}\n")},
    "grep": {"a.txt": apart(lambda host, lines: "".join(f"{host}/a.log:{n}:{x}\n" for n, x in enumerate(lines, 1)))},
    "fluentd": {
        "a.log": merge(
            lambda time, host, line: f"{iso(time)}\tfit.{host}\t{json.dumps({'log': line, 'stream': 'stderr'})}\n"
        )
    },
    "Grafana": {
        "a.json": json.dumps(
            [
                {"line": line, "timestamp": f"{time.timestamp() * 1e9:.0f}", "fields": {"host": host}}
                for time, host, line in ALL
            ]
        )
    },
    "processes of one job": {f"fit.{number}.out": paragraph(row[2] for row in log(number)) for number in range(3)},
    "ranks' folders": {f"out.1/rank.{number}/stderr": paragraph(row[2] for row in log(number)) for number in range(3)},
}
TITLES = {
    "a sentence": "\nThis is what {} prints:\n\n",
    "capitals": "##### {} #####\n",
    "a comment": "/* {} */\n",
    "a cut": "-------- cut here ({}) --------\n",
    "words behind it": "\nRegistro de la máquina {} (completo):\n\n",
    "another script": "节点 {} 的日志：\n",
    "a mail": "From: Met\nSent: Tuesday, November 24, 2026\nSubject: RE: job {}\n\n",
    "a mapping": "{}: |\n",
    "a short prompt": "[{}]$ tail -50 out.log\n",
}
MORE |= {
    title: {"a.txt": apart(lambda host, lines, form=form: form.format(host) + paragraph(lines) + "\n")}
    for title, form in TITLES.items()
}
COLLECTIONS |= MORE


def text_of(host: str) -> str:
    return "".join(lines_of(host))


def with_start(lines: Sequence[str]) -> str:
    pid = lines[0].split()[2]
    first = f"I0000 00:00:{START.timestamp():.6f}    {pid} port.cc:153] oneDNN custom operations are on."
    return f"{first}\n{paragraph(lines)}\n"


def marked(line: str) -> str:
    return f"<p class=MsoNormal><span>{escape(line)}</span></p>\n"


# Before the lines of a launcher of one's own: host, rank, seconds of the run, time.
PREFIXES = {
    "{{{host}}} ", "[r{rank}@{host}] ", "{host}#{rank} ", "[{host}:{rank}] ", "{host}[41{rank}]: ", "W{rank} {host} | ",
    "{host} {rank}: ", "{host}.rack.example.org {rank}: ", "{host},{rank},stdout,", "{host}({rank}) ",
    "[{rank},{host}] ", "#{rank}@{host} ", "+{seconds:8.3f}s {host} ", "[{seconds:.2f}] {host}: ", "node={host} ",
    "* {host} * ", "~{host}~ ", "host={host} rank={rank} | ", "[INFO] [{host}] ", "worker{rank}@{host}: ",
    "train[{host}] ", "train.{rank}@{host}: ", "<{host}|00{seconds:05.0f}ms> ", "{host:>12} +{seconds:6.1f} ",
    "{time:%Y-%m-%d %H:%M:%S} host={host} source=/var/log/train.log ", "#{rank} ",
}  # fmt: skip
RECORDS: dict[str, Callable[[datetime, str, str], object]] = {
    "no time": lambda time, host, line: {"node": host, "line": line},
    "short keys": lambda time, host, line: {"h": host, "o": line},
    "an object": lambda time, host, line: {"ts": time.timestamp(), "src": {"host": host}, "msg": line},
    "a sender": lambda time, host, line: {"when": iso(time), "from": host, "text": line},
    "a rank": lambda time, host, line: {"time": iso(time), "rank": HOSTS.index(host), "out": line},
    "Flux": lambda time, host, line: {
        "timestamp": time.timestamp(), "name": "data",
        "context": {"stream": "stderr", "rank": str(HOSTS.index(host)), "data": f"{line}\n"},
    },
}  # fmt: skip


def put_before(form: str) -> str:
    return merge(
        lambda time, host, line: (
            form.format(host=host, rank=HOSTS.index(host), seconds=(time - START).total_seconds(), time=time)
            + f"{line}\n"
        )
    )


COLLECTIONS |= {form: {"run.log": put_before(form)} for form in sorted(PREFIXES)}
COLLECTIONS |= {
    f"records with {name}": {
        "run.jsonl": merge(lambda time, host, line, form=form: json.dumps(form(time, host, line)) + "\n")
    }
    for name, form in RECORDS.items()
}
COLLECTIONS |= {
    "pairs": {
        "run.log": merge(
            lambda time, host, line: f"t={iso(time)} host={host} rank={HOSTS.index(host)} msg={json.dumps(line)}\n"
        )
    },
    "logs behind one another": {"all.log": apart(lambda host, lines: with_start(lines))},
    "logs between rules": {"all.log": apart(lambda host, lines: with_start(lines) + "-----\n")},
    "quotations without words": {
        "issue.md": apart(lambda host, lines: f"and one more\n\n```\n{paragraph(lines)}```\n")
    },
    "a chat as JSON": {
        "result.json": json.dumps(
            {
                "name": "g",
                "messages": [
                    {
                        "id": at,
                        "date": "2026-11-24T11:00:00",
                        "from": "Met",
                        "text": f"{host}:\n{text_of(host)}",
                    }
                    for at, host in enumerate(HOSTS)
                ],
            },
            indent=1,
        )
    },
    "a chat as text": {
        "chat.txt": apart(lambda host, lines: f"11/24/26, 11:00 AM - Met: log of {host}\n{text_of(host)}")
    },
    "a word processor": {
        "doc.html": "<html><body>"
        + apart(lambda host, lines: f"<h3>{host}</h3>" + "".join(map(marked, with_start(lines).splitlines())))
        + "</body></html>"
    },
    "a list of logs": {"logs.json": json.dumps([{"host": host, "log": text_of(host)} for host in HOSTS], indent=2)},
    "logs by host": {"logs.json": json.dumps({host: lines_of(host) for host in HOSTS}, indent=2)},
    "files of a gist": {
        f"gist-4f2a/gistfile{number}.txt": paragraph(row[2] for row in log(number)) for number in range(3)
    },
}
PLAIN_NAMES = dict(zip(HOSTS, ("tyr", "freya", "odin"), strict=True))


def rename(text: str, names: Mapping[str, str]) -> str:
    for old, new in names.items():
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("names", [{}, PLAIN_NAMES], ids=["numbered", "plain"])
@pytest.mark.parametrize("files", COLLECTIONS.values(), ids=COLLECTIONS)
def test_the_answer_does_not_depend_on_the_collector(
    files: dict[str, str], names: Mapping[str, str], packs: Packs, plan: ReadPlan
) -> None:
    intake = IngestResult()
    for path, text in files.items():
        intake.results.append(read_source(rename(path, names), io.BytesIO(rename(text, names).encode()), plan))
    cause = diagnose(intake, packs).root_causes[0]
    assert (cause.finding.cause, cause.finding.node) == ("user.code-error", names.get("wx-02", "wx-02"))
    assert cause.confidence >= 0.8
