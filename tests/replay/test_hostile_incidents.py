"""No text of a bundle becomes code: a plan holds a closed vocabulary, whatever the incident or the file says."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from analyzer.errors import UsageError
from analyzer.replay import check_interpreter, plan_replay, read_plan, write_repro
from analyzer.replay.job_modules import vocabulary
from analyzer.replay.recipe import replayable_causes
from analyzer.resources import templates_dir

MARK = "e7i1"  # stands in every hostile text, and in nothing of ours
HOSTILE = (
    f"../../{MARK}.so",
    f"/tmp/{MARK}/libcublas.so.12",
    f"-oProxyCommand={MARK}",
    f"$({MARK})",
    f"`{MARK}`; {MARK} | {MARK} && {MARK}",
    f"a\n{MARK}: 1\nsays: {MARK}",
    f"a\r\u2028\x85{MARK}: [",
    f"\x1b]0;{MARK}\x07\u202e\ud800",
    f'"}}, "library": "{MARK}"',
    f"${{{MARK}}} {{{{ {MARK} }}}} %({MARK})s",
    f"os.system:{MARK}",
    MARK * 10_000,
    "9" * 10_000,
    [[MARK]],
    {MARK: MARK},
    -1,
    10**400,
    1e999,
    True,
    None,
)
NAMED = (
    *("exception", "type", "error", "message", "reason", "shape", "other_shape", "signal", "step", "dtype", "task"),
    *("path", "library", "python", "host", "address", "file", "module", "env"),
)
TEXTS = [text for text in HOSTILE if isinstance(text, str) and MARK in text]
FAULTS = sorted(vocabulary().FAULTS)


def incident(cause: str, text: Any = None) -> dict[str, Any]:
    """All that an incident says is `said`, but the cause that is to be replayed."""
    root = {
        "cause": cause,
        "rule": "r",
        "task": text,
        "node": text,
        "title": text,
        "captures": dict.fromkeys(NAMED, text),
        "evidence": [
            {"text": text, "block": [text, f"Error: {text}"]},
            {"text": f"{text} shape {text} shape [{text},4]"},
        ],
    }
    nodes = [{"name": text, "tasks": ["worker:0", "worker:1", str(text)], "hosts": [text]}]
    finding = {"rule": "r", "replay": {"role": text}}
    return {"verdict": "diagnosed", "root_causes": [root], "nodes": nodes, "signature": text, "findings": [finding]}


def leaves(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from (leaf for pair in value.items() for part in pair for leaf in leaves(part))
    elif isinstance(value, list | tuple):
        yield from (leaf for item in value for leaf in leaves(item))
    else:
        yield str(value)


@pytest.mark.parametrize("cause", sorted(replayable_causes()))
def test_what_an_incident_says_arrives_nowhere(cause: str) -> None:
    """The words of the exception are the only ones that a replay repeats: printable, in one line, never looked up."""
    for text in HOSTILE:
        settings = plan_replay(incident(cause, text), analogue=True, other_python="python2").settings()
        assert vocabulary().find_problems(settings) == []
        message, exception = str(settings.pop("message", "")), str(settings.pop("exception", "a"))
        assert message.isprintable() and len(message) <= 500
        assert exception.isidentifier() and len(exception) <= 100
        assert MARK not in " ".join(leaves(settings))


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text)[:24])
def test_the_folder_holds_it_in_the_message_and_the_title_alone(text: str, tmp_path: Path) -> None:
    write_repro(incident("user.code-error", text), tmp_path / "hostile")
    write_repro(incident("user.code-error", "as any"), tmp_path / "plain")
    files = {path.name: path.read_text() for path in (tmp_path / "hostile").rglob("*") if path.is_file()}
    for name in ("plan.yaml", "README.md"):
        assert len(files[name].splitlines()) == len((tmp_path / "plain" / name).read_text().splitlines())
    plan = json.loads(files.pop("plan.yaml"))
    assert plan.keys() == read_plan(tmp_path / "plain").keys()
    assert all(MARK not in json.dumps(plan[key]) for key in plan.keys() - {"message", "exception"})
    lines = [line for line in files.pop("README.md").splitlines() if MARK in line]
    assert len(lines) == 1 and lines[0].startswith("    ") and lines[0].isprintable() and "`" not in lines[0]
    assert MARK not in "".join(files.values())


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text)[:24])
def test_a_cause_of_somebody_else_s_report_is_an_identifier(text: str) -> None:
    """A rule of a report that was read back names the fault; its cause is what it likes."""
    hostile = incident(text, text)
    with pytest.raises(UsageError) as refused:
        plan_replay(hostile)
    assert len(refused.value.message) < 1000
    hostile["findings"][0]["replay"] = {"fault": text, "role": text}
    with pytest.raises(UsageError):
        plan_replay(hostile)
    hostile["findings"][0]["replay"] = {"fault": "killed", "role": text}
    plan = plan_replay(hostile)
    assert plan.incident_cause.replace("_", "").replace("-", "").replace(".", "").isalnum()
    assert len(plan.incident_cause) <= 100
    assert plan.cause in replayable_causes()


def whole_plan(fault: str) -> dict[str, Any]:
    """A sound plan of the fault."""
    own = {
        "alloc_shape": [2**30, 2**11],
        "bus_error": False,
        "cgroup_bytes": 2**28,
        "delay": 0.5,
        "exception": "KeyError",
        "message": "'a'",
        "odd_dtype": "float64",
        "odd_shape": [5],
        "signal": 9,
    }
    common = {key: value for key, value in plan_replay(incident("numeric.nan")).settings().items() if key != "fault"}
    return {"fault": fault, **common, **{key: own[key] for key in vocabulary().FAULTS[fault]}}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_parameter_of_every_fault_is_checked_when_it_is_read_back(fault: str, tmp_path: Path) -> None:
    """A plan that a person has edited, or that came with somebody else's folder; a text is at most the message."""
    plan = whole_plan(fault)
    assert vocabulary().find_problems(plan) == []
    free = {"message"}
    for key in plan:
        short = {name for name in plan if name != key}
        assert vocabulary().find_problems({name: plan[name] for name in short})
        for value in HOSTILE:
            fits = not vocabulary().find_problems({**plan, key: value})
            text = key in free and isinstance(value, str) and value.isprintable() and len(value) <= 500
            flag = key == "bus_error" and value is True
            assert fits == (text or flag), (key, ascii(value)[:40])
    # Settings that plans once had, and any other.
    for key in ("library", "path", "pythons", "stranger", "says", "watched", "log_format", "date_format", "env", "X\n"):
        assert vocabulary().find_problems({**plan, key: "x"})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("cluster", {"worker": 10**6}),
        ("cluster", {"worker": 40, "ps": 40}),
        ("cluster", {"worker": 2, "../x": 1}),
        ("cluster", {"ps": 1}),
        ("cluster", {"worker": True}),
        ("culprit", "worker:7"),
        ("culprit", "evil:0"),
        ("culprit", ""),
        ("strategy", "ParameterServerStrategy"),
        ("strategy", "MirroredStrategy"),
        ("limit", 10**9),
        ("limit", float("nan")),
        ("pace", float("inf")),
        ("shape", [2**20, 2**20]),
        ("shape", [0, 2**40]),
        ("shape", [1] * 9),
        ("shape", [-1]),
        ("shape", [2.0]),
        ("noise", ["connection", "os.system"]),
        ("log", "%(message)s"),
        ("notes", ["a\nb"]),
        ("notes", ["a"] * 21),
        ("expected_cause", "-x"),
        ("fault", "meteor"),
        ("fault", ["nan"]),
    ],
)
def test_bounds_hold(key: str, value: object) -> None:
    assert vocabulary().find_problems({**whole_plan("nan"), key: value})


@pytest.mark.parametrize("number", [0, 10, 17, 18, 32, 64, -9, "9", 9.0, True])
def test_a_signal_is_one_that_ends_or_stops(number: object) -> None:
    assert vocabulary().find_problems({**whole_plan("killed"), "signal": number})


NO_PLANS = {
    "empty": "",
    "lines": 'fault: "nan"\n',
    "list": "[]",
    "cut": "{",
    "null": "null",
    "deep": "[" * 60_000,
    "long number": '{"fault": ' + "9" * 5000 + "}",
    "large": " " * 70_000,
    "zero": "\x00",
    "no UTF-8": "\ud800",
}


@pytest.mark.parametrize("text", NO_PLANS.values(), ids=NO_PLANS)
def test_what_is_no_plan_is_refused_by_both_sides(text: str, tmp_path: Path) -> None:
    write_repro(incident("numeric.nan"), tmp_path / "repro")
    (tmp_path / "repro" / "plan.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(UsageError) as refused:
        read_plan(tmp_path / "repro")
    assert refused.value.hint
    result = subprocess.run(
        [sys.executable, "-B", "worker.py", "--out", "o"], cwd=tmp_path / "repro", capture_output=True, text=True
    )
    assert (
        result.returncode == 1
        and result.stderr.startswith("plan.yaml is not a valid plan: ")
        and result.stderr.count("\n") == 1
    )
    assert not (tmp_path / "repro" / "o").exists()


def test_the_job_starts_nothing_for_a_plan_that_says_more_than_it_may(tmp_path: Path) -> None:
    write_repro(incident("env.missing-library"), tmp_path / "repro")
    plan = json.loads((tmp_path / "repro" / "plan.yaml").read_text())
    (tmp_path / "repro" / "plan.yaml").write_text(json.dumps({**plan, "library": f"/tmp/{MARK}\x1b[2J"}))
    for options in ([], ["--control"], ["--task", "worker:1"]):
        command = [sys.executable, "-B", "worker.py", *options]
        result = subprocess.run(command, cwd=tmp_path / "repro", capture_output=True, text=True)
        assert result.returncode == 1 and "has no key 'library'" in result.stderr and MARK not in result.stderr
    with pytest.raises(UsageError, match="has no key 'library'"):
        read_plan(tmp_path / "repro")


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(templates_dir() / "replay"))
    return importlib.import_module("job")


def test_the_vocabulary_is_what_the_job_can_do(job: ModuleType) -> None:
    configs, faults, launch, logs, noise, training = (
        importlib.import_module(f"job.{name}") for name in ("configs", "faults", "launch", "logs", "noise", "training")
    )
    made_faults = {
        *faults.IN_STEP,
        *configs.IN_CONFIG,
        *configs.IN_ALL_CONFIGS,
        *launch.SIGNALS,
        *launch.CABLES,
        *launch.BEFORE,
    }
    assert {*vocabulary().FAULTS} == made_faults | launch.IN_PROGRAMS | {"none"}
    common = vocabulary().COMMON
    assert all(common["log"].fits(name) for name in logs.LOGS) and common["noise"].fits(list(noise.NOISE))
    assert all(common["strategy"].fits(name) for name in training.TRAIN)


class StandInError(Exception):
    """For those of tf.errors, which take (node, operation, message)."""

    def __init__(self, node: None, op: None, message: str) -> None:
        super().__init__(message)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("KeyError", KeyError),
        ("NotFoundError", StandInError),
        ("OpError", None),  # takes more than a message
        ("raise_exception_on_not_ok_status", None),
        ("UnicodeDecodeError", None),
        ("ExceptionGroup", None),
        ("SystemExit", None),
        ("KeyboardInterrupt", None),
        ("BaseException", None),
        ("GeneratorExit", None),
        ("open", None),
        ("exit", None),
        ("__import__", None),
        ("__class__", None),
        ("__dict__", None),
        ("AcmeLoaderError", None),
    ],
)
def test_a_name_that_is_no_exception_makes_one_of_its_own(name: str, kind: type | None, job: ModuleType) -> None:
    def op_error(*_: object) -> None:
        raise AssertionError("it was called")

    class OpError(Exception):
        def __init__(self, node: None, op: None, message: str, code: int) -> None: ...

    errors = SimpleNamespace(NotFoundError=StandInError, OpError=OpError, raise_exception_on_not_ok_status=op_error)
    raised = importlib.import_module("job.faults").make_exception(name, "words", errors)
    assert isinstance(raised, Exception) and raised.args == ("words",)
    assert type(raised) is kind if kind else (type(raised).__name__, type(raised).__module__) == (name, "__main__")


EVIL = """
#include <stdio.h>
__attribute__((constructor)) static void run(void) { fclose(fopen("%s", "w")); }
"""
DO_FAULT = """
import pathlib, sys
sys.path.insert(0, sys.argv[1])
from job.faults import IN_STEP
from job.vocabulary import read_plan
plan = read_plan(pathlib.Path(sys.argv[1], "plan.yaml"))
IN_STEP[plan["fault"]](plan, plan["step"], [])
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no compiler")
@pytest.mark.parametrize("relative", [False, True])
def test_a_library_that_the_bundle_brings_is_not_loaded(relative: bool, tmp_path: Path) -> None:
    """`tf-postmortem replay BUNDLE`, whose log names a library that lies beside it."""
    node, ran = tmp_path / "incident" / "node-1", tmp_path / "ran"
    node.mkdir(parents=True)
    (tmp_path / "evil.c").write_text(EVIL % ran)
    library = node / "libcublas.so.12"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, tmp_path / "evil.c"], check=True)
    named = "../../incident/node-1/libcublas.so.12" if relative else str(library)
    (node / "worker.log").write_text(
        "2026-11-21 05:10:08,100 INFO starting worker:0\n"
        f"python: error while loading shared libraries: {named}: cannot open shared object file: No such file\n"
    )
    command = [sys.executable, "-m", "analyzer", "replay", "incident", "--write-only"]
    checkout = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run(command, cwd=tmp_path, env=checkout, check=True, stderr=subprocess.DEVNULL)
    plan = read_plan(tmp_path / "repro")
    assert (plan["fault"], plan["incident_cause"]) == ("missing-library", "env.missing-library")
    task = tmp_path / "repro" / "worker-0"
    task.mkdir()
    result = subprocess.run(
        [sys.executable, "-c", DO_FAULT, str(tmp_path / "repro")],
        cwd=task,
        env={"LD_LIBRARY_PATH": f"{node}:"},
        capture_output=True,
        text=True,
    )
    assert not ran.exists()
    assert "OSError: libreplay-missing-" in result.stderr and "cannot open shared object file" in result.stderr


def test_names_are_made_anew_in_each_process(tmp_path: Path) -> None:
    write_repro(incident("data.not-found"), tmp_path / "repro")
    command = [sys.executable, "-B", "-c", "from job import names; print(names.LIBRARY, names.RECORDS)"]
    outputs = [subprocess.run(command, cwd=tmp_path / "repro", capture_output=True, text=True).stdout for _ in range(2)]
    assert outputs[0] != outputs[1] and "/" not in outputs[0]


def test_the_probe_of_a_python_imports_nothing_of_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be the bundle's: `cd incident; tf-postmortem replay .`"""
    monkeypatch.chdir(tmp_path)
    for name in ("csv", "email", "json", "zipfile", "pathlib", "importlib", "tensorflow"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    with pytest.raises(UsageError, match="no TensorFlow"):
        check_interpreter(sys.executable)
    assert not (tmp_path / "ran").exists()
