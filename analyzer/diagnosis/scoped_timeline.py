"""The timeline of this job alone: what came to nothing is left out, what is of other jobs and other times is known."""

from __future__ import annotations

from analyzer.assembly.types import Assembly
from analyzer.diagnosis.accusations import PeerResolver, make_void_test
from analyzer.timeline.job_lifetime import find_job_window
from analyzer.timeline.job_scope import find_job_scope
from analyzer.timeline.timeline import Timeline


def scope_timeline(assembly: Assembly, resolver: PeerResolver) -> Timeline:
    timeline = assembly.timeline.without_events(make_void_test(assembly.timeline.events, resolver), assembly.sources)
    kinds = {source.file: source.kind for source in assembly.sources}
    timeline.scope = find_job_scope(timeline.events, assembly.semantics, assembly.nodes, kinds)
    workers = (node.name for node in assembly.nodes if node.present and node.tasks)
    timeline.window = find_job_window(timeline, assembly.semantics, workers, assembly.zoneless_files)
    return timeline
