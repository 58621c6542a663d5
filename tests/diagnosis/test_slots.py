"""Hosts with slots, in a file or on mpirun's command line, give the ranks of a launcher's output their machines."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest

from analyzer.incident import Incident
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

HOSTFILE = "# of the night run\nhpc1 slots=2\nhpc2 slots=2 max_slots=4\n"


def rank_output(rank: int) -> str:
    steps = "".join(f"[1,{rank}]<stdout>:step {step} loss 0.5\n" for step in range(1, 4))
    return steps + (f"[1,{rank}]<stderr>:KeyError: 'label'\n" if rank == 2 else "")


def analyze(files: Mapping[str, str], packs: Packs, plan: ReadPlan) -> Incident:
    intake = IngestResult()
    intake.results.extend(read_source(path, io.BytesIO(text.encode()), plan) for path, text in files.items())
    return diagnose(intake, packs)


RANKS = "".join(rank_output(rank) for rank in range(4))
MISSED = (
    "[1,0]<stderr>:[2026-01-02 03:05:06.070809: W horovod/common/stall_inspector.cc:105] One or more tensors were "
    "submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for "
    "more than 60 s.\n[1,0]<stderr>:Stalled ops: HorovodAllreduce_grad_0 [missing ranks: 2, 3]\n"
)


FORMS = {
    "a hostfile": {"hostfile": "# of the night run\nhpc1 slots={0}\nhpc2 slots={0} max_slots=4\n", "mpi.log": ""},
    "in a folder": {"job/hosts.txt": "hpc1 slots={0}\nhpc2 slots={0}\n", "job/mpi.log": ""},
    "horovodrun": {"mpi.log": "+ horovodrun -np 4 -H hpc1:{0},hpc2:{0} python train.py\n"},
    "mpirun": {"mpi.log": "mpirun -np 4 --host hpc1:{0},hpc2:{0} --tag-output python train.py\n"},
    "bhist": {
        "bhist.txt": "Fri Jan  2 03:03:00: Dispatched 4 Task(s) on Host(s) <{0}*hpc1> <{0}*hpc2>\n",
        "mpi.log": "",
    },
}


def fill(form: Mapping[str, str], slots: int, output: str) -> dict[str, str]:
    return {path: text.format(slots) + (output if path.endswith(".log") else "") for path, text in form.items()}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_rank_alone_on_its_host_is_that_machine(form: Mapping[str, str], packs: Packs, plan: ReadPlan) -> None:
    output = rank_output(0) + rank_output(1) + MISSED.replace("2, 3", "1")
    incident = analyze(fill(form, 1, output), packs, plan)
    assert {accusation.accused for accusation in incident.accusations} == {"hpc2"}
    assert [node.name for node in incident.nodes] == ["hpc1", "hpc2"]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_ranks_that_share_a_host_stay_apart_and_tell_it(form: Mapping[str, str], packs: Packs, plan: ReadPlan) -> None:
    incident = analyze(fill(form, 2, RANKS + MISSED), packs, plan)
    accused = {accusation.accused for accusation in incident.accusations}
    assert {host for node in incident.nodes if node.name in accused for host in node.hosts} == {"hpc2"}
    assert [node.hosts for node in incident.nodes] == [("hpc1",), ("hpc1",), ("hpc2",), ("hpc2",)]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_rank_of_which_nothing_is_at_hand_is_named_by_its_host(
    form: Mapping[str, str], packs: Packs, plan: ReadPlan
) -> None:
    incident = analyze(fill(form, 2, MISSED), packs, plan)
    assert {accusation.accused for accusation in incident.accusations} == {"hpc2"}


def test_two_lists_that_differ_give_nobody_a_machine(packs: Packs, plan: ReadPlan) -> None:
    other = "hpc2 slots=2\nhpc1 slots=2\n"
    incident = analyze({"hostfile": HOSTFILE, "old/hostfile": other, "mpi.log": RANKS + MISSED}, packs, plan)
    assert "hpc2" not in {accusation.accused for accusation in incident.accusations}


def test_a_hostfile_in_a_machines_folder_is_that_machines(packs: Packs, plan: ReadPlan) -> None:
    listed, steps = "hpc7 slots=1\nhpc8 slots=1\n", "step 1 loss 0.5\nstep 2 loss 0.4\n"
    files = {
        f"{host}/{name}": text for host in ("hpc7", "hpc8") for name, text in (("hosts", listed), ("a.log", steps))
    }
    assert [node.name for node in analyze(files, packs, plan).nodes] == ["hpc7", "hpc8"]
