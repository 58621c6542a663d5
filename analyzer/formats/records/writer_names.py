"""Find words that may name the writers of a file's lines: the numbered machines, pods and tasks of one cluster."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import groupby

from analyzer.formats.records.head_lines import head_text
from analyzer.formats.severity import SEVERITY_BY_WORD

_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_NUMBER = re.compile(r"\d+|(?<=[-_.])[a-z]$")  # `gpu-b` beside `gpu-a` is numbered, too
# Numbered names of other things than machines: parts of a program or of a model, files of code, versions.
_NO_WRITER = re.compile(
    r"(?:thread|mainthread|pool|executor|cuda|device|epoch|step|batch|iter|iteration|fold|layer|conv\dd|dense|block|head|class"
    r"|loss|metric|pid|tid|cpu|core|shard|chunk|attempt|version|line|ckpt|checkpoint|model|phase|stage|part|section|chapter"
    r"|round|trial|test|run|day|table|figure)[-_.:]?#.*"
    r"|[estvx][-_.:]?#(?:[._x-]#)*"
    r"|(?:#(?:[dhms]|[mnu]s|min|[kmgt]i?b?))+"  # ages, durations and sizes
    r"|.*\.(?:py|cc|cpp|cu|h|so|sh|log|txt|json|ya?ml)(?:#.*)?"
)

MAX_HEAD_BYTES = 1 << 17
MIN_IN_TURN = 2  # names that recur after another name; names of attempts do not
_START = re.compile(
    rb"This TensorFlow binary is optimized|Started server with target|oneDNN custom operations are on"
    rb"|Coordination agent has successfully connected|All log messages before absl::InitializeLog"
)
_find_starts, _search_start = _START.finditer, _START.search
_match_name = re.compile(r"[^\W\d_][\w.@-]{0,120}").fullmatch

_is_level_and_day = re.compile(r"[IWEF][01]\d[0-3]\d").fullmatch  # `I1128 09:12:32` of glog, `I0000` of Abseil

_HOST = r"[A-Za-z][\w.-]{0,63}"
# Each form begins with a fixed letter or sign, so that the search is fast.
_find_stated = re.compile(rf"(?:grpc://|host(?<=\bhost)(?:name)?[ =:]{{1,3}}|@)({_HOST})").finditer
# Members of a cluster, in TF_CONFIG and the like.
_find_members = re.compile(rf"['\"](?!localhost\b)({_HOST}):\d{{2,5}}(?=['\"])").finditer
_match_syslog = re.compile(rf"[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d ({_HOST}) ").match


def find_stated_hosts(lines: Iterable[str]) -> frozenset[str]:
    """Return the names that lines state as hosts (servers, members, prompts, syslog), and the first part of each."""
    names: set[str] = set()
    for line in lines:
        start = 0
        if syslog := _match_syslog(line):
            names.add(syslog[1])
            start = syslog.end()
        if (
            "host" in line or "@" in line or "grpc://" in line
        ):  # a tenth of the cost of the search, which few lines need
            names.update(match[1] for match in _find_stated(line, start))
        if "cluster" in line:
            names.update(match[1] for match in _find_members(line))
    return frozenset(names | {name.partition(".")[0] for name in names})


@lru_cache(maxsize=4)  # several readers ask about one head
def stated_hosts(head: bytes) -> frozenset[str]:
    """Return the names that the lines of a file's head state as hosts, as `find_stated_hosts` does."""
    return find_stated_hosts(head_text(head).replace("\r", "\n").split("\n"))


def may_be_numbered_writer(name: str) -> bool:
    """Return whether a name may be of a machine, pod or task that differs from others in a number or a letter."""
    if name.isalpha():  # fast, and most words are such
        return False
    family = family_of(name)
    if name.lower() in SEVERITY_BY_WORD or "#" not in family or "@" in name or _is_level_and_day(name):
        return False
    if _ADDRESS.fullmatch(name):
        return True
    return any(char.isalpha() for char in name) and not _NO_WRITER.fullmatch(family)


def has_starts(head: bytes) -> bool:
    """Return whether a file's head shows the starts of several TensorFlow programs."""
    starts = Counter(match[0] for match in _find_starts(head[:MAX_HEAD_BYTES]))
    return max(starts.values(), default=0) > 1


def find_started_writers(named_texts: Iterable[tuple[str, str]], least: float) -> frozenset[str]:
    """Return the names under which programs started, if they come back in turn; else an empty set.

    A program prints its first lines once. So names under which the same first lines are printed are those of several
    programs, in any naming scheme. `named_texts` are (name, text) of each line; at least `least` lines must have such a
    name.
    """
    rows = [(name, text) for name, text in named_texts if _match_name(name) and name.lower() not in SEVERITY_BY_WORD]
    names_of_start: dict[bytes, list[str]] = {}
    for name, text in rows:
        if match := _search_start(text.encode("utf-8", "replace")):
            names_of_start.setdefault(match[0], []).append(name)
    names = max(
        (set(names) for names in names_of_start.values() if len(set(names)) == len(names)), key=len, default=set()
    )
    runs = Counter(name for name, _ in groupby(name for name, _ in rows) if name in names)
    named_count = sum(name in names for name, _ in rows)
    is_in_turn = sum(count > 1 for count in runs.values()) >= MIN_IN_TURN
    return frozenset(names) if len(names) > 1 and is_in_turn and named_count >= least else frozenset()


def select_writers(names: Iterable[str], stated: Collection[str]) -> frozenset[str]:
    """Return the names that the text states as hosts, or that are numbered like another one."""
    distinct = set(names)
    numbered = set(filter(may_be_numbered_writer, distinct))
    families = Counter(map(family_of, numbered))
    return frozenset(
        name for name in distinct if name in stated or (name in numbered and families[family_of(name)] > 1)
    )


def family_of(name: str) -> str:
    """Return the common form of the names of equal machines: the name with each number replaced by `#`."""
    return _NUMBER.sub("#", name.lower())
