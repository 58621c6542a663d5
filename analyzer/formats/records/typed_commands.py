r"""Recognize commands after shell prompts, and find the machine that their output is about.

    lena@gx-7:~/run$ dmesg -T | tail                 the prompt names the machine on which its command ran,
    lena@head:~$ ssh gx-8 cat run.log                or the command names another one
    $ kubectl logs bert-worker-1
    $ kubectl debug node/gx-8 -it --image=busybox -- dmesg
    $ srun -w gx-8 dmesg
    $ ipmitool -H gx-8-bmc sel elist
    PS C:\logs> Get-Content .\gx-8.log               or a file of the machine
    !gcloud compute ssh gx-8 --command "dmesg"       a cell of a notebook

The names in commands are learned from the file: several commands have names that are numbered alike, or the text states
them as hosts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from analyzer.formats import read_line
from analyzer.formats.records.writer_names import may_be_numbered_writer, select_writers

MIN_NAMES = 2
NAME = r"[A-Za-z][\w.-]{0,63}"
ADDRESS = r"\d{1,3}(?:\.\d{1,3}){3}"
# The output of these is about the machine on which they run. Not scripts, which may start a job on many machines, and
# not commands that print files, which may be shared.
_PRINTS_OF_MACHINE = (
    r"(?:sudo (?:-\S+ ){0,3})?(?:dmesg|journalctl|nvidia-smi|rocm-smi|free|top|htop|ps|pstree|df|du|ip|ifconfig|ethtool"
    r"|ibstat\w{0,2}|ibv_devinfo|perfquery|uptime|date|lsof|ss|netstat|nc|ping|ulimit|sensors|ipmitool|lspci|lscpu|numactl|mount|systemctl"
    r"|chronyc|ntpq|timedatectl|hostname|uname|env|printenv|export|python[\d.]*|/\S{1,120}/python[\d.]*|py-spy|gdb|strace|pip\d?"
    r"|conda|ldd|vmstat|iostat|sar|who|w|id|last|coredumpctl|cat /proc/\S+|cat /etc/\S+"
    r"|(?:cat|tail|less|grep|zgrep)\b.{0,80} /var/log/(?:messages|syslog|kern|dmesg)\S{0,20})(?= |$|;|\|)"
)
prints_of_machine = re.compile(_PRINTS_OF_MACHINE).match
# A bare name is a prompt only before a command that prints of its machine: `gx-7$ df -h`.
_PROMPT = re.compile(
    rf"(?:\([\w.-]{{1,40}}\) )?[\[(]?(?:[a-z_][\w.-]{{0,31}}@(?P<host>{NAME})[: ][^#$%>\n]{{0,100}}[#$%>]"
    rf"|\[(?P<bracket>{NAME})\] ?[#$]|(?P<root>{NAME}):[~/][^#$%>\n]{{0,100}} #|(?:PS )?[A-Z]:\\[^<>|\n]{{0,100}}> ?"
    rf"|PS [~/][^<>|\n]{{0,100}}>|(?P<bare>{NAME})[$#%](?= (?:{_PRINTS_OF_MACHINE}))"
    r"|[$#%>]|!(?=[a-z])) ?(?P<command>(?<=[ >!])\S.*)"
).match
_REMOTE = re.compile(
    r"(?:(?:sudo|time|timeout \S{1,8}) ){0,2}(?:(?:[a-z]{2,16}_)?ssh|rsh)"
    r"(?: -(?:[BDEFIJLOQRSWbceilmopw] ?\S{1,80}|\w{1,40})){0,8}"
    rf" (?:[\w.-]{{1,32}}@)?(?P<host>{NAME}|{ADDRESS})(?= |$)"
).match
_CONTAINER = re.compile(
    rf"(?:kubectl|oc|docker|podman|nerdctl|crictl|lxc|incus)(?: -\S{{1,60}}(?: [\w.-]{{1,60}})?){{0,4}} (?:logs|exec)"
    rf"(?: -\S{{1,40}}(?: [\w.-]{{1,40}})?){{0,6}} (?:pods?/)?(?P<host>{NAME})"
).match
_MACHINE = re.compile(
    rf"(?:kubectl|oc)(?: -\S{{1,60}}(?: [\w.-]{{1,60}})?){{0,4}} debug(?: -\S{{1,60}}){{0,4}} nodes?/(?P<host>{NAME})"
).match
_STEP = re.compile(rf"srun\b[^|;&\n]{{0,120}}? (?:-w ?|--nodelist[= ])(?P<host>{NAME})(?= |$)").match
# A service processor is named like its machine, plus a word.
_SERVICE_PROCESSOR = re.compile(
    rf"(?:sudo )?ipmitool\b[^|;&\n]{{0,80}}? -H ?(?P<host>(?!(?:bmc|ipmi|ilo|idrac|oob|mgmt)[-.]){NAME}?)"
    r"(?:[-.](?:bmc|ipmi|ilo|idrac|oob|mgmt)(?:\.[\w.-]{1,80})?)?(?= |$)"
).match
_FILE = re.compile(
    r"(?:cat|tail|head|less|more|zcat|grep|sed)\b[^|;&]{0,200}? (?P<path>[\w./-]{1,200}/[\w./-]{1,100})(?= |$)"
).match
# These start a job or probe a peer: the output after them is not from the machines that they name.
_names_others = re.compile(
    r"(?:sudo (?:-\S+ ){0,3})?(?:python[\d.]*|\S{0,120}\.(?:sh|py)|(?:ba|z|k)?sh|mpirun|mpiexec|horovodrun|torchrun"
    r"|srun|sbatch|salloc|qsub|bsub|nohup|export|set|env|ping|nc|ncat|telnet|curl|wget|getent|nslookup|dig|host"
    r"|traceroute|tracepath|mtr|openssl|scp|rsync|cp|mv|rm|for|while|if|echo|printf|cd|ls|kill|pkill|scontrol|sacct"
    r"|squeue|sinfo|pdsh|clush|ansible\S{0,10}|salt)(?= |$|;)"
).match
_is_name = re.compile(NAME).fullmatch
_WORD = re.compile(r"[^\s'\"=,;|&()<>]{1,200}")
_EXTENSION = re.compile(r"(?:\.(?:log|txt|out|err|stdout|stderr|gz|\d{1,2})){1,3}$", re.I)


@dataclass(frozen=True, slots=True)
class TypedCommands:
    """What the commands of a file show: commands that were typed on several machines, and the names in other commands.

    Each of the `repeated` commands prints about the machine on which it was typed. `programs` are the first words of
    commands with one of the `names`.
    """

    repeated: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()

    def machine_of(self, line: str) -> str | None:
        """Return the machine that the output of a command is about; "" if unknown, None if the line is not
        a command.
        """
        match = _PROMPT(line)
        if match is None:
            return None
        host, command = _host_of(match), match["command"].strip()
        if target := find_target(command):
            return target
        if host and (command in self.repeated or prints_of_machine(command)):
            return host
        if (named := self._name_in(command)) or host is None:
            return named  # `$ make`, `# a comment` and `> a quotation` are not about a machine
        path = _FILE(command)
        return _writer_of_path(path["path"]) if path else ""

    def _name_in(self, command: str) -> str | None:
        names = self.names.intersection(_names_in(command)) if _program_of(command) in self.programs else set()
        return next(iter(names)) if len(names) == 1 else None


def _host_of(match: re.Match[str]) -> str | None:
    return match["host"] or match["root"] or match["bracket"] or match["bare"]


def is_command(line: str) -> bool:
    """Return whether a line begins with a prompt and a command."""
    return not line[:1].isdecimal() and _PROMPT(line) is not None


def names_target(line: str) -> bool:
    """Return whether a line is a command that names the machine, pod or container that its output is about."""
    match = _PROMPT(line)
    return match is not None and find_target(match["command"].strip()) is not None


def find_target(command: str) -> str | None:
    """Return the machine, pod or container that a command names as the place of its output; None if it names none."""
    matches = (find(command) for find in (_REMOTE, _CONTAINER, _MACHINE, _STEP, _SERVICE_PROCESSOR))
    return next((match["host"] for match in matches if match), None)


def learn_commands(lines: Sequence[str], stated: Collection[str]) -> TypedCommands:
    """Return what the commands in a file's lines show. `stated` are names that its text states as hosts."""
    hosts: dict[str, set[str]] = defaultdict(set)
    programs: dict[str, set[str]] = defaultdict(set)  # name → the programs of the commands that have it
    for line in lines:
        if not (match := _PROMPT(line)) or read_line(line).formats:
            continue
        command = match["command"].strip()
        if host := _host_of(match):
            hosts[command].add(host)
        for name in _names_in(command):
            programs[name].add(_program_of(command))
    names = select_writers(programs, stated)
    return TypedCommands(
        repeated=frozenset(command for command, names in hosts.items() if len(names) >= MIN_NAMES),
        names=names,
        programs=frozenset().union(*(programs[name] for name in names)),
    )


def _program_of(command: str) -> str:
    return command.split(maxsplit=1)[0].lower()


def _names_in(command: str) -> Iterator[str]:
    """Yield possible names of machines in a command: the parts of its words, and files without their extensions."""
    if _names_others(command):
        return
    for word in _WORD.findall(command)[1:]:
        parts = re.split(r"[/\\:@]", word)
        yield from (name for part in parts if _is_name(name := _EXTENSION.sub("", part)))


def _writer_of_path(path: str) -> str:
    """Return the innermost part of a path that names a machine or a task; "" if none does."""
    stems = (part.partition(".")[0] for part in reversed(path.split("/")))
    return next(filter(may_be_numbered_writer, stems), "")
