"""A plan carries what the incident knows, in small, and what is written is what worker.py reads."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from analyzer.errors import UsageError
from analyzer.replay import plan_replay, read_plan, recipe, run, write_repro
from analyzer.replay.evidence import enlarge_shape, scale_shapes
from analyzer.replay.recipe import local_faults, replayable_causes
from analyzer.resources import rules_dir, templates_dir

SHAPES = st.lists(st.integers(1, 10**6), min_size=1, max_size=4)


def incident(cause: str, task: str | None = "worker:1", tasks: int = 3, **root: Any) -> dict[str, Any]:
    nodes = [{"name": f"n{index}", "tasks": [f"worker:{index}"]} for index in range(tasks)]
    root_cause = {"cause": cause, "task": task, "title": "it failed", "captures": {}, "evidence": [], **root}
    return {"verdict": "diagnosed", "root_causes": [root_cause], "nodes": nodes, "signature": "0123"}


def evidence(text: str) -> list[dict[str, str]]:
    return [{"text": text}]


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Modules of the job that worker.py starts."""
    monkeypatch.syspath_prepend(str(templates_dir() / "replay"))
    return lambda name: importlib.import_module(f"job.{name}")


def test_every_recipe_names_a_cause_of_the_catalogue_and_a_fault_of_the_job(job: Callable[[str], ModuleType]) -> None:
    catalogue = yaml.safe_load((rules_dir() / "causes.yaml").read_text())
    causes = {cause for group in catalogue.values() for cause in group}
    configs, launch, in_step = job("configs"), job("launch"), set(job("faults").IN_STEP)
    faults = {*in_step, *configs.IN_CONFIG, *configs.IN_ALL_CONFIGS, *launch.SIGNALS, *launch.CABLES}
    faults |= launch.BEFORE | launch.IN_PROGRAMS
    assert in_step >= local_faults()
    for cause, how in replayable_causes().items():
        assert {cause, how.get("shows", cause)} <= causes
        for case in (how, how.get("otherwise", {}), *how.get("cases", ())):
            assert case.get("fault", how["fault"]) in faults
        assert how["workers"] in (2, 3)


@pytest.mark.parametrize("cause", sorted(replayable_causes()))
def test_what_is_written_is_what_the_job_reads(cause: str, job: Callable[[str], ModuleType], tmp_path: Path) -> None:
    plan = write_repro(incident(cause), tmp_path / "repro", analogue=True, other_python="python2")
    settings = json.loads(json.dumps(plan.settings()))
    assert job("vocabulary").read_plan(tmp_path / "repro" / "plan.yaml") == settings == read_plan(tmp_path / "repro")
    assert yaml.safe_load((tmp_path / "repro" / "plan.yaml").read_text()) == settings
    job, index = plan.culprit.split(":")
    assert int(index) < plan.cluster[job]
    made = {path.name for path in (tmp_path / "repro").iterdir()}
    assert made == {"README.md", "plan.yaml", "worker.py", "job", "run.sh"}
    with pytest.raises(UsageError):
        write_repro(incident(cause), tmp_path / "repro", analogue=True, other_python="python2")


def test_a_leader_stays_the_leader_and_a_server_a_server() -> None:
    assert plan_replay(incident("process.killed-by-signal", "worker:0")).culprit == "worker:0"
    many = plan_replay(incident("process.killed-by-signal", "worker:17", tasks=32))
    assert (many.culprit, many.cluster) == ("worker:2", {"worker": 3})
    assert any("32 tasks" in note for note in many.notes)
    server = plan_replay(incident("ps.unavailable", "ps:3"))
    assert (server.culprit, server.strategy) == ("ps:0", "ParameterServerStrategy")


def test_an_analogue_is_expected_to_show_its_own_cause() -> None:
    plan = plan_replay(incident("scheduler.preempted"))
    assert (plan.cause, plan.incident_cause) == ("process.killed-by-signal", "scheduler.preempted")
    assert plan.notes


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        ({"evidence": evidence("Traceback\nKeyError: 'class_17'")}, ("KeyError", "'class_17'")),
        (
            {"evidence": evidence("tensorflow.python.framework.errors_impl.NotFoundError: /d/x; No such file")},
            ("NotFoundError", "/d/x; No such file"),
        ),
        (
            {"captures": {"exception": "ValueError", "message": "bad"}, "evidence": evidence("KeyError: 1")},
            ("ValueError", "bad"),
        ),
        ({"evidence": evidence("nothing like one")}, ("RuntimeError", "nothing like one")),
        ({}, ("RuntimeError", "it failed")),
    ],
)
def test_the_exception_is_that_of_the_incident(root: dict[str, Any], expected: tuple[str, str]) -> None:
    details = plan_replay(incident("user.code-error", **root)).details
    assert (details["exception"], details["message"]) == expected


def test_a_mismatch_keeps_the_pattern_of_its_shapes() -> None:
    text = "Op at device /job:worker/replica:0/task:1 expected shape [6,512] but another member expected [8,512]"
    details = plan_replay(incident("collective.mismatch", evidence=evidence(text))).details
    assert (details["shape"], details["odd_shape"]) == ([2, 4], [3, 4])


@given(SHAPES, SHAPES)
def test_scaled_shapes_differ_where_and_only_where_the_incident_s_do(shape: list[int], other: list[int]) -> None:
    first, odd = scale_shapes([shape, other])
    assert (len(first), len(odd)) == (len(shape), len(other))
    assert [a == b for a in first for b in odd] == [a == b for a in shape for b in other]
    assert max([*first, *odd]) <= 9
    assert [size == 1 for size in (*first, *odd)] == [size == 1 for size in (*shape, *other)]


def test_a_launcher_s_brackets_are_no_shape() -> None:
    text = "[1,0]<stderr>:E0000 Op at device /job:worker/task:1 expected shape [6,3] but another expected shape [7,3]"
    details = plan_replay(incident("collective.mismatch", evidence=evidence(text))).details
    assert (details["shape"], details["odd_shape"]) == ([6, 3], [7, 3])


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("expected shape [1] but another member in the group expected shape [4096]", ([2], [1])),
        ("expected shape [3,2] but another member in the group expected shape []", ([3, 2], [])),
        ("expected shape [7] but another member in the group expected shape [7,2]", ([7, 2], [7])),
    ],
)
def test_shapes_of_two_collectives_are_replayed_as_their_order(text: str, shapes: tuple[list[int], list[int]]) -> None:
    plan = plan_replay(incident("collective.mismatch", evidence=evidence(text)))
    assert (plan.fault, plan.details["shape"], plan.details["second_shape"]) == ("order-mismatch", *shapes)


def test_a_collective_that_timed_out_is_replayed_as_one_that_a_member_calls_alone() -> None:
    plan = plan_replay(incident("collective.timeout"))
    assert (plan.fault, plan.cause) == ("extra-collective", "collective.timeout")
    assert plan.settings()["meet"]  # the others live on while it waits


@given(SHAPES)
def test_an_allocation_is_too_large_for_any_machine(shape: list[int]) -> None:
    size = 4
    for larger in enlarge_shape(shape):
        size *= larger
    assert size >= 2**43


def test_what_cannot_be_replayed_is_said() -> None:
    with pytest.raises(UsageError, match=r"framework\.bug"):
        plan_replay(incident("framework.bug"))
    with pytest.raises(UsageError):
        plan_replay({"root_causes": []})


@pytest.mark.parametrize("cause", sorted(c for c, recipe in replayable_causes().items() if recipe.get("needs")))
def test_what_this_machine_lacks_is_said_and_the_nearest_offered(cause: str) -> None:
    recipe = replayable_causes()[cause]
    with pytest.raises(UsageError) as refused:
        plan_replay(incident(cause))
    assert recipe["needs"] in refused.value.message
    assert "--analogue" in str(refused.value.hint) and recipe["because"] in str(refused.value.hint)
    plan = plan_replay(incident(cause), analogue=True)
    assert plan.cause == recipe["shows"] != cause == plan.incident_cause
    assert any(recipe["needs"] in note for note in plan.notes)


def test_the_title_cannot_write_markdown_of_its_own(tmp_path: Path) -> None:
    hostile = incident("numeric.nan")
    hostile["root_causes"][0]["title"] = "a\n# heading `x` <script>"
    write_repro(hostile, tmp_path / "repro")
    text = (tmp_path / "repro" / "README.md").read_text()
    assert "\n# heading" not in text
    assert "    a # heading 'x' <script>" in text


def test_a_broken_plan_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        read_plan(tmp_path)
    (tmp_path / "plan.yaml").write_text("fault: [")
    with pytest.raises(UsageError):
        read_plan(tmp_path)


def test_a_rule_says_how_its_cause_is_replayed() -> None:
    """A cause of a user's own pack has no recipe; the rule names the fault, and the role where no task is known."""
    own = incident("acme.shard-short", None, rule="acme-shard-short")
    with pytest.raises(UsageError, match="cannot be replayed"):
        plan_replay(own)
    hint = {"fault": "corrupt-record", "role": "chief"}
    plan = plan_replay({**own, "findings": [{"rule": "acme-shard-short", "replay": hint}]})
    assert (plan.fault, plan.culprit, plan.cause) == ("corrupt-record", "worker:0", "data.corrupt-record")
    assert plan.incident_cause == "acme.shard-short"
    assert any("corrupt-record" in note for note in plan.notes)
    with pytest.raises(UsageError, match="unknown replay fault"):
        plan_replay({**own, "findings": [{"rule": "acme-shard-short", "replay": {"fault": "meteor"}}]})


@pytest.mark.parametrize("has", [True, False])
def test_what_this_machine_cannot_do_is_replaced_and_told(has: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipe, "CAPABILITY_TESTS", dict.fromkeys(recipe.CAPABILITY_TESTS, lambda: has))
    killed = plan_replay(incident("resource.host-oom-killed"))
    assert killed.fault == ("memory-cgroup" if has else "killed")
    assert killed.cause == ("resource.host-oom-killed" if has else "process.killed-by-signal")
    dropped = plan_replay(incident("network.timeout"))
    assert dropped.fault == ("packets-dropped" if has else "never-accepts")
    assert dropped.cause == ("network.timeout" if has else "network.unreachable-peer")
    assert has or (killed.notes and dropped.notes)


@pytest.mark.parametrize("cause", ["config.localhost-address", "resource.shm-exhausted"])
def test_what_this_machine_cannot_do_and_nothing_replaces_is_refused(
    cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipe, "CAPABILITY_TESTS", dict.fromkeys(recipe.CAPABILITY_TESTS, lambda: True))
    assert plan_replay(incident(cause)).cause == cause
    monkeypatch.setattr(recipe, "CAPABILITY_TESTS", dict.fromkeys(recipe.CAPABILITY_TESTS, lambda: False))
    with pytest.raises(UsageError, match=r"cannot be (?:cre|moun)") as refused:
        plan_replay(incident(cause))
    assert "--analogue" in str(refused.value.hint)
    assert plan_replay(incident(cause), analogue=True).cause != cause


@pytest.mark.parametrize(
    ("cause", "text", "fault"),
    [
        ("resource.host-alloc-failed", "numpy: Unable to allocate 256. MiB for an array", "memory-limit"),
        ("resource.host-alloc-failed", "OOM when allocating tensor with shape[9,9]", "allocation"),
        ("collective.mismatch", "expected type 0 and data_type 1 but got type 0 and data_type 2", "dtype-mismatch"),
        ("collective.mismatch", "expected shape [6,3] but another member expected shape []", "order-mismatch"),
        ("config.task-index", "unexpectedly tried to connect with a different incarnation", "duplicate-index"),
        ("config.task-index", "exceeds the maximum id of worker", "index-out-of-range"),
        ("sync.hang", "unhealthy (stopped sending heartbeats)", "stopped"),
        ("sync.hang", "DEADLINE_EXCEEDED: Collective has timed out", "input-deadlock"),
    ],
)
def test_the_evidence_chooses_among_the_faults_of_a_cause(cause: str, text: str, fault: str) -> None:
    assert plan_replay(incident(cause, evidence=evidence(text))).fault == fault


def test_a_job_of_one_process_is_replayed_on_logical_devices() -> None:
    lone = incident("numeric.nan", None, tasks=0)
    lone["nodes"] = [{"name": "n0", "tasks": []}]
    plan = plan_replay(lone)
    assert (plan.strategy, plan.cluster, plan.culprit) == ("MirroredStrategy", {"worker": 1}, "worker:0")
    lone["root_causes"][0]["cause"] = "sync.hang"
    assert plan_replay(lone).strategy == "MultiWorkerMirroredStrategy"


def test_version_skew_needs_a_second_python() -> None:
    with pytest.raises(UsageError, match="one Python") as refused:
        plan_replay(incident("env.version-skew"))
    assert "--other-python" in str(refused.value.hint)
    plan = plan_replay(incident("env.version-skew"), other_python="/opt/old/bin/python")
    assert "/opt/old" not in json.dumps(plan.settings())  # no plan names a command


def test_a_busy_machine_makes_all_waiting_longer_and_nothing_else(job: Callable[[str], ModuleType]) -> None:
    plan = job("plan")
    settings = plan_replay(incident("sync.straggler")).settings()
    slow = plan.stretch(settings, 2.5)
    assert {name for name in settings if slow[name] != settings[name]} == set(plan.PATIENT) - {"meet"}
    assert slow["limit"] == 2.5 * settings["limit"]  # type: ignore[operator]
    assert plan.stretch(settings, 0.3) == settings  # several threads import at once
    assert plan.stretch(settings, 99.0) == plan.stretch(settings, plan.SLOWEST)


def test_the_launcher_s_longest_limit_is_the_one_that_is_waited_for(job: Callable[[str], ModuleType]) -> None:
    assert job("plan").SLOWEST == run.MAX_SLOWDOWN
