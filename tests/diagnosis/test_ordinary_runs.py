"""Logs of ordinary runs of other programs, recorded as they came, are no failure and no cause of a silent death.

`ordinary_runs/` holds logs of small runs that ended well or were stopped: TensorFlow with several workers and with
parameter servers, Keras, Ray, Dask, Optuna, scikit-learn with XGBoost, gunicorn, supervisord, Python's
multiprocessing, pip, git, apt and dpkg. Their tasks fail and are retried, their workers are stopped, restarted and
killed, and their connections close. Times, folders and a host's name were replaced; of apt and dpkg there are the
last lines, and Ray's dumps of its state are left out.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from test_bystanders import analyze_with_line
from test_innocent_lines import healthy, is_blamed

from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

LOGS = {path.name: path.read_text() for path in sorted(Path(__file__).with_name("ordinary_runs").iterdir())}
# A warning of scikit-learn quotes the traceback of fits that failed, as a program quotes its own before it dies.
QUOTES_TRACEBACK = "sklearn-xgboost.log"


@pytest.mark.parametrize("place", ["a file of its own", "the worker's own log"])
def test_ordinary_runs_are_no_failure(place: str, packs: Packs, plan: ReadPlan) -> None:
    for name, text in LOGS.items():
        file = f"n-2/{name}" if place == "a file of its own" else "n-2/worker.log"
        assert healthy(file, text.rstrip("\n"), packs, plan).verdict == "no-failure", name


@pytest.mark.parametrize("name", sorted(LOGS.keys() - {QUOTES_TRACEBACK}))
def test_an_ordinary_run_is_no_cause_of_a_silent_death(name: str, packs: Packs, plan: ReadPlan) -> None:
    assert not is_blamed(analyze_with_line(plan, packs, f"n-2/{name}", LOGS[name].rstrip("\n")))
