"""Name the machines of output that a person pasted into one file, each part under a header or a shell prompt.

    == gx-7                                          a name after recurring signs: `####`, `---`, `***`
    ######## gx-7 : tmux capture-pane -p ########
    ### gx-7 ### ps -o pid,stat,args                 or before the command, between such signs
    ---- ssh gx-7 nvidia-smi -q -d CLOCK ----        or in the command that ran there
    == gx-7 (py-spy dump --pid 4711)                 or before the command that was run there
    Log from gx-7                                    a short line that ends in a name, repeated with other names
    :::::::::::::
    logs/gx-7.log                                    or in the name of a file, as `more` and `type` print it
    :::::::::::::
    lena@gx-7:~/run$ dmesg -T | tail                 a prompt and its command (`typed_commands.py`)

The names are learned from the file: names in headers are numbered alike, the text states them as hosts, the header has
a command whose output is about its machine, or the header lines of one table (`PID USER STAT`) are below all of them.
Each line of a part gets the prefix of `kubectl logs`, so that it belongs to the machine's stream.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from analyzer.formats import read_line
from analyzer.formats.records.head_lines import head_text
from analyzer.formats.records.line_by_line import LineByLine
from analyzer.formats.records.sections import pod_prefix
from analyzer.formats.records.typed_commands import (
    NAME,
    TypedCommands,
    is_command,
    learn_commands,
    names_target,
    prints_of_machine,
)
from analyzer.formats.records.writer_names import family_of, select_writers, stated_hosts

MIN_NAMES = 2
MAX_HEAD_LINES = 2_000
MAX_HEADER_CHARS = 300
MAX_TITLE_CHARS = 100
MIN_LINES_BELOW = 4  # average lines below a title
MIN_LINES_BETWEEN = 4  # lines between two titles
MAX_LINES_ABOVE_TABLE = 2  # between a header and a table: `date` before `ps`
MAX_SHARE_ABOVE = 0.25  # of the lines may be above the first title
_PATH = r"(?:[\w.~/\\:-]{0,100}[/\\])?"  # before a name: the folders of the file whose text follows
_EXTENSION = r"(?:\.(?:log|txt|out|err|stdout|stderr)){0,2}"
_HEADER_SIGNS = "=#*~<>+_-"
_match_header = re.compile(
    r"(?P<sign>[=#*~<>+_-])(?P=sign){1,100}\s{0,4}"
    rf"(?:(?:ssh|rsh)\s{{1,3}}(?:\w{{1,40}}@)?(?P<remote>{NAME})(?P<command>\s.{{1,250}})"
    rf"|(?P<intro>(?:[\w%#.\[\]-]{{1,20}}[ :=]{{1,3}}){{0,6}}?)[(\[]?{_PATH}(?P<name>{NAME}?){_EXTENSION}[)\]]?"
    r"(?P<tail>(?:\s{0,3}[:(,|@].{0,200}|\s{1,3}\d\d?:\d\d(?::\d\d)?)?"
    r"(?:\s{0,4}[=#*~<>+_-]{0,100}\s{0,8}|\s{1,4}(?P=sign){2,100}\s{1,4}\S.{0,250})))"
).fullmatch
# The head of a table: words without a digit, none of which ends a sentence.
_is_table_head = re.compile(r"\s*[^\W\d_][\w%/()#-]*+(?:\s+[^\W\d][\w%/()#-]*+|\s+%[\w%]++){2,30}\s*").fullmatch
# Words for a machine, in the languages in which remarks are understood.
_MACHINE_WORD = (
    r"(?:box|computer|host(?:name)?|instance|machine|node|pod|server|vm|worker[ _-]?node"
    r"|knoten|maschine|rechner|nœud|noeud|serveur|máquina|maquina|nodo|servidor|equipo|ordenador|macchina|nó"
    r"|maskin|nod|dator|kone|solmu|palvelin|stroj|uzel|počítač|węzeł|serwer|komputer|gép|mazgas"
    r"|узел|хост|сервер|машина|ホスト|マシン|サーバ|ノード|主机|节点|机器|服务器|서버|노드|호스트)"
)
_ends_in_machine_word = re.compile(rf"(?<!\w){_MACHINE_WORD}[ :=#]{{1,4}}\Z", re.I).search
_match_machine_word = re.compile(_MACHINE_WORD, re.I).fullmatch
_match_named = re.compile(rf"\s{{0,3}}[:=#]\s{{0,3}}({NAME})(?![\w.-])").match
# Parts of a program's own report, which also have tables with equal columns.
_PARTS_OF_REPORT = frozenset(
    "train training val valid validation eval evaluation test testing before after old new total summary".split()  # noqa: SIM905
)
_MAIL_WORDS = tuple(
    f"{word}: " for word in ["From", "To", "Cc", "Sent", "Date", "Von", "An", "Gesendet", "De", "Envoyé"]
)
# What may be above a title: no words, words that introduce what follows, a mail's header, a notebook's magic.
_is_gap = re.compile(
    r"[\W_]*+(?:\w.{0,200}[:|：]\s{0,4})?|%%\w{1,20}.{0,40}"
    rf"|(?:{'|'.join(_MAIL_WORDS)}).{{1,200}}"
).fullmatch
# Before a message of an exported chat: `11/24/26, 11:00 AM - Ann: `, `[24.11.26, 11:00:03] Ann: `, and our own time.
_match_sender = re.compile(
    r"\[?\d{1,4}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?\]?(?: -)? [^:\n]{1,40}: "
    r"|\d{4}-\d\d-\d\dT\S{8,24} stderr F "
).match
_MARK = re.compile(r"(?:\d{1,2}[.)]|h[1-6]\.|[A-Za-z][.)])\s").match
_find_words = re.compile(r"[A-Za-z][\w-]*+(?:\.[\w-]+)*+").findall
_NAME_PLACE, _NUMBER_PLACE = "\0", "\1"  # placeholders in the form of a title


class _SectionHeader(NamedTuple):
    sign: str
    name: str
    tail: str  # the text after the name, perhaps the command that was run there
    intro: str = ""  # the text before the name: `machine : `


@dataclass(frozen=True, slots=True)
class PastedSections:
    """The parts in a file's head: the sign before the names in headers ("" if there are only prompts), and the names.

    `shared` are names in commands that are not machines, such as containers with one name under several headers.
    """

    sign: str
    names: frozenset[str]
    commands: TypedCommands = field(default_factory=TypedCommands)
    title: re.Pattern[str] | None = None  # matches the titles
    shared: frozenset[str] = frozenset()


class PastedSectionsConverter(LineByLine):
    """A `LineConverter` that puts the name of the machine before each line of its part."""

    name = "pasted-sections"

    def __init__(self, sections: PastedSections) -> None:
        self._sections = sections
        self._families = {family_of(name) for name in sections.names}
        self._names = {name.lower(): name for name in sections.names}
        self._prefix = b""

    def convert_line(self, line: bytes) -> bytes:
        text = _first_segment(line[:MAX_HEADER_CHARS].decode("utf-8", "replace"))
        section = _section_of(text, self._sections)
        if section is None:
            return self._prefix + line if line.strip() and not line.startswith(b"[pod/") else line
        section = self._names.get(section.lower(), section)
        is_known = section in self._sections.names or family_of(section) in self._families
        self._prefix = pod_prefix(section) if is_known else b""
        return (
            self._prefix + line if b"\r" in line.strip() else line
        )  # the first lines of the part follow in the same line


def find_pasted_sections(head: bytes) -> PastedSections | None:
    """Return the parts of a file of pasted terminals.

    None unless its head shows several machines, or its first line shows one.
    """
    lines = [line[:MAX_HEADER_CHARS] for line in head_text(head).split("\n", MAX_HEAD_LINES)]
    if "\r" in head_text(head):
        lines = list(map(_first_segment, lines))
    stated = set(stated_hosts(head))
    typed = list(filter(is_command, lines))
    commands = learn_commands(typed, stated)
    prompts = {name for line in typed if (name := commands.machine_of(line))}
    stated |= prompts
    best = PastedSections("", frozenset(prompts), commands)
    for sign, names in _headers_by_sign(lines).items():
        named = select_writers(names, stated) | _names_above_tables(lines, sign) | _names_with_commands(lines, sign)
        named |= _names_behind_machine_words(lines, sign)
        shared = _find_shared(lines, sign, named, commands) if len(named) >= MIN_NAMES else frozenset[str]()
        if len(named) >= MIN_NAMES and len(named | prompts - shared) > len(best.names):
            best = PastedSections(sign, named | prompts - shared, commands, shared=shared)
    if len(best.names) < MIN_NAMES:
        titled = _find_titles(lines, stated, prompts, commands)
        best = titled if titled.names else best
    return best if len(best.names) >= MIN_NAMES or _begins_with_command(lines, best) else None


def _begins_with_command(lines: Sequence[str], sections: PastedSections) -> bool:
    """Return whether the first line is a command with output of another machine. A log that quotes one begins
    otherwise.
    """
    first = next((line for line in lines if line.strip()), "")
    return names_target(first) and sections.commands.machine_of(first) in sections.names


def _first_segment(line: str) -> str:
    """Return the text before the first carriage return; the text after it was a separate line."""
    return line.partition("\r")[0]


def _find_titles(
    lines: Sequence[str], stated: Collection[str], prompts: Collection[str], commands: TypedCommands
) -> PastedSections:
    """Return the parts below titles of one form. Each title has a machine that the text states, and lines below it."""
    by_form: dict[str, list[tuple[int, str]]] = defaultdict(list)
    names = {name.lower(): name for name in stated}
    if len(names) < MIN_NAMES:
        return PastedSections("", frozenset())
    is_behind_gap = True
    for at, line in enumerate(lines):
        if title := _read_title(line, is_behind_gap, names):
            by_form[title[0]].append((at, title[1]))
        is_behind_gap = _may_be_gap(line) and _is_gap(line) is not None
    form, titles = max(by_form.items(), key=lambda item: len({name for _, name in item[1]}), default=("", []))
    named = {name for _, name in titles}
    are_close = any(after - before < MIN_LINES_BETWEEN for (before, _), (after, _) in pairwise(titles))
    if len(named) < MIN_NAMES or are_close or len(titles) * MIN_LINES_BELOW > len(lines):
        return PastedSections("", frozenset())
    if titles[0][0] > MAX_SHARE_ABOVE * len(lines) or _is_line_prefix(form, named, len(titles), lines):
        return PastedSections("", frozenset())
    pattern = re.escape(form).replace(re.escape(_NAME_PLACE), f"(?P<name>{NAME}?)")
    pattern = pattern.replace(re.escape(_NUMBER_PLACE), r"\w{1,9}")
    return PastedSections("", frozenset((*named, *prompts)), commands, re.compile(pattern, re.I))


def _is_line_prefix(form: str, names: Collection[str], title_count: int, lines: Sequence[str]) -> bool:
    """Return whether many lines begin like the titles, as `[gx-7] out: ` before every line of gx-7."""
    begin = form.partition(_NAME_PLACE)[0]
    beginnings = tuple(f"{begin}{name.lower()}" for name in names)
    alike = sum(line.strip().lower().startswith(beginnings) for line in lines)
    return _NUMBER_PLACE not in begin and alike > 2 * title_count


def _read_title(line: str, is_behind_gap: bool, names: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the form of a title and the only name in it; None if the line is not a title.

    A title comes after a gap, begins with a sign or an ordinal, ends in a colon, or is a name. `names`: name in lower
    case → name as the text states it.
    """
    sender = _match_sender(line)
    text = line[sender.end() :].strip() if sender else line.strip()
    if not text or len(text) > MAX_TITLE_CHARS or text[0] in '{"':  # records of loggers begin with these characters
        return None
    is_name = text.lower() in names
    if not (sender or is_behind_gap or is_name or not text[0].isalnum() or text[-1] in ":|：" or _MARK(text)):
        return None
    words = {word for title_word in _find_words(text) for word in (title_word, title_word.partition(".")[0])}
    named = {word.lower() for word in words if word.lower() in names}
    name = min(named, key=len, default="")
    if not name or any(not other.startswith(name) for other in named) or read_line(text).stamps:
        return None
    form = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", _NAME_PLACE, text.lower())
    if form.count(_NAME_PLACE) != 1:
        return None
    return re.sub(r"\d+|^[a-z](?=[.)])", _NUMBER_PLACE, form), names[name]


def _may_be_gap(line: str) -> bool:
    """Return whether a line may be a gap: it has a sign at one of its ends, is empty, or is of a mail.

    For all other lines, the pattern would be expensive.
    """
    text = line.rstrip()
    return not text or not text[0].isalnum() or text[-1] in ":|：" or text.startswith(_MAIL_WORDS)


def _headers_by_sign(lines: list[str]) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for line in lines:
        if header := _read_header(line):
            names.setdefault(header.sign, set()).add(header.name)
    return names


def _read_header(line: str) -> _SectionHeader | None:
    if line[:1] not in _HEADER_SIGNS or not (match := _match_header(line)):
        return None
    if remote := match["remote"]:
        return _SectionHeader(match["sign"], remote, match["command"])
    name, tail = match["name"], match["tail"]
    if _match_machine_word(name) and (named := _match_named(tail)):
        return _SectionHeader(match["sign"], named[1], tail[named.end() :], f"{name} ")
    return _SectionHeader(match["sign"], name, tail, match["intro"])


def _names_above_tables(lines: Sequence[str], sign: str) -> frozenset[str]:
    """Return the names in headers of a sign that have the header line of the same table below them."""
    by_head: dict[str, set[str]] = defaultdict(set)
    name, lines_since = "", 0
    for line in lines:
        if line.startswith(sign) and (header := _read_header(line)):
            name, lines_since = header.name, 0
        elif name and lines_since <= MAX_LINES_ABOVE_TABLE:
            lines_since += 1
            if _is_table_head(line):
                by_head[line.strip()].add(name)
                name = ""
    names = max(by_head.values(), key=len, default=set[str]())
    return frozenset(name for name in names if name.lower() not in _PARTS_OF_REPORT) if len(names) > 1 else frozenset()


def _names_behind_machine_words(lines: Sequence[str], sign: str) -> frozenset[str]:
    """Return the names in headers of a sign that say that they name a machine: `~~~~ machine : gx-7 ~~~~`."""
    headers = (header for line in lines if line.startswith(sign) and (header := _read_header(line)))
    names = {header.name for header in headers if _ends_in_machine_word(header.intro)}
    return frozenset(names) if len(names) >= MIN_NAMES else frozenset()


def _names_with_commands(lines: Sequence[str], sign: str) -> frozenset[str]:
    """Return the names in headers of a sign that state what was run there: `#### gx-7 (py-spy dump --pid 4711)`."""
    headers = (header for line in lines if line.startswith(sign) and (header := _read_header(line)))
    names = {header.name for header in headers if prints_of_machine(header.tail.lstrip(" :(,|@" + _HEADER_SIGNS))}
    return frozenset(names) if len(names) >= MIN_NAMES else frozenset()


def _find_shared(lines: Sequence[str], sign: str, named: Collection[str], commands: TypedCommands) -> frozenset[str]:
    """Return the names in commands that are under the headers of several machines."""
    headers: dict[str, set[str]] = defaultdict(set)
    section = ""
    for line in lines:
        if line.startswith(sign) and (header := _read_header(line)) and header.name in named:
            section = header.name
        elif section and (machine := commands.machine_of(line)) and machine not in named:
            headers[machine].add(section)
    return frozenset(name for name, under in headers.items() if len(under) > 1)


def _section_of(line: str, sections: PastedSections) -> str | None:
    """Return the machine whose part begins with this line; "" if it is unknown, None if no part begins here."""
    if sections.title:
        sender = _match_sender(line)
        if title := sections.title.fullmatch(line[sender.end() :].strip() if sender else line.strip()):
            return title["name"]
    if sections.sign and line.startswith(sections.sign) and (header := _read_header(line)):
        return header.name
    machine = sections.commands.machine_of(line)
    return None if machine in sections.shared else machine
