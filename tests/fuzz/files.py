"""Small files of kinds that the fixtures have none of: collectors' parts, samples, pods, containers."""

from __future__ import annotations

import json

_CLOCKS = {"wall": 1.7e9, "monotonic": 812.5, "zone": 3600}
_BEGIN = {
    "collection": 1,
    "host": "n1",
    "boot_id": "b",
    "begin": _CLOCKS,
    "sync": {"synchronized": True, "max_error": 0.01},
}
_END = {
    **_BEGIN,
    "end": _CLOCKS,
    "files": [{"name": "dmesg.txt", "size": 12, "sha256": "ab"}],
    "lacking": [{"what": "cores", "reason": "no permission"}],
}
_FLIGHT = [
    {"type": "start", "wall": 1000.0, "monotonic": 10.0, "flight": 1, "host": "n1", "pid": 7, "zone": 3600},
    {
        "type": "sample",
        "wall": 1001.0,
        "monotonic": 11.0,
        "processes": [{"pid": 7, "name": "python3", "rss": 1e9, "cpu": 0.5, "fds": 9}],
        "cgroup": {"anon": 1e9, "memory_max": 2e9},
        "gpus": [{"index": 0, "memory_used": 5, "memory_total": 9, "sm": 40}],
    },
    {"type": "end", "wall": 1002.0, "monotonic": 12.0, "code": None, "signal": 9},
]
_STATE = {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-03-01T10:00:00Z", "signal": 9}}
_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "job-worker-1", "namespace": "ml", "labels": {"replica-index": "1"}},
    "spec": {
        "nodeName": "n1",
        "containers": [{"name": "tf", "image": "tf:2.15", "env": [{"name": "A", "value": "b"}]}],
    },
    "status": {"podIP": "10.0.0.7", "containerStatuses": [{"name": "tf", "restartCount": 2, "lastState": _STATE}]},
}
_TF_CONFIG = {
    "cluster": {"worker": ["10.0.0.7:2222", "n2:2222"], "ps": ["n3:1"]},
    "task": {"type": "worker", "index": 1},
}
_SAR = """\
Linux 5.15.0 (n1) \t2026-11-21 \t_x86_64_\t(8 CPU)

10:00:01        CPU     %user     %nice   %system   %iowait    %steal     %idle
10:00:11        all      5.00      0.00      2.00     60.00      0.00     33.00
Average:        all      5.00      0.00      2.00     60.00      0.00     33.00
"""
_DMON = "#Date Time gpu fb sm pwr\n#YYYYMMDD HH:MM:SS Idx MB % W\n 20261121 10:00:01 0 100 5 60\n"


def _lines(rows: list[dict[str, object]]) -> bytes:
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows).encode()


FILES: dict[str, bytes] = {
    "n1/00-collection.json": json.dumps(_BEGIN).encode(),
    "n1/manifest.json": json.dumps(_END).encode(),
    "n1/flight.jsonl": _lines(_FLIGHT),
    "n1/sar.txt": _SAR.encode(),
    "n1/dmon.txt": _DMON.encode(),
    "pods.json": json.dumps({"kind": "List", "items": [_POD]}).encode(),
    "pods.yaml": json.dumps(_POD, indent=1).encode(),
    "n1/docker-inspect.json": json.dumps(
        [{"Id": "ab", "State": {"ExitCode": 137, "OOMKilled": True}, "Config": {"Env": ["A=b"]}}]
    ).encode(),
    "n1/tf_config.json": json.dumps(_TF_CONFIG).encode(),
    "n1/env.txt": f"TF_CONFIG={json.dumps(_TF_CONFIG)}\nNCCL_DEBUG=INFO\n".encode(),
    "n1/exit_code": b"137\n",
    "n1/proc/stat": b"cpu 1 2 3\nbtime 1700000000\n",
    "n1/dmesg.txt": b"[  812.100000] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB\n",
    "n1/syslog": b"Mar  1 10:00:00 n1 kernel: [12.5] NVRM: Xid (PCI:0000:3b:00): 79, pid=7, GPU has gone.\n",
}
