"""What cannot be known from this bundle, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from analyzer.diagnosis.stories import Story
from analyzer.incident import RootCause
from analyzer.model import Kind
from analyzer.timeline.order import Timeline
from analyzer.timeline.progress import Progress

NAMED = 10
RIVALS = 3


def tell_limits(
    stories: Mapping[str, Story], progress: Mapping[str, Progress], roots: Sequence[RootCause], timeline: Timeline
) -> Iterator[str]:
    yield from _absent(stories, timeline.ours.strangers)
    yield from _endless(stories, progress)
    yield from _timeless(stories, progress)
    yield from _unordered(roots, timeline)


def _absent(stories: Mapping[str, Story], strangers: frozenset[str]) -> Iterator[str]:
    """Of whom logs should be asked for: first those that others lost. Pods of other jobs are not missed."""
    absent = [story for story in stories.values() if not story.node.present and story.name not in strangers]
    if absent:
        asked = [_titled(story) for story in absent if story.accused] or ["each"]
        yield (
            f"nothing of {_listed([story.name for story in absent])} is in the bundle, although the others name it: "
            f"what happened there can only be concluded from outside; the log of {_listed(asked)}, the kernel's log "
            "there and the exit status would tell"
        )


def _titled(story: Story) -> str:
    tasks = [task for task in story.node.tasks if task != story.name]
    return f"{story.name} ({', '.join(tasks)})" if tasks else story.name


def _endless(stories: Mapping[str, Story], progress: Mapping[str, Progress]) -> Iterator[str]:
    """Logs of tasks that trained, and neither end nor say an error; nobody knows which of three things that is."""
    endless = [
        f"{story.name} (after {progress[story.name].step})"
        for story in stories.values()
        if story.name in progress and not (story.ended_well or story.exited or _speaks(story))
    ]
    if endless:
        yield (
            f"the log of {_listed(endless)} stops without an error or an end: whether the task died, hung or its log "
            "was cut cannot be told from it alone"
        )


def _speaks(story: Story) -> bool:
    """It says what happened to it; what was concluded from its silence does not count."""
    concluded = (finding.evidence[0].kind is Kind.DERIVED for finding in story.own)
    return bool(story.errors or story.symptoms or not all(concluded))


def _timeless(stories: Mapping[str, Story], progress: Mapping[str, Progress]) -> Iterator[str]:
    if progress and all(one.time is None for one in progress.values()):
        yield (
            "no training log tells the time of its lines: who was first rests on steps, on the order within each file "
            "and on who names whom"
        )


def _unordered(roots: Sequence[RootCause], timeline: Timeline) -> Iterator[str]:
    """Causes on several nodes whose times are nearer to each other than their clocks are known."""
    for other in roots[1 : 1 + RIVALS]:
        one, rival = roots[0].finding, other.finding
        if one.node is None or rival.node is None or one.node == rival.node or one.time is None or rival.time is None:
            continue
        error = timeline.error(one.node) + timeline.error(rival.node)
        if (gap := abs(one.time - rival.time)) <= error:
            yield (
                f"the order of {one.cause} on {one.node} and {rival.cause} on {rival.node} cannot be told: they lie "
                f"{gap:.3g} s apart, and the two clocks are known to ± {error:.3g} s"
            )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
