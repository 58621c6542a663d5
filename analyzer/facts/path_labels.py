"""Labels paths with the names of nodes, from the paths alone."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from analyzer.bundle import log_names
from analyzer.facts.common_name_parts import PathParts, drop_common_parts
from analyzer.facts.kind_folders import find_kind_folders
from analyzer.facts.related_hosts import find_relatives, find_whole_names

# Words that name a kind of file or a place for files, never a machine.
_GENERIC_WORDS = frozenset(
    """
    accounting after aggregate aggregated all alloc allocation allocations allocs app application archive
    archived artifact artifacts attachment attachments attempt audit auditd aufgaben ausearch ausgabe
    azureml backtrace backtraces backup bash before bin bitacora bjobs bmc bt build bundle capture captured
    case cases central centrala centrale cloudwatch clush cluster cmd code codes collect collected combined
    command compose conda config conserver console consoletext container containers core cores crash current
    daemon dask data datadog debug describe df dmesg docker document download downloaded downloads driver
    dstat dump dumps elastic elasticsearch elist env environ environment ereignisse err error errors etc
    evenements eventi eventos events executor exit exitcode export exported exportedlogs file flight
    flightrecorder fluentbit fluentd foreman free freeze full gdb get goreman graylog hdfs healthcheck
    heartbeat history hits home honcho horovod host hosts ibdiagnet ifconfig incident incidents info
    insights iostat ip ipmi ipmitool iptables java job jobcomp joblog jobrapport jobs journal journalctl
    journaux json jsonl k8s kern kernel kibana kmsg knoten kubectl launch launcher lib lib64 limits local
    log logfile logs logs_all logstash loki lscpu lsof machine machines main manifest master-log meminfo
    merged messages metrics mlflow mnt monitor monitoring mount mounts mpi mpirun mpstat nccl net netconsole
    netstat network new nft nightly nodes nodi nodos noeuds nohup notes nvidia nvidia-smi old opensm
    operations opt out output outputs overmind pane papertrail paste pastebin pdsh perf perfquery pidstat
    pip pipeline pod podman pods previous proc process progress protokoll ps pssh putty py pyspy python
    python3 qacct qstat query ray rc readme record records registro registros remote report restart result
    results retry root rsyslog run runs sacct saida saidas salida salidas saquery sar scheduler scontrol
    screen screenlog script sdr search sel sensors service services session sge sh share shell show sinfo
    slurm slurmctld slurmd slurmdbd slurmstepd smi snapshot snippet sol sortie sorties sosreport spark
    splunk spy squeue srv stack stackdriver stacks stage standard status std stderr stdio stdout step steps
    stern strace summary sumologic supervisor supervisord switch switches sys syslog sysroot system tables
    taches tail tapahtumat tareas task tasks tensorboard text tf tf_config tfconfig timeline tmp tmux top
    trace tracejob train trainer-log training transcript txt typescript ulimit uname unnamed untitled uscita
    user user_logs usr var version versions viewer vmstat wandb warn warning watchdog worker worker_log
    workers wrk wyjscie wyniki yaml yarn zdarzenia zentrale zsh
    """.split()  # noqa: SIM905
)
_EXTENSION = re.compile(
    r"\.(?:gz|zst|xz|bz2|lz4|tgz|zip|tar|txt|log|tail|out|err|er|ou|(?:stdout|stderr)(?:\.\d{1,6})?|json|jsonl|ndjson|yaml|yml|conf|cfg|con|csv|tsv|core|crash)$",
    re.I,
)
# `ps_a`, `docker-ps-a`, `df-h`, `dmesg_T`: a command with its letters. `ps-a` may be a parameter server.
_is_command = re.compile(
    r"(?:(?:(?:docker|compose|podman)[-_ ]){1,2}ps[-_ ]|(?:ps|top|w)[_ ]"
    r"|(?:df|dmesg|du|free|ip|ls|lsblk|lsof|netstat|ss|ulimit|uname)[-_ ])[-_ ]?"
    r"(?:[aefghlmnrstuwATH]|aux\w{0,3}|axu|ef\w?|hT|lh|la|bn1|[tulnp]{3,5})",
    re.ASCII,
).fullmatch
# An unknown extension is recognized if several files share it; a domain is not an extension.
_match_unknown_extension = re.compile(r"(?P<stem>.+)\.(?P<extension>[^\W\d_]{1,12})").fullmatch
MIN_UNKNOWN_EXTENSION_CHARS = 4  # behind a name that is no task's: `gpu1.lan` is a host …
MIN_RECURRING_STEMS = 2  # … unless so many of the names stand in the names of other files: `gpu1.sol`, `rank0-gpu1.txt`
_is_domain = re.compile(
    r"[a-z]{2}|biz|cloud|cluster|com|corp|domain|edu|gov|home|host|hpc|info|int|intern|internal|lab|lan|local|localdomain"
    r"|mil|net|org|private|site",
    re.I,
).fullmatch
# Names that PBS and Grid Engine give to a job's output: `bert.o4711`, `bert.po4711`, `bert.e4711.3` of an array's task.
_is_mail = re.compile(r".*\.(?:eml|msg|mbox|mbx)", re.I).fullmatch
_BATCH_OUTPUT = re.compile(r"^(?P<name>.+)\.p?[oe](?P<job>\d{1,18})(?:[.-](?P<index>\d{1,18}))?$")
# Names of the same in PBS's spool, with the server that gave the number: `4711[3].head.OU`.
_SPOOLED_OUTPUT = re.compile(r"^(?P<job>\d{1,18})(?:\[(?P<index>\d{1,18})\])?\.[\w.-]{1,200}\.(?:OU|ER)$")
_CONTAINER = re.compile(r"^(?P<pod>[a-z0-9][a-z0-9.-]*?)_[a-z0-9-]+_[a-z0-9.-]+-[0-9a-f]{20,}$")
_POD_DIR = re.compile(r"^[a-z0-9-]+_(?P<pod>[a-z0-9][a-z0-9.-]*)_[0-9a-f-]{30,}$")
# Names of machines whose task is not a worker's.
SERVER_NAME = re.compile(r"(ps|chief|master|evaluator|param\w*)(?:[-_.\d]|$)", re.I)
_SEPARATOR = re.compile(r"([-_. ])")
_split_words = re.compile(r"[_. ]").split
_DIGITS = re.compile(r"[\d\W_]+")
# With a number these words name a task (`worker-0`); before a machine's name they say what kind of file it is.
_TASK_WORDS = frozenset({"worker", "ps", "master", "task", "job", "chief", "evaluator", "trainer", "rank", "pod"})
# Numbered logs are taken for those of tasks if no number exceeds their count by more than this factor: some may be
# missing, but numbers of jobs or processes are further apart.
_MAX_NUMBER_SPREAD = 2
_TASK_NAME = re.compile(
    r"(?:^|[-_.])(?P<job>chief|master|coordinator|worker|ps|evaluator)[-_.:/]?(?P<index>\d{1,5})$", re.I
)
# `node_gx07` is the folder of gx07: no host's name has an underscore (RFC 952).
_KIND_OF_MACHINE = re.compile(r"^(?:node|host|machine|server|vm|pod|from|logs?)_(?=[a-z][\w.-]*$)", re.I)
# Output of a command about all containers: `docker_ps_a.txt`.
_is_container_listing = re.compile(
    r"(?:docker|podman|nerdctl|crictl)[-_ ](?:ps|images?|stats|info|version|events)(?:[-_ ]\w{1,3})?"
).fullmatch
# Host, case, date, suffix.
_match_sosreport = re.compile(r"sosreport-([\w.-]+?)(?:-\d{3,12})?-\d{4}-\d\d-\d\d-\w+").fullmatch
# A folder that says what it is (Hive's partitions, Airflow's logs): `task_id=train`, `host=gx7`.
_match_named_partition = re.compile(
    r"(?:task|task_id|host|hostname|node|machine|pod|pod_name|instance|worker|container)=([\w.-]{1,120})", re.I
).fullmatch
_NUMBERED = re.compile(
    r"^(?:attempt|try|run|job|restart|retry|pid|slurm|step|version|v|log|out|core|proc|gistfile|paste|file|attachment|snippet)[-_.]?\d*$",
    re.I,
)

# `a - Copy (2)`, `Copy of a`, `a (1)`, `a copy 2`, `a (bad one?)`, `a - from ssh`, `a~`
_COPY_OR_REMARK = re.compile(r"^copy of |\([^()]*\)| copy(?: \d{1,3})?$| - .*|~$", re.I | re.DOTALL)
_begins_with_address = re.compile(r"\d{1,3}(?:[.-]\d{1,3}){3}(?![\d.])").match
_OPTION = re.compile(r" --?[A-Za-z][\w=-]*")  # of a command that a file is named after: `sacct -D`, `ps -ef`
_find_spaced_task = re.compile(r"(?:^| )(chief|master|worker|ps|evaluator)[ _-]?(\d{1,5})(?= |$)", re.I).search


def task_of_label(name: str) -> str | None:
    """Return the task that a file, pod or machine is named for: `worker_1`, `ps0`, `tfjob-mnist-worker-2`."""
    match = _TASK_NAME.search(name)
    return f"{match['job'].lower()}:{int(match['index'])}" if match else None


def job_of_label(name: str) -> str:
    """Return the job in a name, tfjob-mnist in `tfjob-mnist-worker-2`; "" if it has none."""
    match = _TASK_NAME.search(name)
    return name[: match.start()].lower() if match else ""


def stem_of(path: str) -> str:
    """Return the file's name without extensions and rotation marks."""
    parts = split_path(log_names([path])[path]) if path.strip("/.") else ()
    return parts[-1] if parts else ""


def label_paths(paths: Sequence[str], known_names: frozenset[str] = frozenset()) -> Mapping[str, str | None]:
    """Return path → label of its node, None where the path names none.

    Folders that differ between files name nodes; else the file names do, without the words that collectors use.
    `known_names` are the names of hosts, in lower case, that the contents of files state: they are preferred.
    """
    names = log_names(paths)
    has_named_jobs = _are_jobs_named(names.values())
    extensions = _find_unknown_extensions(names.values(), known_names)
    interned: dict[str | None, str | None] = {}  # stores each text once: a node may have thousands of files
    split: Mapping[str, PathParts] = {
        path: tuple(str(interned.setdefault(part, part)) for part in split_path(name, has_named_jobs, extensions))
        for path, name in names.items()
    }
    whole_paths = list(split.values())
    split = drop_common_parts(split, is_generic)
    folders = list(dict.fromkeys(parts[:-1] for parts in split.values()))
    depth = _node_depth(folders)
    depth += _count_holders(whole_paths, depth, known_names)
    kinds, machines = _find_folders_naming_others([parts for parts in split.values() if len(parts) > depth + 1], depth)
    known_names |= machines
    known_names |= find_relatives(split.values(), known_names)
    kinds |= find_kind_folders(split.values(), depth, is_generic) | _find_folders_of_addresses(split.values())
    known_depths = {at for parts in folders for at, part in enumerate(parts) if part.lower() in known_names}
    known_machine = functools.cache(lambda parts: _machine_of_folders(parts, known_names))
    node_folder = functools.cache(lambda parts: _node_folder(parts, depth, known_depths, kinds))
    sorting_folders = _find_folders_of_hosts(split.values(), known_names)
    name_counts = functools.cache(lambda: _count_name_candidates(split, names))

    def label(path: str, parts: PathParts) -> str | None:
        stem = pod_of_part(parts[-1]) or parts[-1] if parts else ""
        name = (
            known_machine(parts[depth:-1])
            or (stem if stem.lower() in known_names else _find_known_host(stem, known_names) if parts[:depth] else None)
            or (_find_known_host(_strip_extensions(path.rpartition("/")[2]), known_names) if " " in path else None)
            or known_machine(parts[:-1])
            or (_find_known_host(stem, known_names) if parts[:-1] in sorting_folders else None)
            or node_folder(parts[:-1])
        )
        return name if name is not None or is_generic(stem) else _label_of_stem(stem, known_names, name_counts())

    whole_names = find_whole_names(known_names)
    labels = {path: interned.setdefault(text := label(path, parts), text) for path, parts in split.items()}
    labels = {path: whole_names.get(text.lower(), text) if text else text for path, text in labels.items()}
    label_count = len(set(labels.values()) - {None})  # a record beside the logs (`qacct.txt`) may have one of its own
    numbers = _number_labels(split)
    if len(set(numbers.values()) - {None}) > label_count:
        return {path: numbers[path] or text for path, text in labels.items()}
    if not label_count:
        # The files of one machine: the folder that holds them all names it, if its name is not generic.
        common = next(iter(split.values()), ())[:depth]
        name = next((part for part in reversed(common) if not is_generic(part)), None)
        return dict.fromkeys(paths, name)
    return labels


def _number_labels(split: Mapping[str, PathParts]) -> Mapping[str, str | None]:
    """Return the number of each path if only a number distinguishes folders or files (`out/0.txt`, `tasks/00/stderr`).

    Each number is then a task. The result is {} if the paths are not of this kind.
    """
    depth = _common_depth(list(split.values()))
    names = {path: parts[depth] if len(parts) > depth else "" for path, parts in split.items()}
    numbers = {text for text in names.values() if text.isdecimal()}
    if len(numbers) < 2 or max(map(int, numbers)) > _MAX_NUMBER_SPREAD * len(numbers):
        return {}
    return {path: text if text in numbers else None for path, text in names.items()}


def _are_jobs_named(paths: Iterable[str]) -> bool:
    """Return whether the names of batch jobs tell files apart: `ps1.o71`, `worker0.o72`, or `w0.o71`, `w1.o71`."""
    matches = (_BATCH_OUTPUT.match(path.rpartition("/")[2]) for path in paths)
    jobs = {(match["name"], match["job"]) for match in matches if match}
    names = {name for name, _ in jobs}
    return 1 < len(names) == len(jobs)


def _find_unknown_extensions(paths: Iterable[str], known_names: frozenset[str]) -> frozenset[str]:
    """Return the extensions, in lower case, that several files share: `worker_0.wynik` beside `worker_1.wynik`."""
    counts: Counter[str] = Counter()
    short: dict[str, set[str]] = {}  # extension → the stems before it
    names = [path.rpartition("/")[2] for path in paths]
    for name in names:
        match = _match_unknown_extension(name)
        if match and name.lower() not in known_names:
            extension = match["extension"].lower()
            if _may_be_extension(match["stem"], extension):
                counts[extension] += 1
            elif not _is_domain(extension):
                short.setdefault(extension, set()).add(match["stem"])
    short = {extension: stems for extension, stems in short.items() if len(stems) >= MIN_RECURRING_STEMS}
    recurring = _stems_in_other_names(names, short) if short else frozenset()
    return recurring | {extension for extension, count in counts.items() if count > 1}


def _stems_in_other_names(names: Sequence[str], stems: Mapping[str, set[str]]) -> frozenset[str]:
    """Return the extensions of which enough stems are also words of the names of files with another extension."""
    words_by_extension: dict[str, set[str]] = {extension: set() for extension in stems}
    extension_of = {stem: extension for extension, same in stems.items() for stem in same if not is_generic(stem)}
    for name in names:
        own = match["extension"].lower() if (match := _match_unknown_extension(name)) else ""
        for word in _split_words(name):
            if (extension := extension_of.get(word, own)) != own:
                words_by_extension[extension].add(word)
    return frozenset(extension for extension, words in words_by_extension.items() if len(words) >= MIN_RECURRING_STEMS)


def _may_be_extension(stem: str, extension: str) -> bool:
    if task_of_label(stem):
        return True
    return len(extension) >= MIN_UNKNOWN_EXTENSION_CHARS and not _is_domain(extension)


def split_path(path: str, has_named_jobs: bool = False, extensions: frozenset[str] = frozenset()) -> list[str]:
    """Return the folders and the name of a path, without extensions and without the job in a batch system's names.

    If the batch `has_named_jobs`, its files are named after the job's name instead of its number. `extensions`: further
    ones, in lower case, that the file's name loses.
    """
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if parts and extensions and (match := _match_unknown_extension(parts[-1])):
        parts[-1] = match["stem"] if match["extension"].lower() in extensions else parts[-1]
    if parts and (job := _BATCH_OUTPUT.match(parts[-1])):
        parts[-1] = job["index"] or (job["name"] if has_named_jobs else f"job-{job['job']}")
    elif parts and (job := _SPOOLED_OUTPUT.match(parts[-1])):
        parts[-1] = job["index"] or f"job-{job['job']}"
    parts = [_strip_extensions(part) for part in parts]
    return [*parts[:-1], _tidy_name(parts[-1])] if parts else []


def _tidy_name(stem: str) -> str:
    """Return a file's name without what people add to it: marks of copies, remarks, and words before a task's name.

    `worker 2 (bad one?) - Copy` and `tmux-train-0.0-worker-2` are named for worker 2.
    """
    if " " in stem or "(" in stem or "~" in stem:
        kept = _OPTION.sub("", _COPY_OR_REMARK.sub("", stem)).strip(" -_~")
        task = _find_spaced_task(kept)
        stem = f"{task[1]}-{task[2]}" if task else kept or stem
    match = _TASK_NAME.search(stem)
    words = re.split(r"[-_. ]", stem[: match.start()]) if match else ()
    has_numbers = any(word.isdecimal() for word in words)  # of panes, windows or jobs
    if match and has_numbers and all(word.isdecimal() or is_generic(word) for word in words):
        return stem[match.start() :].lstrip("-_.")
    return stem


def _strip_extensions(name: str) -> str:
    while (shorter := _EXTENSION.sub("", name)) != name:
        name = shorter
    return name


def _node_depth(folders: Sequence[PathParts]) -> int:
    """Return the number of folders from the top that name no node.

    A folder that holds the folders of all nodes is not a node, even with files beside it (a launcher's log, a README).
    """
    non_empty = [folder for folder in folders if folder]
    depth = _common_depth(non_empty)
    nodes = {folder[depth] for folder in non_empty if len(folder) > depth and not is_generic(folder[depth])}
    return depth if len(nodes) > 1 else _common_depth(folders)


def _count_holders(paths: Iterable[PathParts], depth: int, known_names: frozenset[str]) -> int:
    """Return 1 if the only folder at this depth holds what is of all nodes, beside files of none; else 0.

    In `fetch` the same files lie in several folders: `fetch/oak/var/log/train.log`, `fetch/elm/var/log/train.log`. In
    `run7` the files are called for several tasks: `run7/ps0.json`, `run7/worker0.json`.
    """
    deeper = [parts for parts in paths if len(parts) > depth + 1]
    holders = {parts[depth] for parts in deeper}
    if len(holders) != 1 or known_names.intersection(map(str.lower, holders)):
        return 0
    tasks: set[str] = set()
    same_files: dict[PathParts, set[str]] = {}
    for parts in deeper:
        if len(parts) == depth + 2:
            tasks.add(_task_of_words(parts[-1]) or "")
        elif not is_generic(parts[depth + 1]):
            same_files.setdefault(parts[depth + 2 :], set()).add(parts[depth + 1])
    return int(len(tasks - {""}) > 1 or any(len(nodes) > 1 for nodes in same_files.values()))


def _task_of_words(stem: str) -> str | None:
    """Return the only task that one of the words of a file's name is: `ps0` in `ps0_sp-1_i-0073`."""
    tasks = {task for word in re.split(r"[_ ]", stem) if (task := task_of_label(word))}
    return next(iter(tasks)) if len(tasks) == 1 else None


def _common_depth(folders: Sequence[PathParts]) -> int:
    if not folders:
        return 0
    depth = 0
    for column in zip(*folders, strict=False):
        if len(set(column)) > 1:
            break
        depth += 1
    return depth


def _find_folders_naming_others(split: Sequence[PathParts], depth: int) -> tuple[frozenset[str], frozenset[str]]:
    """Return the folders in which every file is named for another folder, and the names of those, in lower case.

    Beside the folders n1 and n2, `bmc` with the files `n1-sel.txt` and `n2-sel.txt` is no machine, but n1 and n2 are.
    """
    stems: dict[str, list[str]] = {}
    for parts in split:
        if not is_generic(parts[depth]):
            stems.setdefault(parts[depth], []).append(parts[-1])
    names = frozenset(name.lower() for name in stems)
    named_machines = {
        name: others
        for name, file_stems in stems.items()
        if (others := _machines_named_by(name.lower(), file_stems, names))
    }
    if len(names) - len(named_machines) < 2:
        return frozenset(), frozenset()
    return frozenset(named_machines), frozenset().union(*named_machines.values())


def _find_folders_of_addresses(split: Iterable[PathParts]) -> frozenset[str]:
    """Return the folders whose files are called for several addresses: `w/10.3.6.14_70.log`, `w/10.3.6.17_70.log`."""
    addresses: dict[str, set[str]] = {}
    for parts in split:
        if len(parts) > 1 and (match := _begins_with_address(parts[-1])):
            addresses.setdefault(parts[-2], set()).add(match[0])
    return frozenset(folder for folder, members in addresses.items() if len(members) > 1)


def _find_folders_of_hosts(split: Iterable[PathParts], known_names: frozenset[str]) -> frozenset[PathParts]:
    """Return the folders whose files are named for several known hosts: `tty/n1_port1.txt`, `tty/n2_port1.txt`."""
    hosts: dict[PathParts, set[str]] = {}
    for parts in split if known_names else ():
        if len(parts) > 1 and (host := _find_known_host(parts[-1], known_names)):
            hosts.setdefault(parts[:-1], set()).add(host.lower())
    return frozenset(folder for folder, names in hosts.items() if len(names) > 1)


def _machines_named_by(folder_name: str, stems: Sequence[str], machine_names: frozenset[str]) -> frozenset[str]:
    """Return the machines, in lower case, for which the files of a folder are named; none if one file is not."""
    machines: set[str] = set()
    for stem in stems:
        if (machine := _find_known_host(stem, machine_names, folder_name)) is None:
            return frozenset()  # nearly always at the first file, which saves time in a large cluster
        machines.add(machine.lower())
    return frozenset(machines)


def _machine_of_folders(folders: PathParts, known_names: frozenset[str]) -> str | None:
    """Return the innermost folder with the name of a known machine."""
    return next(
        (name for part in reversed(folders) if (name := pod_of_part(part) or part).lower() in known_names), None
    )


def _node_folder(folders: PathParts, depth: int, known_depths: set[int], kinds: frozenset[str]) -> str | None:
    """Return the first folder from `depth` on that may name a node.

    `known_depths` are the depths at which some folders have names of known machines; `kinds` are folders that name no
    machine.
    """
    names = [pod_of_part(part) or part for part in folders]
    if named := next((match for part in names[depth:] if (match := _match_named_partition(part))), None):
        return named[1]
    for at, part in enumerate(names):
        if at in known_depths and _NUMBERED.match(part):  # `v3` is a version, but not beside the machines v1 and v2
            return part
    folder = next((part for part in names[depth:] if not is_generic(part) and part not in kinds), None)
    if folder is None:
        return None
    return report[1] if (report := _match_sosreport(folder)) else _KIND_OF_MACHINE.sub("", folder)


def pod_of_part(name: str) -> str | None:
    """Return the pod that a folder or file of a kubelet is named for: `NAMESPACE_POD_UID`, `POD_NAMESPACE_NAME-ID`."""
    match = _CONTAINER.match(name) or _POD_DIR.match(name)
    return match["pod"] if match else None


def is_generic(name: str) -> bool:
    """Whether a name consists of words that name a kind of file or a place for files, or is a number."""
    is_partition = "=" in name  # `attempt=1`, `dt=2026-11-21`
    if (
        is_partition
        or _is_command(name)
        or name.isdecimal()
        or _NUMBERED.match(name)
        or _is_container_listing(name)
        or _is_mail(name)
    ):
        return True
    return all(token.lower() in _GENERIC_WORDS or token == "" for token in re.split(r"[-_. ]", name))


def _label_of_stem(stem: str, known_names: frozenset[str], name_counts: Mapping[str, float]) -> str | None:
    """Return a file name without generic words at its ends: `dmesg-gpu07` → gpu07, `worker-0` → worker-0.

    A host that the contents state is preferred. Next comes what the names of several files share, which is more likely
    a machine's name than a part of this one alone: `k8s-0-env` beside `k8s-0-dmesg` is of k8s-0.
    """
    if is_generic(stem):
        return None
    if known_host := _find_known_host(stem, known_names):
        return known_host
    candidates = list(_name_candidates(stem))
    if not candidates:
        return stem
    highest = max(name_counts.get(candidate, 0) for candidate in candidates)
    return (
        next(candidate for candidate in candidates if name_counts.get(candidate, 0) == highest)
        if highest > 1
        else list(_name_candidates(stem, is_unconfirmed=True))[-1]
    )


def _ends_in_domain(tokens: Sequence[str]) -> bool:
    """Whether the name ends in a domain (RFC 6762) as `n3.hpc.local` does; `n3.local` may be a kind of log."""
    return tokens[-1].lower() == "local" and [*tokens[1::2]][-2:] == [".", "."]


def _find_known_host(stem: str, known_names: frozenset[str], excluded: str = "") -> str | None:
    """Return the longest run of whole words in the stem that is a known host's name other than `excluded`."""
    tokens = _SEPARATOR.split(stem)
    words = range(0, len(tokens), 2)
    runs = ("".join(tokens[start : stop + 1]) for start in words for stop in words if stop >= start)
    hosts = (run for run in runs if (name := run.lower()) in known_names and name != excluded and not is_generic(run))
    return max(hosts, key=len, default=None)


def _count_name_candidates(split: Mapping[str, PathParts], names: Mapping[str, str]) -> Mapping[str, float]:
    """Return name → number of different stems that may mean the machine of that name.

    A stem of several kinds of files (`bin-gx7.log`, `pip/bin-gx7.txt`) begins with no word for one of them: it counts
    half a time more.
    """
    files: dict[str, set[str]] = {}  # stem → names with extensions
    for path, parts in split.items():
        if parts and not is_generic(parts[-1]):
            files.setdefault(parts[-1], set()).add(names[path].rpartition("/")[2])
    counts = Counter[str](candidate for stem in files for candidate in _name_candidates(stem))
    return {name: count + (len(files.get(name, ())) > 1) / 2 for name, count in counts.items()}


def _name_candidates(stem: str, is_unconfirmed: bool = False) -> Iterator[str]:
    """Yield what may be the machine's name in a file name, the longest first.

    The generic words at the end are dropped, then one word at the beginning after another, if it is generic. A number
    alone names nothing. If the name `is_unconfirmed` by other files, `worker-a` is kept whole; `worker_a` is not,
    because no host name has an underscore (RFC 952).
    """
    tokens = _SEPARATOR.split(stem)
    while len(tokens) > 1 and tokens[-1].lower() in _GENERIC_WORDS and not _ends_in_domain(tokens):
        tokens = tokens[:-2]
    while tokens:
        candidate = "".join(tokens)
        if _DIGITS.fullmatch(candidate):
            return
        yield candidate
        after_first = "".join(tokens[2:])
        first = tokens[0].lower()
        is_job_number = len(first) > 2 and first.isdecimal()  # a job's, as in `slurm-48213-cn14.out`
        if len(tokens) == 1 or not (is_job_number or first in _GENERIC_WORDS | _TASK_WORDS):
            return
        if first in _TASK_WORDS and (_DIGITS.fullmatch(after_first) or (is_unconfirmed and tokens[1] == "-")):
            return
        tokens = tokens[2:]
