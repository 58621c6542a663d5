"""Output of several machines that a person pasted into one file, each part under a header or a prompt of a shell.

    == gx-7                                          a name behind signs that come back: `####`, `---`, `***`
    ######## gx-7 : tmux capture-pane -p ########
    Log from gx-7                                    a short line that ends in a name, with other names again
    lena@gx-7:~/run$ dmesg -T | tail                 a prompt names the machine on which its command ran,
    lena@head:~$ ssh gx-8 cat run.log                or the command names another one
    $ kubectl logs bert-worker-1

The names are learned from the file: those of headers are numbered alike, or the text states them as hosts. Each line of
a part gets the prefix of `kubectl logs`, so that it belongs to the machine's stream.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from analyzer.formats import read_line
from analyzer.formats.records.line_by_line import LineByLine
from analyzer.formats.records.sections import pod_prefix
from analyzer.formats.records.writer_names import family_of, find_stated_hosts, may_be_numbered_writer

MIN_NAMES = 2
MAX_HEAD_LINES = 2_000
MAX_HEADER_CHARS = 300
MAX_TITLE_CHARS = 100
MIN_LINES_BELOW = 4  # a title, on the average
_NAME = r"[A-Za-z][\w.-]{0,63}"
_HEADER = re.compile(
    r"(?P<sign>[=#*~<>+_-])(?P=sign){1,100}\s{0,4}"
    r"(?:(?:host|node|machine|server|worker|pod|from|on|of|logs?|output|ssh)[ :=]{1,3}){0,3}"
    rf"(?P<name>{_NAME}?)(?:\s{{0,3}}[:(,|@].{{0,200}})?\s{{0,4}}[=#*~<>+_-]{{0,100}}\s{{0,8}}"
).fullmatch
# A title: behind an empty line, or with an ordinal or a mark of its own.
_TITLE = re.compile(
    r"(?P<mark>(?:\d{1,2}[.)]|h[1-6]\.|[-*•]|[A-Za-z][.)])\s{1,4})?"
    rf"(?P<words>(?:[^\W\d_]{{1,14}}[:,]?\s){{0,3}})[`*\"'(\[]{{0,2}}(?P<name>{_NAME}?)[`*\"')\]]{{0,2}}\s?[:.-]?\s{{0,8}}"
).fullmatch
_PROMPT = re.compile(
    rf"(?:\([\w.-]{{1,40}}\) )?[\[(]?(?:[a-z_][\w.-]{{0,31}}@(?P<host>{_NAME})[: ][^#$%>\n]{{0,100}}[#$%>]"
    rf"|(?P<root>{_NAME}):[~/][^#$%>\n]{{0,100}} #|[$#%>]) (?P<command>\S.*)"
).match
_REMOTE = re.compile(
    r"(?:(?:sudo|time|timeout \S{1,8}) ){0,2}(?:ssh|rsh)"
    r"(?: -(?:[BDEFIJLOQRSWbceilmopw] ?\S{1,80}|\w{1,40})){0,8}"
    rf" (?:[\w.-]{{1,32}}@)?(?P<host>{_NAME})(?= |$)"
).match
_CONTAINER = re.compile(
    rf"(?:kubectl|oc|docker|podman|nerdctl|crictl|lxc|incus)(?: -\S{{1,60}}(?: [\w.-]{{1,60}})?){{0,4}} (?:logs|exec)"
    rf"(?: -\S{{1,40}}(?: [\w.-]{{1,40}})?){{0,6}} (?:pods?/)?(?P<host>{_NAME})"
).match
_FILE = re.compile(
    r"(?:cat|tail|head|less|more|zcat|grep|sed)\b[^|;&]{0,200}? (?P<path>[\w./-]{1,200}/[\w./-]{1,100})(?= |$)"
).match
# What these print is of the machine on which they run. A script may start a job on many machines, files are shared.
_prints_of_machine = re.compile(
    r"(?:sudo (?:-\S+ ){0,3})?(?:dmesg|journalctl|nvidia-smi|rocm-smi|free|top|htop|ps|pstree|df|du|ip|ifconfig|ethtool"
    r"|ibstat\w{0,2}|ibv_devinfo|perfquery|uptime|date|lsof|ss|netstat|nc|ping|ulimit|sensors|ipmitool|lspci|lscpu|numactl|mount|systemctl"
    r"|chronyc|ntpq|timedatectl|hostname|uname|env|printenv|export|python[\d.]*|/\S{1,120}/python[\d.]*|py-spy|gdb|strace|pip\d?"
    r"|conda|ldd|vmstat|iostat|sar|who|w|id|last|coredumpctl|cat /proc/\S+|cat /etc/\S+"
    r"|(?:cat|tail|less|grep|zgrep)\b.{0,80} /var/log/(?:messages|syslog|kern|dmesg)\S{0,20})(?= |$|;|\|)"
).match


@dataclass(frozen=True, slots=True)
class PastedSections:
    """The parts that a file's head shows: the sign before headers' names, "" for prompts alone, and the names.

    `repeated_commands` were typed on several machines: each prints what is there.
    """

    sign: str
    names: frozenset[str]
    repeated_commands: frozenset[str] = frozenset()
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
        self._is_behind_blank = not text.strip()
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
    repeated = _find_repeated_commands(lines)
    prompts = {name for line in lines if (name := _section_of_prompt(line, repeated))}
    stated = set(find_stated_hosts(lines)) | prompts
    best = PastedSections("", frozenset(prompts), repeated)
    for sign, names in _headers_by_sign(lines).items():
        families = Counter(family_of(name) for name in names)
        named = {
            name
            for name in names
            if name in stated or (families[family_of(name)] >= MIN_NAMES and may_be_numbered_writer(name))
        }
        if len(named) >= MIN_NAMES and len(named | prompts) > len(best.names):
            best = PastedSections(sign, frozenset(named | prompts), repeated)
    if len(best.names) < MIN_NAMES:
        best = _find_titles(lines, stated, prompts, repeated)
    return best if len(best.names) >= MIN_NAMES else None


def _find_titles(
    lines: Sequence[str], stated: Collection[str], prompts: Collection[str], repeated: frozenset[str]
) -> PastedSections:
    """Return the parts below titles of one form, each with a machine that the text states, and with lines below it."""
    by_form: dict[tuple[str, str], list[str]] = defaultdict(list)
    is_behind_blank = True
    for line in lines:
        if (title := _read_title(line, is_behind_blank)) and title[1] in stated:
            by_form[title[0]].append(title[1])
        is_behind_blank = not line.strip()
    form, names = max(by_form.items(), key=lambda item: len(set(item[1])), default=(("", ""), []))
    if len(set(names)) < MIN_NAMES or len(names) * MIN_LINES_BELOW > len(lines):
        return PastedSections("", frozenset())
    return PastedSections("", frozenset((*names, *prompts)), repeated, form)


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


def _find_repeated_commands(lines: Iterable[str]) -> frozenset[str]:
    hosts: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        if (match := _PROMPT(line)) and (host := match["host"] or match["root"]) and not read_line(line).formats:
            hosts[match["command"].strip()].add(host)
    return frozenset(command for command, names in hosts.items() if len(names) >= MIN_NAMES)


def _section_of(line: str, sections: PastedSections, is_behind_blank: bool) -> str | None:
    """Return the machine whose part begins with this line, "" if that is unknown, None if no part begins here."""
    if sections.title and (title := _read_title(line, is_behind_blank)) and title[0] == sections.title:
        return title[1]
    if sections.sign and line.startswith(sections.sign) and (match := _HEADER(line)):
        return match["name"]
    return _section_of_prompt(line, sections.repeated_commands)


def _section_of_prompt(line: str, repeated_commands: frozenset[str]) -> str | None:
    match = _PROMPT(line)
    if match is None:
        return None
    host, command = match["host"] or match["root"], match["command"]
    if target := _REMOTE(command) or _CONTAINER(command):
        return target["host"]
    if host is None:
        return None  # `$ make`, `# a comment` and `> a quotation` say nothing of a machine
    if (path := _FILE(command)) and (named := _writer_of_path(path["path"])):
        return named
    return host if command.strip() in repeated_commands or _prints_of_machine(command) else ""


def _writer_of_path(path: str) -> str:
    """Return the innermost part of a path that names a machine or a task; "" if none does."""
    stems = (part.partition(".")[0] for part in reversed(path.split("/")))
    return next(filter(may_be_numbered_writer, stems), "")
