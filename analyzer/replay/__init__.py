"""Build the smallest distributed job that should fail like an incident, run it, and judge whether it does.

TensorFlow is imported only by the processes of the generated worker.py, never here.
"""

from analyzer.replay.decide import Decision, decide_between, list_rivals, plan_rivals
from analyzer.replay.interpreters import check_interpreter, check_version_pair
from analyzer.replay.job_modules import check_hosts, read_plan
from analyzer.replay.pattern import read_diagnosis
from analyzer.replay.plan import ReplayPlan, plan_replay
from analyzer.replay.repro_folder import write_repro
from analyzer.replay.result import ReplayResult
from analyzer.replay.run import RunLimits, RunTarget, run_again, run_repro

__all__ = [
    "Decision",
    "ReplayPlan",
    "ReplayResult",
    "RunLimits",
    "RunTarget",
    "check_hosts",
    "check_interpreter",
    "check_version_pair",
    "decide_between",
    "list_rivals",
    "plan_replay",
    "plan_rivals",
    "read_diagnosis",
    "read_plan",
    "run_again",
    "run_repro",
    "write_repro",
]
