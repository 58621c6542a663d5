"""Place errors on the task that had them if another task logged them, as a coordinator does for its workers.

TensorFlow appends the task that answered to each error that comes back over gRPC (`Additional GRPC error information
from remote target /job:worker/replica:0/task:1`, distributed_runtime/rpc/grpc_state.h, from 2.2 on). Signals
that feed `ran_on` match only answers over a working connection. Clients of tf.data's service say only that the
dispatcher answered; such an error is placed on the node with the only dispatcher. Ray's driver prints the tracebacks of
its actors below lines that name them (`raised_on`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import NamedTuple

from analyzer.diagnosis.accusations import PeerResolver
from analyzer.facts.cluster_spec import read_task
from analyzer.incident import Finding
from analyzer.model import Event, Locus, Role
from analyzer.rules.evaluation.findings import relocate_finding
from analyzer.rules.types import Packs

MAX_LINES_TO_ORIGIN = 40  # from an error, past its text and stacks, to the line that names its task
MAX_LINES_BELOW_HEADER = 200  # from a line that names an actor, past its stack, to its exception


class Origin(NamedTuple):
    """Who had an error: a task, or a server by its address or kind."""

    name: str
    is_task: bool


LogStream = tuple[str, str | None]  # file, stream in it
OriginLines = dict[LogStream, list[tuple[int, Origin]]]  # (last line of an answer, who answered), in order
Origins = Mapping[Locus, Origin]  # locus of an error → who had it


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteReports:
    """Lines that say on which task an error happened that another one prints.

    `answers` feed `ran_on`: the first one after an error names the task that had it; those that follow directly only
    passed it on. `headers` feed `raised_on`: the last one before an error names who raised it. `servers` feed `serves`
    and resolve answers that name a kind of server.
    """

    answers: Sequence[Event] = ()
    headers: Sequence[Event] = ()
    servers: Sequence[Event] = ()


def place_remote_errors(
    findings: Sequence[Finding], reports: RemoteReports, resolver: PeerResolver, packs: Packs
) -> list[Finding]:
    """Return the findings. Causes whose lines name one other task of the job are placed on that task's node."""
    causes = [finding for finding in findings if finding.role is Role.CAUSE]
    origins = {**_index_headers(reports.headers, causes), **_index_answers(reports.answers, causes)}
    resolve = _resolve_with(_only_servers(reports.servers), resolver)
    placed = [
        _place_finding(finding, origins, resolve, packs) if origins and finding.role is Role.CAUSE else finding
        for finding in findings
    ]
    return _place_repeated_errors(placed, origins, packs)


def _only_servers(servers: Iterable[Event]) -> dict[str, str]:
    """Return kind of server → its node, for each kind with only one server."""
    nodes_by_kind: dict[str, set[str]] = defaultdict(set)
    for event in servers:
        if event.node and (kind := event.captures.get("server")):
            nodes_by_kind[kind].add(event.node)
    return {kind: next(iter(nodes)) for kind, nodes in nodes_by_kind.items() if len(nodes) == 1}


def _resolve_with(servers: Mapping[str, str], resolver: PeerResolver) -> Callable[[str], str | None]:
    return lambda origin: servers.get(origin) or resolver.resolve(origin)


def _place_repeated_errors(findings: Sequence[Finding], origins: Origins, packs: Packs) -> list[Finding]:
    """Return the findings. A repeated cause is placed on the only node that logs the same error as its own.

    A cause is repeated if no known node logged it (Ray's driver repeats its workers' errors), or if its lines name a
    task whose node is unknown.
    """
    nodes_by_words: dict[object, set[str]] = defaultdict(set)
    repeats: set[str] = set()
    for finding in findings:
        if finding.role is not Role.CAUSE or not finding.captures:
            continue
        if finding.node is None or _only_repeats(finding, origins):
            repeats.add(finding.id)
        else:
            nodes_by_words[_rule_and_captures(finding)].add(finding.node)
    return [
        relocate_finding(finding, packs.rules.get(finding.rule), next(iter(nodes)))
        if finding.id in repeats and len(nodes := nodes_by_words.get(_rule_and_captures(finding), set())) == 1
        else finding
        for finding in findings
    ]


def _only_repeats(finding: Finding, origins: Origins) -> bool:
    """Return whether all lines of the finding report another task's answer."""
    return finding.node == finding.evidence[0].node and all(event.locus in origins for event in finding.evidence)


def _rule_and_captures(finding: Finding) -> object:
    return finding.rule, tuple(sorted(finding.captures.items()))


def _index_answers(answers: Iterable[Event], causes: Iterable[Finding]) -> dict[Locus, Origin]:
    """Return the locus of each error → the task, address or kind of server that answered, by the lines behind it.

    Answers in consecutive lines belong together; the first one counts.
    """
    answered: OriginLines = defaultdict(list)
    for event in sorted(answers, key=lambda event: event.locus.line or 0):
        if (line := event.locus.line) is not None and (origin := _stated_origin(event)):
            earlier = answered[event.locus.file, event.stream]
            is_carried_on = bool(earlier) and earlier[-1][0] + 1 == line
            earlier.append((line + len(event.block), earlier[-1][1] if is_carried_on else origin))
    origins: dict[Locus, Origin] = {}
    for event in (event for finding in causes for event in finding.evidence):
        lines, first = answered.get((event.locus.file, event.stream), []), event.locus.line or 0
        index = bisect_left(lines, first, key=itemgetter(0))
        if index < len(lines) and lines[index][0] <= first + len(event.block) + MAX_LINES_TO_ORIGIN:
            origins[event.locus] = lines[index][1]
    return origins


def _index_headers(headers: Iterable[Event], causes: Iterable[Finding]) -> dict[Locus, Origin]:
    """Return the locus of the first error below each header → the task or address that the header names.

    Of several headers above one error the last counts: the others only raised it again.
    """
    loci: dict[LogStream, set[Locus]] = defaultdict(set)
    for event in (event for finding in causes for event in finding.evidence):
        loci[event.locus.file, event.stream].add(event.locus)
    lines = {stream: sorted(of_stream, key=_line_of) for stream, of_stream in loci.items()}
    origins: dict[Locus, Origin] = {}
    for header in sorted(headers, key=lambda event: _line_of(event.locus)):
        below = lines.get((header.locus.file, header.stream), [])
        index = bisect_left(below, _line_of(header.locus), key=_line_of)
        is_near = index < len(below) and _line_of(below[index]) <= _line_of(header.locus) + MAX_LINES_BELOW_HEADER
        if is_near and (origin := _stated_origin(header)):
            origins[below[index]] = origin
    return origins


def _line_of(locus: Locus) -> int:
    return locus.line or 0


def _stated_origin(event: Event) -> Origin | None:
    captures = event.captures
    if task := read_task(captures.get("task")):
        return Origin(task, is_task=True)
    name = captures.get("address") or captures.get("server")
    return Origin(name, is_task=False) if name else None


def _place_finding(finding: Finding, origins: Origins, resolve: Callable[[str], str | None], packs: Packs) -> Finding:
    """Return the finding on the node whose answer its first line reports, if its other lines name no other task."""
    reporter = finding.evidence[0].node
    first, *further = (origins.get(event.locus) for event in finding.evidence)
    origin = first if {first, *filter(None, further)} == {first} else None
    node = resolve(origin.name) if origin else None
    if origin is None or node is None or node == reporter or finding.node not in (None, reporter):
        return finding
    reason = f"{reporter} only reports it: its lines say that it happened on {origin.name}" if reporter else ""
    moved = relocate_finding(
        replace(finding, task=origin.name if origin.is_task else None), packs.rules.get(finding.rule), node
    )
    return replace(moved, why=(*moved.why, *filter(None, [reason])))
