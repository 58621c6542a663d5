"""Numbers before lines: whether a launcher put them there, as `srun -l` does, or a program printed them.

`9: ""` in a printed protobuf or `0: shard-0` in a listing reads like the label of a rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analyzer.facts.stream_identities import StreamIdentity, StreamKey
from analyzer.reading.source_result import SourceResult


def merge_false_ranks(results: Iterable[SourceResult], voices: dict[StreamKey, StreamIdentity]) -> None:
    """Gives lines whose number is text to the program that wrote the others of their file.

    A launcher labels all lines of its tasks: where the lines without a number are more and say who writes them, and no
    line with one does, there was no launcher.
    """
    for result in results:
        numbers = {stream for stream in result.streams if stream.isdecimal()}
        if numbers and _is_one_program(result, voices, numbers):
            _merge_streams(result, numbers)
            for number in numbers:
                del voices[result.file, number]


def _is_one_program(result: SourceResult, voices: Mapping[StreamKey, StreamIdentity], numbers: set[str]) -> bool:
    whole = voices.get((result.file, ""))
    labelled = sum(result.streams[number] for number in numbers)
    return (
        whole is not None
        and _identifies_itself(whole)
        and not whole.is_shared
        and labelled < result.streams[""]
        and not any(_identifies_itself(voices[result.file, number]) for number in numbers)
    )


def _identifies_itself(voice: StreamIdentity) -> bool:
    return bool(voice.tasks or voice.addresses or voice.is_leader)


def _merge_streams(result: SourceResult, numbers: set[str]) -> None:
    result.events = [each._replace(stream="") if each.stream in numbers else each for each in result.events]
    for number in numbers:
        result.streams[""] += result.streams.pop(number)
        result.ends.pop(number, None)
        hosts = result.stream_hosts
        hosts[""] = hosts.get("", frozenset()) | hosts.pop(number, frozenset())
    for signal, stream in [key for key in result.counts if key[1] in numbers]:
        result.counts[signal, ""] += result.counts.pop((signal, stream))
    for stream, shape in [key for key in result.shapes if key[0] in numbers]:
        result.shapes["", shape] = result.shapes.get(("", shape), 0) + result.shapes.pop((stream, shape))
