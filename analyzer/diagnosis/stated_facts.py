"""What nodes state of themselves: versions, settings, and how their task ended."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.diagnosis.derivation_context import DerivationContext, only_task
from analyzer.facts.skew import find_odd_nodes, proof_event
from analyzer.model import Event

SETTING_SIGNAL, EXITED_SIGNAL = "derived.setting", "derived.exited"
VERSION_DIFFERS_SIGNAL = "derived.version_differs"
# Software of which a job must have one version, or of which it is at least worth knowing.
SOFTWARE_COMPONENTS = frozenset(
    """
    tensorflow tf-nightly keras python numpy protobuf horovod nccl cudnn cuda cudart driver kernel glibc jax jaxlib
    grpcio cuda-of-the-driver cuda-toolkit nvidia-nccl-cu11 nvidia-nccl-cu12 nvidia-cudnn-cu11 nvidia-cudnn-cu12
    """.split()  # noqa: SIM905
)


def derive_differing_settings(context: DerivationContext) -> Iterator[Event]:
    """A node whose component or setting differs from what most have."""
    for key, by_value in context.settings.items():
        signal = VERSION_DIFFERS_SIGNAL if key in SOFTWARE_COMPONENTS else "derived.setting_differs"
        if len(by_value) < 2 or signal not in context.wanted_signals:
            continue
        common, odd_values = find_odd_nodes(by_value)
        for node, value in odd_values.items():
            proof = proof_event(by_value[value][node])
            yield from context.derive(signal, node, [proof], key=key, value=value, common=common)


def derive_settings(context: DerivationContext) -> Iterator[Event]:
    """What each node says of its versions and settings; only for rules that ask, because every node has dozens."""
    if SETTING_SIGNAL not in context.wanted_signals:
        return
    for key, by_value in context.settings.items():
        for value, proofs in by_value.items():
            for node, statement in proofs.items():
                proof = proof_event(statement)
                for event in context.derive(SETTING_SIGNAL, node, [proof], key=key, value=value):
                    yield event._replace(severity=proof.severity)


def derive_exits(context: DerivationContext) -> Iterator[Event]:
    """How each node's task ended, whichever file or line says it; only for rules that ask."""
    for activity in context.activities.values() if EXITED_SIGNAL in context.wanted_signals else ():
        if activity.exit_event:
            for event in context.derive(EXITED_SIGNAL, activity.name, [activity.exit_event], task=only_task(activity)):
                yield event._replace(severity=activity.exit_event.severity)
