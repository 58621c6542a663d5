"""Numbers before lines: whether a launcher put them there, as `srun -l` does, or a program printed them.

`9: ""` in a printed protobuf or `0: shard-0` in a listing reads like the label of a rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analyzer.facts.voices import Key, Voice
from analyzer.reading.result import SourceResult


def join_false_ranks(results: Iterable[SourceResult], voices: dict[Key, Voice]) -> None:
    """Gives lines whose number is text to the program that wrote the others of their file.

    A launcher labels all lines of its tasks: where the lines without a number are more and say who writes them, and no
    line with one does, there was no launcher.
    """
    for result in results:
        numbers = {stream for stream in result.streams if stream.isdecimal()}
        if numbers and _is_one_program(result, voices, numbers):
            _join(result, numbers)
            for number in numbers:
                del voices[result.file, number]


def _is_one_program(result: SourceResult, voices: Mapping[Key, Voice], numbers: set[str]) -> bool:
    whole = voices.get((result.file, ""))
    labelled = sum(result.streams[number] for number in numbers)
    return (
        whole is not None
        and _says_who(whole)
        and not whole.shared
        and labelled < result.streams[""]
        and not any(_says_who(voices[result.file, number]) for number in numbers)
    )


def _says_who(voice: Voice) -> bool:
    return bool(voice.tasks or voice.addresses or voice.leads)


def _join(result: SourceResult, numbers: set[str]) -> None:
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
