"""Output of several machines that a person pasted into one file, each part under a header or a prompt of a shell.

    == gx-7                                          a name behind signs that come back: `####`, `---`, `***`
    ######## gx-7 : tmux capture-pane -p ########
    Log from gx-7                                    a short line that ends in a name, with other names again
    :::::::::::::
    logs/gx-7.log                                    or in that of a file, as `more` and `type` print it
    :::::::::::::
    lena@gx-7:~/run$ dmesg -T | tail                 a prompt and its command (`typed_commands.py`)

The names are learned from the file: those of headers are numbered alike, or the text states them as hosts. Each line of
a part gets the prefix of `kubectl logs`, so that it belongs to the machine's stream.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from analyzer.formats.records.line_by_line import LineByLine
from analyzer.formats.records.sections import pod_prefix
from analyzer.formats.records.typed_commands import NAME, TypedCommands, learn_commands
from analyzer.formats.records.writer_names import family_of, find_stated_hosts, may_be_numbered_writer

MIN_NAMES = 2
MAX_HEAD_LINES = 2_000
MAX_HEADER_CHARS = 300
MAX_TITLE_CHARS = 100
MIN_LINES_BELOW = 4  # a title, on the average
_PATH = r"(?:[\w.~/\\:-]{0,100}[/\\])?"  # before a name: that of the file whose text follows
_EXTENSION = r"(?:\.(?:log|txt|out|err|stdout|stderr)){0,2}"
_HEADER = re.compile(
    r"(?P<sign>[=#*~<>+_-])(?P=sign){1,100}\s{0,4}(?:[\w%#.\[\]-]{1,20}[ :=]{1,3}){0,6}?"
    rf"[(\[]?{_PATH}(?P<name>{NAME}?){_EXTENSION}[)\]]?(?:\s{{0,3}}[:(,|@].{{0,200}})?\s{{0,4}}[=#*~<>+_-]{{0,100}}\s{{0,8}}"
).fullmatch
# A title: behind a line without words, or with an ordinal or a mark of its own.
_TITLE = re.compile(
    r"(?P<mark>(?:\d{1,2}[.)]|h[1-6]\.|[-*•>]|[A-Za-z][.)])\s{1,4})?(?P<words>(?:[^\W\d_]{1,14}[:,]?\s){0,3})"
    rf"[`*\"'(\[]{{0,2}}{_PATH}(?P<name>{NAME}?){_EXTENSION}[`*\"')\]]{{0,2}}\s?[:.-]?\s{{0,8}}"
).fullmatch
_is_gap = re.compile(r"[\W_]*+(?:\w.{0,200}:\s{0,4})?").fullmatch  # no words, or words that introduce what follows


@dataclass(frozen=True, slots=True)
class PastedSections:
    """The parts that a file's head shows: the sign before headers' names, "" for prompts alone, and the names."""

    sign: str
    names: frozenset[str]
    commands: TypedCommands = field(default_factory=TypedCommands)
    title: tuple[str, str] | None = None  # the mark and the words of titles, numbers as `#`


class PastedSectionsConverter(LineByLine):
    """A `LineConverter` that puts the name of the machine before each line of its part."""

    name = "pasted-sections"

    def __init__(self, sections: PastedSections) -> None:
        self._sections = sections
        self._families = {family_of(name) for name in sections.names}
        self._prefix = b""
        self._is_behind_blank = True

    def convert_line(self, line: bytes) -> bytes:
        text = line[:MAX_HEADER_CHARS].decode("utf-8", "replace").rstrip("\r")
        section = _section_of(text, self._sections, self._is_behind_blank)
        self._is_behind_blank = _is_gap(text) is not None
        if section is None:
            return self._prefix + line if line.strip() and not line.startswith(b"[pod/") else line
        is_known = section in self._sections.names or family_of(section) in self._families
        self._prefix = pod_prefix(section) if is_known else b""
        return line


def find_pasted_sections(head: bytes) -> PastedSections | None:
    """Return the parts of a file of pasted terminals; None if its head does not show several machines."""
    lines = [
        line[:MAX_HEADER_CHARS].rstrip("\r") for line in head.decode("utf-8", "replace").split("\n", MAX_HEAD_LINES)
    ]
    stated = set(find_stated_hosts(lines))
    commands = learn_commands(lines, stated)
    prompts = {name for line in lines if (name := commands.machine_of(line))}
    stated |= prompts
    best = PastedSections("", frozenset(prompts), commands)
    for sign, names in _headers_by_sign(lines).items():
        families = Counter(family_of(name) for name in names)
        named = {
            name
            for name in names
            if name in stated or (families[family_of(name)] >= MIN_NAMES and may_be_numbered_writer(name))
        }
        if len(named) >= MIN_NAMES and len(named | prompts) > len(best.names):
            best = PastedSections(sign, frozenset(named | prompts), commands)
    if len(best.names) < MIN_NAMES:
        best = _find_titles(lines, stated, prompts, commands)
    return best if len(best.names) >= MIN_NAMES else None


def _find_titles(
    lines: Sequence[str], stated: Collection[str], prompts: Collection[str], commands: TypedCommands
) -> PastedSections:
    """Return the parts below titles of one form, each with a machine that the text states, and with lines below it."""
    by_form: dict[tuple[str, str], list[str]] = defaultdict(list)
    is_behind_blank = True
    for line in lines:
        if (title := _read_title(line, is_behind_blank)) and title[1] in stated:
            by_form[title[0]].append(title[1])
        is_behind_blank = _is_gap(line) is not None
    form, names = max(by_form.items(), key=lambda item: len(set(item[1])), default=(("", ""), []))
    if len(set(names)) < MIN_NAMES or len(names) * MIN_LINES_BELOW > len(lines):
        return PastedSections("", frozenset())
    return PastedSections("", frozenset((*names, *prompts)), commands, form)


def _read_title(line: str, is_behind_blank: bool) -> tuple[tuple[str, str], str] | None:
    """Return the form of a title (its mark and its words) and the name in it; None if the line is none."""
    match = _TITLE(line.strip()) if len(line) <= MAX_TITLE_CHARS else None
    if match is None or not (match["mark"] or is_behind_blank):
        return None
    return (re.sub(r"\d+|^[A-Za-z](?=[.)])", "#", match["mark"] or "").strip(), match["words"].strip()), match["name"]


def _headers_by_sign(lines: list[str]) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for line in lines:
        if match := _HEADER(line):
            names.setdefault(match["sign"], set()).add(match["name"])
    return names


def _section_of(line: str, sections: PastedSections, is_behind_blank: bool) -> str | None:
    """Return the machine whose part begins with this line, "" if that is unknown, None if no part begins here."""
    if sections.title and (title := _read_title(line, is_behind_blank)) and title[0] == sections.title:
        return title[1]
    if sections.sign and line.startswith(sections.sign) and (match := _HEADER(line)):
        return match["name"]
    return sections.commands.machine_of(line)
