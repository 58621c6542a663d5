"""Output of several machines as strings in JSON: Ansible's callbacks, Salt's outputter."""

from __future__ import annotations

import json

import pytest

from analyzer.formats import read_line
from analyzer.formats.unwrap import choose_unwrapper, unwrap_head

LINES = [f"2026-11-24 10:33:1{second},000 INFO step {second} loss 0.5" for second in range(4)]
HOSTS = ("gx-7", "gx-8")


def task_result(host: str, result: object, indent: int | None = None) -> str:
    return f"ok: [{host}] => {json.dumps(result, indent=indent)}\n"


FORMS = {
    "a task's result": "".join(task_result(host, {"log.stdout_lines": LINES}, 4) for host in HOSTS),
    "on one line": "".join(task_result(host, {"stdout": "\n".join(LINES), "stdout_lines": LINES}) for host in HOSTS),
    "lines alone": "".join(task_result(host, {"stdout_lines": LINES}) for host in HOSTS),
    "Ansible's YAML": "".join(
        f"ok: [{host}] => changed=true\n  rc: 0\n  stdout_lines:\n" + "".join(f"  - '{line}'\n" for line in LINES)
        for host in HOSTS
    ),
    "Ansible's JSON": json.dumps(
        {"plays": [{"tasks": [{"hosts": {h: {"stdout_lines": LINES} for h in HOSTS}}]}]}, indent=4
    ),
    "Salt's JSON": json.dumps(dict.fromkeys(HOSTS, "\n".join(LINES)), indent=4),
}


def test_quotes_in_a_yaml_scalar_are_doubled() -> None:
    header = "fatal: [{}]: FAILED! => changed=true\n  stderr_lines:\n"
    text = "".join(header.format(host) + "".join(f"  - '{line} it''s'\n" for line in LINES) for host in HOSTS)
    _, plain = unwrap_head(text.encode())
    assert plain.count(b"loss 0.5 it's") == len(LINES) * len(HOSTS)


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_each_string_is_of_the_machine_above_it(text: str) -> None:
    _, plain = unwrap_head(f"PLAY [all] ***\n{text}".encode() if text.startswith("ok") else text.encode())
    lines = [line.decode() for line in plain.split(b"\n") if b"loss" in line]
    assert len(plain.split(b"\n")) - text.startswith("ok") == len(text.split("\n"))
    assert [segment[-20:] for line in lines for segment in line.split("\r")] == [line[-20:] for line in LINES * 2]
    hosts = [read_line(line.split("\r")[0]).host for line in lines]
    assert hosts == [host for host in HOSTS for _ in range(len(lines) // 2)]


OTHERS = [
    json.dumps({"gx-7": {"cpus": 8}, "gx-8": {"cpus": 8}}, indent=4),
    json.dumps({"step-1": "\n".join(LINES), "note": "none"}, indent=4),
    json.dumps({"name": "fit", "args": ["--lr", "0.1"]}, indent=4),
]


@pytest.mark.parametrize("text", OTHERS)
def test_other_documents_are_left_alone(text: str) -> None:
    unwrapper = choose_unwrapper(text.encode())
    assert unwrapper is None or unwrapper.name != "quoted-output"
