"""Files split, joined, cut, packed, left out, and filled with innocent lines."""

from __future__ import annotations

import gzip
import io
import tarfile
from dataclasses import replace
from random import Random

from . import stamps
from .case import Case, Transformation, base_of, from_lines, is_text, lines_of, texts, with_files, with_paths, without

CHATTER = (
    "I tensorflow/core/platform/cpu_feature_guard.cc:210] This TensorFlow binary is optimized",
    "data cache: 4096 rows held, hit rate 0.97",
    "metrics exporter: 12 gauges written",
    "queue depth 3, 128 batches prefetched",
    "WARNING:absl:`lr` is deprecated, please use `learning_rate` instead",
    "learning rate is now 0.00098",
)


def split_files(case: Case, random: Random) -> Case | None:
    """Rotated logs: the oldest part has the highest number."""
    files, homes, kinds = dict(case.files), dict(case.homes), dict(case.kinds)
    for path in case.training_logs():
        lines = lines_of(case.files[path])
        starts = [at for at, line in enumerate(lines) if at and stamps.read(line) is not None]
        cuts = sorted(random.sample(starts, min(len(starts), random.randint(1, 3))))
        parts = [lines[start:end] for start, end in zip([0, *cuts], [*cuts, len(lines)], strict=True)]
        for age, part in enumerate(reversed(parts)):
            name = f"{path}.{age}" if age else path
            files[name], homes[name], kinds[name] = from_lines(part), case.homes[path], case.kinds[path]
    return replace(case, files=files, homes=homes, kinds=kinds) if len(files) > len(case.files) else None


def join_files_of_a_node(case: Case, random: Random) -> Case | None:
    """What `tail -n +1 *.log *.txt` prints: a node's text files in one, each below its name."""
    files, homes, kinds = dict(case.files), dict(case.homes), dict(case.kinds)
    for node in case.nodes:
        paths = [
            path
            for path in case.files_of(node)
            if case.kinds.get(path) in ("worker", "kernel") and is_text(case.files[path])
        ]
        if len(paths) > 1:
            folder = paths[0].rpartition("/")[0]
            name = f"{folder}/all.txt" if folder else f"{node}.all.txt"
            joined = b"\n".join(b"==> " + base_of(path).encode() + b" <==\n" + files.pop(path) for path in paths)
            files[name], homes[name], kinds[name] = joined, node, "unknown"
    return replace(case, files=files, homes=homes, kinds=kinds) if len(files) < len(case.files) else None


def drop_innocent_node(case: Case, random: Random) -> Case | None:
    """One innocent node's files are lost; another innocent one remains as witness."""
    if len(case.innocents) < 2 or not set(case.nodes) & case.culprits:
        return None
    node = random.choice(case.innocents)
    return without(case, set(case.files_of(node)), node)


def truncate_innocent_log(case: Case, random: Random) -> Case | None:
    """The copy of an innocent node's log breaks off."""
    paths = [path for path in case.training_logs() if case.homes[path] in case.innocents and path not in case.evidence]
    if not paths or not case.culprits:
        return None
    path = random.choice(paths)
    lines = lines_of(case.files[path])
    kept = random.randint(len(lines) * 6 // 10, len(lines) - 1)
    return with_files(case, {path: from_lines(lines[:kept])}, f"{path} ends after line {kept} of {len(lines)}")


def drop_kernel_logs(case: Case, random: Random) -> Case | None:
    """Where the answer does not stand on them."""
    paths = {path for path in case.files if case.kinds.get(path) == "kernel"}
    return without(case, paths) if paths and not paths & case.evidence else None


def add_innocent_lines(case: Case, random: Random) -> Case | None:
    """Ten lines of chatter for each line of the log, in its own style, never inside a block of continuation lines."""
    changed = {
        path: from_lines(list(_with_chatter(lines_of(case.files[path]), random)))
        for path in case.training_logs()
        if not case.files[path].startswith(b"{")
    }
    return with_files(case, changed) if changed else None


def _with_chatter(lines: list[str], random: Random) -> list[str]:
    out: list[str] = []
    stamped = [at for at, line in enumerate(lines) if stamps.read(line) is not None]
    lines_per_member = 10 * len(lines) // max(1, len(stamped))
    places = set(stamped)
    for at, line in enumerate(lines):
        if at in places and (match := stamps.STAMP.search(line[:90])):
            # Up to the stamp's end whatever wraps the line stays: an inner prefix is the program's own.
            prefix = line[: match.end()]
            if match["epoch"]:  # absl's letter would say a severity that chatter has not
                prefix = ""
            out += [f"{prefix}: {word}" if prefix else word for word in random.choices(CHATTER, k=lines_per_member)]
        out.append(line)
    return out


def use_crlf(case: Case, random: Random) -> Case | None:
    return with_files(case, {path: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") for path, data in texts(case)})


def use_utf16(case: Case, random: Random) -> Case | None:
    """A log that passed through PowerShell."""
    changed = {
        path: b"\xff\xfe" + data.decode("utf-8", "replace").encode("utf-16-le")
        for path in case.training_logs()
        if is_text(data := case.files[path])
    }
    return with_files(case, changed) if changed else None


def gzip_each(case: Case, random: Random) -> Case | None:
    packed = {path: gzip.compress(data, mtime=0) for path, data in case.files.items()}
    return with_paths(replace(case, files=packed), {path: path + ".gz" for path in packed})


def pack_nodes(case: Case, random: Random) -> Case | None:
    """One archive for each node inside the bundle."""
    files = {path: data for path, data in case.files.items() if path not in case.homes}
    for node in case.nodes:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w:gz") as archive:
            for path in case.files_of(node):
                info = tarfile.TarInfo(base_of(path))
                info.size, info.mtime = len(case.files[path]), int(case.mtime)
                archive.addfile(info, io.BytesIO(case.files[path]))
        files[f"nodes/{node}.tar.gz"] = out.getvalue()
    return replace(case, files=files) if case.nodes else None


def cut_last_line(case: Case, random: Random) -> Case | None:
    """Copied while it was written: the last line is half there, for innocent nodes only."""
    paths = [path for path in case.training_logs() if case.homes[path] in case.innocents]
    changed = {path: case.files[path][: -random.randint(1, 20)] for path in paths}
    return with_files(case, changed) if changed else None


MEMBERS: tuple[Transformation, ...] = (
    split_files,
    join_files_of_a_node,
    drop_innocent_node,
    truncate_innocent_log,
    drop_kernel_logs,
    add_innocent_lines,
    use_crlf,
    use_utf16,
    gzip_each,
    pack_nodes,
    cut_last_line,
)
