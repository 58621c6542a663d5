"""Files that state facts: whatever they hold, no reader raises, and what it returns can be printed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random

import yaml

from analyzer.facts.boot_time import read_boot_time
from analyzer.facts.cluster_spec import read_cluster_spec, read_tf_config
from analyzer.facts.fact_files import read_fact_events, read_pod_events
from analyzer.facts.kubectl_describe import read_described_pods
from analyzer.facts.pod_listings import Pod, read_pods
from analyzer.facts.settings import read_settings
from analyzer.untrusted.documents import MalformedError, read_json
from analyzer.untrusted.literals import read_literal
from tests.fuzz.files import FILES
from tests.fuzz.prose import respell, shuffle_lines
from tests.fuzz.target import Target

FORMS = Path(__file__).parents[1] / "facts" / "forms.yaml"
LONG_NUMBERS = (b"9" * 6000, b"0x" + b"f" * 6000, b"-" + b"1" * 30, b"1" + b":1" * 3000, b"1e999", b"0" * 5000)
_NUMBER = re.compile(rb"\d+")
_TASKS = {"worker": [f"10.0.0.{host}:2222" for host in range(9)], "ps": ["ps-0.svc:2222"], "chief": ["h:1"]}
_CONFIG = {"cluster": _TASKS, "task": {"type": "worker", "index": 3}}


def lengthen(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """One number becomes a very long one."""
    numbers = list(_NUMBER.finditer(data))
    if not numbers:
        return data + chance.choice(LONG_NUMBERS)
    number = chance.choice(numbers)
    return data[: number.start()] + chance.choice(LONG_NUMBERS) + data[number.end() :]


def repeat(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """A piece many times, or one such character: what takes the square of the time is found."""
    at = chance.randrange(len(data) + 1)
    piece = data[at : at + chance.choice((1, 2, 5, 30))] or b" "
    if chance.random() < 0.5:
        piece = chance.choice(
            (b"\n", b" ", b"\t", b"{", b"[", b"(", b"'", b"a: ", b"- ", b"a.", b":1", b",", b"\\", b"=")
        )
    return data[:at] + piece * (chance.choice((100, 10_000, 200_000)) // len(piece)) + data[at:]


def tag(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """A tag, an anchor or an alias before a value."""
    values = list(re.finditer(rb"(?<=: )(?=\S)", data))
    if not values:
        return data
    at = chance.choice(values).start()
    tags = (
        b"!!int ",
        b"!!bool ",
        b"!!timestamp ",
        b"!!binary ",
        b"!!set ",
        b"!!python/name:os.system ",
        b"&a ",
        b"*a ",
    )
    return data[:at] + chance.choice(tags) + data[at:]


CHANGES = (lengthen, repeat, respell, shuffle_lines)


@cache
def pod_seeds() -> Sequence[bytes]:
    listings = [FILES["pods.json"], FILES["pods.yaml"], FILES["n1/docker-inspect.json"]]
    as_yaml = [yaml.safe_dump_all(_documents(listing)).encode() for listing in listings]
    described = (
        b"Name:             job-worker-1\nNamespace:        ml\nNode:             gpu17/10.0.0.7\nIP:  10.0.0.7\n"
        b"Containers:\n"
        b"  tf:\n    State:          Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n"
        b"      Started:      Sat, 21 Nov 2026 05:10:06 +0000\n      Finished:     Sat, 21 Nov 2026 05:12:06 +0000\n"
    )
    return [*listings, *as_yaml, described]


def _documents(listing: bytes) -> list[object]:
    value = json.loads(listing)
    return value if isinstance(value, list) else [value]


def check_pods(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    pods: list[Pod] = []
    with suppress(MalformedError):
        pods.extend(read_pods(text))
    pods += read_described_pods(text)
    for event in read_pod_events("pod.yaml", pods):
        str(event)
    json.dumps([str(pod) for pod in pods])


@cache
def cluster_seeds() -> Sequence[bytes]:
    forms = [
        *(json.dumps(_CONFIG), json.dumps(_CONFIG, indent=1), repr(_CONFIG), f"TF_CONFIG={_CONFIG}", str(_TASKS)),
        f"ClusterSpec({_TASKS})",
        f"{{'cluster': {{'worker': {dict(enumerate(_TASKS['worker']))}}}, 'task': ('worker', 0)}}",
        "job worker -> {0 -> 10.0.0.1:2222, 1 -> 10.0.0.2:2222}",
        "{u'a': b'x', 'c': -1.5e3, 'd': None, 'e': True, 'f': ('g',), 'h': 'it\\'s \\x41'}",
    ]
    return [form.encode() for form in forms]


def check_cluster(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    for read in (read_json, read_literal):
        with suppress(MalformedError):
            json.dumps(read(text))
    cluster = read_cluster_spec(text)
    config = read_tf_config(text)
    for spec in (cluster, config and config.cluster):
        assert spec is None or len(str(spec.task_addresses())) < 20 * len(text) + 10_000_000
    for event in read_fact_events("tf_config.json", text):
        str(event)


@cache
def literal_seeds() -> Sequence[bytes]:
    values = [
        "{0: [1, -2.5e-3, None, (True,)], 'a': {'b': \"c'\"}}",
        "('x', b'\\xff', u'\\u00e9', 0x1f, 1_000, -1e400)",
    ]
    return [*cluster_seeds(), *(value.encode() for value in values), b"[[[[[['deep']]]]], {}, (), []]"]


def check_literals(data: bytes) -> None:
    """What a literal states can be written as Python does, and then states the same."""
    text = data.decode("utf-8", "replace")
    with suppress(MalformedError):
        value = read_literal(text)
        written = repr(value)
        if not re.search(r"\b(?:nan|inf)\b", written):
            assert read_literal(written) == value
        json.dumps(value)


@cache
def exit_seeds() -> Sequence[bytes]:
    return [
        *(b"137\n", b"exit code: 139\n", b"worker:0 137\nps:0 0\nhost-3: exit status 1\n", b"rc = -9\n"),
        b'{"worker:0": 0, "ps:0": {"exit_code": 137}}',
        b'[{"host": "gpu1", "rank": 0, "rc": "9"}, {"task": "worker:1", "status": {"x": 1}, "exitcode": 139}]',
        b'host,task,exit_code\nnode-3,worker:1,139\n"node,4","worker:2",0\n',
    ]


def check_exits(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    for name in ("exit_code", "exit_codes.json", "rc.csv"):
        for event in read_fact_events(name, text):
            assert abs(int(event.captures["code"])) < 1000


@cache
def setting_seeds() -> Sequence[bytes]:
    forms = [str(form["text"]).encode() for form in yaml.safe_load(FORMS.read_text()).values()]
    return [
        *forms,
        b"127.0.0.1 localhost\n10.0.0.7 gpu17 gpu17.cluster\nfe80::1 gpu18\n",
        b"btime 1700000000\n",
        b"1.50 9.25\n",
    ]


def check_settings(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    for setting in read_settings(text):
        assert len(str(setting.value)) <= 300
    for name in ("hosts", "env.txt"):
        for event in read_fact_events(name, text):
            str(event)
    read_boot_time(text, 1.7e9)


TARGETS = (
    Target("pods", pod_seeds, check_pods, (*CHANGES, tag)),
    Target("clusters", cluster_seeds, check_cluster, CHANGES),
    Target("literals", literal_seeds, check_literals, CHANGES),
    Target("exits", exit_seeds, check_exits, CHANGES),
    Target("settings", setting_seeds, check_settings, CHANGES),
)
