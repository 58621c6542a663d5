"""The table of runs: what is run, on which hosts, what is done to it, and what is true then.

`faults.yaml` says what each kind of fault does and how it shows; the rows of `rows/*.yaml` say to whom and when.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Show:
    """What must be seen of a fault: the pattern's match becomes what a proof `says`.

    `of`: the culprit, another task, the launcher, or `others`, `kernel`. An optional one may be missing.
    """

    by: str
    tells: tuple[str, ...]
    pattern: str = ""
    of: str = "culprit"
    optional: bool = False


@dataclass(frozen=True, slots=True)
class RunPlan:
    """One run. What a fault's entry sets can be set anew by a row; texts may hold {culprit}, {index}, {step}, ..."""

    name: str
    program: str
    fault: str
    cause: str
    tf: str
    hosts: str  # a pattern of names: `gpu{:03}`
    tasks: dict[str, int]
    variation: str = ""
    culprit: str = ""  # a task; the faulty part and the strike are its
    culprits: tuple[str, ...] | None = None  # of the truth, where they are not the culprit alone
    step: int = 0
    first: int = 1  # number of the first host
    net: str = "10.77.0"
    per_host: int = 1
    zone: str = "UTC"
    place: str = "conda"
    launcher: str = "plain"
    style: str = ""  # of the program's logs, where it has several
    args: str = ""
    args_of: dict[str, str] = field(default_factory=dict)  # task (or `culprit`) → further arguments
    env: dict[str, str] = field(default_factory=dict)
    env_of: dict[str, dict[str, str | None]] = field(default_factory=dict)
    part: str = ""  # of parts/, the culprit's; the others have the plain one
    part_all: str = ""  # of everybody
    values: dict[str, Any] = field(default_factory=dict)  # further names in a part's text
    config: str = ""  # of configs.py, what is wrong in the culprit's TF_CONFIG
    config_all: str = ""
    data: str = ""  # what is wrong with the data, see data.py
    mounts: dict[str, str] = field(default_factory=dict)  # small file systems of the culprit's: path → size
    disk: str = ""  # of the culprit's: the data of this folder lie on a disk that cannot be read
    limits: dict[str, int] = field(default_factory=dict)  # of ulimit(1), for the culprit: n, v, u
    memory: int = 0  # MiB, of a cgroup around the culprit
    pids: int = 0
    cpu: float = 0.0  # of a core, for the culprit from the strike on (0: no limit)
    other: str = ""  # another TensorFlow, the culprit's
    absent: bool = False  # the culprit is never started
    delays: dict[str, float] = field(default_factory=dict)  # task → seconds until its start
    held: bool = False  # somebody else listens at the culprit's port
    nobody: bool = False  # the culprit runs as an ordinary user
    watch: str = ""  # a command that runs on the culprit's host beside it
    core: bool = False
    strike: dict[str, Any] = field(default_factory=dict)  # {in: task, line: pattern, do: ..., ...}
    restart: str = ""  # `all` or `one`: what the launcher does after a failure
    restarts: int = 1
    leader: str = ""  # the task with whose end the job ends
    limit: float = 100  # seconds
    limit_is: str = ""  # `time limit`, `preempted`: the launcher's reason to end the job, where that is the fault
    patience: float = 8  # seconds after the first failure until the launcher ends the rest
    blind: bool = False  # nothing shows whom it hit
    build: str = ""  # of parts/: an extension module in C, compiled against the numpy of `build_for`
    build_for: str = ""
    after: str = "terminate"  # or `leave`: the rest is still there when everything is collected
    ends: dict[str, int] = field(default_factory=dict)  # task → status, or -signal, that must have been seen
    also: tuple[str, ...] = ()
    about: str = ""
    shows: tuple[Show, ...] = ()

    @property
    def members(self) -> list[str]:
        return [f"{job}:{index}" for job, count in self.tasks.items() for index in range(count)]

    def host_of(self, task: str) -> str:
        return self.names[self.members.index(task) // self.per_host]

    @property
    def names(self) -> list[str]:
        count = -(-len(self.members) // self.per_host)
        low = self.net.replace(".", "-")
        letters = "abcdefghijkl"
        return [
            self.hosts.format(
                self.first + i, self.first + i, net=low, ip=11 + i, letter=letters[i], two=(self.first + i) // 2
            )
            for i in range(count)
        ]

    def address(self, host: str) -> str:
        return f"{self.net}.{11 + self.names.index(host)}"

    def fill(self, text: str) -> str:
        """Puts what the row says into a text of its fault."""
        job, _, index = self.culprit.partition(":")
        values = {
            "culprit": self.culprit,
            "job": job,
            "index": index,
            "host": self.host_of(self.culprit) if self.culprit else "",
            "address": self.address(self.host_of(self.culprit)) if self.culprit else "",
            "step": str(self.step),
            "program": self.program,
        }
        return re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), text)


def load_rows() -> dict[str, RunPlan]:
    """By name. An unknown key is an error, so that a misspelt fault cannot silently not happen."""
    tables = {name: yaml.safe_load((HERE / f"{name}.yaml").read_text()) for name in ("faults", "programs", "choices")}
    rows: dict[str, RunPlan] = {}
    count: Counter[str] = Counter()
    for path in sorted(HERE.glob("rows/*.yaml")):
        for entry in yaml.safe_load(path.read_text()) or ():
            stem = f"{entry.get('fault', 'none')}-{entry['program']}".replace("_", "-")
            count[stem] += 1
            row = _build(path, {"name": f"{stem}-{count[stem]}", **entry}, tables)
            if row.name in rows:
                raise SystemExit(f"{path}: two rows are called {row.name}")
            rows[row.name] = row
    return rows


def _build(path: Path, entry: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]]) -> RunPlan:
    fault = entry.get("fault", "none")
    if fault not in tables["faults"]:
        raise SystemExit(f"{path}: {entry['name']}: no fault {fault!r} in faults.yaml")
    base, program = tables["faults"][fault], tables["programs"][entry["program"]]
    usual = program.get("usual", {})
    drawn = {
        key: _draw(entry["name"], key, values) for key, values in {**tables["choices"], **program["choices"]}.items()
    }
    if "host" in drawn:
        drawn |= drawn.pop("host")
    merged: dict[str, Any] = {**drawn, **usual, **base, **entry, "fault": fault}
    for key in ("values", "env", "args_of", "ends"):
        merged[key] = {**usual.get(key, {}), **base.get(key, {}), **entry.get(key, {})}
    merged["args"] = " ".join(source.get("args", "") for source in (usual, base, entry)).strip()
    shows = entry["shows"] if "shows" in entry else (*base.get("shows", ()), *entry.get("more", ()))
    merged.pop("more", None)
    merged["shows"] = tuple(Show(**{**show, "tells": tuple(show.get("tells", ("cause", "node")))}) for show in shows)
    for key in ("also", "culprits"):
        if merged.get(key) is not None:
            merged[key] = tuple(merged[key])
    if unknown := set(merged) - {plan_field.name for plan_field in dataclasses.fields(RunPlan)}:
        raise SystemExit(f"{path}: {entry['name']}: unknown keys {sorted(unknown)}")
    return RunPlan(**merged)


def _draw(name: str, key: str, values: Sequence[Any]) -> Any:
    """The same for ever: what the row does not say is chosen by its name."""
    return values[int(hashlib.sha256(f"{name} {key}".encode()).hexdigest(), 16) % len(values)]
