"""The written incident: the types of incident.json, field by field, in the order in which they are written.

The JSON Schema (`schema.py`), the writer (`json.py`) and the reader (`decode.py`) are made from these types.
A field's description is what the schema says of it. What may change within a `schema_version` is in docs/report.md.

* Times are RFC 3339 in UTC with microseconds, or None where the source states none.
* A field of type `... | UnsetType` is left out of the JSON where it is UNSET.
* Bounds and words of an enumeration are in the schema alone: the reader takes a word that a later version adds.
* A new field has a default, because reports of older versions lack it.
* Sources and events are not tracked by the garbage collector (`gc=False`): there are hundreds of thousands of them,
  and their fields hold no containers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from analyzer.report.written_evidence import Number, Time, WrittenEvidence

SCHEMA_VERSION = "1"
SCHEMA_ID = "urn:tf-postmortem:incident:1"
VERDICTS = ("diagnosed", "undiagnosed", "no-failure")


def _words(*words: str | None) -> dict[str, Any]:
    return {"enum": list(words)}


Address = Annotated[
    str | None, Meta(description="Hexadecimal, as 0x….", extra_json_schema={"pattern": "^0x[0-9a-f]+$"})
]
Count = Annotated[int, Meta(extra_json_schema={"minimum": 0})]
Positive = Annotated[int, Meta(extra_json_schema={"minimum": 1})]
NodeName = Annotated[str | None, Meta(description="The name of a node in `nodes`; null if unknown.")]
TaskName = Annotated[str | None, Meta(description="For example `worker:2`; null if unknown.")]
Severity = Annotated[str, Meta(extra_json_schema=_words("fatal", "error", "warning", "info"))]
FindingIds = Annotated[list[str], Meta(description="Ids of `findings`.")]
Point = tuple[Number, Number, Number, Number]


class WrittenRulePack(Struct):
    """A rule pack that was loaded."""

    name: Annotated[str, Meta(description="The pack's name.")]
    version: Annotated[str, Meta(description="The pack's version.")]
    rules: Annotated[Count, Meta(description="The number of its rules.")]


class WrittenRuleChange(Struct):
    """What a configuration or pack of the user disabled or replaced in earlier packs."""

    file: Annotated[str, Meta(description="The configuration or pack.")]
    switched_off: Annotated[list[str], Meta(description="Ids of rules that were not used.")]
    replaced: Annotated[
        list[str],
        Meta(description="Ids of rules, and `signal NAME`, `cause NAME`, `table NAME`, that the user's file replaced."),
    ]


class WrittenTool(Struct, kw_only=True):
    """The program that wrote this, and its rules."""

    name: Annotated[str, Meta(description="tf-postmortem")]
    version: Annotated[str, Meta(description="Its version.")]
    rule_packs: Annotated[list[WrittenRulePack], Meta(description="In the order in which they were loaded.")]
    rule_changes: Annotated[list[WrittenRuleChange], Meta(description="What the user's own files changed.")] = []


class WrittenRunnerUp(Struct):
    """The next best candidate."""

    cause: Annotated[str, Meta(description="Its cause.")]
    node: Annotated[NodeName, Meta(description="Its node.")]
    title: Annotated[str, Meta(description="One line.")]
    why: Annotated[str, Meta(description="Why it ranks behind the first one.")]


class WrittenRootCause(Struct, kw_only=True):
    """A candidate for what went wrong first."""

    cause: Annotated[str, Meta(description="An id of the causes, or <pack>.<id>.")]
    rule: Annotated[str, Meta(description="The rule that found it.")]
    pack: Annotated[str, Meta(description="The pack of that rule.")] = ""
    node: Annotated[NodeName, Meta(description="The culprit.")]
    task: Annotated[TaskName, Meta(description="The culprit's task.")]
    time: Annotated[Time, Meta(description="Corrected time of its first evidence.")]
    confidence: Annotated[
        Number,
        Meta(
            description="The probability that cause and node are right.",
            extra_json_schema={"minimum": 0, "maximum": 1},
        ),
    ]
    status: Annotated[
        str,
        Meta(
            description="How strong the evidence is: it proves the cause, supports it, or makes it plausible.",
            extra_json_schema=_words("established", "supported", "hypothesis"),
        ),
    ]
    title: Annotated[str, Meta(description="One line.")]
    summary: Annotated[str, Meta(description="One paragraph with the captured values filled in.")]
    why: Annotated[list[str], Meta(description="Short reasons for it.")]
    against: Annotated[
        list[str], Meta(description="Short reasons against it, including hard facts that it does not explain.")
    ] = []
    remediation: Annotated[list[str], Meta(description="Steps to take.")]
    references: Annotated[list[str], Meta(description="Where to read more.")] = []
    blame: Annotated[
        str | None, Meta(description="Who should act: `user`, `cluster` or `either`; null if the cause does not say.")
    ] = None
    runner_up: Annotated[WrittenRunnerUp | UnsetType, Meta(description="The next best candidate, if there is one.")] = (
        UNSET
    )
    evidence: Annotated[
        list[WrittenEvidence], Meta(description="The evidence lines.", extra_json_schema={"minItems": 1})
    ]
    explains: Annotated[FindingIds, Meta(description="Ids of the findings that follow from it.")]
    finding: Annotated[str, Meta(description="Id of its own finding.")] = ""
    captures: Annotated[dict[str, str], Meta(description="The captures of the rule.")] = {}


class WrittenFactor(Struct, kw_only=True):
    """One reason for or against a hypothesis."""

    name: Annotated[str, Meta(description="The name of the factor, as `factors.yaml` has it.")]
    points: Annotated[Number, Meta(description="What it adds to the log-odds; negative if it speaks against.")]
    reason: Annotated[str, Meta(description="A sentence; empty if the name says it all.")] = ""
    file: Annotated[str | UnsetType, Meta(description="The file of the line that shows it.")] = UNSET
    line: Annotated[int | UnsetType, Meta(description="The number of that line.")] = UNSET


class WrittenHypothesis(Struct, kw_only=True):
    """A cause on a node that was weighed, or "none of these"."""

    cause: Annotated[str | None, Meta(description="Its cause; null for none of these.")]
    node: Annotated[NodeName, Meta(description="Its node.")]
    task: Annotated[TaskName, Meta(description="Its task.")] = None
    finding: Annotated[str, Meta(description="The id of its finding; empty for none of these.")] = ""
    probability: Annotated[
        Number,
        Meta(
            description="The probability that cause and node are right.",
            extra_json_schema={"minimum": 0, "maximum": 1},
        ),
    ]
    factors: Annotated[list[WrittenFactor], Meta(description="What was weighed.")] = []


CountBasis = Annotated[
    str,
    Meta(
        description="`scanner`: the count may be too high; some lines were not matched against the whole pattern.",
        extra_json_schema=_words("exact", "scanner"),
    ),
]


class WrittenFinding(Struct, kw_only=True):
    """A rule whose condition holds."""

    id: Annotated[str, Meta(description="Unique within the incident.")]
    rule: Annotated[str, Meta(description="The rule's id.")]
    pack: Annotated[str, Meta(description="The rule's pack.")] = ""
    cause: Annotated[str | None, Meta(description="The cause that the rule names; null for symptoms and context.")]
    role: Annotated[
        str,
        Meta(
            description="cause: can be a root cause; symptom: follows from one; context: background.",
            extra_json_schema=_words("cause", "symptom", "context"),
        ),
    ]
    severity: Annotated[Severity, Meta(description="The severity that the rule states.")]
    node: Annotated[NodeName, Meta(description="The node of the finding.")]
    task: Annotated[TaskName, Meta(description="The task of the finding.")]
    time: Annotated[Time, Meta(description="Corrected time of its first evidence.")]
    count: Annotated[Positive, Meta(description="The number of lines that support it.")]
    count_is: CountBasis = "exact"
    captures: Annotated[dict[str, str], Meta(description="The captures of the rule.")]
    title: Annotated[str, Meta(description="One line.")] = ""
    summary: Annotated[str, Meta(description="One paragraph with the captured values filled in.")] = ""
    evidence: Annotated[
        list[WrittenEvidence], Meta(description="The evidence lines.", extra_json_schema={"minItems": 1})
    ]
    explained_by: Annotated[FindingIds, Meta(description="Ids of the findings that it follows from.")]
    replay: Annotated[
        dict[str, str] | UnsetType, Meta(description="Fault and role with which `replay` reproduces the failure.")
    ] = UNSET


class WrittenClockJump(Struct):
    """A moment at which a clock was set."""

    time: Annotated[Time, Meta(description="The time by the node's own clock.")]
    seconds: Annotated[Number, Meta(description="Seconds by which the clock was set forward.")]


class WrittenClock(Struct, kw_only=True):
    """How far the clock of a node is ahead of the reference."""

    offset_s: Annotated[
        Number, Meta(description="Seconds by which the clock is ahead of the reference at the time `at`.")
    ]
    error_s: Annotated[Number | None, Meta(description="Half width of the offset's error interval; null if unknown.")]
    method: Annotated[str, Meta(description="How the offset was found; `none` if it was not.")]
    drift_ppm: Annotated[Number, Meta(description="Microseconds that the clock gains in a second.")] = 0.0
    at: Annotated[Time, Meta(description="The corrected time for which `offset_s` is given.")] = None
    jumps: Annotated[list[WrittenClockJump], Meta(description="The moments at which the clock was set.")] = []


class WrittenProgress(Struct, kw_only=True):
    """The last step that a node reached."""

    epoch: Annotated[int | None, Meta(description="The epoch of that step; null if the logs count only steps.")] = None
    step: Annotated[int | None, Meta(description="The step.")] = None
    time: Annotated[Time, Meta(description="Corrected time of that step.")] = None
    seconds_per_step: Annotated[
        Number | None, Meta(description="The usual duration of a step on this node, in seconds.")
    ] = None


class WrittenNode(Struct, kw_only=True):
    """A machine of the job, or a task from which the bundle has no file."""

    name: Annotated[str, Meta(description="Unique within the incident.")]
    hosts: Annotated[list[str], Meta(description="Its host names.")]
    addresses: Annotated[list[str], Meta(description="Its network addresses.")]
    tasks: Annotated[list[str], Meta(description="The tasks that ran on it, such as `worker:2`.")]
    clock: Annotated[WrittenClock, Meta(description="Its clock against the reference.")]
    first_time: Annotated[Time, Meta(description="Corrected time of its first line.")]
    last_time: Annotated[Time, Meta(description="Corrected time of its last line.")]
    silent_since: Annotated[Time, Meta(description="When its log stopped, if it stopped before the others; else null.")]
    progress: Annotated[WrittenProgress | None, Meta(description="The last step that it reached.")] = None
    utc_offset_s: Annotated[Number | None, Meta(description="The time zone of its logs, in seconds east of UTC.")] = (
        None
    )
    present: Annotated[
        bool, Meta(description="false if the cluster definition names the node and the bundle has no file from it.")
    ] = True
    names: Annotated[
        list[str], Meta(description="All names that sources use for it, apart from its tasks and addresses.")
    ] = []
    named_by: Annotated[str, Meta(description="The claim that decided its name, and where that claim is stated.")] = ""


class WrittenSource(Struct, kw_only=True, gc=False):
    """A file of the bundle."""

    file: Annotated[str, Meta(description="Path inside the bundle.")]
    node: Annotated[str | None, Meta(description="The node that wrote it.")]
    kind: Annotated[str, Meta(description="worker, kernel, scheduler, system, environment, samples, core ….")]
    bytes: Annotated[Count, Meta(description="Its size, decompressed.")]
    unread: Annotated[Count | None, Meta(description="The number of bytes that were not read; null if unknown.")] = 0
    lines: Annotated[Count, Meta(description="Lines read.")]
    timed_lines: Annotated[Count, Meta(description="Lines with a time of their own.")]
    first_time: Annotated[Time, Meta(description="Its earliest time, as the file states it.")]
    last_time: Annotated[Time, Meta(description="Its latest time, as the file states it.")]
    status: Annotated[
        str,
        Meta(
            description="How far it was read.",
            extra_json_schema=_words("read", "partly-read", "not-understood", "skipped", "failed"),
        ),
    ]
    problem: Annotated[str | None, Meta(description="Why it was not read completely.")]


class WrittenFrame(Struct, kw_only=True):
    """A frame of a stack."""

    address: Annotated[Address, Meta(description="The program counter.")] = None
    module: Annotated[str | None, Meta(description="Path of the library or program.")] = None
    build_id: Annotated[str | None, Meta(description="The build id of that file.")] = None
    module_offset: Annotated[Address, Meta(description="The offset from the module's load address.")] = None
    function: Annotated[str | None, Meta(description="The demangled name of the function.")] = None
    offset: Annotated[int | str | None, Meta(description="The offset in bytes from the start of the function.")] = None
    file: Annotated[str | None, Meta(description="The source file.")] = None
    line: Annotated[int | None, Meta(description="The line in the source file.")] = None
    inlined: Annotated[bool | None, Meta(description="Whether the function was inlined into the next frame's.")] = None
    kind: Annotated[
        str,
        Meta(
            description="Whether it is a native or a Python frame.",
            extra_json_schema=_words("native", "python"),
        ),
    ] = "native"
    how: Annotated[
        str | None,
        Meta(
            description="How the frame was found, from certain to guessed.",
            extra_json_schema=_words("context", "cfi", "frame-pointer", "scan", None),
        ),
    ] = None
    mangled: Annotated[str | UnsetType, Meta(description="The function's name in the symbol table.")] = UNSET
    own: Annotated[bool | UnsetType, Meta(description="Whether it is the user's own code, judging by its path.")] = (
        UNSET
    )
    source: Annotated[str | UnsetType, Meta(description="The source line, with `core --source`.")] = UNSET
    locals: Annotated[dict[str, str] | UnsetType, Meta(description="Variables of the frame, with `core --locals`.")] = (
        UNSET
    )


class WrittenThread(Struct, kw_only=True):
    """A thread of a crashed process."""

    tid: Annotated[int, Meta(description="The thread's id in the kernel.")]
    name: Annotated[str | None, Meta(description="The thread's name (`comm`).")] = None
    role: Annotated[str | UnsetType, Meta(description="What the thread is for, such as `main thread`.")] = UNSET
    wait: Annotated[
        dict[str, Any] | UnsetType, Meta(description="What the thread waits for, and which thread holds it.")
    ] = UNSET
    omitted: Annotated[dict[str, Any] | UnsetType, Meta(description="Which frames of a deep stack are omitted.")] = (
        UNSET
    )
    stop: Annotated[str | None, Meta(description="Why its stack ends where it does.")] = None
    frames: Annotated[list[WrittenFrame], Meta(description="The frames, the innermost first.")] = []


class WrittenModule(Struct, kw_only=True):
    """A file that was mapped."""

    path: Annotated[str, Meta(description="The path in the process.")]
    start: Annotated[str, Meta(description="Address.")]
    end: Annotated[str, Meta(description="Address.")]
    build_id: Annotated[str | None, Meta(description="The build id of the file that ran.")]
    status: Annotated[str, Meta(description="Whether the file that ran was found.")]


class WrittenCore(Struct, kw_only=True):
    """A core dump."""

    file: Annotated[str, Meta(description="Path inside the bundle.")]
    node: Annotated[str | None, Meta(description="The node of the process.")]
    pid: Annotated[int | None, Meta(description="The process id.")]
    executable: Annotated[str | None, Meta(description="Path of the program.")]
    command_line: Annotated[str | list[str] | None, Meta(description="The command line that the kernel kept.")]
    signal: Annotated[str | None, Meta(description="For example `SIGSEGV`.")]
    signal_code: Annotated[str | None, Meta(description="For example `SEGV_MAPERR`.")]
    fault_address: Annotated[Address, Meta(description="The address that the process accessed.")]
    sender_pid: Annotated[int | None, Meta(description="The pid of the sender of the signal.")]
    crashing_thread: Annotated[int | None, Meta(description="The tid of the thread that crashed.")]
    abort_message: Annotated[str | None, Meta(description="The message of the C library before the abort.")]
    signature: Annotated[str | None, Meta(description="Equal for crashes at the same place.")]
    threads: Annotated[list[WrittenThread], Meta(description="All threads.")]
    modules: Annotated[list[WrittenModule], Meta(description="All files that were mapped.")]
    mappings: Annotated[list[dict[str, Any]], Meta(description="All mappings of the address space.")]
    problems: Annotated[list[str], Meta(description="What could not be read.")]
    auxv: Annotated[dict[str, Any], Meta(description="The auxiliary vector by name.")]
    facts: Annotated[
        dict[str, Any], Meta(description="Other facts of the notes: arguments, environment, limits, registers ….")
    ] = {}


class WrittenSkew(Struct):
    """A version or setting in which nodes differ."""

    key: Annotated[str, Meta(description="Its name.")]
    values: Annotated[dict[str, list[str]], Meta(description="Maps each value to the nodes that have it.")]


class WrittenProcessEnd(Struct, kw_only=True):
    """How a process, or the job as a whole, ended, with the line or file that states it."""

    how: Annotated[
        str,
        Meta(
            description="`killed`: by a signal; `exited`: with a status; `finished`: its own log says so.",
            extra_json_schema=_words("finished", "exited", "killed", "job-succeeded", "job-failed"),
        ),
    ]
    by: Annotated[
        str,
        Meta(
            description="Who states it.",
            extra_json_schema=_words("core", "kernel", "recorder", "scheduler", "launcher", "own log"),
        ),
    ]
    status: Annotated[int | None, Meta(description="The exit status; null if a signal ended it.")] = None
    signal: Annotated[str | None, Meta(description="For example `SIGKILL`, which exit code 137 stands for.")] = None
    time: Annotated[Time, Meta(description="Corrected time of that statement.")] = None
    evidence: Annotated[WrittenEvidence, Meta(description="The line or file.")]


class WrittenAccuser(Struct, kw_only=True):
    """Another node that reports this one as lost, late or inconsistent."""

    node: Annotated[NodeName, Meta(description="The node that wrote the line; null for a launcher.")] = None
    how: Annotated[str, Meta(description="What it reports: lost, silent, unreachable, late, failed ….")] = ""
    time: Annotated[Time, Meta(description="Corrected time of its first such line.")] = None
    file: Annotated[str, Meta(description="Path inside the bundle.")] = ""
    line: Annotated[int | None, Meta(description="1-based.")] = None


class WrittenHardFact(Struct, kw_only=True):
    """What the sources state about one process, independent of all rules."""

    node: Annotated[NodeName, Meta(description="Its node; null in the row for the job as a whole.")]
    task: Annotated[TaskName, Meta(description="Its task.")]
    attempt: Annotated[Positive, Meta(description="How many times it was started, as far as its lines show.")] = 1
    ended: Annotated[WrittenProcessEnd | None, Meta(description="How it ended; null if no source states it.")] = None
    last_line: Annotated[WrittenEvidence | None, Meta(description="Its last line that a signal matches.")] = None
    last_step: Annotated[int | None, Meta(description="The last step that it reports.")] = None
    last_step_time: Annotated[Time, Meta(description="Corrected time of that step.")] = None
    last_step_line: Annotated[WrittenEvidence | None, Meta(description="The line that states that step.")] = None
    silent_since: Annotated[
        Time,
        Meta(description="When its log stopped without an end, if the job went on or other nodes report it as lost."),
    ] = None
    core: Annotated[str | None, Meta(description="The file of its core dump.")] = None
    accused_by: Annotated[list[WrittenAccuser], Meta(description="The first accusers, each with its first line.")] = []
    accusers: Annotated[Count, Meta(description="The number of accusers; `accused_by` lists only the first ones.")] = 0
    explained_by: Annotated[
        list[int], Meta(description="Indexes (from 0) of the `root_causes` that explain this; empty if none does.")
    ] = []


class WrittenTemplate(Struct, kw_only=True):
    """Error lines that no rule explains; similar lines are grouped."""

    template: Annotated[str, Meta(description="The line, with `<*>` for the parts that differ.")]
    count: Annotated[Positive, Meta(description="How many lines.")]
    nodes: Annotated[list[str], Meta(description="The nodes that have such lines.")]
    first_time: Annotated[Time, Meta(description="Corrected time of the first.")]
    new: Annotated[
        bool | None, Meta(description="Whether the good run of --baseline lacks it; null without a baseline.")
    ] = None
    why: Annotated[list[str], Meta(description="The reasons for its rank: how new and how local the lines are.")] = []
    example: Annotated[WrittenEvidence, Meta(description="The first such line.")]


class WrittenEvaluationGap(Struct):
    """A rule that could not be evaluated."""

    rule: Annotated[str, Meta(description="Its id.")]
    lacks: Annotated[list[str] | str, Meta(description="The kinds of source that the bundle lacks.")]
    nodes: Annotated[list[str], Meta(description="The affected nodes; empty for all nodes.")] = []


class WrittenNoise(Struct, kw_only=True):
    """Known harmless lines that were ignored."""

    signal: Annotated[str, Meta(description="The signal that matches them.")]
    count: Annotated[Count, Meta(description="How many lines.")]
    count_is: CountBasis = "exact"
    example: Annotated[str | None, Meta(description="One of them.")] = None


class WrittenEarlierIncident(Struct, kw_only=True):
    """An incident of the history."""

    number: Annotated[int, Meta(description="Its number in the history.")] = 0
    happened: Annotated[Time, Meta(description="When it happened.")] = None
    seen: Annotated[str, Meta(description="When it was first analyzed.")] = ""
    verdict: Annotated[str, Meta(description="Its verdict.")] = ""
    cause: Annotated[str | None, Meta(description="Its first root cause.")] = None
    rule: Annotated[str | None, Meta(description="The rule that found it.")] = None
    title: Annotated[str, Meta(description="One line.")] = ""
    node: Annotated[str | None, Meta(description="Its culprit.")] = None
    task: Annotated[str | None, Meta(description="Its culprit's task.")] = None
    signatures: Annotated[dict[str, str], Meta(description="Its signature at each level.")] = {}
    notes: Annotated[list[WrittenHistoryNote], Meta(description="The notes that people added.")] = []


class WrittenHistoryNote(Struct, kw_only=True):
    """What a person wrote about an earlier incident."""

    at: Annotated[str, Meta(description="When.")] = ""
    ticket: Annotated[str | None, Meta(description="A ticket's name.")] = None
    text: Annotated[str | None, Meta(description="A note.")] = None


class WrittenHistory(Struct, kw_only=True):
    """With --history: earlier incidents like this one."""

    number: Annotated[int | UnsetType, Meta(description="This incident's own number.")] = UNSET
    level: Annotated[
        str | UnsetType,
        Meta(
            description="The most specific level at which they agree.",
            extra_json_schema=_words("exact", "usual", "coarse"),
        ),
    ] = UNSET
    means: Annotated[str | UnsetType, Meta(description="What incidents that agree at this level have in common.")] = (
        UNSET
    )
    seen: Annotated[Count, Meta(description="The number of earlier incidents that agree.")]
    analyzed_before: Annotated[
        bool | UnsetType, Meta(description="Whether the history already had this incident itself.")
    ] = UNSET
    since: Annotated[str | UnsetType, Meta(description="When the earliest of them happened.")] = UNSET
    ticket: Annotated[str | UnsetType | None, Meta(description="The latest ticket of any of them.")] = UNSET
    sentence: Annotated[str, Meta(description="The sentence that every report shows.")]
    problem: Annotated[str | UnsetType, Meta(description="Why the history could not be used.")] = UNSET
    database: Annotated[str | UnsetType, Meta(description="The history's file.")] = UNSET
    note: Annotated[str | UnsetType | None, Meta(description="The latest note of any of them.")] = UNSET
    earlier: Annotated[
        list[WrittenEarlierIncident] | UnsetType, Meta(description="The most recent of these incidents.")
    ] = UNSET


class ResourceSeries(Struct, kw_only=True):
    """Samples of one resource of one process, cgroup, GPU or node."""

    node: Annotated[str | None, Meta(description="The node that was watched.")] = None
    scope: Annotated[str, Meta(description="process, cgroup, gpu or node.")] = ""
    metric: Annotated[str, Meta(description="For example memory, cpu or busy.")] = ""
    what: Annotated[str, Meta(description="Which process, cgroup or device.")] = ""
    unit: Annotated[str, Meta(description="The unit of the values: bytes, percent, count ….")] = ""
    limit: Annotated[Number | None, Meta(description="The limit of the resource; null if it has none.")] = None
    file: Annotated[str | UnsetType, Meta(description="Path inside the bundle.")] = UNSET
    start: Annotated[Time, Meta(description="Corrected time of the first sample.")] = None
    samples: Annotated[int | UnsetType, Meta(description="The number of samples that the points summarize.")] = UNSET
    method: Annotated[str | UnsetType, Meta(description="How the samples were summarized as points.")] = UNSET
    points: Annotated[
        list[Point], Meta(description="[seconds since `start`, lowest, mean, highest] of adjacent samples.")
    ] = []


class WrittenEvent(Struct, kw_only=True, gc=False):
    """A line that a signal matched."""

    node: Annotated[str | None, Meta(description="Its node.")] = None
    task: Annotated[str | None, Meta(description="Its task.")] = None
    time: Annotated[Time, Meta(description="The time as the line states it, or as the nearest earlier line does.")] = (
        None
    )
    corrected: Annotated[Time, Meta(description="The time corrected for the node's clock offset.")] = None
    inferred: Annotated[bool, Meta(description="Whether `time` comes from an earlier line.")] = False
    signal: Annotated[str, Meta(description="The signal that matched.")] = ""
    severity: Annotated[
        str, Meta(description="The signal's severity; without one, the line's own severity; else info.")
    ] = "info"
    file: Annotated[str, Meta(description="Path inside the bundle.")] = ""
    line: Annotated[int | None, Meta(description="1-based; null for a core.")] = None
    text: Annotated[str, Meta(description="The line, cut to 300 characters.")] = ""
    finding: Annotated[str | None, Meta(description="The id of a finding that has this event as evidence.")] = None


class ProgressCurve(Struct, kw_only=True):
    """Steps of a task over time."""

    node: Annotated[str | None, Meta(description="Its node.")] = None
    task: Annotated[str | None, Meta(description="The task; null if the node has only one.")] = None
    points: Annotated[
        list[tuple[Time, Number]], Meta(description="[corrected time, steps since the start of the job].")
    ] = []


class WrittenAccusation(Struct, kw_only=True):
    """A line in which one node reports another as lost, late or inconsistent."""

    accuser: Annotated[str, Meta(description="The node that wrote the line.")] = ""
    accused: Annotated[str, Meta(description="The node that the line accuses.")] = ""
    time: Annotated[Time, Meta(description="Corrected time of the line.")] = None
    file: Annotated[str, Meta(description="Path inside the bundle.")] = ""
    line: Annotated[int | None, Meta(description="1-based.")] = None
    text: Annotated[str, Meta(description="The line.")] = ""


class WrittenTimeline(Struct, kw_only=True):
    """What happened on all nodes, in corrected order."""

    events: Annotated[list[WrittenEvent], Meta(description="The lines that matched a signal and were kept.")] = []
    progress: Annotated[list[ProgressCurve], Meta(description="Steps over time.")] = []
    accusations: Annotated[list[WrittenAccusation] | UnsetType, Meta(description="Which node accuses which.")] = UNSET
    start: Annotated[Time | UnsetType, Meta(description="Corrected time of the first event.")] = UNSET
    end: Annotated[Time | UnsetType, Meta(description="Corrected time of the last event.")] = UNSET


class WrittenReplayedCause(Struct, kw_only=True):
    """A root cause of a replay's run, in short."""

    cause: Annotated[str | None, Meta(description="An id of the causes.")] = None
    title: Annotated[str | None, Meta(description="One line.")] = None
    node: Annotated[str | None, Meta(description="The culprit.")] = None
    task: Annotated[str | None, Meta(description="The culprit's task.")] = None
    time: Annotated[Time, Meta(description="When.")] = None


class WrittenReplayRun(Struct, kw_only=True):
    """One run of the small job."""

    name: Annotated[str, Meta(description="control, fault, fault-2 ….")]
    folder: Annotated[str, Meta(description="The folder of its files.")] = ""
    began: Annotated[str, Meta(description="RFC 3339 in UTC.")]
    seconds: Annotated[Number, Meta(description="Its duration in seconds.", extra_json_schema={"minimum": 0})]
    codes: Annotated[
        dict[str, int | None], Meta(description="Exit codes by task; null if the task still ran at the end.")
    ]
    exceeded: Annotated[str | None, Meta(description="The limit that ended the run, if one did.")] = None
    launcher_code: Annotated[int | None, Meta(description="Exit code of the launcher.")] = None
    output: Annotated[str, Meta(description="The last output of the launcher.")] = ""
    root_causes: Annotated[list[WrittenReplayedCause], Meta(description="The root causes of the run.")] = []
    nodes: Annotated[list[WrittenNode], Meta(description="The nodes, as for the incident.")] = []
    timeline: Annotated[WrittenTimeline, Meta(description="The timeline, as for the incident, with fewer events.")]
    resources: Annotated[
        list[ResourceSeries],
        Meta(description="Resource series, as for the incident: one per task and metric (memory, cpu, threads, fds)."),
    ]
    verdict: Annotated[
        str | UnsetType, Meta(description="The result of the comparison with the incident; absent for the control run.")
    ] = UNSET


PatternResult = Annotated[
    str,
    Meta(
        description="`not shown`: the incident or the replay does not show the aspect.",
        extra_json_schema=_words("same", "differs", "not shown"),
    ),
]


class WrittenPatternAspect(Struct, kw_only=True):
    """One aspect of how the job failed, relative to the culprit, in the incident and in the replay."""

    aspect: Annotated[str, Meta(description="As `how the culprit ended`.")]
    incident: Annotated[str, Meta(description="What the incident shows, in words; empty: nothing.")] = ""
    replay: Annotated[str, Meta(description="What the replay shows, in words; empty: nothing.")] = ""
    result: PatternResult = "not shown"


ReplayConfidence = Annotated[
    Number | None,
    Meta(
        description="The confidence of the diagnosis after the replay: lower for each aspect that differs; null if the "
        "report does not state it.",
        extra_json_schema={"minimum": 0, "maximum": 1},
    ),
]
ReplayVerdictWord = Annotated[
    str,
    Meta(
        description="The verdict of the decisive run.",
        extra_json_schema=_words(
            "reproduced", "same-cause-other-pattern", "different-failure", "not-reproduced", "inconclusive"
        ),
    ),
]


class WrittenReplayedHypothesis(Struct, kw_only=True):
    """One of the hypotheses between which replays decide."""

    cause: Annotated[str, Meta(description="An id of the causes.")]
    place: Annotated[str, Meta(description="The culprit's task or node; empty if there is none.")] = ""
    problem: Annotated[str, Meta(description="Why it was not replayed; empty if it was.")] = ""
    verdict: Annotated[str | None, Meta(description="The verdict of its replay; null if it was not replayed.")] = None
    reasons: Annotated[list[str], Meta(description="Why.")] = []
    pattern: Annotated[list[WrittenPatternAspect], Meta(description="How its pattern compares.")] = []
    confidence: ReplayConfidence = None
    command: Annotated[str, Meta(description="The command that runs it again; empty if it was not replayed.")] = ""


class WrittenDecision(Struct, kw_only=True):
    """With --decide: which of the first two hypotheses has the replay whose pattern fits the incident better."""

    sentence: Annotated[str, Meta(description="The result, in one sentence.")]
    better: Annotated[int | None, Meta(description="Position in `hypotheses`, from 0; null: not decided.")] = None
    hypotheses: Annotated[list[WrittenReplayedHypothesis], Meta(description="The root cause first.")] = []


class WrittenReplay(Struct, kw_only=True):
    """From `tf-postmortem replay`: a small job with the same fault, and whether it failed in the same way."""

    verdict: ReplayVerdictWord
    reasons: Annotated[list[str], Meta(description="Why.")]
    verdicts: Annotated[dict[str, Positive], Meta(description="How many runs with the fault had each verdict.")]
    rate: Annotated[
        Number | None,
        Meta(
            description="The share of reproduced runs among all conclusive ones.",
            extra_json_schema={"minimum": 0, "maximum": 1},
        ),
    ]
    confidence: ReplayConfidence = None
    pattern: Annotated[
        list[WrittenPatternAspect],
        Meta(description="How the pattern of the decisive run compares; empty if nothing compares."),
    ] = []
    decision: Annotated[WrittenDecision | UnsetType, Meta(description="With --decide: the better hypothesis.")] = UNSET
    plan: Annotated[dict[str, Any], Meta(description="The settings of plan.yaml.")]
    command: Annotated[str, Meta(description="The command that runs it again.")]
    root_causes: Annotated[
        list[dict[str, Any]], Meta(description="The root causes of the decisive run, as for the incident.")
    ] = []
    runs: Annotated[list[WrittenReplayRun], Meta(description="The control run first.")]
    notes: Annotated[list[str] | UnsetType, Meta(description="Differences from the incident.")] = UNSET


class WrittenLastLines(Struct, kw_only=True):
    """The last lines of a node's log, whether or not a rule matches them."""

    node: Annotated[str, Meta(description="The node.")] = ""
    file: Annotated[str, Meta(description="Path inside the bundle.")] = ""
    first_line: Annotated[int, Meta(description="The number of the first of `lines`, 1-based.")] = 1
    lines: Annotated[list[str], Meta(description="At most 20 lines, shortened if they are very long.")] = []
    numbers: Annotated[list[int], Meta(description="The number of each of `lines`, if they are not consecutive.")] = []

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Yield each line with its number."""
        numbers = self.numbers or range(self.first_line, self.first_line + len(self.lines))
        yield from zip(numbers, self.lines, strict=False)


class WrittenIncident(Struct, kw_only=True):
    """What `analyze --json` writes. Other keys may be added; these stay."""

    schema_version: Annotated[str, Meta(description="The version of this schema.", extra_json_schema={"const": "1"})]
    tool: Annotated[WrittenTool, Meta(description="The program that wrote it.")]
    verdict: Annotated[str, Meta(description="Whether a root cause was found.", extra_json_schema=_words(*VERDICTS))]
    root_causes: Annotated[list[WrittenRootCause], Meta(description="Most likely first; empty unless diagnosed.")]
    hypotheses: Annotated[
        list[WrittenHypothesis],
        Meta(description="What was weighed, most probable first; none of these comes last. `explain` prints them."),
    ] = []
    findings: Annotated[list[WrittenFinding], Meta(description="All findings.")]
    hard_facts: Annotated[
        list[WrittenHardFact],
        Meta(description="How each process ended and what is known about it; the row of the job comes first."),
    ] = []
    last_lines: Annotated[
        list[WrittenLastLines], Meta(description="The last lines of the culprit, or of the nodes that ended first.")
    ] = []
    nodes: Annotated[list[WrittenNode], Meta(description="The nodes of the job.")]
    sources: Annotated[list[WrittenSource], Meta(description="The files of the bundle.")]
    cores: Annotated[list[WrittenCore], Meta(description="The core dumps of the bundle.")]
    skew: Annotated[list[WrittenSkew], Meta(description="Versions and settings that differ between nodes.")]
    settings: Annotated[
        dict[str, str], Meta(description="Versions and settings that are equal on all nodes that state them.")
    ] = {}
    unclassified: Annotated[list[WrittenTemplate], Meta(description="Error lines that no rule explains.")]
    not_evaluated: Annotated[list[WrittenEvaluationGap], Meta(description="Rules that could not be evaluated.")]
    noise: Annotated[list[WrittenNoise], Meta(description="Known harmless lines that were ignored.")] = []
    signature: Annotated[
        str, Meta(description="The signature; the same fault on other hosts, pids and times has the same one.")
    ]
    signatures: Annotated[
        dict[str, str], Meta(description="Signatures by level: exact, usual and coarse. `signature` is the usual one.")
    ] = {}
    identity_conflicts: Annotated[
        list[str], Meta(description="Contradicting claims about the names and tasks of nodes, as sentences.")
    ] = []
    notes: Annotated[list[str], Meta(description="Sentences about the limits of this analysis.")]
    timeline: Annotated[WrittenTimeline, Meta(description="The events of all nodes.")] = msgspec.field(
        default_factory=WrittenTimeline
    )
    resources: Annotated[list[ResourceSeries], Meta(description="Resource samples, those of the culprits first.")] = []
    causes: Annotated[dict[str, str], Meta(description="The meaning of each cause in this incident.")] = {}
    history: Annotated[
        WrittenHistory | UnsetType, Meta(description="With --history: earlier incidents like this one.")
    ] = UNSET
    meta: Annotated[
        dict[str, str], Meta(description="What the caller added with --meta, such as ticket or commit.")
    ] = {}
    replay: Annotated[WrittenReplay | UnsetType, Meta(description="From `tf-postmortem replay`.")] = UNSET
    left_out: Annotated[
        list[str] | UnsetType, Meta(description="The keys that the embedded data of an HTML report lacks.")
    ] = UNSET
