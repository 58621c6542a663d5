"""What the answer must be, and whether an analysis of a changed bundle still gives it."""

from __future__ import annotations

import io
import json
import re
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from analyzer.bundle import Loss, open_bundle
from analyzer.incident import Incident
from analyzer.model import Node
from analyzer.paths import cache_dir
from analyzer.pipeline import Options, diagnose, read_inputs
from analyzer.reading import build_plan
from analyzer.rules.packs.cache import load_packs

from .case import Case

LARGEST = 32 << 20  # bytes; a larger member (a core) takes no part
_PACKED = re.compile(r"\.(?:tar(?:\.\w+)?|tgz|zip)(?=/)")


@dataclass(frozen=True, slots=True)
class Wanted:
    """`causes` that are right; empty: no failure. `nodes` that are right, None among them where nobody is at fault;
    no `nodes`: they are not judged."""

    causes: frozenset[str]
    nodes: frozenset[str | None] = frozenset()


@dataclass(frozen=True, slots=True)
class Answer:
    """The first root cause. `names` are all by which its node goes, tasks that two nodes claim left out."""

    cause: str | None
    node: str | None
    names: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"{self.cause or 'no cause'} on {self.node or 'nobody'}"


def load(bundle: Path) -> Case:
    """The members of a bundle; an archive inside it counts as a folder."""
    files: dict[str, bytes] = {}
    times = [0.0]
    with tempfile.TemporaryDirectory() as scratch:
        for item in open_bundle([bundle], scratch=Path(scratch)):
            if isinstance(item, Loss) or (item.size or 0) > LARGEST:
                continue
            files[_PACKED.sub("", item.path)] = item.stream.read()
            times.append(item.mtime or 0.0)
    return Case(files, mtime=max(times))


def read_wanted(bundle: Path) -> Wanted | None:
    """From expected.json beside the bundle, or NAME.truth.yaml; None without either."""
    expected, stem = bundle.parent / "expected.json", re.sub(r"\.(?:tar|zip|tgz).*$", "", bundle.name)
    if bundle.name == "bundle.tar.gz" and expected.exists():
        stated = json.loads(expected.read_text())
        nodes = frozenset(
            {stated["node"], *stated.get("acceptable_nodes", ()), *([stated["task"]] if stated["task"] else [])}
        )
    elif (truth := bundle.parent / f"{stem}.truth.yaml").exists():
        stated = yaml.safe_load(truth.read_text())
        culprit = stated.get("culprit_node")
        nodes = frozenset(culprit if isinstance(culprit, list) else [culprit] if culprit else [])
    else:
        return None
    return Wanted(
        frozenset({stated["cause"], *stated.get("also_acceptable", ())} - {None, "none"})
        if stated["cause"] not in (None, "none")
        else frozenset(),
        nodes,
    )


class Analyzer:
    """Rules and patterns, loaded once."""

    def __init__(self) -> None:
        self._packs = load_packs((), cache_dir())
        self._plan = build_plan(self._packs, cache_dir())

    def analyze(self, case: Case) -> Incident:
        with tempfile.TemporaryDirectory() as folder:
            bundle = Path(folder) / "bundle.tar"
            bundle.write_bytes(_pack(case.files, case.mtime))
            return diagnose(read_inputs([bundle], self._plan, Options()), self._packs)


def _pack(files: Mapping[str, bytes], mtime: float) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for path, data in files.items():
            info = tarfile.TarInfo(path)
            info.size, info.mtime = len(data), int(mtime)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def describe(case: Case, incident: Incident, wanted: Wanted) -> Case:
    """The case with what the unchanged analysis knows of its nodes and files."""
    source_of_file = {source.file: source for source in incident.sources}
    ranks = sorted((node for node in incident.nodes if node.present), key=_rank)
    culprits = {
        name for node in incident.nodes for name in _names(node, incident) if wanted.nodes & _names(node, incident)
    }
    top = incident.root_causes[0].finding.evidence if incident.root_causes else ()
    return replace(
        case,
        homes={path: home for path in case.files if path in source_of_file and (home := source_of_file[path].node)},
        kinds={path: source_of_file[path].kind.value for path in case.files if path in source_of_file},
        culprits=frozenset(culprits) | {name for name in wanted.nodes if name},
        evidence=frozenset(event.locus.file for event in top),
        ahead={node.name: node.clock.offset for node in incident.nodes},
        ranks=tuple(node.name for node in ranks),
    )


def answer_of(incident: Incident) -> Answer:
    if not incident.root_causes:
        return Answer(None, None)
    first = incident.root_causes[0].finding
    node = next((node for node in incident.nodes if node.name == first.node), None)
    return Answer(
        first.cause,
        first.node,
        frozenset({first.node} if first.node else ()) | (_names(node, incident) if node else frozenset()),
    )


def find_wrong(answer: Answer, wanted: Wanted, case: Case) -> str | None:
    """In words, or None where the answer is right. `case` knows how the culprits are called by now."""
    if (answer.cause is None) != (not wanted.causes) or (answer.cause and answer.cause not in wanted.causes):
        return f"wanted {' or '.join(sorted(wanted.causes)) or 'no cause'}, got {answer}"
    if (
        not wanted.nodes
        or not wanted.causes
        or (answer.node is None and None in wanted.nodes)
        or answer.names & case.culprits
    ):
        return None
    names = ", ".join(sorted(case.culprits)) or "nobody"
    return f"wanted node {names}, got {answer}"


def _names(node: Node, incident: Incident) -> frozenset[str]:
    shared = {task for other in incident.nodes if other.name != node.name for task in other.tasks}
    return frozenset({node.name, *node.hosts, *(set(node.tasks) - shared)})


def _rank(node: Node) -> tuple[list[tuple[bool, str, int]], str]:
    """Chief before worker before server, each by index."""
    order = [
        (not task.startswith("chief"), task.partition(":")[0].replace("ps", "zz"), int(task.partition(":")[2] or 0))
        for task in node.tasks
    ]
    return (sorted(order) or [(True, "~", 0)]), node.name
