"""Incidents as `to_json` writes them, built in code: small, hostile, undecided, healthy, and of a thousand nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from analyzer.report.decode import decode_incident
from analyzer.report.document import WrittenIncident

START = datetime(2026, 3, 4, 2, 11, 5, 250000, tzinfo=UTC)

LOST = (
    "2026-03-04 02:20:06.250000: E tensorflow/core/distributed_runtime/coordination/coordination_service_agent.cc:517] "
    "Task /job:worker/replica:0/task:2 heartbeat timeout. This indicates that the remote task has failed."
)
HOSTILE = (
    "</script><script>window.hacked=1</script>",
    "<img src=x onerror='window.hacked=1'>",
    '"><svg/onload=window.hacked=1>',
    "{{ 7*7 }}{% raw %}",
    "[bold red]rich[/] [link=https://evil.example]x[/link]",
    "\x1b[31mred\x1b[0m\x1b]0;title\x07 \x00 \x9b2J",
    "</style><style>body{display:none}</style>",
    "| pipe ``` fence `tick` <!-- comment --> ]]> \\| @everyone #1",
    "\u202etxt.exe \u2028 \u2029 \ud800",
    "javascript:window.hacked=1",
    "unbroken" * 60,
)


def typed(incident: Mapping[str, object]) -> WrittenIncident:
    """What the reports read."""
    return decode_incident(incident)[0]


def at(seconds: float | None) -> str | None:
    """RFC 3339 of a moment so many seconds behind the start."""
    if seconds is None:
        return None
    return (START + timedelta(seconds=seconds)).isoformat(timespec="microseconds").replace("+00:00", "Z")


def line(
    node: str | None, file: str, number: int | None, time: float | None, text: str, ahead: float = 0.0, around: int = 3
) -> dict[str, object]:
    evidence: dict[str, object] = {
        "node": node,
        "file": file,
        "line": number,
        "text": text,
        "time": at(time),
        "corrected": None if time is None else at(time - ahead),
    }
    if number is not None and around:
        first = max(number - around, 1)
        evidence["context"] = {
            "first_line": first,
            "lines": [
                text if position == number else f"a line of the log, number {position}"
                for position in range(first, number + around + 1)
            ],
        }
    return evidence


def finding(
    name: str,
    rule: str,
    evidence: Sequence[Mapping[str, object]],
    role: str = "symptom",
    severity: str = "error",
    count: int = 1,
    **more: object,
) -> dict[str, object]:
    first = evidence[0]
    return {
        "id": name,
        "rule": rule,
        "cause": None,
        "role": role,
        "severity": severity,
        "node": first["node"],
        "task": None,
        "time": first["corrected"],
        "count": count,
        "captures": {},
        "evidence": list(evidence),
        "explained_by": [],
        "title": f"{first['node']}: {rule}",
        "summary": "",
        **more,
    }


def node(
    name: str, task: str | None, first: float | None = 0.0, last: float | None = 600.0, **more: object
) -> dict[str, object]:
    return {
        "name": name,
        "hosts": [name],
        "addresses": ["10.0.0.7:2222"],
        "tasks": [task] if task else [],
        "clock": {"offset_s": 0.0, "error_s": 0.004, "method": "reference"},
        "first_time": at(first),
        "last_time": at(last),
        "silent_since": None,
        "present": True,
        **more,
    }


def source(
    file: str, of: str | None, kind: str = "worker", status: str = "read", problem: str | None = None, lines: int = 4000
) -> dict[str, object]:
    return {
        "file": file,
        "node": of,
        "kind": kind,
        "bytes": lines * 90,
        "lines": lines,
        "timed_lines": lines - 12,
        "first_time": at(0),
        "last_time": at(600),
        "status": status,
        "problem": problem,
    }


def event(
    of: str,
    time: float,
    severity: str,
    text: str,
    file: str,
    number: int,
    finding: str | None = None,
    ahead: float = 0.0,
    inferred: bool = False,
) -> dict[str, object]:
    return {
        "node": of,
        "task": None,
        "time": at(time + ahead),
        "corrected": at(time),
        "inferred": inferred,
        "signal": "s",
        "severity": severity,
        "file": file,
        "line": number,
        "text": text,
        "finding": finding,
    }


def fact(of: str, task: str, code: int) -> dict[str, object]:
    """How a process ended, with the line that states it."""
    stated = line(of, f"{of}/worker.log", 4000, 545.0, f"exited with code {code}")
    return {
        "node": of,
        "task": task,
        "ended": {
            "how": "killed" if code > 128 else "exited",
            "by": "launcher",
            "status": None if code > 128 else code,
            "signal": "SIGKILL" if code > 128 else None,
            "evidence": stated,
        },
        "last_step": 134,
        "accused_by": [{"node": "train-0", "how": "lost", "file": "train-0/worker.log", "line": 3990}]
        if code > 128
        else [],
        "explained_by": [0],
    }


def empty(verdict: str = "no-failure") -> dict[str, object]:
    """Nothing but the keys that every incident has."""
    return {
        "schema_version": "1",
        "tool": {"name": "tf-postmortem", "version": "0.1.0", "rule_packs": []},
        "verdict": verdict,
        "root_causes": [],
        "findings": [],
        "nodes": [],
        "sources": [],
        "cores": [],
        "skew": [],
        "unclassified": [],
        "not_evaluated": [],
        "signature": "",
        "notes": [],
    }


def oom() -> dict[str, object]:
    """Four workers; the kernel kills worker 2 for memory, the others lose it, then give up."""
    names = [f"train-{index}" for index in range(4)]
    kill = line(
        "train-2",
        "train-2/dmesg.txt",
        812,
        540.25,
        "[812345.125] Out of memory: Killed process 4242 (python3) total-vm:98231044kB, anon-rss:65011712kB",
        ahead=1.25,
    )
    invoked = line(
        "train-2", "train-2/dmesg.txt", 780, 540.0, "[812344.870] python3 invoked oom-killer: gfp_mask=0x100cca", 1.25
    )
    lost = [
        finding(
            f"f{index + 2}",
            "collective.peer-lost",
            [
                line(
                    name,
                    f"{name}/worker.log",
                    3990 + index,
                    541.0 + index,
                    LOST,
                )
            ],
            count=3 + index,
            explained_by=["f1"],
        )
        for index, name in enumerate(names)
        if index != 2
    ]
    cause = {
        "cause": "resource.host-oom-killed",
        "rule": "host-oom-kill",
        "node": "train-2",
        "task": "worker:2",
        "time": at(539.0),
        "confidence": 0.93,
        "status": "established",
        "title": "train-2: the kernel killed python3 (pid 4242) for memory",
        "summary": "The kernel's out-of-memory killer ended python3 with pid 4242 on train-2; it held 62 GiB. "
        "The other workers stopped because they lost it.",
        "why": [
            "3 of 3 other workers report worker:2 as lost (train-0/worker.log:3990)",
            "earliest by 1.3 s, clocks agree within 8 ms (train-2/dmesg.txt:812)",
            "only 1 of 4 nodes shows it",
        ],
        "against": ["no process of train-2 is named by the scheduler (train-2/worker.log:4000)"],
        "remediation": [
            "Lower the per-host batch size or the size of the shuffle buffer, or raise the memory limit.",
            "Record memory over time with `tf-postmortem record` to see whether it grows: `py-spy dump --pid PID`.",
        ],
        "references": ["https://docs.kernel.org/admin-guide/mm/concepts.html"],
        "blame": "user",
        "evidence": [kill, invoked],
        "explains": [str(finding["id"]) for finding in lost],
        "finding": "f1",
        "captures": {"pid": "4242", "comm": "python3"},
        "runner_up": "network.timeout on train-2: heartbeats stopped, but the process was killed first",
    }
    other = {
        **cause,
        "cause": "network.timeout",
        "rule": "heartbeat-lost",
        "confidence": 0.31,
        "status": "hypothesis",
        "title": "train-2 may have been cut off from the network",
        "summary": "Heartbeats of worker:2 stopped.",
        "why": ["heartbeats stopped"],
        "blame": "cluster",
        "finding": "f9",
        "runner_up": None,
        "explains": [],
        "evidence": [line("train-0", "train-0/worker.log", 3990, 541.0, "heartbeat timeout")],
    }
    events = [event("train-2", 539.0, "fatal", str(kill["text"]), "train-2/dmesg.txt", 812, "f1", 1.25)]
    for index, name in enumerate(names):
        events += [
            event(name, second, "info", f"step {second}", f"{name}/worker.log", int(second))
            for second in range(0, 530, 40)
        ]
        events.append(event(name, 100.0 + index, "warning", "slow step", f"{name}/worker.log", 700))
        if index != 2:
            events.append(
                event(name, 541.0 + index, "error", "heartbeat timeout", f"{name}/worker.log", 3990, f"f{index + 2}")
            )
            events.append(event(name, 545.0, "fatal", "aborted", f"{name}/worker.log", 3999))
    return {
        **empty("diagnosed"),
        "root_causes": [cause, other],
        "findings": [
            finding("f1", "host-oom-kill", [kill, invoked], "cause", "fatal", explains=[]),
            *lost,
            finding(
                "f8",
                "slow-step",
                [line("train-1", "train-1/worker.log", 700, 101.0, "slow step")],
                "context",
                "warning",
            ),
        ],
        "nodes": [
            node("train-0", "worker:0"),
            node("train-1", "worker:1"),
            node(
                "train-2",
                "worker:2",
                silent_since=at(538.5),
                last_time=at(540.5),
                clock={"offset_s": 1.25, "error_s": 0.2, "method": "steps"},
            ),
            node("train-3", "worker:3"),
            node("train-9", "ps:0", None, None, present=False),
        ],
        "sources": [
            *(source(f"{name}/worker.log", name) for name in names),
            source("train-2/dmesg.txt", "train-2", "kernel"),
            source(
                "train-3/worker.log.gz", "train-3", status="partly-read", problem="the gzip stream ends in the middle"
            ),
            source("notes.docx", None, "unknown", "not-understood", "a binary file, not a core dump", 0),
        ],
        "cores": [core()],
        "hard_facts": [fact(name, f"worker:{index}", 137 if index == 2 else 1) for index, name in enumerate(names)],
        "last_lines": [
            {
                "node": "train-2",
                "file": "train-2/worker.log",
                "first_line": 3981,
                "lines": [f"step {number}" for number in range(20)],
            }
        ],
        "skew": [
            {"key": "NCCL version", "values": {"2.21.5": ["train-0", "train-1", "train-3"], "2.19.3": ["train-2"]}}
        ],
        "unclassified": [
            {
                "template": "Something odd happened to <*>",
                "count": 12,
                "nodes": ["train-1"],
                "first_time": at(20.0),
                "example": line("train-1", "train-1/worker.log", 77, 20.0, "Something odd happened to shard 9"),
            }
        ],
        "not_evaluated": [{"rule": "gpu-off-bus", "lacks": ["kernel"], "nodes": ["train-0", "train-1", "train-3"]}],
        "signature": "3f1c9a52d07be846",
        "notes": ["2 files give local times without a zone; they are taken as UTC"],
        "causes": {
            "resource.host-oom-killed": "The kernel (host or cgroup) killed a process for memory.",
            "network.timeout": "Packets are dropped silently.",
        },
        "timeline": {
            "events": events,
            "start": at(0),
            "end": at(600),
            "progress": [
                {"node": name, "task": None, "points": [[at(second), second // 4] for second in range(0, 536, 4)]}
                for name in names
            ],
            "accusations": [
                {
                    "accuser": name,
                    "accused": "train-2",
                    "time": at(541.0),
                    "file": f"{name}/worker.log",
                    "line": 3990,
                    "text": "Task /job:worker/replica:0/task:2 heartbeat timeout",
                }
                for name in names
                if name != "train-2"
            ],
        },
    }


def core() -> dict[str, object]:
    def frame(function: str | None, how: str = "cfi", **more: object) -> dict[str, object]:
        return {
            "address": "0x00007f31c2a4d37b",
            "module": "/usr/lib/x86_64-linux-gnu/libc.so.6",
            "build_id": "ab12",
            "offset": 11,
            "module_offset": 12,
            "function": function,
            "file": None,
            "line": None,
            "inlined": False,
            "kind": "native",
            "how": how,
            **more,
        }

    frames = [
        frame("raise", "context"),
        frame("abort"),
        frame("tsl::internal::LogMessageFatal::~LogMessageFatal()"),
        frame(None, "scan"),
        frame("train_step", kind="python", file="train.py", line=88),
    ]
    return {
        "file": "train-2/core.4242",
        "node": "train-2",
        "pid": 4242,
        "executable": "/usr/bin/python3",
        "signal": "SIGABRT",
        "command_line": "python3 train.py --batch 512",
        "signal_code": "SI_TKILL",
        "fault_address": None,
        "sender_pid": 4242,
        "crashing_thread": 4242,
        "abort_message": "Check failed: size > 0",
        "signature": "abort | LogMessageFatal | train_step",
        "threads": [
            {"tid": 4242, "name": "python3", "stop": None, "frames": frames},
            *(
                {"tid": 4300 + index, "name": "grpc", "stop": None, "frames": [frame("futex_wait"), frame("Wait")]}
                for index in range(40)
            ),
        ],
        "modules": [],
        "mappings": [],
        "auxv": {},
        "problems": ["libtensorflow_cc.so.2: no file with this build id"],
    }


def undiagnosed() -> dict[str, object]:
    made = oom()
    made.update(verdict="undiagnosed", root_causes=[])
    made["unclassified"] = [
        {
            "template": f"Device <*> reports odd state number {index}",
            "count": 900 - 90 * index,
            "nodes": ["train-0", "train-1"],
            "first_time": at(10.0 + index),
            "example": line(
                "train-0",
                "train-0/worker.log",
                300 + index,
                10.0 + index,
                f"E device.cc:88] Device 3 reports odd state number {index}",
            ),
        }
        for index in range(8)
    ]
    return made


def healthy() -> dict[str, object]:
    made = oom()
    made.update(verdict="no-failure", root_causes=[], findings=[], cores=[], unclassified=[], skew=[])
    made.update(hard_facts=[fact(f"train-{index}", f"worker:{index}", 0) for index in range(4)], last_lines=[])
    made["nodes"] = [node(f"train-{index}", f"worker:{index}") for index in range(4)]
    timeline = dict(made["timeline"])  # type: ignore[call-overload]
    timeline.update(accusations=[], events=[row for row in timeline["events"] if row["severity"] == "info"])
    made["timeline"] = timeline
    return made


def hostile(text: str) -> dict[str, object]:
    """Every string that a log, a file name or a rule could bring in is `said`."""

    def poison(value: object, key: str = "") -> object:
        if isinstance(value, dict):
            return {name if name in KEYS else text: poison(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [poison(inner, key) for inner in value]
        if isinstance(value, str) and key not in (
            "verdict",
            "time",
            "corrected",
            "first_time",
            "last_time",
            "silent_since",
            "start",
            "end",
            "points",
            "schema_version",
            "id",
            "finding",
            "explains",
        ):
            return f"{value} {text}" if key != "references" else text
        return value

    made = oom()
    keys = _keys(made) - {"2.21.5", "2.19.3", "resource.host-oom-killed", "network.timeout"}
    KEYS.update(keys)
    return poison(made)  # type: ignore[return-value]


KEYS: set[str] = set()


def _keys(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for inner in value.values() for key in _keys(inner)}
    return {key for inner in value for key in _keys(inner)} if isinstance(value, list) else set()


def many(count: int = 1000) -> dict[str, object]:
    """One node of `count` fails first, a third of the others notice, some late, some never."""
    made = oom()
    names = [f"gpu-{index:04d}" for index in range(count)]
    bad = names[count // 2]
    cause = {**made["root_causes"][0], "node": bad, "title": f"{bad}: the kernel killed python3 (pid 4242) for memory"}  # type: ignore[index]
    lost, events, progress, accusations = [], [], [], []
    events.append(event(bad, 539.0, "fatal", "Out of memory: Killed process 4242", f"{bad}/dmesg.txt", 812, "f1"))
    for index, name in enumerate(names):
        file = f"{name}/worker.log"
        progress.append(
            {"node": name, "task": f"worker:{index}", "points": [[at(second), second] for second in range(0, 536, 20)]}
        )
        events += [event(name, 20.0 * step, "info", f"step {step}", file, step + 1) for step in range(12)]
        if index % 3 == 0 and name != bad:
            time = 541.0 + (index * 7919 % 997) / 200
            lost.append(
                finding(
                    f"g{index}",
                    "collective.peer-lost",
                    [line(name, file, 3990, time, f"heartbeat timeout of {bad}")],
                    count=20,
                    explained_by=["f1"],
                )
            )
            events.append(event(name, time, "error", f"heartbeat timeout of {bad}", file, 3990, f"g{index}"))
            accusations.append(
                {
                    "accuser": name,
                    "accused": bad,
                    "time": at(time),
                    "file": file,
                    "line": 3990,
                    "text": "heartbeat timeout",
                }
            )
    cause["explains"] = [finding["id"] for finding in lost]
    made.update(
        root_causes=[cause],
        findings=[made["findings"][0], *lost],  # type: ignore[index]
        hard_facts=[
            fact(name, f"worker:{index}", 137 if name == bad else 1 if index % 3 == 0 else 0)
            for index, name in enumerate(names)
        ],
        nodes=[node(name, f"worker:{index}") for index, name in enumerate(names)],
        sources=[source(f"{name}/worker.log", name) for name in names],
        timeline={"events": events, "progress": progress, "accusations": accusations, "start": at(0), "end": at(600)},
    )
    return made
