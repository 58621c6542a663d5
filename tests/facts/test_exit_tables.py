"""Tables of exit codes, in the forms that launch scripts write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.facts.exit_tables import read_exit_table
from analyzer.facts.fact_files import read_fact_events
from analyzer.facts.path_labels import task_of_label

WANTED = [("worker:0", "1"), ("worker:1", "137"), ("ps:0", "0")]
TABLES = {
    "lines": "worker:0 1\nworker:1 137\nps:0 0\n",
    "equals": "# how they ended\nworker-0=1\nworker-1=137\nps-0=0\n",
    "words": "worker_0: exit code 1\nworker_1: exit code 137\nps_0: exit code 0\n",
    "json": '{"worker:0": 1, "worker:1": 137, "ps:0": 0}',
    "json of objects": '{"worker:0": {"exit_code": 1}, "worker:1": {"exitCode": 137}, "ps:0": {"returncode": 0}}',
    "json records": '[{"task": "worker:0", "rc": 1}, {"task": "worker:1", "rc": "137"}, {"task": "ps:0", "rc": 0}]',
    "csv": "host,task,exit_code\na,worker:0,1\nb,worker:1,137\nc,ps:0,0\n",
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_each_row_says_whose_code_it_is(text: str) -> None:
    events = list(read_fact_events("run/exit_codes.txt", text))
    assert [(event.captures["task"], event.captures["code"]) for event in events] == WANTED
    assert events[1].captures["signal"] == "9"
    assert all(event.captures["code"] in text.splitlines()[(event.locus.line or 0) - 1] for event in events)


@pytest.mark.parametrize(
    "text",
    [
        "20:54:57 1 1\n20:54:49 2 139\n20:54:56 0 0\n",
        "rank 1 rc=1\nrank 2 rc=139\nrank 0 rc=0\n",
        "2026-03-02T20:54:57Z 1: 1\n2026-03-02T20:54:58Z 2: 139\n2026-03-02T20:54:59Z 0: 0\n",
    ],
)
def test_a_file_of_ranks_and_codes_says_how_each_ended(text: str) -> None:
    events = list(read_fact_events("job.7/status", text))
    codes = {event.captures["task"]: event.captures["code"] for event in events}
    assert codes == {"worker:0": "0", "worker:1": "1", "worker:2": "139"}


@pytest.mark.parametrize(
    "text",
    [
        "20:54:57 1 1\n20:54:49 3 139\n",
        "phase 3\n",
        "1 0\n2 0\n",
        "10:00 0 300\n10:01 1 0\n",
        "0 1 0\n1 0 0\n",
        "0 0 ok\n1 2 bad\n",
        "",
    ],
)
def test_other_numbers_in_a_status_file_are_no_codes(text: str) -> None:
    assert list(read_fact_events("job.7/status", text)) == []


def test_hosts_that_are_no_tasks_are_hosts() -> None:
    (event,) = read_fact_events("exit-status.csv", "node,exit code\ngpu-box,-11\n")
    assert (event.captures["host"], event.captures["signal"], "task" in event.captures) == ("gpu-box", "11", False)


def test_a_table_with_a_header_states_codes_and_signals() -> None:
    text = "Seq\tHost\tJobRuntime\tExitval\tSignal\tCommand\n1\telm\t4.0\t0\t11\t./fit\n2\toak\t4.1\t1\t0\t./fit\n"
    events = list(read_fact_events("night/joblog.tsv", text))
    assert [(event.captures["host"], event.captures["code"]) for event in events] == [("elm", "139"), ("oak", "1")]
    assert events[0].captures["signal"] == "11"


def test_another_table_states_no_codes() -> None:
    assert not list(read_fact_events("data/rows.csv", "host,value\nelm,1\noak,2\n"))
    assert not list(read_fact_events("data/rows.csv", "elm 1\noak 2\n"))


@pytest.mark.parametrize(
    "text",
    [
        "worker:0 1\nthe rest ended well\n",
        '{"epochs": 3, "steps": 100}',
        "name,size\nworker:0,3\n",
        '{"loss": {"code": "x"}}',
        "[1, 2]",
        "{",
        "",
    ],
)
def test_other_files_state_nothing(text: str) -> None:
    assert list(read_exit_table("status.json", text)) == []


@given(st.text(max_size=300))
def test_any_text_gives_rows_of_its_own_lines_or_none(text: str) -> None:
    for event in read_exit_table("rc.txt", text):
        assert 1 <= (event.locus.line or 0) <= len(text.splitlines())


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("worker_1", "worker:1"),
        ("ps0", "ps:0"),
        ("tfjob-mnist-worker-2", "worker:2"),
        ("chief-0", "chief:0"),
        ("gpu-3", None),
        ("homeworker1", None),
        ("caps2", None),
        ("worker", None),
        ("worker-a", None),
    ],
)
def test_names_of_tasks(name: str, task: str | None) -> None:
    assert task_of_label(name) == task
