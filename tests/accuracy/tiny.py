# ruff: noqa: E501
"""A small run, written by hand: for tests of the benchmark itself, never for figures."""

from __future__ import annotations

from accuracy.runs import Host, Process, Proof, ReceivedLine, Run, Truth

START = 1_760_000_000_123_456_789  # 2025-10-09 08:53:20.123456789 UTC
SECOND = 10**9


def tiny_run() -> Run:
    """Worker 1 is killed at step 3; worker 0 loses its connection. Its texts hold what formats have to escape."""
    lines = [
        ReceivedLine(START, "launcher", "out", b"starting 2 tasks"),
        ReceivedLine(START + 1 * SECOND, "worker-0", "err", b"2025-10-09 08:53:21.123456: I tensorflow/core/platform/cpu_feature_guard.cc:210] This TensorFlow binary is optimized"),
        ReceivedLine(START + 1 * SECOND + 5, "worker-1", "err", b"2025-10-09 08:53:21.123456: I tensorflow/core/platform/cpu_feature_guard.cc:210] This TensorFlow binary is optimized"),
        ReceivedLine(START + 2 * SECOND, "worker-0", "out", b'step 1 loss 2.5 "quoted", \\ back\tslash and comma'),
        ReceivedLine(START + 2 * SECOND + 7, "worker-1", "out", b"step 1 loss 2.5"),
        ReceivedLine(START + 2 * SECOND + 9, "worker-1", "out", b""),
        ReceivedLine(START + 3 * SECOND, "worker-1", "out", b" 10%|#   | 1/10\r 20%|##  | 2/10"),
        ReceivedLine(START + 3 * SECOND + 2, "worker-0", "err", "Überraschung <&> 'x' | 한 ".encode()),
        ReceivedLine(START + 3 * SECOND + 4, "worker-0", "err", b"not UTF-8: \xff\xfe, and \x1b[31mred\x1b[0m"),
        ReceivedLine(START + 4 * SECOND, "worker-1", "out", b"step 3 loss 2.2", False),
        ReceivedLine(START + 5 * SECOND, "kernel@gpu-b", "out", b"usb 1-1: new high-speed USB device number 2 using xhci_hcd"),
        ReceivedLine(START + 6 * SECOND, "worker-0", "err", b"tensorflow.python.framework.errors_impl.UnavailableError: Connection reset by peer"),
        ReceivedLine(START + 7 * SECOND, "launcher", "err", b"worker:1 left with -9"),
    ]  # fmt: skip
    return Run(
        name="tiny",
        program="tiny",
        fault="killed",
        variation="worker 1, in mid-step",
        tensorflow="2.16.2",
        python="3.11",
        hosts=(Host("gpu-a", "10.77.0.11"), Host("gpu-b", "10.77.0.12")),
        processes=(
            Process("launcher", "launcher", "gpu-a", 100, started_ns=START, ended_ns=START + 7 * SECOND, status=1),
            Process("worker-0", "task", "gpu-a", 111, "worker:0", 1, START, START + 6 * SECOND, 1),
            Process("worker-1", "task", "gpu-b", 112, "worker:1", 1, START, START + 4 * SECOND, signal=9),
            Process("kernel@gpu-a", "kernel", "gpu-a"),
            Process("kernel@gpu-b", "kernel", "gpu-b"),
        ),
        truth=Truth(
            "process.killed-by-signal",
            ("worker:1",),
            ended_first="worker-1",
            proofs=(
                Proof("exit", "worker-1", ("cause", "node")),
                Proof("launcher", "launcher", ("cause", "node"), "worker:1 left with -9"),
            ),
        ),
        lines=tuple(lines),
    )
