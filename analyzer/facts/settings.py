"""Settings that files state about a node: versions, environment variables, limits, interfaces.

They are read from the output of many commands, of which a file may hold several, with or without headings. A form is a
pattern for single lines. A table that only its heading explains (`pip list`, `conda list`) is read until a line does
not fit.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator

from analyzer.facts.device_listings import DEVICE_LINE_PATTERN, read_devices
from analyzer.model import Setting

MACHINE_ADDRESS = "inet"  # stands for an address of the node's machine, which is no setting to compare
JOB_SETTING_PREFIX = "slurm "  # of the names of settings that belong to the job and not to a node
_PROBE_CHARS = 32 * 1024  # characters in which a file shows that it states something
MAX_VALUE_CHARS = 300


SettingRow = tuple[str, str]
SettingForm = tuple[Callable[[str], re.Match[str] | None], Callable[[re.Match[str]], Iterator[SettingRow]]]


def read_settings(text: str) -> Iterator[Setting]:
    """Yield the settings of a text; none if its first _PROBE_CHARS characters hold no line of a known form."""
    text = text.replace("\0", "\n") if "\0" in text else text  # /proc/PID/environ
    if not _STATES_SETTINGS.search(text[:_PROBE_CHARS]):
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
            if match := table.match(line):
                yield Setting(*_normalise_package(match[1], match[2]), number)
                continue
            table = table if line.startswith(("-", "#")) else None  # the rule below the heading, a comment
        if match := _INTERFACE_HEADING.match(line):
            iface = match[1] or match[2]
        if match := _GPU.match(line):
            gpus[(match[1] or match[2] or match[3]).strip()] += 1
            last = number
        for match_form, rows in FORMS:
            if match := match_form(line):
                for name, value in rows(match):
                    if cleaned := _clean_setting(name.replace("IFACE", iface), value):
                        yield Setting(*cleaned, number)
                break
    for device_setting in read_devices(text.splitlines()):
        if cleaned := _clean_setting(device_setting.name, device_setting.value):
            yield Setting(*cleaned, device_setting.line)
    if gpus:
        models = ", ".join(f"{count} × {name}" for name, count in sorted(gpus.items()))
        yield Setting("gpus", models[:MAX_VALUE_CHARS], last)


def _clean_setting(name: str, value: str) -> SettingRow | None:
    value = value.strip().strip("\"'").strip()
    virtual = name.startswith(("mtu ", "link ")) and _VIRTUAL.match(name.partition(" ")[2])
    return None if not value or virtual else (sys.intern(name), sys.intern(value[:MAX_VALUE_CHARS]))


def _setting_named(name: str) -> Callable[[re.Match[str]], Iterator[SettingRow]]:
    return lambda match: iter([(name, match[1])])


# --- packages --------------------------------------------------------------------------------------------------------

_TENSORFLOW = re.compile(r"^tensorflow-(?:cpu|gpu|intel|macos|rocm|aws|cpu-aws)$")


def _normalise_package(name: str, version: str) -> SettingRow:
    """Return name and version of a package, the name normalised by PEP 503. All builds of TensorFlow are TensorFlow."""
    name = re.sub(r"[-_.]+", "-", name).lower()
    return sys.intern("tensorflow" if _TENSORFLOW.match(name) else name), sys.intern(version[:MAX_VALUE_CHARS])


def _read_package(match: re.Match[str]) -> Iterator[SettingRow]:
    yield _normalise_package(match[1], match[2])


_PACKAGE = r"([A-Za-z0-9_][\w.-]{0,80})"
_TABLES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"^Package\s{2,}Version\b"), re.compile(rf"^{_PACKAGE}\s+(\d\S*)")),
    (re.compile(r"^# +Name +Version"), re.compile(rf"^{_PACKAGE}\s+(\d\S*)\s")),
)

# --- the environment -------------------------------------------------------------------------------------------------

_VARIABLE_NAMES = (
    r"(?:TF|NCCL|CUDA|CUDNN|GRPC|XLA|TPU|NVIDIA|HOROVOD|HVD|OMP|MKL|KMP|OPENBLAS|UCX|FI|GLOO|RDMAV|IBV|OMPI_MCA|KERAS|JAX"
    r"|MALLOC|LD|PYTHON|SLURM_JOB|SLURM)_?[A-Z0-9_]*|TZ|LANG|LC_ALL|USER|LOGNAME|CONDA_DEFAULT_ENV|VIRTUAL_ENV"
    r"|(?:http|https|no|all)_proxy|(?:HTTP|HTTPS|NO|ALL)_PROXY"
)
# Variables that differ from task to task by design, and secrets, are not read.
_PER_TASK_OR_SECRET = re.compile(
    r"TF_CONFIG$|(?:RANK|PROCID|LOCALID|NODEID|TASK_PID|TASK_INDEX|TASK_ID|HOSTNAME|NODENAME|GTIDS|TOPOLOGY_ADDR"
    r"|LAUNCH_NODE_IPADDR|INCARNATION)$|STEP_\w|CPU_BIND|KEY|TOKEN|SECRET|PASSW|CREDENTIAL"
)


def is_comparable_variable(name: str) -> bool:
    """Whether an environment variable of this name is worth comparing between nodes."""
    return bool(_SETTING_NAME.fullmatch(name)) and not _PER_TASK_OR_SECRET.search(name)


def _read_variable(match: re.Match[str]) -> Iterator[SettingRow]:
    if not _PER_TASK_OR_SECRET.search(match[1]):
        yield match[1], re.sub(r"(?<=://)[^/@\s]+@", "", match[2]) or "(empty)"


_SETTING_NAME = re.compile(_VARIABLE_NAMES)

# --- limits ----------------------------------------------------------------------------------------------------------

_LIMIT_NAMES = {
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


def _read_ulimit(match: re.Match[str]) -> Iterator[SettingRow]:
    """Yield a limit of bash's `ulimit -a`, with sizes in bytes instead of KiB."""
    if name := _LIMIT_NAMES.get(match[2]):
        kib = match[1] in ("kbytes", "blocks") and match[3].isdecimal()
        yield f"limit {name}", str(int(match[3]) * 1024) if kib else match[3]


def _read_proc_limit(match: re.Match[str]) -> Iterator[SettingRow]:
    yield f"limit {match[1].lower()}", match[2]
    if match[3] != match[2]:
        yield f"limit {match[1].lower()} (hard)", match[3]


# --- devices, network, system ----------------------------------------------------------------------------------------

_INTERFACE_HEADING = re.compile(r"^(?:\d+: ([\w.:-]+?)(?:@\S+)?: <|([a-z][\w.:-]*?):? {1,12}(?:flags=|Link encap))")
_VIRTUAL = re.compile(r"^(?:lo$|veth|cali|docker|virbr|tap|cni|flannel|lxc|vnet|nodelocaldns|kube)")
_GPU = re.compile(
    r"^(?:GPU \d+: (.+?) \(UUID: |\|\s++\d++\s{2,}+(\S++(?:\s\S++)*+)\s{2,}+(?:On|Off|N/A)\s++\|"
    r"|\s+Product Name\s+: (.+))"
)


def _read_interface(match: re.Match[str]) -> Iterator[SettingRow]:
    yield "mtu IFACE", match[1]
    if match[2]:
        yield "link IFACE", match[2]


def _read_driver_banner(match: re.Match[str]) -> Iterator[SettingRow]:
    yield "driver", match[1]
    if match[2]:
        yield "cuda-of-the-driver", match[2]


def _read_uname(match: re.Match[str]) -> Iterator[SettingRow]:
    yield "kernel", match[1]
    yield "machine", match[2]


def _read_memory(match: re.Match[str]) -> Iterator[SettingRow]:
    """Yield the memory in whole GiB: equal machines differ by a few MiB that the firmware reserves."""
    yield "memory", f"{int(match[1]) / 1024**2:.0f} GiB"


_SLURM_PAIR = re.compile(
    r"(?<!\S)(JobState|Reason|ExitCode|DerivedExitCode|TimeLimit|RunTime|NumNodes|NumCPUs|NumTasks|CPUs/Task|MinMemoryNode"
    r"|MinMemoryCPU|TresPerNode|Gres|Partition|NodeList|BatchHost|Requeue|Restarts|OverSubscribe)=(\S+)"
)


def _read_scontrol(match: re.Match[str]) -> Iterator[SettingRow]:
    """Yield the pairs of a line of `scontrol show job`, without those that are unset, `(null)`."""
    for name, value in _SLURM_PAIR.findall(match[0]):
        if value != "(null)":
            yield f"{JOB_SETTING_PREFIX}{name}", value


FORMS: tuple[SettingForm, ...] = tuple(
    (re.compile(pattern).match, rows)
    for pattern, rows in (
        (rf"^\s*(?:export |declare -x |-e |Environment=|[-] )?[\"']?({_VARIABLE_NAMES})=(.*)$", _read_variable),
        (rf"^\s*setenv ({_VARIABLE_NAMES}) (.*)$", _read_variable),
        (rf"^{_PACKAGE}===?([^\s;\\#]+)", _read_package),
        (rf"^{_PACKAGE} @ \S*?/[\w.]+-(\d[\w.!+]*?)(?:-(?:py|cp)\d|\.tar|\.zip)", _read_package),
        (r"^\s+- ([a-z][\w.-]*)={1,2}(\d[\w.!+]*)(?:=\S+)?$", _read_package),  # conda env export
        (r"^[a-zA-Z][\w-]*+(?: ++[\w-]++)*+\s++\((?:([\w ]+), )?-([a-z])\)\s++(\S+)$", _read_ulimit),  # bash
        (r"^-([a-z]): (?=\S)[\w ()/-]*\s(\S+)$", lambda match: _read_zsh_limit(match)),
        (r"^Max ([a-z]++(?: [a-z]++)*+)\s{2,}+(\S++)\s++(\S++)", _read_proc_limit),
        (r"^.{0,80}?\bmtu (\d{1,18})(?:.*? state (\w+))?", _read_interface),  # ip link, ifconfig of net-tools 2
        (r"^\s.*\bMTU:(\d{1,18})()", _read_interface),  # ifconfig of net-tools 1
        (r"^\s+inet (?:addr:)?(\d+\.\d+\.\d+\.\d+)", _setting_named(MACHINE_ADDRESS)),
        (r"^\|? ?NVIDIA-SMI .*?Driver Version: (\S+)(?:\s+CUDA Version: (\S+))?", _read_driver_banner),
        (r"^Driver Version\s+: (\S+)()", _read_driver_banner),  # nvidia-smi -q
        (r"^CUDA Version\s+: (\S+)", _setting_named("cuda-of-the-driver")),
        (r"^\s+VBIOS Version\s+: (\S+)", _setting_named("gpu vbios")),
        (r"^\s+Persistence Mode\s+: (\w+)", _setting_named("gpu persistence mode")),
        (r"^\s+Compute Mode\s+: (\w+)", _setting_named("gpu compute mode")),
        (r"^Attached GPUs\s+: (\d{1,18})", _setting_named("gpus attached")),
        (r"^Cuda compilation tools, release [\d.]+, V(\S+)", _setting_named("cuda-toolkit")),
        (r"^CUDA Version (\d\S+)$", _setting_named("cuda-toolkit")),  # version.txt
        (r"^Linux \S+ (\d++\.\d++\S*+) .*?\b(x86_64|aarch64|ppc64le|s390x|riscv64)\b", _read_uname),
        (r"^Linux version (\d++\.\d++\S*+) \(", _setting_named("kernel")),
        (r"^PRETTY_NAME=[\"']?([^\"']+)", _setting_named("os")),
        (r"^ldd \(.*?\) (\d+\.\d+)$", _setting_named("glibc")),
        (r"^Python (\d+\.\d+\.\S+)$", _setting_named("python")),
        (r"^gcc .*?\) (\d+\.\d+\.\d+)", _setting_named("gcc")),
        (r"^(?:JobId=\d+ | {3})(?:[^\s=]++=\S*+ ?)++$", _read_scontrol),
        (r"^MemTotal:\s+(\d{1,18}) kB", _read_memory),
        (r"^Model name:\s+(\S.*)", _setting_named("cpu")),
        (r"^CPU\(s\):\s+(\d{1,18})$", _setting_named("cpus")),
        (
            r"^((?:vm|net\.core|net\.ipv4\.tcp_\w|fs\.file-max|fs\.nr_open|kernel\.(?:pid_max|threads-max|shm\w|numa_balancing))"
            r"[\w.]*) ?= ?(\S.*)$",
            lambda match: iter([(f"sysctl {match[1]}", match[2])]),
        ),
    )
)


def _read_zsh_limit(match: re.Match[str]) -> Iterator[SettingRow]:
    if name := _LIMIT_NAMES.get(match[1]):
        yield f"limit {name}", match[2]


_STATES_SETTINGS = re.compile(
    rf"^(?:(?:export |declare -x |setenv )?(?:{_VARIABLE_NAMES}|PATH|HOME|HOSTNAME)=|[\w.-]+===?\d|Package\s+Version"
    r"|# +Name +Version|[ \t]++- [\w.-]+=\d|.*\(-n\)\s|-n: |Max [a-z]+ |.*\bmtu \d|[ \t].*\bMTU:\d|.*NVIDIA-SMI"
    r"|.*NVSMI LOG|GPU \d+: |Cuda compil|CUDA Version |Linux \S+ \d|PRETTY_NAME=|ldd \(|Python \d|gcc |MemTotal:"
    rf"|JobId=\d+ |Model name:|CPU\(s\):|vm\.|net\.core|[ \t]++inet \d|{DEVICE_LINE_PATTERN})",
    re.M,
)
