"""Which words may name the writers of a file's lines: the numbered machines, pods and tasks of one cluster."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from analyzer.formats.severity import SEVERITY_BY_WORD

_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_NUMBER = re.compile(r"\d+|(?<=[-_.])[a-z]$")  # `gpu-b` beside `gpu-a` is numbered, too
# Numbered names of what is no machine: parts of a program or of a model, files of code, versions.
_NO_WRITER = re.compile(
    r"(?:thread|mainthread|pool|executor|cuda|device|epoch|step|batch|iter|iteration|fold|layer|conv\dd|dense|block|head|class"
    r"|loss|metric|pid|tid|cpu|core|shard|chunk|attempt|version|line|ckpt|checkpoint|model|phase|stage|part|section|chapter"
    r"|round|trial|test|run|day|table|figure)[-_.:]?#.*"
    r"|[estvx][-_.:]?#(?:[._x-]#)*"
    r"|.*\.(?:py|cc|cpp|cu|h|so|sh|log|txt|json|ya?ml)(?:#.*)?"
)

_HOST = r"[A-Za-z][\w.-]{0,63}"
_STATED_HOST = re.compile(
    rf"(?:grpc://|\bhost(?:name)?[ =:]{{1,3}}|@)(?P<name>{_HOST})"
    rf"|^[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d (?P<syslog>{_HOST}) "
)


def find_stated_hosts(lines: Iterable[str]) -> Iterator[str]:
    """Yield the names that lines state as hosts (servers, prompts, syslog), and the first part of each."""
    for line in lines:
        for match in _STATED_HOST.finditer(line):
            name = match["name"] or match["syslog"]
            yield from (name, name.partition(".")[0])


def may_be_numbered_writer(name: str) -> bool:
    """Return whether a name may be a machine's, pod's or task's that differs from others in a number or a letter."""
    family = family_of(name)
    if name.lower() in SEVERITY_BY_WORD or "#" not in family:
        return False
    if _ADDRESS.fullmatch(name):
        return True
    return any(char.isalpha() for char in name) and not _NO_WRITER.fullmatch(family)


def select_writers(names: Iterable[str], stated: Collection[str]) -> frozenset[str]:
    """Return the names that the text states as hosts, or that are numbered like another one."""
    distinct = set(names)
    numbered = set(filter(may_be_numbered_writer, distinct))
    families = Counter(map(family_of, numbered))
    return frozenset(
        name for name in distinct if name in stated or (name in numbered and families[family_of(name)] > 1)
    )


def family_of(name: str) -> str:
    """Return what the names of equal machines have in common: the name with each number as `#`."""
    return _NUMBER.sub("#", name.lower())
