"""Bundles of several files: the same answer from one process, from parts that were sent through pickles, and repacked.

An input is what `tail -n +1` prints of the files. What other processes and Dask's workers send is a pickled intake.
"""

from __future__ import annotations

import json
import pickle
import re
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random

from analyzer.bundle import BundleLimits, list_input_files
from analyzer.bundle.compression import detect_compression
from analyzer.bundle.tar.header import has_magic
from analyzer.bundle.zip.archive import is_zip
from analyzer.engine import parts
from analyzer.engine.event_budget import new_event_budget
from analyzer.engine.ingest import IngestResult, read_input_files
from analyzer.errors import InputError
from analyzer.pipeline import Options, diagnose, read_inputs
from analyzer.report.decode import decode_incident
from analyzer.report.json import to_json
from tests.bundle.packing import COMPRESSORS, pack_tar, pack_zip
from tests.fuzz.outputs import render_texts
from tests.fuzz.prose import respell, shuffle_lines
from tests.fuzz.rule_seeds import built_in, fixture_files, rule_bundles, small_files
from tests.fuzz.target import Target, workplace
from tests.fuzz.trees import twist_json, twist_records

MOST = 12  # files, so that an input is read within a tenth of a second
LIMITS = BundleLimits(members=500, expanded=32 << 20, holes=32 << 20, ratio_from=4 << 20)
_HEAD = re.compile(rb"^==> ([^\n]{1,200}) <==\n", re.M)
# A zip states no zone, and so no time: the tar says none either.
_PACKERS = {"x.zip": pack_zip, "x.tgz": lambda files: COMPRESSORS["gz"](pack_tar(files, mtime=0))}


def _join(files: Mapping[str, bytes]) -> bytes:
    return b"".join(b"==> " + path.encode() + b" <==\n" + content for path, content in files.items())


def _split(data: bytes) -> dict[str, bytes]:
    """Names that an archive may hold; one that comes again replaces the earlier."""
    pieces = _HEAD.split(data)
    names = ("/".join(word for word in _name(piece).split("/") if word.strip(".")) for piece in pieces[1::2])
    return {name: content for name, content in list(zip(names, pieces[2::2], strict=True))[:MOST] if name}


def _name(raw: bytes) -> str:
    return "".join(char if char.isprintable() else "_" for char in raw.decode("utf-8", "replace"))


@cache
def seeds() -> Sequence[bytes]:
    some = list(small_files().items())
    groups = [dict(some[at : at + 8]) for at in range(0, len(some), 8)]
    several = [files for files in rule_bundles() if len(files) > 1]
    nested = {
        "n1/in.tar.gz": COMPRESSORS["gz"](pack_tar(dict(some[:3]))),
        "n2/worker.log.1.gz": COMPRESSORS["gz"](b"x\n"),
    }
    return [_join(files) for files in (*groups, *several, *fixture_files().values(), nested)]


def move(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """A file under another name, on another node, gone, twice, or from another bundle."""
    files = list(_split(data).items())
    if not files:
        return data
    at, change = chance.randrange(len(files)), chance.randrange(4)
    name, content = files[at]
    if change == 0:
        files[at] = (chance.choice(("n1/", "node-2/", "", "nodes/n3/")) + name.rpartition("/")[2], content)
    elif change == 1:
        del files[at]
    elif change == 2:
        files.insert(0, (f"node-{chance.randrange(5)}/{name.rpartition('/')[2]}", content))
    else:
        files += list(_split(chance.choice(seeds)).items())[:2]
    return _join(dict(files))


def twist_one(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    files = _split(data)
    held = [name for name, content in files.items() if b"{" in content]
    if held:
        name = chance.choice(held)
        changed = twist_json(files[name], chance, [])
        files[name] = changed if changed != files[name] else twist_records(changed, chance, [])
    return _join(files)


def check(data: bytes) -> None:
    files = _split(data)
    folder = workplace()
    inputs = [_pack(folder / name, pack_tar(some)) for name, some in _by_node(files).items()]
    packs, plan = built_in()
    try:
        intake = read_inputs(inputs, plan, Options(limits=LIMITS))
    except InputError:
        return
    _check_ledger(files, intake)
    apart = _read_apart(inputs)
    apart.finish()
    incident = to_json(diagnose(intake, packs))
    assert to_json(diagnose(apart, packs)) == incident, "read apart, sent through pickles and merged"
    assert json.loads(json.dumps(incident, allow_nan=False)) == incident
    kind = zlib.crc32(data) % 8  # the same for the same input
    if kind < 4:
        render_texts(decode_incident(incident)[0])
    if kind in (0, 4):
        _check_packed(files, folder)


def _by_node(files: Mapping[str, bytes]) -> dict[str, dict[str, bytes]]:
    nodes: dict[str, dict[str, bytes]] = {}
    for path, content in files.items():
        number = zlib.crc32(path.partition("/")[0].encode()) % 3
        nodes.setdefault(f"{number}.tar", {})[path] = content
    return nodes


def _pack(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def _read_apart(inputs: Sequence[Path]) -> IngestResult:
    """As processes do and Dask's workers: each archive read alone, sent, and added in the order of the archives."""
    packs, plan = built_in()
    usual, parts.MAX_GROUPED_BYTES = parts.MAX_GROUPED_BYTES, 0
    try:
        pieces = parts.split_into_parts(list_input_files(inputs))
    finally:
        parts.MAX_GROUPED_BYTES = usual
    merged = IngestResult(event_budget=new_event_budget(packs.signals.values()))
    for part in pieces:
        merged.merge(pickle.loads(pickle.dumps(read_input_files(part.items, plan, LIMITS))))
    return merged


def _check_ledger(files: Mapping[str, bytes], intake: IngestResult) -> None:
    """Of files that are no archives each byte is read or said to be unread."""
    if any(detect_compression(file[:16]) or has_magic(file[:512]) or is_zip(file[:8]) for file in files.values()):
        return
    unread = [result.unread for result in intake.results] + [source.unread for source in intake.other_sources]
    assert all(count is None or count >= 0 for count in unread)
    counted = sum(result.bytes for result in intake.results) + sum(source.bytes for source in intake.other_sources)
    assert counted == sum(map(len, files.values())), f"{counted} of {sum(map(len, files.values()))} bytes are told of"


def _check_packed(files: Mapping[str, bytes], folder: Path) -> None:
    packs, plan = built_in()
    reports = []
    for name, packer in _PACKERS.items():
        intake = read_inputs([_pack(folder / name, packer(files))], plan, Options(limits=LIMITS))
        if any(source.status == "failed" for source in intake.other_sources):
            return  # what is left of a broken stream is counted as it is stored, which differs
        reports.append(to_json(diagnose(intake, packs)))
    assert reports[0] == reports[1], "zip and tgz"


TARGET = Target("bundles", seeds, check, (respell, respell, shuffle_lines, move, twist_one))
