"""What nodes state about themselves: versions, settings, and how their task ended."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from analyzer.diagnosis.derivation_context import DerivationContext, derives, only_task
from analyzer.facts.odd_numbers import OddNumber
from analyzer.facts.skew import find_odd_nodes, proof_event
from analyzer.model import Event, Kind, Severity
from analyzer.signals.derived import EXITED, ODD_NUMBER, SETTING, SETTING_DIFFERS, VERSION_DIFFERS

# Software that must, or should, have the same version on all nodes of a job.
SOFTWARE_COMPONENTS = frozenset(
    """
    tensorflow tf-nightly keras python numpy protobuf horovod nccl cudnn cuda cudart driver kernel glibc jax jaxlib
    grpcio cuda-of-the-driver cuda-toolkit nvidia-nccl-cu11 nvidia-nccl-cu12 nvidia-cudnn-cu11 nvidia-cudnn-cu12
    """.split()  # noqa: SIM905
)
MAX_BLOCK_LINES = 40  # lines after an error that are searched
_is_about_sizes = re.compile(r"shape|mismatch|dimension|size", re.I).search
_find_numbers = re.compile(r"(?<![\w.])\d{1,12}(?![\w.])").findall


@derives(VERSION_DIFFERS, SETTING_DIFFERS)
def derive_differing_settings(context: DerivationContext) -> Iterator[Event]:
    """A version or setting of a node differs from that of most nodes; only if rules use it."""
    for key, by_value in context.settings.items():
        signal = VERSION_DIFFERS if key in SOFTWARE_COMPONENTS else SETTING_DIFFERS
        if len(by_value) < 2 or signal.name not in context.wanted_signals:
            continue
        common, odd_values = find_odd_nodes(by_value)
        for node, value in odd_values.items():
            proof = proof_event(by_value[value][node])
            yield from context.derive(signal, node, [proof], key=key, value=value, common=common)


@derives(SETTING)
def derive_settings(context: DerivationContext) -> Iterator[Event]:
    """The versions and settings that each node states; only if rules use them, because every node has dozens."""
    if SETTING.name not in context.wanted_signals:
        return
    for key, by_value in context.settings.items():
        for value, proofs in by_value.items():
            for node, statement in proofs.items():
                proof = proof_event(statement)
                for event in context.derive(SETTING, node, [proof], key=key, value=value):
                    yield event._replace(severity=proof.severity)


@derives(ODD_NUMBER)
def derive_odd_numbers(context: DerivationContext) -> Iterator[Event]:
    """A number that only one member states differently; only if rules use it.

    An error about sizes selects the number: a mismatch of 37 and 38 is about the number that is 37 on one member and 38
    on the others.
    """
    if not context.odd_numbers or ODD_NUMBER.name not in context.wanted_signals:
        return
    disputed = [set(_find_numbers(text)) for text in _texts_about_sizes(context.timeline.events)]
    for number in context.odd_numbers:
        is_quoted = any({number.value, number.common} <= numbers for numbers in disputed)
        yield from context.derive(
            ODD_NUMBER,
            number.node,
            [_event_of(number)],
            text=number.text,
            value=number.value,
            common=number.common,
            side=number.side,
            error="quoted" if is_quoted else None,
        )


def _texts_about_sizes(events: Iterable[Event]) -> Iterator[str]:
    for event in events:
        if event.severity >= Severity.ERROR and event.kind is not Kind.DERIVED:
            text = "\n".join((event.text, *event.block[:MAX_BLOCK_LINES]))
            if _is_about_sizes(text):
                yield text


def _event_of(number: OddNumber) -> Event:
    return Event("", number.locus, number.text, kind=Kind.WORKER, node=number.node)


@derives(EXITED)
def derive_exits(context: DerivationContext) -> Iterator[Event]:
    """How the task of each node ended, by any file or line; only if rules use it."""
    for activity in context.activities.values() if EXITED.name in context.wanted_signals else ():
        if activity.exit_event:
            for event in context.derive(EXITED, activity.name, [activity.exit_event], task=only_task(activity)):
                yield event._replace(severity=activity.exit_event.severity)
