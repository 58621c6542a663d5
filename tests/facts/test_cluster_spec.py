"""Cluster specs and tasks in all their spellings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.facts.cluster_spec import ClusterSpec, read_cluster_spec, read_task, read_tf_config, split_address


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("/job:worker/replica:0/task:2", "worker:2"),
        ("/job:ps/replica:0/task:0/device:CPU:0", "ps:0"),
        ("worker/1", "worker:1"),
        ("worker:03", "worker:3"),
        ("chief-0", "chief:0"),
        ("10.0.0.1", None),
        ("", None),
    ],
)
def test_tasks(text: str, task: str | None) -> None:
    assert read_task(text) == task


@pytest.mark.parametrize(
    "text",
    [
        '{"worker": ["a:1", "b:2"]}',
        "{'worker': ['a:1', 'b:2']}",
        "ClusterSpec({'worker': ['a:1', 'b:2']})",
        "{'worker': {0: 'a:1', 1: 'b:2'}}",
        "job worker -> {0 -> a:1, 1 -> b:2}",
    ],
)
def test_clusters(text: str) -> None:
    cluster = read_cluster_spec(text)
    assert cluster is not None
    assert cluster.task_addresses() == {"worker:0": "a:1", "worker:1": "b:2"}


def test_tf_config() -> None:
    config = read_tf_config('TF_CONFIG={"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}}')
    assert config is not None
    assert config.task == "worker:0"
    assert config.cluster.task_count == 1


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("grpc://10.0.0.1:2222", ("10.0.0.1", "2222")),
        ("ipv4:10.0.0.1:2222", ("10.0.0.1", "2222")),
        ("[::1]:80", ("::1", "80")),
        ("ipv6:%5B::1%5D:80", ("::1", "80")),
        ("dns:///host:1", ("host", "1")),
        ("host", ("host", None)),
    ],
)
def test_addresses(text: str, parts: tuple[str, str | None]) -> None:
    assert split_address(text) == parts


@given(st.text(max_size=200))
def test_any_text_is_survived(text: str) -> None:
    read_task(text)
    read_cluster_spec(text)
    read_tf_config(text)
    split_address(text)


@pytest.mark.parametrize("text", ["coordination_service.cc:502] Waiting", "server.h:529", "train.py:12"])
def test_a_place_in_a_source_is_no_task(text: str) -> None:
    assert read_task(text) is None


def test_a_cluster_that_is_stated_job_by_job() -> None:
    """As TensorFlow 1 logs it: a member's own address is localhost there."""
    cluster = ClusterSpec({"ps": ("a:1",), "worker": ("b:1", "c:1")})
    assert cluster.with_jobs(ClusterSpec({"chief": ("d:1",)})) == ClusterSpec({**cluster.jobs, "chief": ("d:1",)})
    assert cluster.with_jobs(ClusterSpec({"worker": ("b:1", "localhost:1")})) == cluster
    for other in (("b:1", "e:1"), ("b:1",), ("b:1", "c:1", "e:1")):
        assert cluster.with_jobs(ClusterSpec({"worker": other})) is None


@pytest.mark.parametrize(
    ("jobs", "address"),
    [
        ({"worker": ("a:1", "b:2")}, "a:1"),
        ({"ps": ("p:1",), "worker": ("a:1",), "chief": ("c:3",)}, "c:3"),
        ({"worker": (None, "b:2")}, None),
        ({"ps": ("p:1",)}, None),
        ({}, None),
    ],
)
def test_the_leader_is_the_first_task(jobs: dict[str, tuple[str | None, ...]], address: str | None) -> None:
    assert ClusterSpec(jobs).leader_address == address
