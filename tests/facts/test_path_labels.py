"""Nodes from paths, in the layouts that collectors make."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.facts.machine_labels import name_containers
from analyzer.facts.path_labels import label_paths, stem_of
from analyzer.model import Event, Locus

LAYOUTS = [
    # ranks before machines, in whatever language, and a folder whose files are named for the same machines
    (
        ["konsole/gx3.sol", "konsole/gx4.sol", "rang0.gx3.txt", "rang1.gx4.txt"],
        ["gx3", "gx4", "gx3", "gx4"],
    ),
    (["rango0_gx3.txt", "rango1_gx4.txt", "gx3.messages"], ["gx3", "gx4", "gx3"]),
    (["konsole/gx3.sol", "konsole/gx9.sol", "rang0.gx3.txt", "rang1.gx4.txt"], ["konsole", "konsole", "gx3", "gx4"]),
    (["rack1-node0.log", "rack1-node1.log", "rack2-node2.log"], ["rack1-node0", "rack1-node1", "rack2-node2"]),
    (["node0.row1.log", "node1.row1.log", "node2.row2.log"], ["node0.row1", "node1.row1", "node2.row2"]),
    # a word that several kinds of files have in common is a part of the name
    (["bin-gx3.log", "bin-gx4.log", "pip/bin-gx3.txt", "pip/bin-gx4.txt"], ["bin-gx3", "bin-gx4"] * 2),
    # node folders
    (["i/node-1/worker.log", "i/node-1/dmesg.txt", "i/node-2/worker.log"], ["node-1", "node-1", "node-2"]),
    # node folders below a place for logs, and above one
    (["x/logs/gpu07/train.log", "x/logs/gpu08/train.log"], ["gpu07", "gpu08"]),
    (["x/gpu07/var/log/messages", "x/gpu08/var/log/messages"], ["gpu07", "gpu08"]),
    # … and beside files of the whole job
    (["job.out", "x/gpu07/train.log", "x/gpu08/train.log"], [None, "gpu07", "gpu08"]),
    (["job.out", "gpu07/train.log", "gpu07/dmesg.txt"], [None, "gpu07", "gpu07"]),
    # a log server's folder, its files named for the addresses of the machines
    (["x/netconsole/10.9.1.6.log", "x/netconsole/10.9.1.8.log", "x/out.txt"], ["10.9.1.6", "10.9.1.8", None]),
    # flat, the node in the file's name
    (["run/worker-0.log", "run/worker-1.log", "run/ps-0.log"], ["worker-0", "worker-1", "ps-0"]),
    (["run/sat1.stderr.gz", "run/sat1.stdout", "run/sat2.stderr.gz"], ["sat1", "sat1", "sat2"]),
    (["a/dmesg-gpu07.txt", "a/train-gpu07.log", "a/dmesg-gpu08.txt"], ["gpu07", "gpu07", "gpu08"]),
    (
        ["l/k8s-0-tf_config.json", "l/k8s-0-env.txt", "l/k8s-1-worker.log", "l/k8s-1-env.txt"],
        ["k8s-0", "k8s-0", "k8s-1", "k8s-1"],
    ),
    (["l/ip-10-9-1-3-worker.log", "l/ip-10-9-1-3-exit_code"], ["ip-10-9-1-3"] * 2),
    (["run/worker-a.log", "run/worker-b.log"], ["worker-a", "worker-b"]),
    (["run/chief.log", "run/ps-0.log", "run/rank.log"], ["chief", "ps-0", "rank"]),
    (["run/rank.0.log", "run/rank.1.log", "run/rank.1.log.1"], ["rank.0", "rank.1", "rank.1"]),
    # … behind the kind of file
    (["run/worker_a.log", "run/worker_b.log"], ["a", "b"]),
    (
        ["l/worker_gpu07.log", "l/dmesg_gpu07.txt", "l/exit_code_gpu08", "l/worker_gpu08.log"],
        ["gpu07", "gpu07", "gpu08", "gpu08"],
    ),
    (
        ["l/task_tf-worker-1.log", "l/dmesg_tf-worker-1.txt", "l/task_tf-ps-0.log", "l/dmesg_tf-ps-0.txt"],
        ["tf-worker-1", "tf-worker-1", "tf-ps-0", "tf-ps-0"],
    ),
    (
        ["l/worker_ip-10-9-1-3.log", "l/env_ip-10-9-1-3.txt", "l/worker_ip-10-9-1-4.log"],
        ["ip-10-9-1-3", "ip-10-9-1-3", "ip-10-9-1-4"],
    ),
    # … also a kind that is no common word, where each machine has its files
    (
        ["l/farm-1_bert.log", "l/farm-1_supervisord.log", "l/farm-2_bert.log", "l/farm-2_supervisord.log"],
        ["farm-1", "farm-1", "farm-2", "farm-2"],
    ),
    (["l/bert.gx1.log", "l/sv.gx1.log", "l/bert.gx2.log", "l/sv.gx2.log"], ["gx1", "gx1", "gx2", "gx2"]),
    (["l/alder-dmesg", "l/alder-bert", "l/birch-dmesg", "l/birch-bert"], ["alder", "alder", "birch", "birch"]),
    (
        ["l/a-worker-0", "l/a-worker-1", "l/b-worker-0", "l/b-worker-1"],
        ["a-worker-0", "a-worker-1", "b-worker-0", "b-worker-1"],
    ),
    # … and the job's number before or behind it
    (["s/slurm-48213-cn14.out", "s/slurm-48213-cn15.out", "s/dmesg.cn14"], ["cn14", "cn15", "cn14"]),
    (["s/48213.cn14.err", "s/48213.cn15.err"], ["cn14", "cn15"]),
    (["s/cn14-48213.out", "s/cn15-48213.out"], ["cn14", "cn15"]),
    (["s/ps-0.ER", "s/worker-0.ER"], ["ps-0", "worker-0"]),  # PBS
    # … and each rank
    (["err.cn14.0", "out.cn14.0", "err.cn15.1", "out.cn15.1"], ["cn14", "cn14", "cn15", "cn15"]),
    (["rank0.cn14.log", "rank1.cn15.log", "rank2.cn15.log", "dmesg.cn14"], ["cn14", "cn15", "cn15", "cn14"]),
    (["out.ip-10-0-3-4.0.txt", "out.ip-10-0-3-9.1.txt"], ["ip-10-0-3-4", "ip-10-0-3-9"]),
    (["fit-cn14-0.log", "fit-cn15-1.log", "fit-cn16-2.log"], ["fit-cn14", "fit-cn15", "fit-cn16"]),
    (["m1-0.log", "m1-1.log", "m2-0.log"], ["m1-0", "m1-1", "m2-0"]),  # pods of two jobs
    (["worker.0", "ps.1"], ["worker.0", "ps.1"]),
    (
        ["s/bert.o48213", "s/bert.e48213", "s/dmesg.cn14"],
        [None, None, "cn14"],
    ),  # PBS and Grid Engine name them for the job
    (["bert.e48213.7"], [None]),
    # a folder of a machine's name around tasks
    (["ci-3/logs/ps0.log", "ci-3/logs/trainer0.log"], ["ps0", "trainer0"]),
    # Kubernetes
    (
        [
            "var/log/containers/tfw-2_ml_tensorflow-" + "0" * 64 + ".log",
            "var/log/containers/tfw-1_ml_tensorflow-" + "1" * 64 + ".log",
        ],
        ["tfw-2", "tfw-1"],
    ),
    # nothing but numbers: each is a task of its own
    (["out/0.txt", "out/1.txt", "out/2.txt", "out/hosts.txt"], ["0", "1", "2", None]),
    (["tasks/00/stderr", "tasks/01/stderr", "tasks/01/stdout"], ["00", "01", "01"]),
    (["logs/48213.log", "logs/48977.log"], [None, None]),  # two jobs' or processes' numbers
    # sosreports
    (
        ["sosreport-gx07-2026-05-01-abcdefg/dmesg", "sosreport-gx-08-0012345-2026-05-01-hijklmn/dmesg"],
        ["gx07", "gx-08"],
    ),
    # Azure ML: one folder of all processes' logs beside the system's own
    (["user_logs/std_log_process_0.txt", "user_logs/std_log_process_1.txt"], ["process_0", "process_1"]),
    # a name that begins like a kind of thing, and one that ends in a domain
    (["l/pod-a.log", "l/pod-b.log"], ["pod-a", "pod-b"]),
    (["l/bl03.hpc.local.err", "l/bl13.hpc.local.err"], ["bl03.hpc.local", "bl13.hpc.local"]),
    # folders of a table's partitions
    (["dag=ctr/run=2026-11-21/attempt=1.log", "gpu1/w.log", "gpu2/w.log"], [None, "gpu1", "gpu2"]),
    # nothing tells
    (["log.txt"], [None]),
    (["incident/log.txt"], [None]),
    # one machine only
    (["incident/node-1/dmesg.txt"], ["node-1"]),
    (["dmesg.txt"], [None]),
    (["slurmctld.log", "job.log"], [None, None]),
    (["docker_ps_a.txt", "docker-compose.log", "podman_ps.txt"], [None, None, None]),
    # a folder of one kind of files beside those of machines
    (["p1/a.log", "p2/a.log", "p3/a.log", "power/p2-events.txt"], ["p1", "p2", "p3", "p2"]),
    (["p1/a.log", "p2/a.log", "p1/p2-ping.txt"], ["p1", "p2", "p1"]),
    # a folder of what was fetched from machines, beside a file of none
    (["got/n1/opt/r.log", "got/n2/opt/r.log", "play.txt"], ["n1", "n2", "play"]),
    (["chief/out.log", "w/10.3.6.14_7000.log", "w/10.3.6.17_7000.log"], ["chief", "10.3.6.14", "10.3.6.17"]),
    (["run7/worker1_sp-1.log", "run7/worker0_sp-2.log", "alarm.json"], ["sp-1", "sp-2", "alarm"]),
    # a folder of what was fetched from machines, beside another's; kinds of files, each of all machines
    (["got/n1/opt/r.log", "got/n2/opt/r.log", "leaves/leaf.log"], ["n1", "n2", "leaves"]),
    (["logs/p1.txt", "logs/p2.txt", "sol-dumps/p1.con", "sol-dumps/p2.con"], ["p1", "p2", "p1", "p2"]),
    (["alder/gpu0/a.log", "alder/gpu1/a.log", "birch/gpu0/a.log"], ["alder", "alder", "birch"]),
    (["alder/r0.log", "birch/r1.log", "cedar/r2.log"], ["alder", "birch", "cedar"]),
    # rotation
    (["n1/worker.log.2.gz", "n1/worker.log.1", "n1/worker.log", "n2/worker.log"], ["n1", "n1", "n1", "n2"]),
    (["worker-0.log.1", "worker-0.log", "worker-1.log.2.gz"], ["worker-0", "worker-0", "worker-1"]),
    # nested archives
    (["set/gx-07.tar.gz/gx-07/w.txt", "set/gx-08.tar.gz/gx-08/w.txt"], ["gx-07", "gx-08"]),
]


@pytest.mark.parametrize(("paths", "labels"), LAYOUTS, ids=lambda value: str(value[0]))
def test_layouts(paths: list[str], labels: list[str | None]) -> None:
    assert list(label_paths(paths).values()) == labels


WORDS = st.sampled_from(
    ["worker", "chief", "gpu07", "0", "-", "_", ".", "log", "dmesg", "/", "2", "ip-10-0-0-3", "TF", "é", ""]
)


@given(st.lists(st.lists(WORDS, max_size=6).map("".join), max_size=5))
def test_any_path_has_a_label_or_none(paths: list[str]) -> None:
    assert set(label_paths(paths)) == set(paths)


@pytest.mark.parametrize("path", ["-92", "-", "_/-1.log", "0.log", "..log", "-/-92.log.1"])
def test_a_name_of_numbers_alone_has_no_stem_or_one(path: str) -> None:
    assert isinstance(stem_of(path), str)
    label_paths([path, "a/b.log"])


def test_a_folder_that_is_a_known_host_wins() -> None:
    paths = ["ci-3/logs/ps0.log", "ci-3/logs/trainer0.log"]
    assert set(label_paths(paths, frozenset({"ci-3"})).values()) == {"ci-3"}


def test_a_known_host_in_a_file_name_wins_over_the_task_beside_it() -> None:
    paths = ["l/ps0_ci-runner-3.log", "l/trainer0_ci-runner-3.log"]
    assert set(label_paths(paths, frozenset({"ci-runner-3"})).values()) == {"ci-runner-3"}


def test_folders_that_each_hold_a_whole_cluster_are_runs_and_no_machines() -> None:
    tasks = {"ps0": "elm-1", "worker0": "elm-2", "worker1": "elm-3"}
    paths = [f"{run}/bert/{task} {host}.txt" for run in ("mon", "tue") for task, host in tasks.items()]
    assert set(label_paths(paths).values()) == {"ps-0", "worker-0", "worker-1"}
    labels = label_paths(paths, frozenset(tasks.values()))
    assert [labels[path] for path in paths] == [*tasks.values()] * 2


def test_folders_that_hold_the_same_numbers_of_workers_may_be_machines() -> None:
    paths = [f"{host}/worker-{index}.log" for host in ("elm", "oak") for index in range(3)]
    assert set(label_paths(paths).values()) == {"elm", "oak"}


def test_a_folder_of_everything_that_is_called_like_a_host_is_none_beside_the_files_of_hosts() -> None:
    paths = ["sea/sea1.log", "sea/sea2.log", "sea/hosts_sea2.txt", "sea/resolv.conf/sea1"]
    labels = label_paths(paths, frozenset({"sea", "sea1", "sea2"}))
    assert [labels[path] for path in paths] == ["sea1", "sea2", "sea2", "sea1"]


def test_a_file_that_is_called_for_a_command_with_its_options_names_no_machine() -> None:
    assert label_paths(["77/sacct -D.txt", "77/ps -ef.txt"]) == {"77/sacct -D.txt": None, "77/ps -ef.txt": None}


def test_a_folder_of_a_machine_may_say_so_before_its_name() -> None:
    paths = ["node_gx07/train.out", "node_gx08/train.out"]
    assert list(label_paths(paths).values()) == ["gx07", "gx08"]


def test_a_folder_like_a_version_is_a_machine_beside_machines() -> None:
    paths = ["v1/w.log", "v2/w.log", "v3/w.log"]
    assert list(label_paths(paths, frozenset({"v1", "v2"})).values()) == ["v1", "v2", "v3"]
    assert set(label_paths(["v1/gpu7.log", "v1/gpu8.log"]).values()) == {"gpu7", "gpu8"}


def test_tasks_of_an_array_go_by_their_numbers_whatever_lies_beside_them() -> None:
    paths = ["mwms.o7712.1", "mwms.e7712.1", "mwms.o7712.2", "qacct.txt"]
    assert list(label_paths(paths).values()) == ["1", "1", "2", None]


def test_what_all_names_have_in_common_between_underscores_is_no_machine() -> None:
    paths = ["bert_772810_r4i2n8_0.log", "bert_772810_r4i2n9_1.log", "bert_772810_r4i3n0_2.log"]
    assert list(label_paths(paths).values()) == ["r4i2n8", "r4i2n9", "r4i3n0"]
    tasks = ["run1_worker_0.log", "run1_worker_1.log", "run1_ps_0.log"]
    assert list(label_paths(tasks).values()) == ["run1_worker_0", "run1_worker_1", "run1_ps_0"]
    assert list(label_paths(["slurm-55121-0.out", "slurm-55121-1.out"]).values()) == ["0", "1"]
    assert list(label_paths(["cn-14-48213.out", "cn-15-48213.out"]).values()) == ["cn-14", "cn-15"]


@pytest.mark.parametrize(
    ("paths", "labels"),
    [
        (["l/worker 0 - from ssh.txt", "l/worker 1 (bad one?).txt"], ["worker-0", "worker-1"]),
        (["l/worker 2.txt", "l/worker 2 - Copy.txt", "l/worker 2 (1).txt"], ["worker-2"] * 3),
        (["l/gx07.log", "l/gx08.log", "l/Copy of gx08.log"], ["gx07", "gx08", "gx08"]),
        (["l/compose_logs.txt", "l/docker_ps_a.txt", "l/df-h.txt", "l/ps_gx7.txt"], [None, None, None, "gx7"]),
        (["l/ps-a.log", "l/wk-a.log"], ["ps-a", "wk-a"]),
        (["l/tmux-train-0.0-worker-0.log", "l/tmux-train-0.1-worker-1.log"], ["worker-0", "worker-1"]),
    ],
)
def test_what_people_add_to_a_name_is_no_part_of_it(paths: list[str], labels: list[str]) -> None:
    assert list(label_paths(paths).values()) == labels


def test_a_file_that_is_called_by_a_containers_id_has_the_containers_name() -> None:
    container = "3f" * 32
    path = f"host-a/var/lib/docker/containers/{container}/{container}-json.log"
    listing = Event("file.container", Locus("inspect.json", 1), "", captures={"alias": container, "host": "ps1"})
    assert name_containers({path: "host-a", "host-a/dmesg": "host-a"}, [listing]) == {
        path: "ps1",
        "host-a/dmesg": "host-a",
    }
    assert name_containers({f"{container[:12]}.log": None}, [listing]) == {f"{container[:12]}.log": "ps1"}
    other = listing._replace(captures={"alias": container, "host": "ps2"})
    assert name_containers({path: "host-a"}, [listing, other]) == {path: "host-a"}


def test_the_name_of_a_batch_job_before_each_machine_is_no_part_of_it() -> None:
    paths = [f"out/bert.cn{number}.o77120" for number in (4, 5, 6)]
    assert list(label_paths(paths).values()) == ["cn4", "cn5", "cn6"]
    for names in (["bert.ada", "bert.eva", "bert.ida"], ["cn4.lab", "cn5.lab", "cn6.lab"], ["bert.cn4", "bert.cn5"]):
        labels = label_paths([f"out/{name}.log" for name in names])
        assert [label and label.partition(".lab")[0] for label in labels.values()] == [
            name.partition(".lab")[0] for name in names
        ]


def test_a_container_that_each_machine_has_names_no_machine() -> None:
    """`docker run --name train` on each of them. On one machine, the names of its containers tell them apart."""
    ids = ["3f" * 32, "7c" * 32]
    paths = [f"host-{number}/{container[:12]}-json.log" for number, container in enumerate(ids)]
    listings = [
        Event("file.container", Locus("inspect.json", 1), "", captures={"alias": container, "host": "train"})
        for container in ids
    ]
    machines = {path: path.partition("/")[0] for path in paths}
    assert name_containers(machines, listings) == machines
    assert set(name_containers(dict.fromkeys(paths, "host-0"), listings).values()) == {"train"}


def test_files_named_for_tasks_share_an_extension_of_which_nobody_has_heard() -> None:
    assert label_paths(["a/worker_0.wynik", "a/worker_1.wynik"]) == {
        "a/worker_0.wynik": "worker_0",
        "a/worker_1.wynik": "worker_1",
    }
    hosts = ["hopper.lan", "noether.lan", "hopper.ausgabe", "noether.ausgabe"]
    assert list(label_paths(hosts).values()) == ["hopper.lan", "noether.lan", "hopper", "noether"]
