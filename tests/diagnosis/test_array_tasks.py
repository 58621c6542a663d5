"""Files of a batch array are called for their task's number; the batch system's records say on which host it ran."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest

from analyzer.incident import Incident
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

START = "2026-01-02 03:04:05.100000: I tensorflow/core/platform/cpu_feature_guard.cc:210] This TensorFlow binary is\n"
FAILURE = START + "Traceback (most recent call last):\n  File \"/srv/a.py\", line 2, in <module>\nKeyError: 'width'\n"

LSF_JOB = (
    "Job <811[{0}]>, Job Name <fit[{0}]>, User <kim>, Status <EXIT>, Queue <night>\n\n"
    "Fri Jan  2 03:04:04: [{0}] started 4 Task(s) on Host(s) <4*{1}>, Allocated 4 Slot(s) on Host(s) <4*{1}>;\n"
)
CONDOR_JOB = (
    "001 (811.00{0}.000) 2026-01-02 03:04:04 Job executing on host: <10.0.7.{0}:9618?addrs=10.0.7.{0}-9618&alias={1}>\n"
    "\tSlotName: slot1@{1}\n...\n"
)
SGE_JOB = f"{'=' * 62}\nqname        all.q\nhostname     {{1}}\njobnumber    811\ntaskid       {{0}}\nfailed       0\n"
PBS_JOB = "Job Id: 811[{0}].head\n    Job_Name = fit\n    exec_host = {1}/0*4\n    exec_vnode = ({1}:ncpus=4)\n\n"

FORMS = {
    "LSF": ("bjobs.txt", LSF_JOB, "out.811.{0}"),
    "HTCondor": ("fit.811.log", CONDOR_JOB, "fit.811.{0}.err"),
    "Grid Engine": ("qacct.txt", SGE_JOB, "fit.e811.{0}"),
    "PBS": ("qstat-f.txt", PBS_JOB, "fit.e811.{0}"),
}


def analyze(files: Mapping[str, str], packs: Packs, plan: ReadPlan) -> Incident:
    intake = IngestResult()
    intake.results.extend(read_source(path, io.BytesIO(text.encode()), plan) for path, text in files.items())
    return diagnose(intake, packs)


@pytest.mark.parametrize(("record", "job", "output"), FORMS.values(), ids=FORMS)
def test_a_record_of_the_batch_system_names_the_host_of_a_task(
    record: str, job: str, output: str, packs: Packs, plan: ReadPlan
) -> None:
    files = {
        record: job.format(1, "elm4") + job.format(2, "oak9"),
        output.format(1): START,
        output.format(2): FAILURE,
    }
    finding = analyze(files, packs, plan).root_causes[0].finding
    assert (finding.cause, finding.node) == ("user.code-error", "oak9")


@pytest.mark.parametrize(("record", "job", "output"), FORMS.values(), ids=FORMS)
def test_a_task_that_ran_on_two_hosts_has_neither_name(
    record: str, job: str, output: str, packs: Packs, plan: ReadPlan
) -> None:
    files = {
        record: job.format(1, "elm4") + job.format(2, "oak9") + job.format(2, "yew3"),
        output.format(1): START,
        output.format(2): FAILURE,
    }
    assert analyze(files, packs, plan).root_causes[0].finding.node not in ("oak9", "yew3", "elm4")


def mail(hosts: str) -> str:
    return f"{FAILURE}\nSubject: Job 811: <fit> in cluster <c1> Exited\n\nJob was executed on host(s) {hosts}\n"


def test_the_mail_of_lsf_names_the_host_of_a_job_with_one(packs: Packs, plan: ReadPlan) -> None:
    text = mail("<4*oak9>, in queue <night>, as user <kim> in cluster <c1>")
    assert analyze({"out.txt": text}, packs, plan).root_causes[0].finding.node == "oak9"


def test_the_mail_of_lsf_names_no_host_of_a_job_with_several(packs: Packs, plan: ReadPlan) -> None:
    text = mail(f"<4*oak9>, in queue <night>, as user <kim> in cluster <c1>\n{' ' * 28}<4*elm4>")
    assert analyze({"out.txt": text}, packs, plan).root_causes[0].finding.node is None


def test_the_only_number_among_the_names_of_files_names_nobody(packs: Packs, plan: ReadPlan) -> None:
    assert analyze({"0_train.txt": FAILURE}, packs, plan).root_causes[0].finding.node is None
