"""What the dispatcher of tf.data's service answered is placed where it runs, not where a trainer prints it."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer import analyze

DISPATCHER = (
    "I0000 00:00:1767323041.100000    4711 server_lib.cc:94] Started tf.data DispatchServer running at 0.0.0.0:5050\n"
)
TRAINER = (
    "I0000 00:00:1767323042.100000    4712 grpc_server_lib.cc:467] Started server with target: grpc://gpu-a:2222\n"
    "W0000 00:00:1767323045.100000    4712 op_kernel.cc:1858] OP_REQUIRES failed at data_service_ops.cc:151 : "
)
ANSWER = "RESOURCE_EXHAUSTED: Failed to register dataset: /var/feed/journal/datasets/1; No space left on device\n"
UNREACHED = "UNAVAILABLE: Failed to register dataset: failed to connect to all addresses; No space left on device\n"


@pytest.mark.parametrize(
    ("text", "dispatchers", "node"),
    [(ANSWER, ["feeder"], "feeder"), (ANSWER, ["feeder", "feeder-b"], "gpu-a"), (UNREACHED, ["feeder"], "gpu-a")],
)
def test_the_only_dispatcher_had_the_error(tmp_path: Path, text: str, dispatchers: list[str], node: str) -> None:
    for name, log in [*((name, DISPATCHER) for name in dispatchers), ("gpu-a", TRAINER + text)]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.log").write_text(log, "utf-8")
    root = analyze(tmp_path).root_causes[0].finding
    assert (root.cause, root.node) == ("resource.disk-full", node)
