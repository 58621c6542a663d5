"""A listing of pods that is deep or multiplies is read as a text, and the process lives on."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest

from analyzer.facts.fact_files import read_pod_events
from analyzer.facts.pod_listings import Pod, read_pods
from analyzer.untrusted.documents import MalformedError

HEAD = "apiVersion: v1\nkind: Pod\n"
ALIASES = "a: &a [x, x, x, x]\n" + "".join(
    f"b{n}: &b{n} [{', '.join([f'*b{n - 1}' if n else '*a'] * 9)}]\n" for n in range(9)
)


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "metadata: " + "[" * 200_000,  # overflowed the stack inside libyaml's composer
        HEAD + "metadata: " + "{a: " * 100_000,
        HEAD + "- " * 100_000 + "x",
        HEAD + ALIASES + "metadata: {name: *b8}",
        "[" * 900 + '\n"kind": 1' + "]" * 900,
        '{"items":' * 900 + '[{\n"kind": "Pod"}]' + "}" * 900,
    ],
    ids=["lists", "mappings", "blocks", "aliases", "json lists", "json items"],
)
def test_it_is_no_pod(text: str) -> None:
    assert pods_of(text) == []


def pods_of(text: str) -> list[Pod]:
    pods: list[Pod] = []
    with suppress(MalformedError):
        pods.extend(read_pods(text))
    return pods


def test_a_plain_one_is() -> None:
    assert [pod.name for pod in read_pods(HEAD + "metadata: {name: w-1}\nspec: {}\n")] == ["w-1"]


@pytest.mark.parametrize(
    "value",
    [
        *("!!bool foo", "!!int ''", "!!timestamp foo", "!!binary '#'", "!!python/object:os.system x", "<<", "="),
        *("0x" + "f" * 6000, "9" * 6000, "1e999", ".inf", "1:1:1", "2026-99-99", "2001-12-14t21:59:43.10-05:00"),
    ],
    ids=lambda value: value[:20],
)
def test_odd_scalars_are_text_and_the_pod_is_read(value: str) -> None:
    text = f"{HEAD}metadata:\n  name: w-1\nspec: {{nodeName: gpu17}}\nx: {value}\n? {value}\n: x\n"
    assert [(pod.name, pod.hosts) for pod in read_pods(text)] == [("w-1", ("gpu17",))]


@pytest.mark.parametrize("place", ["name: {0}", "uid: {0}"])
@pytest.mark.parametrize("value", ["0x" + "f" * 6000, "9" * 6000, "[]", "{}", "null"])
def test_odd_values_where_a_pod_is_described(place: str, value: str) -> None:
    pods_of(f"{HEAD}metadata: {{{place.format(value)}, name: w-1}}\nspec: {{nodeName: {value}}}\nstatus: {value}\n")


def test_pods_before_the_damage_are_read() -> None:
    text = f"{HEAD}metadata: {{name: w-1}}\n---\n{HEAD}metadata: {{name: w-2\n"
    assert [pod.name for pod in pods_of(text)] == ["w-1"]
    with pytest.raises(MalformedError, match="not valid YAML"):
        list(read_pods(text))


@pytest.mark.parametrize(
    ("begin", "end", "expected"),
    [
        ("", "", "its times are not stated"),
        ("T1", "", "ran from T1"),
        ("", "T2", "ran until T2"),
        ("T1", "T2", "ran from T1 to T2"),
    ],
)
def test_a_lifetime_has_no_hole(begin: str, end: str, expected: str) -> None:
    (event,) = read_pod_events("pods.yaml", [Pod("pod-1", line=1, lifetimes=[(begin, end)])])
    assert event.text == f"pod-1: {expected}"


def test_a_pod_that_waits_for_a_place_is_one_of_the_list() -> None:
    """It has no node and no states of containers, and the items of a list have no kind."""
    placed = {"metadata": {"name": "w-0"}, "spec": {"nodeName": "gpu17", "containers": [{"name": "tf"}]}}
    waiting = {
        "metadata": {"name": "w-1"},
        "spec": {"containers": [{"name": "tf"}]},
        "status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False"}]},
    }
    assert [pod.name for pod in pods_of(json.dumps({"kind": "List", "items": [placed, waiting]}))] == ["w-0", "w-1"]
