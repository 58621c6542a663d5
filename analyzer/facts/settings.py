"""What files state of a node, beside events: versions, settings, limits, interfaces; of many commands, in any mixture.

A form is a pattern over single lines; a file may hold the output of several commands one behind another, under headings
or not. Tables that only their heading explains (`pip list`, `conda list`) are read until a line does not fit.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator

from analyzer.facts.devices import TELLS, read_devices
from analyzer.model import Setting

INET = "inet"  # an address of the node's own, not a setting
JOB = "slurm "  # begins the names of settings that are the job's and no node's
_PEEK = 32 * 1024  # characters in which a file shows that it states something
MAX_VALUE_CHARS = 300


Row = tuple[str, str]
Form = tuple[Callable[[str], re.Match[str] | None], Callable[[re.Match[str]], Iterator[Row]]]


def read_settings(text: str) -> Iterator[Setting]:
    """In the order of the lines; empty for a file that states nothing in its first PEEK characters."""
    text = text.replace("\0", "\n") if "\0" in text else text  # /proc/PID/environ
    if not _TELLS.search(text[:_PEEK]):
        return
    gpus: Counter[str] = Counter()
    table: re.Pattern[str] | None = None
    iface, last = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > 4000:
            continue
        if (heading := next((row for begin, row in _TABLES if begin.match(line)), None)) is not None:
            table = heading
            continue
        if table is not None:
            if found := table.match(line):
                yield Setting(*_package(found[1], found[2]), number)
                continue
            table = table if line.startswith(("-", "#")) else None  # the rule below the heading, a comment
        if found := _IFACE.match(line):
            iface = found[1] or found[2]
        if found := _GPU.match(line):
            gpus[(found[1] or found[2] or found[3]).strip()] += 1
            last = number
        for match, rows in FORMS:
            if found := match(line):
                for name, value in rows(found):
                    if said := _tidy(name.replace("IFACE", iface), value):
                        yield Setting(*said, number)
                break
    for one in read_devices(text.splitlines()):
        if said := _tidy(one.name, one.value):
            yield Setting(*said, one.line)
    if gpus:
        models = ", ".join(f"{count} × {name}" for name, count in sorted(gpus.items()))
        yield Setting("gpus", models[:MAX_VALUE_CHARS], last)


def _tidy(name: str, value: str) -> Row | None:
    value = value.strip().strip("\"'").strip()
    virtual = name.startswith(("mtu ", "link ")) and _VIRTUAL.match(name.partition(" ")[2])
    return None if not value or virtual else (sys.intern(name), sys.intern(value[:MAX_VALUE_CHARS]))


def _named(name: str) -> Callable[[re.Match[str]], Iterator[Row]]:
    return lambda found: iter([(name, found[1])])


# --- packages --------------------------------------------------------------------------------------------------------

_TENSORFLOW = re.compile(r"^tensorflow-(?:cpu|gpu|intel|macos|rocm|aws|cpu-aws)$")


def _package(name: str, version: str) -> Row:
    """Names as PEP 503 makes them equal; the builds of TensorFlow are TensorFlow."""
    name = re.sub(r"[-_.]+", "-", name).lower()
    return sys.intern("tensorflow" if _TENSORFLOW.match(name) else name), sys.intern(version[:MAX_VALUE_CHARS])


def _pip(found: re.Match[str]) -> Iterator[Row]:
    yield _package(found[1], found[2])


_PACKAGE = r"([A-Za-z0-9_][\w.-]{0,80})"
_TABLES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"^Package\s{2,}Version\b"), re.compile(rf"^{_PACKAGE}\s+(\d\S*)")),
    (re.compile(r"^# +Name +Version"), re.compile(rf"^{_PACKAGE}\s+(\d\S*)\s")),
)

# --- the environment -------------------------------------------------------------------------------------------------

_SETTINGS = (
    r"(?:TF|NCCL|CUDA|CUDNN|GRPC|XLA|TPU|NVIDIA|HOROVOD|HVD|OMP|MKL|KMP|OPENBLAS|UCX|FI|GLOO|RDMAV|IBV|OMPI_MCA|KERAS|JAX"
    r"|MALLOC|LD|PYTHON|SLURM_JOB|SLURM)_?[A-Z0-9_]*|TZ|LANG|LC_ALL|CONDA_DEFAULT_ENV|VIRTUAL_ENV"
    r"|(?:http|https|no|all)_proxy|(?:HTTP|HTTPS|NO|ALL)_PROXY"
)
# What must differ from task to task says nothing by differing, and secrets are nobody's business.
_OWN = re.compile(
    r"TF_CONFIG$|(?:RANK|PROCID|LOCALID|NODEID|TASK_PID|TASK_INDEX|TASK_ID|HOSTNAME|NODENAME|GTIDS|TOPOLOGY_ADDR"
    r"|LAUNCH_NODE_IPADDR|INCARNATION)$|STEP_\w|CPU_BIND|KEY|TOKEN|SECRET|PASSW|CREDENTIAL"
)


def is_setting(name: str) -> bool:
    """Whether an environment variable of this name is worth comparing between nodes."""
    return bool(_SETTING_NAME.fullmatch(name)) and not _OWN.search(name)


def _variable(found: re.Match[str]) -> Iterator[Row]:
    if not _OWN.search(found[1]):
        yield found[1], re.sub(r"(?<=://)[^/@\s]+@", "", found[2]) or "(empty)"


_SETTING_NAME = re.compile(_SETTINGS)

# --- limits ----------------------------------------------------------------------------------------------------------

_LETTERS = {
    "c": "core file size",
    "d": "data size",
    "f": "file size",
    "l": "locked memory",
    "m": "resident set",
    "n": "open files",
    "s": "stack size",
    "t": "cpu time",
    "u": "processes",
    "v": "address space",
    "x": "file locks",
    "q": "msgqueue size",
    "i": "pending signals",
}


def _ulimit(found: re.Match[str]) -> Iterator[Row]:
    """bash counts most sizes in KiB, the kernel in bytes."""
    if name := _LETTERS.get(found[2]):
        kib = found[1] in ("kbytes", "blocks") and found[3].isdecimal()
        yield f"limit {name}", str(int(found[3]) * 1024) if kib else found[3]


def _proc_limit(found: re.Match[str]) -> Iterator[Row]:
    yield f"limit {found[1].lower()}", found[2]
    if found[3] != found[2]:
        yield f"limit {found[1].lower()} (hard)", found[3]


# --- devices, network, system ----------------------------------------------------------------------------------------

_IFACE = re.compile(r"^(?:\d+: ([\w.:-]+?)(?:@\S+)?: <|([a-z][\w.:-]*?):? {1,12}(?:flags=|Link encap))")
_VIRTUAL = re.compile(r"^(?:lo$|veth|cali|docker|virbr|tap|cni|flannel|lxc|vnet|nodelocaldns|kube)")
_GPU = re.compile(
    r"^(?:GPU \d+: (.+?) \(UUID: |\|\s++\d++\s{2,}+(\S++(?:\s\S++)*+)\s{2,}+(?:On|Off|N/A)\s++\|"
    r"|\s+Product Name\s+: (.+))"
)


def _interface(found: re.Match[str]) -> Iterator[Row]:
    yield "mtu IFACE", found[1]
    if found[2]:
        yield "link IFACE", found[2]


def _banner(found: re.Match[str]) -> Iterator[Row]:
    yield "driver", found[1]
    if found[2]:
        yield "cuda-of-the-driver", found[2]


def _uname(found: re.Match[str]) -> Iterator[Row]:
    yield "kernel", found[1]
    yield "machine", found[2]


def _memory(found: re.Match[str]) -> Iterator[Row]:
    """Machines of one kind differ by a few MiB that the firmware keeps."""
    yield "memory", f"{int(found[1]) / 1024**2:.0f} GiB"


_SLURM = re.compile(
    r"(?<!\S)(JobState|Reason|ExitCode|DerivedExitCode|TimeLimit|RunTime|NumNodes|NumCPUs|NumTasks|CPUs/Task|MinMemoryNode"
    r"|MinMemoryCPU|TresPerNode|Gres|Partition|NodeList|BatchHost|Requeue|Restarts|OverSubscribe)=(\S+)"
)


def _scontrol(found: re.Match[str]) -> Iterator[Row]:
    """Pairs of `scontrol show job`; what is unset is `(null)`."""
    for name, value in _SLURM.findall(found[0]):
        if value != "(null)":
            yield f"{JOB}{name}", value


FORMS: tuple[Form, ...] = tuple(
    (re.compile(pattern).match, rows)
    for pattern, rows in (
        (rf"^\s*(?:export |declare -x |-e |Environment=|[-] )?[\"']?({_SETTINGS})=(.*)$", _variable),
        (rf"^\s*setenv ({_SETTINGS}) (.*)$", _variable),
        (rf"^{_PACKAGE}===?([^\s;\\#]+)", _pip),
        (rf"^{_PACKAGE} @ \S*?/[\w.]+-(\d[\w.!+]*?)(?:-(?:py|cp)\d|\.tar|\.zip)", _pip),
        (r"^\s+- ([a-z][\w.-]*)={1,2}(\d[\w.!+]*)(?:=\S+)?$", _pip),  # conda env export
        (r"^[a-zA-Z][\w-]*+(?: ++[\w-]++)*+\s++\((?:([\w ]+), )?-([a-z])\)\s++(\S+)$", _ulimit),  # bash
        (r"^-([a-z]): (?=\S)[\w ()/-]*\s(\S+)$", lambda found: _zsh(found)),
        (r"^Max ([a-z]++(?: [a-z]++)*+)\s{2,}+(\S++)\s++(\S++)", _proc_limit),
        (r"^.{0,80}?\bmtu (\d{1,18})(?:.*? state (\w+))?", _interface),  # ip link, ifconfig of net-tools 2
        (r"^\s.*\bMTU:(\d{1,18})()", _interface),  # ifconfig of net-tools 1
        (r"^\s+inet (?:addr:)?(\d+\.\d+\.\d+\.\d+)", _named(INET)),
        (r"^\|? ?NVIDIA-SMI .*?Driver Version: (\S+)(?:\s+CUDA Version: (\S+))?", _banner),
        (r"^Driver Version\s+: (\S+)()", _banner),  # nvidia-smi -q
        (r"^CUDA Version\s+: (\S+)", _named("cuda-of-the-driver")),
        (r"^\s+VBIOS Version\s+: (\S+)", _named("gpu vbios")),
        (r"^\s+Persistence Mode\s+: (\w+)", _named("gpu persistence mode")),
        (r"^\s+Compute Mode\s+: (\w+)", _named("gpu compute mode")),
        (r"^Attached GPUs\s+: (\d{1,18})", _named("gpus attached")),
        (r"^Cuda compilation tools, release [\d.]+, V(\S+)", _named("cuda-toolkit")),
        (r"^CUDA Version (\d\S+)$", _named("cuda-toolkit")),  # version.txt
        (r"^Linux \S+ (\d++\.\d++\S*+) .*?\b(x86_64|aarch64|ppc64le|s390x|riscv64)\b", _uname),
        (r"^Linux version (\d++\.\d++\S*+) \(", _named("kernel")),
        (r"^PRETTY_NAME=[\"']?([^\"']+)", _named("os")),
        (r"^ldd \(.*?\) (\d+\.\d+)$", _named("glibc")),
        (r"^Python (\d+\.\d+\.\S+)$", _named("python")),
        (r"^gcc .*?\) (\d+\.\d+\.\d+)", _named("gcc")),
        (r"^(?:JobId=\d+ | {3})(?:[^\s=]++=\S*+ ?)++$", _scontrol),
        (r"^MemTotal:\s+(\d{1,18}) kB", _memory),
        (r"^Model name:\s+(\S.*)", _named("cpu")),
        (r"^CPU\(s\):\s+(\d{1,18})$", _named("cpus")),
        (
            r"^((?:vm|net\.core|net\.ipv4\.tcp_\w|fs\.file-max|fs\.nr_open|kernel\.(?:pid_max|threads-max|shm\w|numa_balancing))"
            r"[\w.]*) ?= ?(\S.*)$",
            lambda found: iter([(f"sysctl {found[1]}", found[2])]),
        ),
    )
)


def _zsh(found: re.Match[str]) -> Iterator[Row]:
    if name := _LETTERS.get(found[1]):
        yield f"limit {name}", found[2]


_TELLS = re.compile(
    rf"^(?:(?:export |declare -x |setenv )?(?:{_SETTINGS}|PATH|HOME|HOSTNAME)=|[\w.-]+===?\d|Package\s+Version"
    r"|# +Name +Version|[ \t]++- [\w.-]+=\d|.*\(-n\)\s|-n: |Max [a-z]+ |.*\bmtu \d|[ \t].*\bMTU:\d|.*NVIDIA-SMI"
    r"|.*NVSMI LOG|GPU \d+: |Cuda compil|CUDA Version |Linux \S+ \d|PRETTY_NAME=|ldd \(|Python \d|gcc |MemTotal:"
    rf"|JobId=\d+ |Model name:|CPU\(s\):|vm\.|net\.core|[ \t]++inet \d|{TELLS})",
    re.M,
)
