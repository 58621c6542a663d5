"""Settings from the output of the commands that people collect, each in a small bundle."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from analyzer.facts.settings import MAX_VALUE_CHARS, read_settings
from analyzer.paths import cache_dir
from analyzer.pipeline import Options, diagnose, read_inputs
from analyzer.reading import ReadPlan, build_plan
from analyzer.report.json import to_json
from analyzer.rules.packs.cache import load_packs
from analyzer.rules.types import Packs

NODES = ("gpu01", "gpu02", "gpu03")
ODD = "gpu03"
LOG = "2026-01-02 03:04:05,000 INFO train: step 1 loss 0.5 (10 ms)\n"


@cache
def prepared() -> tuple[Packs, ReadPlan]:
    packs = load_packs((), cache_dir())
    return packs, build_plan(packs, cache_dir())


def written_of(bundle: Path) -> dict[str, Any]:
    packs, plan = prepared()
    written: dict[str, Any] = json.loads(json.dumps(to_json(diagnose(read_inputs([bundle], plan, Options()), packs))))
    return written


def skew_of(bundle: Path) -> dict[str, dict[str, list[str]]]:
    return {row["key"]: row["values"] for row in written_of(bundle)["skew"]}


FORMS: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("forms.yaml").read_text())


@pytest.fixture(scope="module")
def skew(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, dict[str, list[str]]]]:
    """Each form in a bundle of its own: several state the same key."""

    def analyze(form: str) -> dict[str, dict[str, list[str]]]:
        bundle = tmp_path_factory.mktemp("bundle")
        for node in NODES:
            (bundle / node).mkdir()
            value = FORMS[form]["odd" if node == ODD else "usual"][0]
            (bundle / node / form).write_text(FORMS[form]["text"].replace("%", value))
            (bundle / node / "worker.log").write_text(LOG)
        return skew_of(bundle)

    return analyze


@pytest.mark.parametrize("form", FORMS)
def test_what_differs_is_shown(form: str, skew: Callable[[str], dict[str, dict[str, list[str]]]]) -> None:
    usual, odd = FORMS[form]["usual"][1], FORMS[form]["odd"][1]
    assert skew(form)[FORMS[form]["key"]] == {usual: ["gpu01", "gpu02"], odd: ["gpu03"]}


def test_secrets_and_what_must_differ_are_no_settings() -> None:
    text = (
        "PATH=/bin\nTF_HTTP_TOKEN=abc\nSLURM_PROCID=3\nHOSTNAME=n1\nhttps_proxy=http://me:pw@proxy:3128\nTF_CONFIG={}\n"
    )
    assert [(setting.name, setting.value) for setting in read_settings(text)] == [("https_proxy", "http://proxy:3128")]


@pytest.mark.parametrize(
    "line",
    ["GPU 0: NVIDIA {} (UUID: GPU-1)", "tensorflow=={}", "export NCCL_ALGO={}", "CPU model name: {}", "Model name: {}"],
)
def test_values_are_bounded(line: str) -> None:
    for setting in read_settings(line.format("1." + "2" * 3000) + "\n"):
        assert len(setting.value) <= MAX_VALUE_CHARS


def test_a_log_states_nothing() -> None:
    assert not list(read_settings(LOG * 100 + "x = y\n"))


PODS = """\
apiVersion: v1
kind: List
items:
"""
POD = """\
- apiVersion: v1
  kind: Pod
  metadata:
    name: trainer-{n}
  spec:
    nodeName: gpu{n}
    containers:
    - name: tf
      image: registry.example/trainer:{tag}
      env:
      - name: TF_CONFIG
        value: '{{"cluster": {{"worker": ["trainer-0:2222", "trainer-1:2222", "trainer-2:2222"]}}, "task": {{"type": "worker", "index": {n}}}}}'
      - name: NCCL_DEBUG
        value: {debug}
      resources:
        limits:
          memory: {memory}
  status:
    podIP: 10.2.0.{n}
    containerStatuses:
    - name: tf
      restartCount: 0
      state:
        terminated:
          exitCode: {code}
          reason: {reason}
"""  # noqa: E501


def test_pods_of_one_listing_are_nodes_of_their_own(tmp_path: Path) -> None:
    text = PODS
    for n in range(3):
        odd = n == 1
        text += POD.format(
            n=n, tag="v2" if odd else "v1", debug="WARN" if odd else "INFO", memory="8Gi" if odd else "64Gi",
            code=137 if odd else 1, reason="OOMKilled" if odd else "Error",
        )  # fmt: skip
        (tmp_path / f"trainer-{n}.log").write_text(LOG)
    (tmp_path / "pods.yaml").write_text(text)
    skew = skew_of(tmp_path)
    assert skew["image"] == {
        "registry.example/trainer:v1": ["trainer-0", "trainer-2"],
        "registry.example/trainer:v2": ["trainer-1"],
    }
    assert skew["NCCL_DEBUG"]["WARN"] == ["trainer-1"]
    assert skew["container memory limit"]["8Gi"] == ["trainer-1"]
    assert skew["exit code"] == {"1": ["trainer-0", "trainer-2"], "137": ["trainer-1"]}
    root = written_of(tmp_path)["root_causes"][0]
    assert (root["cause"], root["node"]) == ("resource.host-oom-killed", "trainer-1")


def test_docker_inspect(tmp_path: Path) -> None:
    for node in NODES:
        (tmp_path / node).mkdir()
        odd = node == ODD
        containers = [
            {
                "Name": f"/{node}",
                "Config": {"Env": ["PATH=/bin", f"TF_NUM_INTEROP_THREADS={1 if odd else 8}"], "Image": "t:1"},
                "State": {"Status": "exited", "ExitCode": 137 if odd else 0, "FinishedAt": "x", "OOMKilled": odd},
                "HostConfig": {"ShmSize": 64 << 20 if odd else 8 << 30, "Memory": 0},
            }
        ]
        (tmp_path / node / "inspect.json").write_text(json.dumps(containers, indent=4))
        (tmp_path / node / "worker.log").write_text(LOG)
    skew = skew_of(tmp_path)
    assert skew["TF_NUM_INTEROP_THREADS"] == {"8": ["gpu01", "gpu02"], "1": ["gpu03"]}
    assert skew["container shm size limit"][str(64 << 20)] == ["gpu03"]
    assert skew["exit code"] == {"0": ["gpu01", "gpu02"], "137": ["gpu03"]}


def test_a_cluster_that_one_node_knows_otherwise(tmp_path: Path) -> None:
    members = ["10.1.0.1:2222", "10.1.0.2:2222", "10.1.0.3:2222"]
    for index, node in enumerate(NODES):
        (tmp_path / node).mkdir()
        own = [*members[:2], "10.1.0.9:2222"] if node == ODD else members
        config = {"cluster": {"worker": own}, "task": {"type": "worker", "index": index}}
        (tmp_path / node / "tf_config.json").write_text(json.dumps(config))
        (tmp_path / node / "worker.log").write_text(LOG)
    values = skew_of(tmp_path)["cluster"]
    assert list(values.values()) == [["gpu01", "gpu02"], ["gpu03"]]
    assert "10.1.0.9:2222" in list(values)[1]


SCONTROL = """\
JobId=4711 JobName=train
   UserId=ann(1000) GroupId=ann(1000) MCS_label=N/A
   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=137:0
   RunTime=00:10:00 TimeLimit=1-00:00:00 TimeMin=N/A
   NodeList=gpu[01-03]
   NumNodes=3 NumCPUs=24 NumTasks=3 CPUs/Task=8 ReqB:S:C:T=0:0:*:*
   MinCPUsNode=8 MinMemoryNode=64G MinTmpDiskNode=0
"""


def test_a_slurm_job(tmp_path: Path) -> None:
    for node in NODES:
        (tmp_path / node).mkdir()
        (tmp_path / node / "worker.log").write_text(LOG)
    (tmp_path / "scontrol_show_job.txt").write_text(SCONTROL)
    settings = written_of(tmp_path)["settings"]
    wanted = {
        "JobState": "FAILED",
        "ExitCode": "137:0",
        "NumNodes": "3",
        "MinMemoryNode": "64G",
        "NodeList": "gpu[01-03]",
    }
    assert {name: settings[f"slurm {name}"] for name in wanted} == wanted


NCCL = """\
{n}:1:1 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to {iface}
{n}:1:1 [0] NCCL INFO NCCL version 2.18.5+cuda12.2
TF_XLA_FLAGS=--tf_xla_auto_jit={jit}
"""


def test_settings_that_a_log_prints(tmp_path: Path) -> None:
    for node in NODES:
        (tmp_path / node).mkdir()
        odd = node == ODD
        text = LOG + NCCL.format(n=node, iface="ib0" if odd else "eth0", jit=2 if odd else 0) + LOG * 20_000
        (tmp_path / node / "worker.log").write_text(text)
    skew = skew_of(tmp_path)
    assert skew["NCCL_SOCKET_IFNAME"] == {"eth0": ["gpu01", "gpu02"], "ib0": ["gpu03"]}
    assert skew["TF_XLA_FLAGS"]["--tf_xla_auto_jit=2"] == ["gpu03"]


def test_another_version_of_tensorflow_is_context(tmp_path: Path) -> None:
    """2.17 and 2.21 train together: a job that ended well has no cause, and one that did not has its own."""
    for node in NODES:
        (tmp_path / node).mkdir()
        (tmp_path / node / "pip.txt").write_text(f"tensorflow=={'2.17.1' if node == ODD else '2.21.0'}\n")
        (tmp_path / node / "worker.log").write_text(LOG + LOG.replace("step 1 loss 0.5 (10 ms)", "training finished"))
    well = written_of(tmp_path)
    assert well["verdict"] == "no-failure"
    assert {row["key"] for row in well["skew"]} == {"tensorflow"}
    assert {finding["role"] for finding in well["findings"]} == {"context"}
    (tmp_path / "gpu02" / "worker.log").write_text(LOG)
    (tmp_path / "gpu02" / "exit_code").write_text("137\n")
    (root, *_) = written_of(tmp_path)["root_causes"]
    assert (root["cause"], root["node"]) == ("process.killed-by-signal", "gpu02")
