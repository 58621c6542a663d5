"""Sources of programs and configurations: their lines are no log, but they may state settings."""

from __future__ import annotations

from collections import Counter

from analyzer.model import Kind
from analyzer.reading.plan import ReadPlan
from analyzer.reading.source_result import SourceResult

STATED_MEANINGS = frozenset({"identity", "version"})  # what a script states of the job that it starts


def keep_settings(result: SourceResult, plan: ReadPlan, reason: str, with_facts: bool) -> SourceResult:
    """Return what a source or a configuration states: its settings. With `with_facts` also facts, and who runs where.

    The source of a program has no facts: it quotes examples in its comments. `reason` says why the lines are no log. It
    is the problem of a file that states nothing.
    """
    kept = [
        (event, stamps)
        for event, stamps in zip(result.events, result.stamps, strict=False)  # facts behind the events have no stamps
        if with_facts and _is_statement(event.signal, plan)
    ]
    keys = {(event.signal, event.stream) for event, _ in kept}
    facts = result.facts if with_facts else []
    states_something = bool(kept or result.settings or facts)
    return SourceResult(
        file=result.file,
        kind=Kind.ENVIRONMENT if states_something else Kind.UNKNOWN,
        mtime=result.mtime,
        bytes=result.bytes,
        unread=result.unread,
        lines=result.lines,
        status=result.status if states_something else "not-understood",
        problem=result.problem if states_something else reason,
        events=[event for event, _ in kept],
        stamps=[stamps for _, stamps in kept],
        counts=Counter({key: result.counts[key] for key in keys}),
        streams=result.streams if kept else Counter(),
        settings=result.settings,
        facts=facts,
    )


def _is_statement(signal: str, plan: ReadPlan) -> bool:
    compiled = plan.signals_by_name.get(signal)
    return compiled is not None and not STATED_MEANINGS.isdisjoint(compiled.signal.feeds)
