"""Nodes from paths, in the layouts that collectors make."""

import pytest

from analyzer.facts.labels import label_paths

LAYOUTS = [
    # node folders
    (["i/node-1/worker.log", "i/node-1/dmesg.txt", "i/node-2/worker.log"], ["node-1", "node-1", "node-2"]),
    # node folders below a place for logs, and above one
    (["x/logs/gpu07/train.log", "x/logs/gpu08/train.log"], ["gpu07", "gpu08"]),
    (["x/gpu07/var/log/messages", "x/gpu08/var/log/messages"], ["gpu07", "gpu08"]),
    # flat, the node in the file's name
    (["run/worker-0.log", "run/worker-1.log", "run/ps-0.log"], ["worker-0", "worker-1", "ps-0"]),
    (["run/sat1.stderr.gz", "run/sat1.stdout", "run/sat2.stderr.gz"], ["sat1", "sat1", "sat2"]),
    (["a/dmesg-gpu07.txt", "a/train-gpu07.log", "a/dmesg-gpu08.txt"], ["gpu07", "gpu07", "gpu08"]),
    # a folder of a machine's name around tasks
    (["ci-3/logs/ps0.log", "ci-3/logs/trainer0.log"], ["ps0", "trainer0"]),
    # Kubernetes
    (["var/log/containers/tfw-2_ml_tensorflow-" + "0" * 64 + ".log", "var/log/containers/tfw-1_ml_tensorflow-" + "1" * 64 + ".log"],
     ["tfw-2", "tfw-1"]),
    # nothing tells
    (["log.txt"], [None]),
    (["incident/log.txt"], [None]),
    # one machine only
    (["incident/node-1/dmesg.txt"], ["node-1"]),
    (["dmesg.txt"], [None]),
    (["slurmctld.log", "job.log"], [None, None]),
    # rotation
    (["n1/worker.log.2.gz", "n1/worker.log.1", "n1/worker.log", "n2/worker.log"], ["n1", "n1", "n1", "n2"]),
    # nested archives
    (["set/gx-07.tar.gz/gx-07/w.txt", "set/gx-08.tar.gz/gx-08/w.txt"], ["gx-07", "gx-08"]),
]


@pytest.mark.parametrize(("paths", "labels"), LAYOUTS, ids=lambda value: str(value[0]))
def test_layouts(paths: list[str], labels: list[str | None]) -> None:
    assert list(label_paths(paths).values()) == labels


def test_a_folder_that_is_a_known_host_wins() -> None:
    paths = ["ci-3/logs/ps0.log", "ci-3/logs/trainer0.log"]
    assert set(label_paths(paths, frozenset({"ci-3"})).values()) == {"ci-3"}
