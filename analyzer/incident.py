"""What an analysis concludes: findings, root causes, accusations, and the incident that a report is written of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from analyzer.core_dump import CoreDump
from analyzer.model import Event, Locus, Node, Role, Series, Severity, Source

Verdict = Literal["diagnosed", "undiagnosed", "no-failure"]
Certainty = Literal["established", "supported", "hypothesis"]
# Each with what incidents have in common whose signatures agree there, from fine to coarse.
SIGNATURE_LEVELS = {"exact": "the same words", "usual": "the same fault", "coarse": "the same kind of cause"}


class Skew(TypedDict):
    """A version or setting in which nodes differ: who has which value."""

    key: str
    values: Mapping[str, Sequence[str]]


# Of lines that the reader confirmed, or of places that the scanner sighted: then some may not match the whole pattern.
CountBasis = Literal["exact", "scanner"]


class EvaluationGap(TypedDict):
    """A rule that could not be judged, on which nodes (none: on all), and the kinds of source that it lacks."""

    rule: str
    lacks: Sequence[str]
    nodes: Sequence[str]


class Noise(TypedDict):
    """Known harmless lines that were set aside, of one signal."""

    signal: str
    count: int
    count_is: CountBasis
    example: str | None


class RuleChange(TypedDict):
    """What the user's configuration or pack `file` switched off or replaced of what was loaded before it.

    `replaced` holds ids of rules, and `signal NAME`, `cause NAME` and `table NAME`.
    """

    file: str
    switched_off: list[str]
    replaced: list[str]


class RulePack(TypedDict):
    """A pack that was loaded, and how many rules it has."""

    name: str
    version: str
    rules: int


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that held, with the evidence that made it hold."""

    id: str
    rule: str
    role: Role
    severity: Severity
    evidence: tuple[Event, ...]
    cause: str | None = None
    node: str | None = None
    task: str | None = None
    time: float | None = None  # corrected
    count: int = 1
    count_is: CountBasis = "exact"
    captures: Mapping[str, str] = field(default_factory=dict)
    explained_by: tuple[str, ...] = ()
    title: str = ""
    summary: str = ""
    confidence: float = 0.5
    pack: str = ""
    why: tuple[str, ...] = ()  # the rule's own reasons
    replay: Mapping[str, str] = field(default_factory=dict)  # fault and role that show the same failure

    @property
    def is_servers_own(self) -> bool:
        """Whether a server logged it, of what its clients asked: what they report happened there."""
        return self.captures.get("side") == "server"

    @property
    def is_clients_view(self) -> bool:
        """Whether a client logged it, in words that only a fault of its server can cause: it happened there."""
        return self.captures.get("side") == "client"

    def __post_init__(self) -> None:
        if not self.evidence:
            raise ValueError(f"finding {self.rule} has no evidence")


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """The next best root cause, and why it is not the first."""

    cause: str
    node: str | None
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class Cause:
    """An entry of the catalogue of root causes (rules/causes.yaml), or of a pack's own causes.yaml."""

    means: str = ""  # one sentence for the report
    blame: str | None = None  # who must act first: user, cluster or either
    survivable: bool = False  # `quiet`: no job stops because of it; a run that ended well may still have it
    propagated: bool = False  # `echo`: members report it that did nothing; a cause that explains it comes before it
    sent: bool = False  # `sent`: who ends a job does it to all nodes, whatever the reason is
    endings: tuple[str, ...] = ()  # `ends`: how the culprit may end: `SIGKILL`, `exit`, `silence`, `ok`; (): any way
    job_wide: bool = False  # `of_job`: it befalls the job as a whole, so that a statement without a node is no weaker
    shown_by_loss: bool = False  # `in_loss`: the losses of all later steps show it
    before_start: bool = False  # `before_start`: it keeps a task from starting, so a task that ran had overcome it
    starts_anyway: bool = False  # `starts_anyway`: the program starts up with it all the same, for lack of a GPU
    lasting: bool = False  # `lasts`: it stays until somebody repairs it, so it may be older than the job


UNKNOWN_CAUSE = Cause()  # what is known of a cause that no catalogue lists


@dataclass(frozen=True, slots=True)
class Factor:
    """One reason: `value` times the weight of `name` is what it adds to the log-odds."""

    name: str
    value: float = 1.0
    reason: str = ""  # a sentence for the report; "" if there is none worth stating
    evidence: Event | None = None  # the line that the reason rests on, where one line alone shows it
    points: float = 0.0  # what it adds to the log-odds, once it is weighed


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """A cause on a node that was weighed, whether or not it is part of the answer."""

    finding: Finding
    probability: float  # that cause and node are right
    factors: tuple[Factor, ...]


@dataclass(frozen=True, slots=True)
class RootCause:
    finding: Finding
    confidence: float
    status: Certainty
    why: tuple[str, ...]
    against: tuple[str, ...] = ()  # what speaks against it, hard facts that it does not explain among them
    remediation: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    blame: str | None = None  # user | cluster | either
    explains: tuple[str, ...] = ()
    runner_up: RunnerUp | None = None


EndKind = Literal["finished", "exited", "killed", "job-succeeded", "job-failed"]
EndWitness = Literal["core", "kernel", "recorder", "scheduler", "launcher", "own log"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEnd:
    """How a process ended, by whose word, with the line or file that states it."""

    how: EndKind
    witness: EndWitness
    status: int | None = None  # exit status, 0 to 255, without the part that only encodes a signal
    signal: str | None = None  # `SIGKILL`
    time: float | None = None  # corrected UTC seconds
    evidence: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class HardFact:
    """What the sources state of one process, whatever the rules make of it.

    `node` and `task` are None in the row that holds the scheduler's or launcher's word on the job as a whole.
    """

    node: str | None
    task: str | None
    attempt: int = 1  # how often the process was started, as far as its lines show
    end: ProcessEnd | None = None
    last_line: Event | None = None  # the last line that a signal matches
    last_step: int | None = None
    last_step_time: float | None = None  # corrected UTC seconds
    last_step_line: Event | None = None  # that states it
    silent_since: float | None = None  # corrected UTC seconds; None if the process logged until its stated end
    core: str | None = None  # the file
    accusations: tuple[Accusation, ...] = ()  # by others; the first of each accuser
    explained_by: tuple[int, ...] = ()  # positions in `root_causes`


@dataclass(frozen=True, slots=True)
class Accusation:
    """A line of one node that names another as lost, late or odd."""

    accuser: str
    accused: str
    event: Event


@dataclass(frozen=True, slots=True)
class Template:
    """Error lines that no rule explains, folded by likeness. `score` ranks them by how new and how local they are."""

    template: str
    count: int
    nodes: tuple[str, ...]
    first_time: float | None
    example: Event
    is_new: bool | None = None  # absent from a good run; None: there was none to compare with
    score: float = 0.0
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Incident:
    verdict: Verdict
    root_causes: tuple[RootCause, ...]
    findings: tuple[Finding, ...]
    nodes: tuple[Node, ...]
    sources: tuple[Source, ...]
    events: tuple[Event, ...]  # the kept timeline, in corrected order
    accusations: tuple[Accusation, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()  # the most probable first; with "none of these" they sum to one
    none_factors: tuple[Factor, ...] = ()  # what speaks for and against "none of these"
    hard_facts: tuple[HardFact, ...] = ()  # the job's own row first, then one for each process
    cores: tuple[CoreDump, ...] = ()
    skew: tuple[Skew, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)  # what all nodes that say it agree on
    unclassified: tuple[Template, ...] = ()
    not_evaluated: tuple[EvaluationGap, ...] = ()
    noise: tuple[Noise, ...] = ()
    signatures: Mapping[str, str] = field(default_factory=dict)  # level → id
    identity_conflicts: tuple[str, ...] = ()  # contradicting claims of who a stream is, as sentences
    notes: tuple[str, ...] = ()
    rule_packs: tuple[RulePack, ...] = ()
    rule_changes: tuple[RuleChange, ...] = ()
    series: tuple[Series, ...] = ()  # resource samples, in corrected time
    causes: Mapping[str, Cause] = field(default_factory=dict)  # by id
    context: Mapping[Locus, tuple[int, tuple[str, ...]]] = field(default_factory=dict)
    # (file, stream) → its last lines with their numbers, of files that several programs write
    tails: Mapping[tuple[str, str], Sequence[tuple[int, str]]] = field(default_factory=dict)
