"""What of the truth somebody can still tell from a bundle: what a proof shows that nothing took away.

Limits:

* Only the proofs that the truth names count. A bundle may show more, so whoever writes a truth names every proof.
* A proof in lines counts while one line of its process contains its text. Stamps in it do not count, because wrong
  clocks and other zones change them.
* In files, the text is searched in all of them, as formats escape it, and not in the lines of its process alone. A text
  that a format wraps over several records is not found.
* How a process ended, a core and an environment have no text of their own. Only a cut archive takes them away: they
  count while all bytes that state them come before the cut. Files that were also renamed count as lost.
* Where nobody alone is to blame, the node can be told only if a proof says so.
"""

from __future__ import annotations

import bz2
import codecs
import dataclasses
import io
import json
import lzma
import random
import tarfile
import zipfile
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape

from accuracy.collectors import Files
from accuracy.disturbances import Case
from accuracy.disturbances._stamps import rewrite
from accuracy.identities import Identities
from accuracy.runs import Carried, Process, Proof, Run, Scope

LOGS: frozenset[Carried] = frozenset(("lines", "kernel", "launcher"))
EVERYTHING: frozenset[Scope] = frozenset(("cause", "node"))


def find_tellable(case: Case, files: Files | None = None) -> frozenset[Scope]:
    """`files`: the bundle's, where something was done to them after the collector wrote them.

    A healthy run can be told, both that nothing failed and that nobody is to blame, while the end of one task is left.
    """
    left = None if files is None else _Left(files)
    if case.run.truth.cause == "none":
        return EVERYTHING if any(_survives(case, proof, left) for proof in _prove_health(case.run)) else frozenset()
    survivors = [proof for proof in case.run.truth.proofs if _survives(case, proof, left)]
    return frozenset(
        scope for proof in survivors for scope in proof.tells if scope != "node" or _names_culprit(case, proof)
    )


def _names_culprit(case: Case, proof: Proof) -> bool:
    """A task's own lines tell whose they are where the bundle keeps tasks apart; elsewhere the line itself has to."""
    run = case.run
    process = run.by_name[proof.process]
    if proof.by != "lines" or not _shares_lines(case, process):
        return True
    names = {
        _encode(name)
        for task in run.tasks
        if task.task in run.truth.culprits
        for name in (task.host, task.name, task.task, f"task:{task.task.rpartition(':')[2]}", str(task.pid))
    }
    shown = [line.text for line in run.lines_of(process.name) if _encode(proof.says) in line.text]
    return any(name in text for text in shown for name in names)


def _shares_lines(case: Case, process: Process) -> bool:
    own = case.collector.group(case.run, process)
    others = (other for other in case.run.tasks if other.task != process.task and other.name not in case.missing)
    return any(
        case.collector.keeps(case.run, other) and case.collector.group(case.run, other) == own for other in others
    )


class _Left:
    """What can still be read of files: those inside of archives too, up to where an archive was cut."""

    def __init__(self, files: Files) -> None:
        self.damaged = False
        self.files = dict(self._open(files))

    def _open(self, files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
        for path, content in files.items():
            inner = self._unpack(path, content)
            if inner is None:
                yield path, _decode(content)
            else:
                yield from self._open(inner)

    def _unpack(self, path: str, content: bytes) -> dict[str, bytes] | None:
        if content.startswith(b"\x1f\x8b"):
            plain = self._inflate(content)
            return self._list(plain) if plain[257:262] == b"ustar" else {path.removesuffix(".gz"): plain}
        if content.startswith(b"PK\x03\x04") and zipfile.is_zipfile(io.BytesIO(content)):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                return {name: archive.read(name) for name in archive.namelist()}
        if content.startswith(b"BZh"):
            return {path.removesuffix(".bz2"): bz2.decompress(content)}
        if content.startswith(b"\xfd7zXZ\0"):
            return {path.removesuffix(".xz"): lzma.decompress(content)}
        return self._list(content) if content[257:262] == b"ustar" else None

    def _inflate(self, content: bytes) -> bytes:
        parts = []
        while content.startswith(b"\x1f\x8b"):
            stream = zlib.decompressobj(31)
            parts.append(stream.decompress(content))
            self.damaged |= not stream.eof
            content = stream.unused_data
        return b"".join(parts)

    def _list(self, content: bytes) -> dict[str, bytes]:
        """Of a tar's members: the last one may be cut."""
        members: dict[str, bytes] = {}
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:", ignore_zeros=True) as archive:
            try:
                for member in archive:
                    if member.isfile():
                        members[member.name] = content[member.offset_data : member.offset_data + member.size]
            except tarfile.ReadError:
                self.damaged = True
        return members


def _decode(content: bytes) -> bytes:
    """UTF-16, as shells of Windows write it, as UTF-8."""
    is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16", errors="replace").encode(errors="replace") if is_utf16 else content


def _prove_health(run: Run) -> Iterator[Proof]:
    """How a task ended, and the last words of each task."""
    for task in run.tasks:
        if task.status == 0:
            yield Proof("exit", task.name, ("cause", "node"))
            words = [line.text for line in run.lines_of(task.name) if len(line.text.strip()) > 3]
            if words:
                yield Proof("lines", task.name, ("cause", "node"), words[-1].decode(errors="surrogateescape"))


def _survives(case: Case, proof: Proof, left: _Left | None) -> bool:
    if not _is_handed_in(case, proof):
        return False
    if left is None:
        return True
    if proof.says:
        escaped = (case.collector.escape(part) or b"" for part in _list_parts(_encode(proof.says)))
        parts = [part.decode(errors="surrogateescape") for text in escaped for part in text.split(b"\n")]
        return all(_is_in_files(part, left) for part in parts)
    return not left.damaged or _is_before_cut(case, proof, left)


def _is_handed_in(case: Case, proof: Proof) -> bool:
    run, process = case.run, case.run.by_name.get(proof.process)
    if process is None or proof.process in case.missing or proof.by not in case.collector.carries:
        return False
    if proof.by not in LOGS:
        return proof.by != "exit" or case.collector.ends(run, process)
    parts = _list_parts(_encode(proof.says))
    lines = run.lines_of(process.name) if case.collector.keeps(run, process) else []
    return any(all(part in line.text for part in parts) for line in lines)


def _list_parts(says: bytes) -> list[bytes]:
    """What stands between stamps, without the brackets and marks that go with them."""
    parts = rewrite(says, lambda stamp: b"\0").split(b"\0")
    return [part.strip(b" []()-|:,") for part in parts] if len(parts) > 1 else parts


def _encode(says: str) -> bytes:
    return says.encode(errors="surrogateescape")


def _is_in_files(says: str, left: _Left) -> bool:
    return any(needle in content for needle in _escape(says) for content in left.files.values())


def _escape(says: str) -> set[bytes]:
    """The text as formats write it: plain, within JSON, XML, CSV, and within JSON in CSV."""
    ascii_json, json_text = json.dumps(says)[1:-1], json.dumps(says, ensure_ascii=False)[1:-1]
    forms = {says, ascii_json, json_text, escape(says), escape(says, {'"': "&quot;", "'": "&apos;"})}
    forms |= {form.replace('"', '""') for form in (says, ascii_json, json_text)} | {json.dumps(json_text)[1:-1]}
    return {_encode(form) for form in forms}


def _is_before_cut(case: Case, proof: Proof, left: _Left) -> bool:
    """A file states a fact where it would be another if the fact were; the last byte that would must be left."""
    was, would = _render(case, case.run), _render(case, _deny(case.run, proof))
    for path, content in was.items():
        if would.get(path) == content:
            continue
        end = _find_last_difference(content, would.get(path, b""))
        remaining = next((text for name, text in left.files.items() if f"/{name}".endswith(f"/{path}")), b"")
        if len(remaining) > end:
            return True
    return False


def _render(case: Case, run: Run) -> Files:
    handed = dataclasses.replace(case, run=run).hand_in()
    return case.collector.render(handed, Identities(case.run), random.Random(case.run.name))


def _deny(run: Run, proof: Proof) -> Run:
    """The run in which what proves did not happen."""
    if proof.by == "core":
        return run.replace(cores={name: core for name, core in run.cores.items() if name != proof.process})
    process = run.by_name[proof.process]
    if proof.by == "environment":
        run, other = run.replace(environment={}), dataclasses.replace(process, environment={})
    elif process.status == 0:
        other = dataclasses.replace(process, status=1)
    else:
        other = dataclasses.replace(process, status=0, signal=None)
    return run.replace(processes=tuple(other if attempt.name == process.name else attempt for attempt in run.processes))


def _find_last_difference(data: bytes, other: bytes) -> int:
    """The offset in `one` behind which both are the same to their ends."""
    short = min(len(data), len(other))
    same = (
        bisect_left(range(short + 1), True, key=lambda back: data[len(data) - back :] != other[len(other) - back :]) - 1
    )
    return max(0, len(data) - same - 1)
