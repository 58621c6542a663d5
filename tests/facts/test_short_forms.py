"""A few bytes may stand for very many names: ranges of hosts, sparse clusters, slots. They cost what is written."""

from __future__ import annotations

import tracemalloc

import pytest

from analyzer.facts.cluster_spec import read_cluster_spec, read_tf_config
from analyzer.paths import cache_dir
from analyzer.pipeline import IngestResult, diagnose, read_small_text
from analyzer.reading import build_plan
from analyzer.redact.identifiers import MAX_NAMES_OF_RANGES, find_identifiers
from analyzer.redact.rename import assign_stable_names, rename
from analyzer.redact.vocabulary import list_words
from analyzer.rules.packs.cache import load_packs

FILES, LINES = 4, 100
FORMS = {
    "sparse cluster": (
        "2026-11-21 05:10:09.{0:06d}: I tensorflow/core/distributed_runtime/rpc/grpc_channel.cc:215] Initialize "
        "GrpcChannelCache for job worker -> {{0 -> localhost:2222, 9{0:04d} -> h{1}:{0}}}\n"
    ),
    "cluster with one index": "TF_CONFIG={{'cluster': {{'worker': {{99999: 'a{1}:{0}'}}}}, 'task': {{}}}}\n",
    "lists of nodes": "2026-11-21 05:10:09 INFO SLURM_JOB_NODELIST=gx{1}{0}-[1-65000]\n",
    "nodes that are down": "slurmctld: error: Nodes gx{1}{0}-[1-65000] not responding, setting DOWN\n",
    "slots": "gx{1}{0} slots=999999999\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_what_stands_for_many_takes_little_memory(form: str) -> None:
    packs = load_packs((), cache_dir())
    plan, ingested = build_plan(packs, cache_dir()), IngestResult()
    tracemalloc.start()
    for number in range(FILES):
        text = "".join(FORMS[form].format(line, number) for line in range(LINES))
        name = "hostfile" if form == "slots" else "worker.log"
        read_small_text(f"h{number}/{name}", text.encode(), plan, ingested)
    diagnose(ingested, packs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 << 20, f"{peak >> 20} MiB"


def test_a_cluster_is_not_larger_than_what_is_written_of_it() -> None:
    assert read_cluster_spec("{0 -> a:1, 99999 -> b:1}", "worker") is None
    cluster = read_cluster_spec("{1 -> a:1, 4 -> b:1}", "worker")
    assert cluster is not None and cluster.jobs == {"worker": (None, "a:1", None, None, "b:1")}
    config = read_tf_config("{'cluster': {'worker': {3: 'a:1', 99999: 'b:1'}}, 'task': {}}")
    assert config is not None and config.cluster.jobs == {"worker": (None, None, None, "a:1")}


def test_ranges_in_a_redacted_report_are_not_all_written_out() -> None:
    lines = [f"nodes {' '.join(f'gpu-x{line}y{number}z[1-999]' for number in range(50))}" for line in range(20)]
    lines += ["gpu-x19y49z7 is down", "gpu-x19y49z998 too"]
    identifiers = find_identifiers({"notes": lines}, (), list_words(()))
    assert len(identifiers) < 2 * MAX_NAMES_OF_RANGES
    assert "gpu-" not in str(rename(lines, assign_stable_names(identifiers)))
