"""Every derived signal: what no line says but several files together do. Declared here once.

Code that emits a signal names its constant (`@derives(ODD_STACK)`, `context.derive(ODD_STACK, ...)`). Rules may name
each signal and its captures, and `docs/rules.md` lists what `manual_rows` returns. To add a signal, declare it here and
write the function that emits it in a file of `analyzer/diagnosis/derivations/`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

PROOF_CAPTURES = (
    "task",
    "peer",
    "address",
    "host",
    "how",
    "job",
    "index",
)  # what the line that proves a signal may name


@dataclass(frozen=True, slots=True)
class DerivedSignal:
    """A signal that the analyzer concludes.

    Attributes:
        name: as rules name it, `derived.…`.
        captures: the names of what its events capture of their own.
        meaning: one sentence for the manual.
        proof_captures: captures of the line that proves it and that rules may name; () if that line names no peer or
            task that matters.
    """

    name: str
    captures: tuple[str, ...]
    meaning: str
    proof_captures: tuple[str, ...] = ()

    @property
    def all_captures(self) -> frozenset[str]:
        """What rules may ask of its events."""
        return frozenset((*self.captures, *self.proof_captures))


DERIVED_SIGNALS: dict[str, DerivedSignal] = {}  # by name, in the order of the manual


def _declare(name: str, captures: str, meaning: str, proof_captures: tuple[str, ...] = PROOF_CAPTURES) -> DerivedSignal:
    signal = DerivedSignal(name, tuple(captures.split()), meaning, proof_captures)
    DERIVED_SIGNALS[name] = signal
    return signal


def manual_rows() -> Iterator[str]:
    """Yield the rows of these signals for the table of signals in `docs/rules.md`."""
    for signal in DERIVED_SIGNALS.values():
        yield f"| `{signal.name}` | {', '.join(signal.captures)} | {signal.meaning} |"


_LOST_PEER_CAPTURES = "task step code exit_signal log left reported_by"
_SERIES_CAPTURES = "scope metric what pid value value_text limit limit_text share free free_text"

VANISHED = _declare(
    "derived.vanished",
    _LOST_PEER_CAPTURES,
    "others report the task as lost, and its `log` stops without an error or an end, or it `left` no line in "
    "the bundle",
)
ENDED_AFTER_ERROR = _declare(
    "derived.ended_after_error",
    f"{_LOST_PEER_CAPTURES} words",
    "others report the task as lost, and the last line of its log is an error in the program's own `words`, which no "
    "rule knows",
)
ISOLATED = _declare(
    "derived.isolated",
    _LOST_PEER_CAPTURES,
    "others report the task as silent, but its own log continues and reports network errors or timeouts",
)
UNREACHABLE = _declare(
    "derived.unreachable",
    _LOST_PEER_CAPTURES,
    "others cannot connect to the task although it runs",
)
STOOD_STILL = _declare(
    "derived.stood_still",
    "how where seconds tasks",
    "all tasks stop at the same step without a message. `how` is `stands` if later lines show that time went "
    "on, `start` if all tasks joined and none made a step, `broken` if the first connection broke only after "
    "that, `behind` if one log ends at an earlier step, and `ends` otherwise",
    (),
)
LEFT_LOOP = _declare(
    "derived.left_loop",
    "where task nodes",
    "all tasks stop at the same step without a message; only this one's log goes on after its step, and it is not the "
    "first task, which logs more than others. `nodes` are those that wait",
    (),
)
STOPPED_FIRST = _declare(
    "derived.stopped_first",
    "where others seconds within",
    "the node made its last step before all others, by more than the clocks' error",
    (),
)
SLOWED = _declare(
    "derived.slowed",
    "before after tasks",
    "the training slowed down: seconds per step at the beginning and at the end",
    (),
)
STALLED = _declare(
    "derived.stalled",
    _LOST_PEER_CAPTURES,
    "the task stopped making progress; its heartbeats stopped, but nothing shows that it died",
)
NEVER_STARTED = _declare(
    "derived.never_started",
    f"{_LOST_PEER_CAPTURES} waiting",
    "the cluster names the task, others wait for it, or its number is missing among the tasks that joined, and "
    "nothing shows that it ran. `waiting` are all other members if the job made no step",
)
NEVER_CONNECTED = _declare(
    "derived.never_connected",
    _LOST_PEER_CAPTURES,
    "the task ran, but the leader never saw it",
)
DUPLICATE_TASK = _declare(
    "derived.duplicate_task",
    "task nodes waiting",
    "two nodes claim the same task; `waiting` are all other nodes if the job made no step",
)
CLUSTER_DIFFERS = _declare(
    "derived.cluster_differs",
    "key value",
    "the node's cluster definition differs from that of the majority",
)
LOCALHOST_CLUSTER = _declare(
    "derived.localhost_cluster",
    "address nodes",
    "a cluster of several nodes names localhost; or one node serves on localhost while the others serve on host "
    "names, and it joins none of them. If all state the same task at localhost, it is placed on that task's node, and "
    "`nodes` are those that state it",
)
TRAINS_ALONE = _declare(
    "derived.trains_alone",
    "task",
    "the task says that it is the only worker, while others wait for a member that no node is",
)
TRAINED_APART = _declare(
    "derived.trained_apart",
    "nodes step loss",
    "all nodes that train say that they are the only worker, and they have equal losses in equal steps: one job was "
    "trained several times. `step` and `loss` are the last ones that two nodes share",
)
ADDRESS_MISMATCH = _declare(
    "derived.address_mismatch",
    "address task host",
    "the address that the task claims belongs to another node",
)
FINISHED_EARLY = _declare(
    "derived.finished_early",
    _LOST_PEER_CAPTURES,
    "the task ended well while the others were still training",
)
REPEATED_ADDRESS = _declare(
    "derived.repeated_address",
    "address task other",
    "the cluster gives the same address to two tasks",
)
VERSION_DIFFERS = _declare(
    "derived.version_differs",
    "key value common",
    "the version of a component differs from the version that at least twice as many nodes have",
    (),
)
SETTING_DIFFERS = _declare(
    "derived.setting_differs",
    "key value common",
    "the same for an environment variable, a limit, an MTU, or any other setting that a file states",
    (),
)
EXITED = _declare(
    "derived.exited",
    "task code signal",
    'how the node\'s task ended, whichever file or line states it: `where: {code: "!= 0"}`',
    (),
)
ODD_NUMBER = _declare(
    "derived.odd_number",
    "text value common side error",
    "a node that states another whole number or version than most others in a line that all print (`text`); `side` is "
    "`fewer`, `more` or `version`, and `error` is `quoted` if an error names both numbers",
    (),
)
ODD_STACK = _declare(
    "derived.odd_stack",
    "task frame others tasks",
    "among all tasks whose stacks were dumped (`feeds: stack`), the only one that does not wait for others, or waits "
    "at another place (`frame`) than all of them (`others`); `tasks` are those that wait",
    (),
)
STACKS_APART = _declare(
    "derived.stacks_apart",
    "frame other_frame",
    "all tasks whose stacks were dumped (`feeds: stack`) wait for others, but at different places of the program",
    (),
)
STRAGGLER = _declare(
    "derived.straggler",
    "task step own_ms others_ms how nodes",
    "the task is persistently slower than the others. `how` is `waits` (the steps of the others grow), `works` (log "
    "lines separate work from waiting) or `times` (it alone needs long for what each times besides its steps), and "
    "`nodes` are those that wait",
    (),
)
RESOLVER_FAILS = _declare(
    "derived.resolver_fails",
    "others",
    "the node alone cannot resolve the name of another one, which `others` reached: its resolver is at fault, and not "
    "the name",
)
FIRST_NOT_FINITE = _declare(
    "derived.first_not_finite",
    "where what nodes",
    "the node shows a value that is NaN or infinite (`feeds: not_finite`) in an earlier step than all others that show "
    "one, or shows more of them in the same step. `what` are the values, `nodes` the others",
    (),
)
LOSS_LEAPT = _declare(
    "derived.loss_leapt",
    "step before after",
    "the loss rose to many times its previous value, above its value at the start, and stayed there",
    ("loss", "epoch"),
)
ABSENT_PEER = _declare(
    "derived.absent_peer",
    "how",
    "a line reports a peer as lost, and the bundle contains nothing of that peer",
)
SETTING = _declare(
    "derived.setting",
    "key value",
    'a node states a version or setting (`feeds: version`): `where: {key: tensorflow, value: "< 2.4"}`',
    (),
)
ODD_MEMBER = _declare(
    "derived.odd_member",
    "task value common quoted what",
    "the only member of a collective whose input differs from that of the others. `quoted` is the number of "
    "members that log lines quote. `what` is `tensor`, or `group` for the number of members",
)
LATE_MEMBER = _declare(
    "derived.late_member",
    "task left",
    "all other members of its job waited in a collective until their timeout; it may have `left` no line in the bundle",
    (*PROOF_CAPTURES, "what"),
)
PEAK = _declare(
    "derived.peak",
    _SERIES_CAPTURES,
    "the highest value of a sampled resource (`record`, sysstat, nvidia-smi dmon): `where: {metric: memory, "
    'value: "> 60GiB"}`. `share` is the percentage of the limit, if there is one; `free` is what was left at '
    "the worst moment",
    (),
)
GROWTH = _declare(
    "derived.growth",
    f"{_SERIES_CAPTURES} rate rate_text seconds span from_text lasting left left_text would_end",
    "the resource grew steadily: a leak. `rate` is per second; `left` is the number of seconds until the limit; "
    '`lasting: "yes"` if it grew until the record ended',
    (),
)
