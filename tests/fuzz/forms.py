"""Texts in every form that is made plain before it is read: pages, tickets, chats, tables, what people pasted.

Each goes through the choice of its form, the converters and the reader, to an incident and into its reports.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from html import escape
from random import Random

from analyzer.report.decode import decode_incident
from tests.fuzz.facts import repeat
from tests.fuzz.incidents import read_file
from tests.fuzz.outputs import render_texts
from tests.fuzz.prose import respell, shuffle_lines
from tests.fuzz.target import Target
from tests.fuzz.texts import check_stored, stored_seeds
from tests.fuzz.trees import twist_json, twist_records

HOSTS = ("gx-7", "gx-8")
LOG = [
    "2026-11-24 10:33:12,345 INFO serving at grpc://gx-7:2222 beside grpc://gx-8:2222",
    *(f"2026-11-24 10:33:{second},345 INFO step {second} loss 0.5" for second in range(20, 25)),
    "2026-11-24 10:33:31,000 ERROR UNAVAILABLE: failed to connect to all addresses <a & b>",
]
TEXT = "\n".join(LOG) + "\n"
START = (
    "I0000 00:00:1793002{at}.25   {pid} port.cc:153] oneDNN custom operations are on.\n"
    "I0000 00:00:1793002{at}.95   {pid} grpc_server_lib.cc:467] Started server with target: grpc://{host}:2222\n"
)
PAIRS = 't=2026-11-24T10:33:{at}Z host=gx-{host} rank={host} msg="step {at} \\"loss\\" 0.5"\n'
LTSV = "time:2026-11-24T10:33:{at}+0900\thost:gx-{host}\tident:kernel\tpid:7\tmessage:eth0: NIC Link is Down\n"
YAML = (
    "---\nresource:\n  labels:\n    pod_name: w-{host}\ntextPayload: 'step {at}: loss'\n"
    "timestamp: '2026-11-24T10:33:{at}.4Z'\n"
)
EVENT = (
    "- apiVersion: v1\n  kind: Event\n  involvedObject: {{kind: Pod, name: w-{host}}}\n  reason: Evicted\n"
    "  message: low on memory\n  lastTimestamp: '2026-11-24T10:33:{at}Z'\n"
)
VERBOSE = (
    "Tue 2026-11-24 10:33:{at}.120312 UTC [s=7c1e09;i=1000;b=0d2f4c;m=3e8;t=64f1c2a9d3f{at};x=91]\n"
    "    PRIORITY=3\n    _HOSTNAME=gx-{host}\n    MESSAGE=Out of memory\n"
)
ROW = "2026-11-24 10:33:{at};WARNING;gx-{host};link {at} is down\n"
DUMP = "INSERT INTO `logs` VALUES ({at},'2026-11-24 10:33:{at}','gx-{host}',' step {at} of it is over','fit[7]:');\n"
LABELS = '"2026-11-24 10:33:{at}","step {at} of it is over","{{""node"": ""gx-{host}""}}"\n'
GREP = "gx-{host}/train.log:{at}:step {at} loss 0.5\n"
SHELL = "lena@gx-{host}:~/run$ dmesg -T | tail\n"
FORMS = (
    *("[r{host}@gx-{host}] step {at} loss 0.5\n", "gx-{host},{host},stdout,step {at}\n", "#{rank} step {at}\n"),
    *("+  {at}.345s gx-{host} step {at}\n", "train.{host}@gx-{host}: step {at}\n", "gx-{host} | step {at}\n"),
    *(PAIRS, LTSV, YAML, EVENT, VERBOSE, GREP, "24.11. 10.33 Uhr gx-{host}: step {at}\n"),
    *(
        "24/11 10:33:{at} [gx-{host}] pas   {at}0  pierdere 0.8{at}7  41.{at} mostre/s\n",
        "<10:33:{at}> pas {at} eroare nan\n",
    ),
    *("I 1124 10:33:{at} gx-{host} lote {at} perda=0.{at}1 ep 1\n", "11月24日 10:33:{at} 损失 0.{at} 步 {at}\n"),
)
PAGES = (
    "<html><body>{}</body></html>",
    "<?xml version='1.0'?>\n<rss><comment>{}</comment></rss>",
    "<!DOCTYPE html>\n{}",
)


@cache
def seeds() -> Sequence[bytes]:
    return [*text_seeds(), *(b"node-1/notes.txt\n" + text for text in stored_seeds())]


@cache
def text_seeds() -> Sequence[bytes]:
    """A path, a line feed, and a text in a form of its own."""
    lines = ["".join(form.format(at=at, host=7 + at % 2, rank=at % 2) for at in range(10, 50)) for form in FORMS]
    texts = [
        *lines,
        "-- MySQL dump\n" + "".join(DUMP.format(at=at, host=7 + at % 2) for at in range(10, 50)),
        '"Time","Line","labels"\n' + "".join(LABELS.format(at=at, host=7 + at % 2) for at in range(10, 50)),
        "apiVersion: v1\nitems:\n" + EVENT.format(at=10, host=7) * 4 + "kind: EventList\n",
        "host,hora,cpu_user,cpu_iowait,mem\n"
        + "".join(f"gx-{at % 2},2026-11-24 10:33:{at},{at}.7,0.{at},2.{at}\n" for at in range(10, 40)),
        "Nr;Zeit;Rechner;Was\n" + "".join(f"{at};{ROW.format(at=at, host=at % 2)}" for at in range(10, 30)),
        "".join(f"{host}:\n" + "".join(f"    {line}\n" for line in LOG) for host in HOSTS),
        "".join(f"==> /logs/{host}/train.log <==\n{TEXT}" for host in HOSTS),
        "".join(f"######## {host} : tmux capture-pane -p ########\n{TEXT}" for host in HOSTS),
        "".join(f"Log from {host}\n{TEXT * 2}" for host in HOSTS * 2),
        "".join(SHELL.format(host=host) + TEXT + f"$ kubectl logs w-{host}\n{TEXT}" for host in (7, 8)),
        "".join(f"PS C:\\logs> Get-Content .\\{host}.log\n{TEXT}" for host in HOSTS),
        "".join(START.format(at=at, pid=at, host=host) + TEXT for at, host in ((200, "tyr"), (100, "freya"))),
        "".join(f"# {host}\n\nthe log of `{host}`:\n```text\n{TEXT}```\n" for host in HOSTS),
        "".join(f"> {line}\n> > {line}\n" for line in LOG),
        "".join(f"{line} {'of it all' * 9}"[:80] + "\nand the rest\n" for line in LOG * 4),
        "\n".join(reversed(LOG * 2)) + "\n",
        *_json_texts(),
        *_pages(),
    ]
    return [b"node-1/notes.txt\n" + text.encode() for text in texts]


def _json_texts() -> Sequence[str]:
    records = [{"t": 1793002000.5 + at, "from": HOSTS[at % 2], "msg": f"step {at} loss"} for at in range(24)]
    flux = [
        {"timestamp": 1793002000.5 + at, "name": "data", "context": {"rank": str(at % 2), "data": f"step {at}\n"}}
        for at in range(24)
    ]
    chat = [
        {"type": "message", "user": "U1", "ts": f"17930020{at}.3", "text": text}
        for at, text in enumerate(("it hangs, gx-7:", f"```\n{TEXT}```", "and gx-8:", f"```{TEXT}```"), 10)
    ]
    strange = [{"aika": f"2026-11-24T10:33:{at}Z", "kone": "gx-7", "viesti": f"askel {at}"} for at in range(10, 34)]
    hosts = {host: {"stdout_lines": LOG, "changed": False} for host in HOSTS}
    result = "".join(f"ok: [{host}] => {json.dumps({'stdout': TEXT, 'stdout_lines': LOG})}\n" for host in HOSTS)
    cells = [
        {"cell_type": "code", "source": ["!cat a.log"], "outputs": [{"output_type": "stream", "text": LOG}]},
        {"cell_type": "markdown", "source": [f"## {HOSTS[0]}"]},
    ]
    loki = [
        {"stream": {"pod": host}, "values": [[f"17930020{at}000000000", line] for at, line in enumerate(LOG, 10)]}
        for host in HOSTS
    ]
    return [
        *("".join(json.dumps(record) + "\n" for record in some) for some in (records, flux, chat, strange)),
        "".join(f"{record['from']}  | {json.dumps(record)}\n" for record in records),
        *(json.dumps(some, indent=1) for some in (records, chat)),
        json.dumps({"plays": [{"tasks": [{"hosts": hosts}]}]}, indent=4),
        json.dumps(dict.fromkeys(HOSTS, TEXT), indent=4),
        "PLAY [all] ***\n" + result,
        "".join(f"ok: [{host}] => {json.dumps({'log.stdout_lines': LOG}, indent=4)}\n" for host in HOSTS),
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, indent=1),
        json.dumps({"status": "success", "data": {"resultType": "streams", "result": loki}}, indent=1),
    ]


def _pages() -> Sequence[str]:
    quoted = "".join(f"<h3>{host}</h3><pre>{escape(TEXT)}</pre>\n" for host in HOSTS)
    paragraphs = "".join(f"<p class=MsoNormal><span lang=EN>{escape(line)}</span></p>\n" for line in LOG * 2)
    return [
        PAGES[0].format(quoted),
        PAGES[1].format(escape(quoted)),
        PAGES[2].format(paragraphs),
        PAGES[1].format("".join(f"<p>{escape(line)}<br/></p>\n" for line in LOG)),
    ]


def check(data: bytes) -> None:
    """The name is any text, too: machines are named by it."""
    path, _, content = data.partition(b"\n")
    check_stored(content)
    name = "".join(char for char in path.decode("utf-8", "replace") if char.isprintable())[:200] or "x"
    incident = read_file(name, content)
    assert json.loads(json.dumps(incident, allow_nan=False)) == incident
    assert sum(source["bytes"] for source in incident["sources"]) == len(content), "not all bytes are counted"
    render_texts(decode_incident(incident)[0])


def twist_text(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """The document behind the file's name, or its records, with other values."""
    path, _, content = data.partition(b"\n")
    twisted = twist_json(content, chance, [])
    return path + b"\n" + (twisted if twisted != content else twist_records(content, chance, []))


TARGET = Target("forms", seeds, check, (respell, respell, shuffle_lines, twist_text, repeat))
