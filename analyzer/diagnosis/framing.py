"""The timeline of this job alone: what came to nothing is left out, what is of other jobs and other times is known."""

from __future__ import annotations

from analyzer.assembly.types import Assembly
from analyzer.diagnosis.blame import Blame, settle
from analyzer.timeline.lifetime import find_span
from analyzer.timeline.order import Timeline
from analyzer.timeline.ours import find_ours


def frame(assembly: Assembly, blame: Blame) -> Timeline:
    timeline = assembly.timeline.without(settle(assembly.timeline.events, blame), assembly.sources)
    kinds = {source.file: source.kind for source in assembly.sources}
    timeline.ours = find_ours(timeline.events, assembly.feeds, assembly.nodes, kinds)
    workers = (node.name for node in assembly.nodes if node.present and node.tasks)
    timeline.span = find_span(timeline, assembly.feeds, workers, assembly.vague)
    return timeline
