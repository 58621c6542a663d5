"""How each node ended: the hard facts as a short table, in which nodes that ended alike are one row."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.model import Kind
from analyzer.report.document import WrittenHardFact, WrittenIncident, WrittenProcessEnd, WrittenSource
from analyzer.report.formatting import format_time, parse_time, plural
from analyzer.report.written_evidence import WrittenEvidence
from analyzer.wording import join_names

MAX_LISTED_ACCUSERS = 4
MAX_ROWS = 8  # more nodes than that are folded
MAX_SHOWN_FACTS = 60  # processes whose lines the report shows
SIGNAL_STATUS = 128  # shells state the end by signal n as the status 128 + n


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingRow:
    """One node, or several that ended alike. Times are RFC 3339; empty texts and None are unknown."""

    names: tuple[str, ...]
    tasks: tuple[str, ...]
    culprit: bool
    ended: str
    is_bad: bool  # it was killed, exited with an error, or its log stops
    stated: WrittenEvidence | None  # the line that states the end
    stated_by: str
    core: str
    last_step: str
    last_line: WrittenEvidence | None
    last_time: str | None
    silent_since: str | None
    accused_by: tuple[str, ...]  # the first ones
    accuser_count: int
    step_line: WrittenEvidence | None  # the line that states the last step
    explained: bool  # by the first root cause
    facts: tuple[WrittenHardFact, ...]  # of each process

    @property
    def name(self) -> str:
        return self.names[0] if len(self.names) == 1 else plural(len(self.names), "node")


@dataclass(frozen=True, slots=True)
class Endings:
    """`job`: what the scheduler or launcher says of the job as a whole, or None. `explains`: how many of the bad ends
    the root cause explains; empty if it is not known.
    """

    rows: tuple[EndingRow, ...]
    job: EndingRow | None
    explains: str

    def choose_facts(self) -> list[tuple[EndingRow, Sequence[WrittenHardFact]]]:
        """Return each row with the facts whose lines the report shows: the first of each, and MAX_SHOWN_FACTS in
        all.
        """
        rows = [*([self.job] if self.job else []), *self.rows]
        left = max(MAX_SHOWN_FACTS - len(rows), 0)
        chosen: list[tuple[EndingRow, Sequence[WrittenHardFact]]] = []
        for row in rows:
            shown = row.facts[: 1 + left]
            left -= len(shown) - 1
            chosen.append((row, shown))
        return chosen


def list_lines(fact: WrittenHardFact) -> list[WrittenEvidence]:
    """Return the lines of a process that the table of the first screen leads to: of its end, its last one, its step."""
    lines = (fact.ended and fact.ended.evidence, fact.last_line, fact.last_step_line)
    return list({(line.file, line.line): line for line in lines if line}.values())


def list_endings(incident: WrittenIncident) -> Endings:
    """Return the rows, the culprit first, then those that others miss, then the others by time."""
    culprit = incident.root_causes[0].node if incident.root_causes else None
    facts = incident.hard_facts or list(_facts_of_nodes(incident))
    last_times = {node.name: node.last_time for node in incident.nodes}
    unstated = {node.name: "no files from this node" for node in incident.nodes if not node.present}
    unstated |= {
        source.node: "log not read to its end" for source in incident.sources if source.node and _is_cut(source)
    }
    rows = [_make_row(fact, culprit, last_times, unstated) for fact in facts]
    job = next((row for row, fact in zip(rows, facts, strict=True) if fact.node is None), None)
    rows = sorted((row for row in rows if row is not job), key=_order)
    return Endings(tuple(_fold(rows)), job, _describe_explained(rows) if incident.hard_facts and culprit else "")


def _facts_of_nodes(incident: WrittenIncident) -> Iterator[WrittenHardFact]:
    """Yield the facts of an older report, which states only what its nodes have."""
    for node in incident.nodes:
        yield WrittenHardFact(
            node=node.name,
            task=node.tasks[0] if len(node.tasks) == 1 else None,
            last_step=node.progress.step if node.progress else None,
            silent_since=node.silent_since,
            core=next((core.file for core in incident.cores if core.node == node.name), None),
        )


def _is_cut(source: WrittenSource) -> bool:
    return source.status == "partly-read" and source.kind == Kind.WORKER.value


def _make_row(
    fact: WrittenHardFact, culprit: str | None, last_times: dict[str, str | None], unstated: Mapping[str, str]
) -> EndingRow:
    """Return the row of a node; `unstated`: node → what is shown of it if nothing states its end."""
    name = fact.node or "the job"
    accused_by = tuple(dict.fromkeys(accuser.node or "the launcher" for accuser in fact.accused_by))
    ended = describe_end(fact.ended)
    is_bad = bool(fact.ended and _is_bad(fact.ended)) or bool(fact.silent_since or fact.core)
    if not ended:
        ended = "log stops" if fact.silent_since else unstated.get(fact.node or "", "not stated")
    return EndingRow(
        names=(name,),
        tasks=(fact.task,) if fact.task and fact.task != name else (),
        culprit=fact.node is not None and fact.node == culprit,
        ended=ended,
        is_bad=is_bad,
        stated=fact.ended.evidence if fact.ended else None,
        stated_by=fact.ended.by if fact.ended else "",
        core=fact.core or "",
        last_step="" if fact.last_step is None else f"{fact.last_step:,}",
        last_line=fact.last_line,
        last_time=last_times.get(name) or (fact.last_line.corrected if fact.last_line else None),
        silent_since=fact.silent_since,
        accused_by=accused_by,
        accuser_count=max(fact.accusers, len(accused_by)),
        step_line=fact.last_step_line or (fact.last_line if _states_step(fact) else None),
        explained=0 in fact.explained_by,
        facts=(fact,),
    )


def _states_step(fact: WrittenHardFact) -> bool:
    """Return whether the last line states the last step. Reports of older versions have no line of the step."""
    numbers = re.findall(r"\d+", fact.last_line.text if fact.last_line else "")
    return fact.last_step is not None and str(fact.last_step) in numbers


def describe_end(end: WrittenProcessEnd | None) -> str:
    """Return `SIGKILL (status 137)`, `exit status 1` or the like; empty if no source states how it ended."""
    if end is None:
        return ""
    if end.signal:
        return f"{end.signal} (status {_status_of(end.signal)})" if _status_of(end.signal) else end.signal
    if end.how == "job-succeeded":
        return "succeeded"
    if end.status is None:
        return {"job-failed": "failed", "finished": "finished", "killed": "killed"}.get(end.how, end.how)
    return f"exit status {end.status}"


def describe_row(row: EndingRow) -> str:
    """Return `n2 (worker:1): SIGKILL (status 137), core, last step 7, silent since …, accused by n1` for a text."""
    tasks = f" ({', '.join(row.tasks)})" if row.tasks else ""
    parts = [
        row.ended,
        *(["core"] if row.core and len(row.names) == 1 else [row.core] if row.core else []),
        *([f"last step {row.last_step}"] if row.last_step else []),
        *([f"silent since {format_time(row.silent_since)}"] if row.silent_since else []),
        *([f"accused by {join_names(list_accusers(row), MAX_LISTED_ACCUSERS + 1)}"] if row.accused_by else []),
    ]
    return f"{row.name}{tasks}: {', '.join(parts)}"


def list_accusers(row: EndingRow) -> list[str]:
    """Return the first accusers, and how many more there are: `n1`, `n2`, `97 more`."""
    shown = list(row.accused_by[:MAX_LISTED_ACCUSERS])
    more = row.accuser_count - len(shown)
    return [*shown, f"{more:,} more"] if more > 0 else shown


def _status_of(name: str) -> int | None:
    return SIGNAL_STATUS + signal.Signals[name] if name in signal.Signals.__members__ else None


def _is_bad(end: WrittenProcessEnd) -> bool:
    return bool(end.signal) or end.how in ("killed", "job-failed") or bool(end.status)


def _order(row: EndingRow) -> tuple[bool, int, bool, float, str]:
    return (not row.culprit, -row.accuser_count, not row.is_bad, parse_time(row.last_time) or 0.0, row.names[0])


def _fold(rows: Sequence[EndingRow]) -> Iterator[EndingRow]:
    """Yield the rows; if there are many, those that ended alike are one, the rarest kinds first."""
    if len(rows) <= MAX_ROWS:
        yield from rows
        return
    kinds: dict[tuple[object, ...], list[EndingRow]] = {}
    for row in rows:
        kind = (row.culprit, row.ended, bool(row.core), bool(row.silent_since), bool(row.accused_by), row.explained)
        kinds.setdefault(kind, []).append(row)
    for group in sorted(kinds.values(), key=lambda group: (not group[0].culprit, len(group))):
        yield group[0] if len(group) == 1 else _merge(group)


def _merge(group: Sequence[EndingRow]) -> EndingRow:
    """Return one row of several; what differs is a range or a count."""
    first = group[0]
    steps = [int(row.last_step.replace(",", "")) for row in group if row.last_step]
    span = sorted({min(steps), max(steps)}) if steps else []
    silent = [row.silent_since for row in group if row.silent_since]
    accusers = tuple(dict.fromkeys(name for row in group for name in row.accused_by))
    last = max((row for row in group if row.last_time), key=lambda row: row.last_time or "", default=first)
    return EndingRow(
        names=tuple(row.names[0] for row in group),
        tasks=(),
        culprit=first.culprit,
        ended=first.ended,
        is_bad=first.is_bad,
        stated=first.stated,
        stated_by=first.stated_by,
        core=plural(sum(bool(row.core) for row in group), "core") if first.core else "",
        last_step=" to ".join(f"{step:,}" for step in span),
        last_line=last.last_line,
        last_time=last.last_time,
        silent_since=min(silent, default=None),
        accused_by=accusers,
        accuser_count=max(len(accusers), *(row.accuser_count for row in group)),
        step_line=_line_of_least_step(group),
        explained=first.explained,
        facts=tuple(fact for row in group for fact in row.facts),
    )


def _line_of_least_step(group: Sequence[EndingRow]) -> WrittenEvidence | None:
    """Return the line of the least of several last steps."""
    steps = [(int(row.last_step.replace(",", "")), row.step_line) for row in group if row.last_step]
    return min(steps, key=lambda pair: pair[0])[1] if steps else None


def _describe_explained(rows: Sequence[EndingRow]) -> str:
    bad = [row for row in rows if row.is_bad]
    if not bad:
        return ""
    unexplained = [f"{row.names[0]}: {row.ended}" for row in bad if not row.explained]
    open_facts = f"; open: {join_names(unexplained, 3)}" if unexplained else ""
    return f"explains {len(bad) - len(unexplained):,} of {plural(len(bad), 'hard fact')}{open_facts}"
