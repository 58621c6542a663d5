"""Which machine a member ran on, and which of two claims is right, by what other files state."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from analyzer.pipeline import analyze


def tf_config(members: str, index: int) -> str:
    task = {"type": "worker", "index": index}
    return f"TF_CONFIG={json.dumps({'cluster': {'worker': members.split(',')}, 'task': task})}"


def answer(folder: Path, files: Mapping[str, str]) -> tuple[str | None, str | None]:
    """(cause, node) of the first root cause."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    roots = analyze([folder]).root_causes
    return (roots[0].finding.cause, roots[0].finding.node) if roots else (None, None)


def log(address: str, *lines: str, members: str = "", index: int = 0) -> str:
    """What a worker prints: where it serves, its cluster, ten steps and then `lines`."""
    begin = [f"I0000 00:00:1767323041.000000 41 grpc_server_lib.cc:467] Started server with target: grpc://{address}"]
    if members:
        begin.append(tf_config(members, index))
    steps = [f"2026-01-02 03:04:{step:02},000 INFO fit: step {step} loss 0.5" for step in range(2, 12)]
    return "\n".join([*begin, *steps, *lines]) + "\n"


LOST = (
    "2026-01-02 03:04:14.000000: E tensorflow/core/common_runtime/base_collective_executor.cc:249] "
    "BaseCollectiveExecutor::StartAbort UNAVAILABLE: Socket closed"
)
FAILED = ["Traceback (most recent call last):", '  File "/srv/fit.py", line 61, in parse', "KeyError: 'kind'"]


def test_a_file_s_name_gives_way_to_the_host_that_its_lines_state(tmp_path: Path) -> None:
    files = {
        "schirm_a.txt": "gx7 login: [  71.10] Out of memory: Killed process 4242 (python3) total-vm:9kB\n",
        "gx8.log": log("gx8:2222", LOST, members="gx7:2222,gx8:2222", index=1),
    }
    assert answer(tmp_path, files)[1] == "gx7"


def test_a_container_that_every_machine_has_names_none(tmp_path: Path) -> None:
    files = {}
    for number in range(3):
        container = f"{number + 1:x}" * 64
        lines = log(f"10.1.9.{number}:2222", *(FAILED if number == 1 else [LOST])).splitlines()
        records = [{"log": f"{line}\n", "time": f"2026-01-02T03:04:{at:02}Z"} for at, line in enumerate(lines)]
        files[f"gx{number}/{container[:12]}-json.log"] = "".join(f"{json.dumps(record)}\n" for record in records)
        state = {"Status": "exited", "ExitCode": 1, "FinishedAt": "2026-01-02T03:04:20Z"}
        listing = {"Id": container, "Name": "/fit", "State": state, "Config": {"Hostname": f"gx{number}"}}
        files[f"gx{number}/inspect.json"] = json.dumps([listing], indent=1)
    assert answer(tmp_path, files) == ("user.code-error", "gx1")


def test_the_folder_of_an_allocation_is_of_its_node(tmp_path: Path) -> None:
    ids = [f"{number}c0ffee1-1234-4abc-8def-0123456789ab" for number in range(2)]
    files = {
        f"alloc/{name}/alloc/logs/fit.stderr.0": log(f"10.1.9.{number}:2222", *(FAILED if number else [LOST]))
        for number, name in enumerate(ids)
    }
    for number, name in enumerate(ids):
        files[f"status-{number}.txt"] = (
            f"ID                  = {name}\nName                = bert.fit[{number}]\nNode ID             = 0badcafe\n"
            f"Node Name           = gx{number}\n"
        )
    assert answer(tmp_path, files) == ("user.code-error", "gx1")


def test_a_scheduler_states_whose_address_a_task_has(tmp_path: Path) -> None:
    members = ",".join(f"10.1.9.{number}:2222" for number in (3, 8))
    files = {
        "out/bert.worker.0.err": log("10.1.9.3:2222", LOST, members=members, index=0),
        "out/bert.worker.1.err": log("10.1.9.8:2222", *FAILED, members=members, index=1),
        "bert.log": "".join(
            f"001 (71.00{at}.000) 2026-01-02 03:04:00 Job executing on host: "
            f"<10.1.9.{number}:9618?addrs=10.1.9.{number}-9618&alias=gx{number}.lab>\n...\n"
            for at, number in enumerate((3, 8))
        ),
    }
    assert answer(tmp_path, files) == ("user.code-error", "gx8.lab")


def test_members_without_files_are_the_machines_with_their_numbers(tmp_path: Path) -> None:
    """The cluster stands in a script, with escaped quotation marks and a variable for the index."""
    members = ",".join(f'\\"10.1.9.{number}:2222\\"' for number in (4, 9))
    script = (
        f'ssh $h "TF_CONFIG=\'{{\\"cluster\\":{{\\"worker\\":[{members}]}},\\"task\\":{{\\"index\\":$i}}}}\' fit.py"\n'
    )
    lost = "Additional GRPC error information from remote target /job:worker/replica:0/task:1:"
    files = {
        "start.sh": script,
        "gx04/fit.log": log("10.1.9.4:2222", LOST, lost).split("\n", 1)[1],
        "gx09/fit.log": log("10.1.9.9:2222").split("\n", 1)[1],
        "gx09/syslog": "Jan  2 03:04:12 gx09 reaper[77]: kill -9 4242 (python3, user ann, ppid=1)\n",
    }
    assert answer(tmp_path, files) == ("process.killed-by-signal", "gx09")


def test_the_container_of_a_service_has_the_service_s_name(tmp_path: Path) -> None:
    rows = [(f"bert-{name}-1", line) for name in ("ada", "eva") for line in log(f"{name}:2222").splitlines()]
    rows += [("bert-eva-1", line) for line in FAILED]
    text = "".join(f"{name}  | {line}\n" for name, line in rows)
    assert answer(tmp_path, {"compose.log": text}) == ("user.code-error", "eva")


def test_of_two_that_claim_a_task_the_host_of_its_address_is_right(tmp_path: Path) -> None:
    members = "ada:2222,eva:2222,ida:2222"
    twice = (
        "2026-01-02 03:04:01.000000: E tensorflow/core/coordination/coordination_service.cc:681] "
        "/job:worker/replica:0/task:1 unexpectedly tried to connect with a different incarnation."
    )
    begin = "I0000 00:00:1767323041.000000 41 grpc_server_lib.cc:467] Started server with target: grpc://"
    files = {
        f"{host}/fit.log": f"{begin}{members.split(',')[index]}\n{tf_config(members, index)}\n{twice}\n"
        for host, index in (("ada", 0), ("eva", 1), ("ida", 1))
    }
    assert answer(tmp_path, files) == ("config.task-index", "ida")


def test_a_process_that_lost_another_before_it_aborted_is_no_first_crash(tmp_path: Path) -> None:
    members = "ada:2222,eva:2222,ida:2222"
    lost = "Additional GRPC error information from remote target /job:worker/replica:0/task:1:"
    aborted = "terminate called without an active exception"
    files = {
        "ada/fit.log": log("ada:2222", LOST, lost, aborted, members=members, index=0),
        "eva/fit.log": log("eva:2222", *FAILED, members=members, index=1),
        "ida/fit.log": log("ida:2222", LOST, lost, members=members, index=2),
        "launcher.log": "2026-01-02 03:04:16 launcher: member 0 (ada-1) murió con señal 6\n",
    }
    assert answer(tmp_path, files) == ("user.code-error", "eva")


STARTS = "I0000 00:00:1767323041.000000 {pid} port.cc:153] oneDNN custom operations are on. You may see other results."


def steps_in_turn(names: list[str], lines: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    """(name, line): each member starts and makes steps in turn, and then prints its own lines."""
    begin = [(name, STARTS.format(pid=40 + at)) for at, name in enumerate(names)]
    steps = [(name, f"INFO fit: step {step} loss 0.{step}") for step in range(10, 20) for name in names]
    return [*begin, *steps, *((name, line) for name in names for line in lines.get(name, []))]


def test_a_field_names_the_writers_if_programs_start_under_its_values(tmp_path: Path) -> None:
    rows = steps_in_turn(["elm", "oak", "yew"], {"oak": FAILED})
    records = [
        {"t": f"2026-01-02 03:04:{at % 60:02}.000", "ort": name, "art": "zeile", "zeile": line}
        for at, (name, line) in enumerate(rows)
    ]
    files = {"aufseher.jsonl": "".join(f"{json.dumps(record)}\n" for record in records)}
    assert answer(tmp_path, files) == ("user.code-error", "oak")


def test_a_column_names_the_writers_if_programs_start_under_its_words(tmp_path: Path) -> None:
    rows = steps_in_turn(["elm", "oak", "yew"], {"oak": FAILED})
    assert answer(tmp_path, {"alle.log": "".join(f"{name} {line}\n" for name, line in rows)}) == (
        "user.code-error",
        "oak",
    )


def test_a_header_above_a_command_s_output_names_its_machine(tmp_path: Path) -> None:
    wait = "    quick_execute (tensorflow/python/eager/execute.py:53)\n    main (fit.py:91)\n    <module> (fit.py:99)\n"
    read = "    read_batch (feed.py:31)\n    main (fit.py:88)\n    <module> (fit.py:99)\n"
    dumps = "".join(
        f"##### {name} (py-spy dump --pid {40 + at})\nProcess {40 + at}: python3 fit.py\nPython v3.11 (python3)\n\n"
        f'Thread {40 + at} (idle): "MainThread"\n{read if name == "oak" else wait}\n'
        for at, name in enumerate(["elm", "oak", "yew"])
    )
    assert answer(tmp_path, {"stacks.txt": dumps}) == ("sync.hang", "oak")


def test_what_hostname_prints_under_set_x_names_the_machine(tmp_path: Path) -> None:
    files = {
        f"rang{number}.txt": f"+ hostname\n{name}\n+ exec python fit.py\n{log(f'10.1.9.{number}:2222', *lines)}"
        for number, (name, lines) in enumerate([("elm", [LOST]), ("oak", FAILED), ("yew", [LOST])])
    }
    assert answer(tmp_path, files) == ("user.code-error", "oak")


def test_the_job_log_of_gnu_parallel_states_signals(tmp_path: Path) -> None:
    header = "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"
    rows = "".join(
        f"{at}\t{name}\t1767323040.1\t   14.0\t0\t30\t{code}\t{signal}\tcd /srv && ./fit.sh {at}\n"
        for at, (name, code, signal) in enumerate([("elm", 1, 0), ("oak", 0, 11)])
    )
    members = "elm:2222,oak:2222"
    files = {
        "joblog.tsv": header + rows,
        "results/elm/stderr": log("elm:2222", LOST, members=members, index=0),
        "results/oak/stderr": log("oak:2222", members=members, index=1),
    }
    assert answer(tmp_path, files) == ("process.segfault", "oak")


def test_the_hosts_of_lsf_s_mail_are_those_of_the_ranks(tmp_path: Path) -> None:
    mail = (
        "Sender: LSF System <lsf@elm>\nSubject: Job 4711: <fit> in cluster <wood> Exited\n\n"
        "Job was executed on host(s) <2*elm>, in queue <gpu>, as user <ann> in cluster <wood> at Jan  2 03:04\n"
        "                            <2*oak>\n</home/ann> was used as the home directory.\n\n"
        "The output (if any) follows:\n\n"
    )
    lines = [f"[1,{rank}]<stderr>:{line}" for rank in range(4) for line in log(f"10.1.9.{rank}:2222").splitlines()]
    lines += [f"[1,3]<stderr>:{line}" for line in FAILED]
    (tmp_path / "fit.4711.out").write_text(mail + "\n".join(lines) + "\n")
    incident = analyze([tmp_path])
    nodes = {node.name: node.hosts for node in incident.nodes}
    assert incident.root_causes[0].finding.cause == "user.code-error"
    assert list(nodes[incident.root_causes[0].finding.node or ""]) == ["oak"]
