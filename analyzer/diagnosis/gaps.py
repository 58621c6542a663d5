"""Rules that could not be judged, and what would have to be there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzer.incident import Gap
from analyzer.model import Kind, Role
from analyzer.rules.conditions import signals_of
from analyzer.rules.evaluate import Missing
from analyzer.rules.types import Packs
from analyzer.timeline.order import Timeline


def find_gaps(missing: Iterable[Missing], packs: Packs, timeline: Timeline) -> Iterator[Gap]:
    """Rules that lacked a source where it would have decided, and those that lack one everywhere."""
    for lack in (one for one in missing if not one.slow):
        kinds = packs.signals[lack.signal].kinds if lack.signal in packs.signals else frozenset[Kind]()
        yield {
            "rule": lack.rule,
            "lacks": sorted(kind.value for kind in kinds) or ["any log"],
            "nodes": sorted(lack.nodes),
        }
    yield from _sourceless(packs, timeline)


def tell_slow(missing: Iterable[Missing]) -> Iterator[str]:
    for lack in missing:
        if lack.slow:
            yield f"rule {lack.rule} was not judged: its test {lack.slow!r} takes too long on what a line says"


def _sourceless(packs: Packs, timeline: Timeline) -> Iterator[Gap]:
    """Cause rules that rest on a kind of source of which the bundle holds nothing."""
    present = {kind for kinds in timeline.kinds.values() for kind in kinds}
    for rule in packs.rules.values():
        wanted = [packs.signals[name].kinds for name in signals_of(rule.when) if name in packs.signals]
        if rule.role is Role.CAUSE and wanted and all(kinds and not kinds & present for kinds in wanted):
            yield {"rule": rule.id, "lacks": sorted({kind.value for kinds in wanted for kind in kinds}), "nodes": []}
