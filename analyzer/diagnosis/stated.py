"""What nodes state of themselves: versions, settings, and how their task ended."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.diagnosis.scene import Scene, task_of
from analyzer.facts.skew import odd_nodes, proof_of
from analyzer.model import Event

SETTING, EXITED = "derived.setting", "derived.exited"
DIFFERS = "derived.version_differs"
# Software of which a job must have one version, or of which it is at least worth knowing.
COMPONENTS = frozenset(
    """
    tensorflow tf-nightly keras python numpy protobuf horovod nccl cudnn cuda cudart driver kernel glibc jax jaxlib
    grpcio cuda-of-the-driver cuda-toolkit nvidia-nccl-cu11 nvidia-nccl-cu12 nvidia-cudnn-cu11 nvidia-cudnn-cu12
    """.split()  # noqa: SIM905
)


def versions(scene: Scene) -> Iterator[Event]:
    """A node whose component or setting differs from what most have."""
    for key, by_value in scene.settings.items():
        signal = DIFFERS if key in COMPONENTS else "derived.setting_differs"
        if len(by_value) < 2 or signal not in scene.asked:
            continue
        common, odd = odd_nodes(by_value)
        for node, value in odd.items():
            proof = proof_of(by_value[value][node])
            yield from scene.derive(signal, node, [proof], key=key, value=value, common=common)


def settings(scene: Scene) -> Iterator[Event]:
    """What each node says of its versions and settings; only for rules that ask, because every node has dozens."""
    if SETTING not in scene.asked:
        return
    for key, by_value in scene.settings.items():
        for value, proofs in by_value.items():
            for node, said in proofs.items():
                proof = proof_of(said)
                for event in scene.derive(SETTING, node, [proof], key=key, value=value):
                    yield event._replace(severity=proof.severity)


def exits(scene: Scene) -> Iterator[Event]:
    """How each node's task ended, whichever file or line says it; only for rules that ask."""
    for story in scene.stories.values() if EXITED in scene.asked else ():
        if story.exited:
            for event in scene.derive(EXITED, story.name, [story.exited], task=task_of(story)):
                yield event._replace(severity=story.exited.severity)
