"""One file through the reader to an incident, and incidents that are read back to every report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any

from analyzer.errors import AnalyzerError
from analyzer.formats.unwrap import choose_unwrapper
from analyzer.pipeline import IngestResult, diagnose, read_small_text
from analyzer.reading import window
from analyzer.report.json import to_json
from analyzer.report.reader import read_incident
from analyzer.report.schema import incident_schema
from tests.fuzz.outputs import render_every_way
from tests.fuzz.prose import respell, shuffle_lines
from tests.fuzz.rule_seeds import built_in, fixture_files, rule_bundles, small_files
from tests.fuzz.schemas import make_instance
from tests.fuzz.target import Target, workplace
from tests.fuzz.trees import twist_json, twist_records

BLOCK = 997  # bytes: many to a seed, and no line's length divides it


@cache
def file_seeds() -> Sequence[bytes]:
    """A path, a line feed, and what the file there holds."""
    groups = (small_files(), *fixture_files().values(), *rule_bundles())
    return [path.encode() + b"\n" + content for files in groups for path, content in files.items()]


def rename(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """The same under another file's name, which decides what it is read as."""
    return chance.choice(seeds).partition(b"\n")[0] + b"\n" + data.partition(b"\n")[2]


def twist_content(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """A document under its path; it may be JSON as a whole or in lines."""
    path, _, content = data.partition(b"\n")
    others = [chance.choice(seeds).partition(b"\n")[2]]
    twisted = twist_json(content, chance, others)
    return path + b"\n" + (twisted if twisted != content else twist_records(content, chance, others))


def check_file(data: bytes) -> None:
    path, _, content = data.partition(b"\n")
    name = "".join(char for char in path.decode("utf-8", "replace") if char.isprintable())[:200] or "x"
    incident = read_file(name, content)
    assert json.loads(json.dumps(incident, allow_nan=False)) == incident
    assert _judged(read_file(name, content, BLOCK)) == _judged(incident), "another size of blocks"
    head = content[: 1 << 15]  # it shows the end of a line, by which the other end is recognized
    if b"\n" in head and b"\r" not in content and b"\0" not in content and choose_unwrapper(content[: 1 << 16]) is None:
        assert _judged(read_file(name, content.replace(b"\n", b"\r\n"))) == _judged(incident), "another end of lines"


def read_file(name: str, content: bytes, block: int = window.BLOCK_BYTES) -> dict[str, Any]:
    packs, plan = built_in()
    intake = IngestResult()
    usual, window.BLOCK_BYTES = window.BLOCK_BYTES, block
    try:
        read_small_text(name, content, plan, intake)
    finally:
        window.BLOCK_BYTES = usual
    intake.notes += intake.manifests.notes()
    return to_json(diagnose(intake, packs))


def _judged(incident: Mapping[str, Any]) -> object:
    """All but what counts bytes."""
    sources = [{**source, "bytes": 0} for source in incident["sources"]]
    return {**incident, "sources": sources, "tool": None}


@cache
def report_seeds() -> Sequence[bytes]:
    packs, plan = built_in()
    some = list(small_files().items())
    groups: list[Sequence[tuple[str, bytes]]] = [
        some[:40],
        some[40:],
        *(list(f.items()) for f in fixture_files().values()),
    ]
    groups += [list(files.items()) for files in rule_bundles() if len(files) > 2][::8]
    seeds = []
    for files in groups:
        intake = IngestResult()
        for path, content in files:
            read_small_text(path, content, plan, intake)
        seeds.append(json.dumps(to_json(diagnose(intake, packs)), indent=1).encode())
    return seeds


@cache
def _schema() -> dict[str, Any]:
    return incident_schema()


def regrow(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """One part of the report made anew by its schema."""
    try:
        incident = json.loads(data)
    except (ValueError, RecursionError):
        return data
    if not isinstance(incident, dict):
        return data
    key = chance.choice(sorted(_schema()["properties"]))
    return json.dumps({**incident, key: make_instance(_schema()["properties"][key], _schema(), chance)}).encode()


def check_report(data: bytes) -> None:
    path = workplace() / "incident.json"
    path.write_bytes(data)
    with suppress(AnalyzerError):
        render_every_way(read_incident(path))


TARGETS = (
    Target("files", file_seeds, check_file, (respell, respell, shuffle_lines, rename, twist_content)),
    Target("reports", report_seeds, check_report, (twist_json, twist_json, regrow, respell)),
)
