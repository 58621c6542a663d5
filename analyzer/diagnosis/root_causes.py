"""Choose the answer from the candidates: root causes, no failure, or undiagnosed."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from analyzer.diagnosis.certainty import certainty_of
from analyzer.diagnosis.factors import Candidate
from analyzer.diagnosis.job_outcome import JobOutcome
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.diagnosis.ranking import MIN_PROBABILITY, Ranking
from analyzer.facts.cluster_spec import LOCALHOST, ClusterSpec, read_task, split_address
from analyzer.formats import read_line
from analyzer.incident import UNKNOWN_CAUSE, Factor, Finding, HardFact, RootCause, Verdict
from analyzer.model import Kind, Role, Severity
from analyzer.rules.evaluation.findings import relocate_finding
from analyzer.rules.evaluation.templates import fill_sentence
from analyzer.rules.types import Packs

_log = logging.getLogger("analyzer.diagnosis")

# No candidate is an answer if "none of these" is more probable than this, in a job that ran and in which no process is
# known to have failed. If something failed, a weak answer with a low confidence is better than none.
MAX_NONE_PROBABILITY = 0.5
MAX_NONE_PROBABILITY_UNFINISHED = 0.92  # if no log shows that any task ended well: it may have stopped
SAME_ODDS_MARGIN = 0.4  # logits; a smaller difference does not distinguish two nodes
JOB_WIDE_SHARE = 0.6  # a fault on at least this share of the nodes is the job's, not a node's
ACCUSATION_FACTORS = frozenset({"accused", "launcher-accuses", "others-accused", "named-elsewhere"})
# If all nodes report a fault that one of them began: the probability that the place does not matter (judgement).
UNTOLD_PLACE_SHARE = 0.8
MAX_ROOT_CAUSES = 10
MAX_CONFIDENCE = 0.99  # no answer is certain
_SAFE_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,200}")  # characters without a meaning in shells
_UNKNOWN_LEADER = {"leader_host": "HOST", "leader_port": "PORT"}


def choose_root_causes(
    ranking: Ranking,
    findings: Sequence[Finding],
    activities: Mapping[str, NodeActivity],
    packs: Packs,
    unknown_count: int,
    survivable: frozenset[str],
    outcome: JobOutcome,
    cluster: ClusterSpec | None = None,
) -> tuple[Verdict, list[RootCause]]:
    """Return the verdict and the root causes, one for each cause, best first.

    A job that ended well has no root cause, except a survivable one.

    Args:
        ranking: the candidates, best first, and how probable it is that none of them is right.
        findings: all findings, of all roles.
        activities: what each node did.
        packs: the rules and causes.
        unknown_count: the number of error lines that no rule explains.
        survivable: ids of findings that a job can have and still end well.
        outcome: how the job ended.
        cluster: the addresses of its tasks; the steps to take use the leader's address.
    """
    candidates = ranking.candidates
    is_none_likely = ranking.none_probability > _highest_none_probability(outcome)
    standing = (
        [] if is_none_likely else [candidate for candidate in candidates if candidate.probability >= MIN_PROBABILITY]
    )
    _log.info("%d of %d candidates are probable enough", len(standing), len(candidates))
    if outcome.succeeded:
        standing = [candidate for candidate in candidates if candidate.finding.id in survivable]
        _log.info("the job ended well; %d candidates are faults that a job can survive", len(standing))
        if not standing:
            return "no-failure", []
    if not standing:
        has_trouble = (
            any(finding.severity >= Severity.ERROR and finding.role is not Role.CONTEXT for finding in findings)
            or unknown_count
        )
        if has_trouble or outcome.unfinished or outcome.stated_failed:
            reason = (
                "there are errors without a cause"
                if has_trouble
                else "its launcher or scheduler says that the job failed"
                if outcome.stated_failed
                else "tasks ran, and no log shows that any ended well"
            )
            _log.info("the verdict is undiagnosed: %s", reason)
            return "undiagnosed", []
        standing = _warnings_alone(candidates, outcome)
        if not standing and not outcome.ran:
            _log.info("the verdict is undiagnosed: nothing shows that a job ran, nor that it ended well")
            return "undiagnosed", []
    if not standing:
        _log.info("the verdict is no-failure: no candidate, no error, and no task without an end")
        return "no-failure", []
    best = standing[0]
    _log.info("the verdict is diagnosed: %s on %s ranks first", best.finding.cause, best.finding.node or "no node")
    chosen: list[RootCause] = []
    chosen_causes: set[str] = set()
    leader = _describe_leader(cluster)
    for candidate in standing:
        if (cause := candidate.finding.cause or "") not in chosen_causes:
            chosen_causes.add(cause)
            root = _make_root_cause(candidate, standing, activities, packs, findings, ranking.none_probability, leader)
            chosen.append(root)
    return "diagnosed", chosen[:MAX_ROOT_CAUSES]


def _describe_leader(cluster: ClusterSpec | None) -> dict[str, str]:
    """Return the leader's host and port for commands; placeholders stay for unknown values."""
    host, port = split_address((cluster and cluster.leader_address) or "")
    is_known = _SAFE_HOST.fullmatch(host) and not LOCALHOST.match(host)
    return {"leader_host": host, "leader_port": port or "PORT"} if is_known else dict(_UNKNOWN_LEADER)


def _highest_none_probability(outcome: JobOutcome) -> float:
    """Return the highest probability of "none of these" at which a candidate is still an answer."""
    if not outcome.ran or outcome.a_process_failed or outcome.stated_failed:
        return 1.0
    return MAX_NONE_PROBABILITY_UNFINISHED if outcome.unfinished else MAX_NONE_PROBABILITY


def _warnings_alone(candidates: Sequence[Candidate], outcome: JobOutcome) -> list[Candidate]:
    """Return the candidates that are warnings. They are a weak answer if nothing else shows that a job ran."""
    if outcome.ran:
        return []
    return [
        candidate
        for candidate in candidates
        if candidate.finding.severity is Severity.WARNING and candidate.probability >= MIN_PROBABILITY
    ]


def find_survivable(findings: Sequence[Finding], packs: Packs) -> frozenset[str]:
    """Return the ids of findings that a job can have and still end well, and of the findings that explain them.

    Examples are NaN in the weights, and a slow task together with the heat that explains it. Their cause or rule is
    `quiet`.
    """
    survivable = [finding for finding in findings if finding.role is Role.CAUSE and _is_survivable(finding, packs)]
    return frozenset(name for finding in survivable for name in (finding.id, *finding.explained_by))


def _is_survivable(finding: Finding, packs: Packs) -> bool:
    rule = packs.rules.get(finding.rule)
    return packs.causes.get(finding.cause or "", UNKNOWN_CAUSE).survivable or (rule is not None and rule.quiet)


def _make_root_cause(
    candidate: Candidate,
    standing: Sequence[Candidate],
    activities: Mapping[str, NodeActivity],
    packs: Packs,
    findings: Sequence[Finding],
    none_probability: float,
    leader: Mapping[str, str],
) -> RootCause:
    finding = candidate.finding
    node, task = finding.node, finding.task
    shared_nodes = _count_sharing_nodes(candidate, standing, activities, packs)
    of_server = _candidates_of_server(candidate, standing)
    sharing = [other for other in standing if shared_nodes and other.finding.cause == finding.cause] or of_server
    confidence = min(MAX_CONFIDENCE, sum(other.probability for other in sharing))
    cause = packs.causes.get(finding.cause or "", UNKNOWN_CAUSE)
    server = _common_server(sharing, activities)
    is_untold = bool(shared_nodes) and (cause.propagated or cause.shown_by_loss)
    if is_untold or (finding.is_clients_view and not server):
        confidence *= UNTOLD_PLACE_SHARE
    if shared_nodes or server or finding.is_clients_view:
        shared_nodes = shared_nodes or (len(sharing) if len(sharing) > 1 else 0)
        node = task = None
    elif node and task is None and (activity := activities.get(node)) and len(activity.node.tasks) == 1:
        task = activity.node.tasks[0]
    rule = packs.rules.get(finding.rule)
    consequences = [
        other_finding.id
        for other_finding in findings
        if finding.id in other_finding.explained_by or other_finding.role is Role.SYMPTOM
    ]
    named_task = task or read_task(finding.captures.get("task")) or ""
    values = {**leader, **finding.captures, "node": node or "the job", "task": named_task, "count": str(finding.count)}
    return RootCause(
        finding=replace(relocate_finding(finding, rule, node), node=server or node, task=task),
        confidence=round(confidence, 2),
        status=certainty_of(candidate, confidence / (confidence + none_probability)),
        why=tuple(_state_reasons(candidate, shared_nodes, is_untold, server)),
        against=tuple(dict.fromkeys(candidate.reasons_against)),
        remediation=tuple(fill_sentence(step, values, node) for step in rule.remediation) if rule else (),
        references=rule.references if rule else (),
        blame=(rule.blame if rule else None) or cause.blame,
        explains=tuple(consequences),
    )


def _count_sharing_nodes(
    candidate: Candidate, standing: Sequence[Candidate], activities: Mapping[str, NodeActivity], packs: Packs
) -> int:
    """Return how many nodes show the same cause if they are most of the job, none stands out, and no other member
    continues to train; otherwise 0.
    """
    if candidate.has("first-of-cause"):
        return 0
    finding = candidate.finding
    alike = [other_candidate for other_candidate in standing if other_candidate.finding.cause == finding.cause]
    nodes = {other_candidate.finding.node for other_candidate in alike if other_candidate.finding.node}
    trained = [activity for activity in activities.values() if activity.node.present and activity.node.tasks]
    if len(nodes) < max(2, JOB_WIDE_SHARE * len(trained)) or any(_trains_on(activity, nodes) for activity in trained):
        return 0
    compared = finding.evidence[0].kind is Kind.DERIVED  # its node was found by comparing all nodes
    rivals = [
        other_candidate
        for other_candidate in alike
        if other_candidate is not candidate and (not compared or other_candidate.finding.rule == finding.rule)
    ]
    is_same_program_error = (
        _is_same_program_error(candidate, alike, packs) and not compared and len(nodes) >= len(trained)
    )
    own_score, *other_scores = (
        _log_odds_without_accusations(other_candidate) if is_same_program_error else other_candidate.log_odds
        for other_candidate in (candidate, *rivals)
    )
    return len(nodes) if any(own_score - other_score < SAME_ODDS_MARGIN for other_score in other_scores) else 0


def _trains_on(activity: NodeActivity, failed: Collection[str]) -> bool:
    """Return whether a member that is not among the failed ones makes steps and logs no error."""
    is_untouched = activity.name not in failed and not (activity.causes or activity.symptoms or activity.errors)
    return is_untouched and activity.last_step is not None


def _log_odds_without_accusations(candidate: Candidate) -> float:
    accusing = (factor for factor in candidate.factors if factor.name in ACCUSATION_FACTORS)
    return candidate.log_odds - sum(candidate.weights.get(factor.name, 0.0) * factor.value for factor in accusing)


def weigh_none(outcome: JobOutcome, unknown_count: int, facts: Sequence[HardFact]) -> Iterator[Factor]:
    """Yield the factors for and against "none of these is the cause"."""
    yield Factor("none")
    if outcome.succeeded:
        yield Factor("none-succeeded")
    elif outcome.unfinished:
        yield Factor("none-unfinished")
    if unknown_count:
        yield Factor("none-unknown-errors", math.log1p(unknown_count))
    ends = [fact.end for fact in facts if fact.node]
    if ends and all(end is not None and not end.signal and not end.status for end in ends):
        yield Factor("none-all-ended-well")
    if any(end is not None and end.signal for end in ends):
        yield Factor("none-killed")


def _is_same_program_error(candidate: Candidate, alike_candidates: Sequence[Candidate], packs: Packs) -> bool:
    """Return whether every program failed by its own fault with the same message.

    If so, the order in which they ended means nothing. If the messages differ, one program may have failed because it
    lost another.
    """
    of_user = packs.causes.get(candidate.finding.cause or "", UNKNOWN_CAUSE).blame == "user"
    return of_user and len({_masked_messages(other_candidate.finding) for other_candidate in alike_candidates}) == 1


def _masked_messages(finding: Finding) -> tuple[str, ...]:
    """Return the messages of the first and last evidence, without their numbers."""
    ends = (finding.evidence[0], finding.evidence[-1])
    return tuple(re.sub(r"\d+", "#", read_line(event.text).message) for event in ends)


def _candidates_of_server(candidate: Candidate, standing: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidate and those with its cause that are about the same server."""
    finding = candidate.finding
    alike = (other for other in standing if other is not candidate and other.finding.cause == finding.cause)
    return [candidate, *(other for other in alike if _is_about_server_of(finding, other.finding))]


def _is_about_server_of(finding: Finding, other: Finding) -> bool:
    """Return whether both findings are about one server; only one of two clients needs to name it."""
    servers = {finding.captures.get("server"), other.captures.get("server")}
    if finding.is_clients_view and other.is_clients_view:
        servers.discard(None)
        return len(servers) < 2
    return len(servers) == 1 and None not in servers


def _common_server(sharing: Sequence[Candidate], activities: Mapping[str, NodeActivity]) -> str | None:
    """Return the node of the server that all of these candidates are about, or the server's name if it has no node.

    None if they name several servers or none. A single client may itself be at fault, unless its message excludes that.
    """
    findings = [candidate.finding for candidate in sharing]
    servers = {finding.captures.get("server") for finding in findings}
    if any(finding.is_clients_view for finding in findings):
        servers.discard(None)
    elif len(sharing) < 2:
        return None
    server = servers.pop() if len(servers) == 1 else None
    return _node_of_host(server, activities) if server else None


def _node_of_host(host: str, activities: Mapping[str, NodeActivity]) -> str:
    names = {host.lower(), host.lower().partition(".")[0]}
    hosts = ((name, {name, *activity.node.hosts}) for name, activity in activities.items())
    return next((name for name, host_names in hosts if names & {text.lower() for text in host_names}), host)


def _state_reasons(
    candidate: Candidate, shared_nodes: int, is_untold: bool, server: str | None = None
) -> Iterator[str]:
    """Yield the reasons for the root cause that the report states, at least one."""
    yield from candidate.finding.why
    yield from candidate.reasons
    if shared_nodes:
        place = "no line says which of them began it" if is_untold else "no single node is at fault"
        place = f"all of them name {server}" if server else place
        yield f"{shared_nodes} nodes show it in the same way; {place}"
    elif candidate.finding.is_clients_view:
        yield (
            f"the error that the client logged is a fault of its server, {server}"
            if server
            else "the client does not name its server"
        )
    elif not candidate.finding.why and not candidate.reasons:
        first = candidate.finding.evidence[0].locus
        yield (
            f"the line itself names the cause ({first.file}:{first.line})"
            if first.line
            else f"the file itself names the cause ({first.file})"
        )
