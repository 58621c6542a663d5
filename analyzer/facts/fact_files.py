"""Small files that state a fact as a whole, such as an exit code or TF_CONFIG. Their facts become ordinary events."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from analyzer.facts.boot_time import is_boot_file
from analyzer.facts.cluster_spec import read_tf_config
from analyzer.facts.exit_tables import EXIT_OF_SIGNAL, read_exit_table, read_rank_table, signal_captures
from analyzer.facts.pod_listings import Pod, may_list_pods
from analyzer.facts.registry import LOOPBACK
from analyzer.model import Event, Kind, Locus
from analyzer.untrusted.documents import MAX_DOCUMENT_CHARS, MalformedError, read_json

SMALL_FILE_BYTES = (
    256 * 1024
)  # bytes; a larger file is a log, unless it is named like a listing or a cluster's description
_EXIT_FILE_NAME = re.compile(
    r"(?:^|[/._-])(?:exit[-_.]?(?:codes?|status(?:es)?)?|rcs?|returncodes?|retcodes?)(?:[._-][\w.-]+)?$", re.I
)
_STATUS_FILE_NAME = re.compile(r"(?:^|[._-])status(?:es)?(?:\.(?:txt|log|out|list))?$", re.I)
_TABLE_FILE_NAME = re.compile(r"\.(?:csv|tsv)$|(?:^|[._-])joblog(?:[._-]|$)")
_COMPRESSED = re.compile(r"\.(?:gz|zst|xz|bz2|lz4)$", re.I)
_EXIT_CODE_TEXT = re.compile(r"\s*+(?:exit[ _-]?(?:code|status)?\s*+(?:[:=]\s*+)?)?(-?\d{1,3})\s*+$", re.I)

TF_CONFIG_SIGNAL = "file.tf_config"
LAUNCH_SIGNAL = "file.launch"  # a recorder saw the program start
EXIT_CODE_SIGNAL = "file.exit_code"
POD_SIGNAL = "file.pod"  # a listing states when a container ran
CONTAINER_SIGNAL = "file.container"  # a listing gives an opaque id to a container or pod
FINISHED_CAPTURE = "finished"  # when a container ended, as its listing writes it
HOST_SIGNAL = "file.host"  # a table of host names gives an address to a host

_CLUSTER_FILE_NAME = re.compile(r"tf[-_.]?config|cluster[-_.]?(?:spec|config)")
_HOSTS_FILE_NAME = re.compile(r"^(?:etc[-_.])?hosts(?:[-_.].{1,40})?$|^getent[-_.]?hosts")
_HOSTS_ENTRY = re.compile(r"\s*(?P<inet>[\da-fA-F.:]{3,40})[ \t]+(?P<host>[A-Za-z][\w.-]{0,120})(?:[ \t#]|$)")


def is_large_fact_file(path: str, size: int) -> bool:
    """Whether a file is read as a whole although it is not small: the TF_CONFIG of 10,000 workers has 300 KB."""
    return may_list_pods(path, size) or (
        size <= MAX_DOCUMENT_CHARS and _CLUSTER_FILE_NAME.search(_bare_name(path)) is not None
    )


def is_fact_file(path: str, size: int | None) -> bool:
    """Whether the file is read as a whole, beside its lines. `size` is in bytes, None if unknown."""
    name = _bare_name(path)
    has_fact_name = (
        name.endswith((".json", ".yaml", ".yml"))
        or _TABLE_FILE_NAME.search(name)
        or "config" in name
        or _EXIT_FILE_NAME.search(name)
        or _STATUS_FILE_NAME.search(name)
        or is_boot_file(name)
        or _HOSTS_FILE_NAME.search(name)
    )
    return size is not None and (size <= SMALL_FILE_BYTES or is_large_fact_file(path, size)) and bool(has_fact_name)


def read_fact_events(path: str, text: str) -> Iterator[Event]:
    """Yield the facts of a file as events of kind `environment`, without node and time."""
    if _EXIT_FILE_NAME.search(_bare_name(path)) and (match := _EXIT_CODE_TEXT.match(text)):
        code = int(match[1])
        captures = {"code": str(code), **signal_captures(code)}
        yield Event(EXIT_CODE_SIGNAL, Locus(path, 1), text.strip()[:200], kind=Kind.ENVIRONMENT, captures=captures)
    elif '"cluster"' in text and (config := read_tf_config(text)) is not None:
        captures = {"tf_config": _on_one_line(text)}
        if config.task:
            captures["task"] = config.task
        yield Event(
            TF_CONFIG_SIGNAL,
            Locus(path, 1),
            text.strip().splitlines()[0][:400],
            kind=Kind.ENVIRONMENT,
            captures=captures,
        )
    elif _HOSTS_FILE_NAME.search(_bare_name(path)):
        for number, line in enumerate(text.splitlines(), 1):
            if (entry := _HOSTS_ENTRY.match(line)) and not LOOPBACK.match(entry["inet"]):
                yield Event(
                    HOST_SIGNAL, Locus(path, number), line[:200], kind=Kind.ENVIRONMENT, captures=entry.groupdict()
                )
    elif _EXIT_FILE_NAME.search(_bare_name(path)) or _bare_name(path).endswith(".json"):
        yield from read_exit_table(path, text)
    elif _TABLE_FILE_NAME.search(_bare_name(path)):
        yield from read_exit_table(path, text, has_header=True)
    elif _STATUS_FILE_NAME.search(_bare_name(path)):
        yield from read_rank_table(path, text)


def read_pod_events(path: str, pods: Iterable[Pod]) -> Iterator[Event]:
    """Yield the facts of pods as events. Each pod is a stream of its own: one listing holds pods of many nodes."""
    for pod in pods:
        pod_captures = {"host": pod.name, **({"machine": pod.hosts[-1]} if pod.hosts else {})}
        if pod.tf_config and (config := read_tf_config(pod.tf_config)) is not None:
            task = {"task": config.task} if config.task else {}
            captures = {"tf_config": pod.tf_config, **pod_captures, **task}
            yield _make_pod_event(TF_CONFIG_SIGNAL, path, pod, pod.tf_config, captures)
        if pod.container_id or pod.uid:
            captures = {"alias": pod.container_id or pod.uid, "host": pod.name}
            yield _make_pod_event(CONTAINER_SIGNAL, path, pod, f"{captures['alias']}: {pod.name}", captures)
        for begin, end in pod.lifetimes:
            times = {name: value for name, value in (("uid", pod.uid), ("begin", begin), ("end", end)) if value}
            text = f"{pod.name}: {_describe_lifetime(begin, end)}"
            yield _make_pod_event(POD_SIGNAL, path, pod, text, {**times, **pod_captures})
        for last_exit in pod.exits[-1:]:
            stated = {"reason": last_exit.reason, FINISHED_CAPTURE: last_exit.finished_at}
            captures = {"code": str(last_exit.code), **signal_captures(last_exit.code), **pod_captures}
            captures |= {name: value for name, value in stated.items() if value}
            text = f"{pod.name}: exit code {last_exit.code} {last_exit.reason}".strip()
            yield _make_pod_event(EXIT_OF_SIGNAL, path, pod, text, captures)


def _describe_lifetime(begin: str, end: str) -> str:
    """Return when a pod ran, in words. Either time is empty if the listing does not state it."""
    if not begin:
        return f"ran until {end}" if end else "its times are not stated"
    return f"ran from {begin} to {end}" if end else f"ran from {begin}"


def assign_to_pods(events: Iterable[Event], pods: Iterable[Pod]) -> list[Event]:
    """Return the events of a listing, those below a pod's name as events of that pod."""
    starts = sorted((pod.line, pod.name) for pod in pods)
    lines = [line for line, _ in starts]
    assigned = []
    for event in events:
        position = bisect_right(lines, event.locus.line or 0) - 1
        name = starts[position][1] if position >= 0 else ""
        if name and not event.host:
            # A host in the listing (`nodeName`) is the pod's machine, and no name of its own.
            machine = event.captures.get("host", name)
            own = {"host": name} if machine == name else {"host": name, "machine": machine}
            event = event._replace(stream=name, host=name, captures={**event.captures, **own})
        assigned.append(event)
    return assigned


def _make_pod_event(signal: str, path: str, pod: Pod, text: str, captures: dict[str, str]) -> Event:
    return Event(signal, Locus(path, pod.line), text[:400], kind=Kind.ENVIRONMENT, stream=pod.name, captures=captures)


def _bare_name(path: str) -> str:
    return _COMPRESSED.sub("", path.rpartition("/")[2].lower())


def _on_one_line(text: str) -> str:
    try:
        return json.dumps(read_json(text))
    except MalformedError:
        return text
