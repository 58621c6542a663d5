"""Other names for nodes and files, other places for the same content."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from .case import Case, Transformation, base_of, decode, encode, is_text, with_paths

STYLES = (
    "rack4-n{:02d}",
    "gpu{:03d}",
    "compute-{}",
    "ip-10-91-7-{}",
    "trainer-7d9f5c-{}",
    "dgx-a{:02d}",
    "host{}.cluster.example",
)
LOG_NAMES = ("train.log", "stderr.txt", "output.log", "log.txt", "trainer.out", "run.err", "tf.log", "job.stderr.log")
KERNEL_NAMES = ("dmesg.log", "dmesg", "kern.log", "dmesg-T.txt", "kernel.txt")
CODE_NAMES = ("exit_status", "rc", "exit_code.txt", "exitcode")
_ADDRESS = re.compile(r"^[\d.:]+$|^\w+:\d+$")


def rename_nodes(case: Case, random: Random) -> Case | None:
    """New machine names in the order of the old ones, in paths and contents alike."""
    return _rename(case, random, keep_order=True)


def rename_nodes_in_any_order(case: Case, random: Random) -> Case | None:
    """As above, but the machines' names no longer follow their tasks."""
    return _rename(case, random, keep_order=False)


def rename_files(case: Case, random: Random) -> Case | None:
    """Other collectors call the same files otherwise; only where the folder, not the file, names the node."""
    names = {}
    for path in case.files:
        folder, slash, base = path.rpartition("/")
        choice = {"worker": LOG_NAMES, "kernel": KERNEL_NAMES}.get(case.kinds.get(path, ""), ())
        if re.fullmatch(r"exit_?(code|status)", base):
            choice = CODE_NAMES
        if (
            choice
            and case.homes.get(path, "/") in folder
            and not base.endswith("json.log")
            and not base[0].isdigit()
            and "." + base != ".env"
        ):
            names[path] = f"{folder}{slash}{random.choice(choice)}"
    return with_paths(case, names, str(sorted(set(map(base_of, names.values()))))) if names else None


def shuffle_members(case: Case, random: Random) -> Case | None:
    order = list(case.files)
    random.shuffle(order)
    return replace(case, files={path: case.files[path] for path in order})


def flatten(case: Case, random: Random) -> Case | None:
    """All files in one folder as NODE-file."""
    return with_paths(
        case, {path: f"logs/{node}-{_bare(path, node)}" for path, node in case.homes.items() if path in case.files}
    )


def flatten_behind(case: Case, random: Random) -> Case | None:
    """All files in one folder as file_NODE.ext."""
    names = {}
    for path, node in case.homes.items():
        stem, dot, extension = _bare(path, node).partition(".")
        names[path] = f"{stem}_{node}{dot}{extension}"
    return with_paths(case, {path: name for path, name in names.items() if path in case.files})


def deepen(case: Case, random: Random) -> Case | None:
    """A collector's own folders around everything."""
    top = random.choice(("tmp/collect-20261121T0800/", "incident-4711/raw/logs/", "home/ops/export/run_3/"))
    return with_paths(case, {path: top + path for path in case.files}, top)


def _bare(path: str, node: str) -> str:
    """The file's name without the node's, unless it says nothing else."""
    base = base_of(path)
    bare = re.sub(rf"^{re.escape(node)}[-_.]|[-_]{re.escape(node)}(?=\.|$)", "", base)
    if bare == base and base.startswith(node):
        return "worker" + base[len(node) :]
    return bare if len(bare) < 40 and not bare[0].isdigit() else "container.log"  # a container's id, or its restarts


def _rename(case: Case, random: Random, keep_order: bool) -> Case | None:
    old = [node for node in case.ranks if not _ADDRESS.match(node)]
    if not old:
        return None
    style, numbers = random.choice(STYLES), sorted(random.sample(range(10, 90), len(old)))
    old.sort(
        key=lambda name: [
            (0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", name) if part
        ]
    )
    if not keep_order:
        random.shuffle(numbers)
    names = {node: style.format(number) for node, number in zip(old, numbers, strict=True)}
    pattern = re.compile(
        r"(?<![A-Za-z0-9])(?:" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + r")(?![A-Za-z0-9])"
    )

    def rename(text: str) -> str:
        return pattern.sub(lambda match: names[match[0]], text)

    files = {rename(path): encode(rename(decode(data))) if is_text(data) else data for path, data in case.files.items()}
    if len(files) < len(case.files):
        return None
    return replace(
        case,
        files=files,
        homes={rename(path): rename(node) for path, node in case.homes.items()},
        kinds={rename(path): kind for path, kind in case.kinds.items()},
        culprits=frozenset(map(rename, case.culprits)),
        evidence=frozenset(map(rename, case.evidence)),
        ahead={rename(node): ahead for node, ahead in case.ahead.items()},
        ranks=tuple(map(rename, case.ranks)),
        extra=str(names),
    )


NAMES: tuple[Transformation, ...] = (
    rename_nodes,
    rename_nodes_in_any_order,
    rename_files,
    shuffle_members,
    flatten,
    flatten_behind,
    deepen,
)
