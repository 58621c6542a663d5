"""Small files that state a fact by being there: exit codes, TF_CONFIG. Their facts become ordinary events."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from analyzer.facts.boot import is_boot_file
from analyzer.facts.cluster import read_tf_config
from analyzer.facts.containers import Pod, may_list_pods
from analyzer.facts.exits import EXIT_OF, read_exit_table, signal_of
from analyzer.facts.nodes import LOOPBACK
from analyzer.model import Event, Kind, Locus
from analyzer.untrusted.documents import MAX_DOCUMENT_CHARS, MalformedError, read_json

SMALL = 256 * 1024  # bytes; a larger file is a log, unless it is named like a listing or a cluster's description
_EXIT = re.compile(
    r"(?:^|[/._-])(?:exit[-_.]?(?:codes?|status(?:es)?)?|rcs?|returncodes?|retcodes?)(?:[._-][\w.-]+)?$", re.I
)
_PACKED = re.compile(r"\.(?:gz|zst|xz|bz2|lz4)$", re.I)
_CODE = re.compile(r"\s*+(?:exit[ _-]?(?:code|status)?\s*+(?:[:=]\s*+)?)?(-?\d{1,3})\s*+$", re.I)

IDENTITY = "file.tf_config"
LAUNCH = "file.launch"  # a recorder saw the program start
EXIT = "file.exit_code"
POD = "file.pod"  # a listing states a container's life
HOST = "file.host"  # a table of names gives an address to a host

_CONFIG = re.compile(r"tf[-_.]?config|cluster[-_.]?(?:spec|config)")
_HOSTS = re.compile(r"^(?:etc[-_.])?hosts(?:[-_.].{1,40})?$|^getent[-_.]?hosts")
_ENTRY = re.compile(r"\s*(?P<inet>[\da-fA-F.:]{3,40})[ \t]+(?P<host>[A-Za-z][\w.-]{0,120})(?:[ \t#]|$)")


def may_be_large(path: str, size: int) -> bool:
    """Whether a file is worth reading whole although it is not small: the TF_CONFIG of 10,000 workers has 300 KB."""
    return may_list_pods(path, size) or (size <= MAX_DOCUMENT_CHARS and _CONFIG.search(_bare(path)) is not None)


def states_fact(path: str, size: int | None) -> bool:
    """Whether the file is worth reading whole, beside its lines."""
    name = _bare(path)
    told = (
        name.endswith((".json", ".yaml", ".yml"))
        or "config" in name
        or _EXIT.search(name)
        or is_boot_file(name)
        or _HOSTS.search(name)
    )
    return size is not None and (size <= SMALL or may_be_large(path, size)) and bool(told)


def read_facts(path: str, text: str) -> Iterator[Event]:
    """Events of kind `environment`, without node and time."""
    if _EXIT.search(_bare(path)) and (found := _CODE.match(text)):
        code = int(found[1])
        captures = {"code": str(code), **signal_of(code)}
        yield Event(EXIT, Locus(path, 1), text.strip()[:200], kind=Kind.ENVIRONMENT, captures=captures)
    elif '"cluster"' in text and (config := read_tf_config(text)) is not None:
        captures = {"tf_config": _on_one_line(text)}
        if config.task:
            captures["task"] = config.task
        yield Event(
            IDENTITY, Locus(path, 1), text.strip().splitlines()[0][:400], kind=Kind.ENVIRONMENT, captures=captures
        )
    elif _HOSTS.search(_bare(path)):
        for number, line in enumerate(text.splitlines(), 1):
            if (entry := _ENTRY.match(line)) and not LOOPBACK.match(entry["inet"]):
                yield Event(HOST, Locus(path, number), line[:200], kind=Kind.ENVIRONMENT, captures=entry.groupdict())
    elif _EXIT.search(_bare(path)) or _bare(path).endswith(".json"):
        yield from read_exit_table(path, text)


def read_pod_facts(path: str, pods: Iterable[Pod]) -> Iterator[Event]:
    """Each pod speaks with a stream of its own: one listing holds those of many nodes."""
    for pod in pods:
        where = {"host": pod.name, **({"machine": pod.hosts[-1]} if pod.hosts else {})}
        if pod.tf_config and (config := read_tf_config(pod.tf_config)) is not None:
            task = {"task": config.task} if config.task else {}
            captures = {"tf_config": pod.tf_config, **where, **task}
            yield _say(IDENTITY, path, pod, pod.tf_config, captures)
        for begin, end in pod.runs:
            times = {name: value for name, value in (("uid", pod.uid), ("begin", begin), ("end", end)) if value}
            yield _say(POD, path, pod, f"{pod.name}: ran from {begin} to {end or '?'}", {**times, **where})
        for ended in pod.ended[-1:]:
            reason = {"reason": ended.reason} if ended.reason else {}
            captures = {"code": str(ended.code), **signal_of(ended.code), **where, **reason}
            yield _say(EXIT_OF, path, pod, f"{pod.name}: exit code {ended.code} {ended.reason}".strip(), captures)


def give_to_pods(events: Iterable[Event], pods: Iterable[Pod]) -> list[Event]:
    """Lines of a listing below a pod's name are that pod's."""
    starts = sorted((pod.line, pod.name) for pod in pods)
    lines = [line for line, _ in starts]
    given = []
    for event in events:
        at = bisect_right(lines, event.locus.line or 0) - 1
        name = starts[at][1] if at >= 0 else ""
        if name and not event.host:
            event = event._replace(stream=name, host=name, captures={"host": name, **event.captures})
        given.append(event)
    return given


def _say(signal: str, path: str, pod: Pod, text: str, captures: dict[str, str]) -> Event:
    return Event(signal, Locus(path, pod.line), text[:400], kind=Kind.ENVIRONMENT, stream=pod.name, captures=captures)


def _bare(path: str) -> str:
    return _PACKED.sub("", path.rpartition("/")[2].lower())


def _on_one_line(text: str) -> str:
    try:
        return json.dumps(read_json(text))
    except MalformedError:
        return text
