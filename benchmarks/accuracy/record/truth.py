"""What is true of a run: from what was done to it, and shown by what it left. What shows nothing is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator

from accuracy.record.hosts import UNPREPARED_STATUS
from accuracy.record.job import Job, Started
from accuracy.record.rows import Show
from accuracy.runs import Proof, ReceivedLine, Truth

MAX_SAYS = 160  # characters of a proof's words


class UnseenError(Exception):
    """The fault did not show as its entry says."""


def tell_truth(job: Job, lines: list[ReceivedLine]) -> Truth:
    row = job.row
    check_ends(job)
    first = ended_first(job)
    if row.cause == "none":
        return Truth("none", about=row.fill(row.about))
    proofs = list(dict.fromkeys(proof for show in row.shows for proof in find_proofs(show, job, lines)))
    if row.core:
        name = next(process.name for process in job.started if process.task == row.culprit)
        proofs.append(Proof("core", name, ("cause", "node")))
    proofs += launcher_proofs(job, first, proofs)
    has_known_node = row.culprit and row.culprits != () and not row.blind
    for scope in ("cause", "node") if has_known_node else ("cause",):
        if not any(scope in proof.tells for proof in proofs):
            raise UnseenError(f"nothing tells the {scope}")
    culprits = row.culprits if row.culprits is not None else (row.culprit,) if row.culprit else ()
    after = f", {(job.struck_ns - job.began_ns) / 1e9:.1f} s after the start" if job.struck_ns else ""
    return Truth(
        row.cause,
        culprits,
        row.also,
        first.name if first else "",
        tuple(proofs),
        row.fill(row.about).rstrip(".") + after,
    )


def check_ends(job: Job) -> None:
    """That whoever the row speaks of ended as it says."""
    row = job.row
    if unprepared := [process.name for process in job.started if process.code == UNPREPARED_STATUS]:
        raise UnseenError(f"no root folder could be made for {', '.join(unprepared)}")
    wanted = {row.fill(task): code for task, code in row.ends.items()}
    if row.cause == "none" and not wanted:
        wanted = {process.task: 0 for process in job.started if process.task and not process.by_launcher}
        if job.expired:
            raise UnseenError("a healthy run that did not end")
    last = {process.task: process for process in job.started if process.task}
    if row.cause != "none":  # the first attempt has the fault
        last = {process.task: process for process in reversed(job.started) if process.task}
    for task, code in wanted.items():
        actual = last[task].code if task in last else None
        if actual != code:
            raise UnseenError(f"{task} ended with {actual}, not with {code}")


def ended_first(job: Job) -> Started | None:
    """Of those that ended early, by themselves."""
    early = [
        process for process in job.started if process.task and process.ended is not None and not process.by_launcher
    ]
    if not any(process.code for process in early):
        return None
    return min(early, key=lambda process: process.ended or 0)


def find_proofs(show: Show, job: Job, lines: list[ReceivedLine]) -> Iterator[Proof]:
    row = job.row
    tells = tuple(show.tells)
    names = list(processes_of(show.of, job))
    if show.by in ("exit", "environment", "core"):
        is_shown = False
        for name in names:
            process = next(process for process in job.started if process.name == name)
            if show.by != "exit" or (process.code and not process.by_launcher):
                is_shown = True
                yield Proof(show.by, name, tells)  # type: ignore[arg-type]
        if not is_shown and not show.optional:
            raise UnseenError(f"no {show.by} of {show.of}")
        return
    if not show.pattern:  # what is not said shows it
        yield from (Proof(show.by, name, tells) for name in names)  # type: ignore[arg-type]
        return
    pattern = re.compile(row.fill(show.pattern))
    is_shown = False
    for name in names:
        spoken = [decode(line.text) for line in lines if line.process == name]
        spoken.sort(key=is_quoted)
        match = next((match for text in spoken if (match := pattern.search(text))), None)
        if match and match[0].strip():
            is_shown = True
            yield Proof(show.by, name, tells, match[0].strip()[:MAX_SAYS])  # type: ignore[arg-type]
    if not is_shown and not show.optional:
        raise UnseenError(f"{show.of} never said {pattern.pattern}")


def is_quoted(text: str) -> bool:
    """Whether it may be a line of source code in a traceback, which proves less than the error's own words."""
    return text.startswith("    ")


def decode(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        return ""


def processes_of(whom: str, job: Job) -> Iterator[str]:
    row = job.row
    if whom == "launcher":
        yield "launcher"
    elif whom == "kernel":
        yield f"kernel@{row.host_of(row.culprit)}"
    elif whom == "monitor":
        yield f"monitor@{row.host_of(row.culprit)}"
    elif whom in ("others", "all"):
        yield from (
            process.name for process in job.started if process.task and (whom == "all" or process.task != row.culprit)
        )
    else:
        task = row.culprit if whom == "culprit" else row.fill(whom)
        yield from (process.name for process in job.started if process.task == task)


def launcher_proofs(job: Job, first: Started | None, proofs: list[Proof]) -> list[Proof]:
    """The launcher's words about the end of the culprit tell who it was, where nobody ended before it."""
    culprit = job.row.culprit
    if not first or first.task != culprit or not first.launcher_text:
        return []
    tells: list[str] = []
    spellings = (culprit, first.host, f"rank {job.row.members.index(culprit)} ")
    if any(name in first.launcher_text for name in spellings) and not job.row.blind:
        tells.append("node")
    signal = first.code is not None and first.code < 0
    if signal and any(proof.by == "exit" and "cause" in proof.tells for proof in proofs):
        tells.insert(0, "cause")
    return [Proof("launcher", "launcher", tuple(tells), first.launcher_text[:MAX_SAYS])] if tells else []  # type: ignore[arg-type]
