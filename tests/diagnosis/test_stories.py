"""What became of each node, told in small bundles of three: who is named, and who is not."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from analyzer.incident import Incident
from analyzer.model import Kind
from analyzer.pipeline import IngestResult, diagnose, read_small_text
from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

CLUSTER = "{'worker': ['10.1.0.1:2222', '10.1.0.2:2222', '10.1.0.3:2222']}"
KILLED = "[Fri Jan  2 03:04:09 2026] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB"


def begin(index: int, steps: int = 5) -> str:
    """A worker that says who it is and trains, a step a second, all in step."""
    lines = [
        f"2026-01-02 03:04:01,000 INFO tensorflow: MultiWorkerMirroredStrategy with cluster_spec = {CLUSTER}, "
        f"task_type = 'worker', task_id = {index}, num_workers = 3"
    ]
    lines += [f"2026-01-02 03:04:{2 + step:02d},00{index} INFO train: step {step} loss 0.5" for step in range(steps)]
    return "\n".join(lines) + "\n"


def train_on(minutes: int) -> str:
    """Steps of the minutes behind `begin`."""
    return "".join(
        f"2026-01-02 03:{5 + minute:02d}:00,000 INFO train: step {9 + minute} loss 0.5\n" for minute in range(minutes)
    )


def say(second: int, text: str, level: str = "E") -> str:
    return f"2026-01-02 03:{4 + second // 60:02d}:{second % 60:02d}.000000: {level} tensorflow/core/x.cc:1] {text}\n"


def lost(second: int, task: int) -> str:
    return (
        f"2026-01-02 03:04:{second:02d},000 ERROR train: step failed\n"
        "tensorflow.python.framework.errors_impl.UnavailableError: Collective ops is aborted by: Socket closed\n"
        f"Additional GRPC error information from remote target /job:worker/replica:0/task:{task} while calling "
        "/tensorflow.WorkerService/RecvBuf:\n"
    )


def silent(second: int, task: int) -> str:
    return say(
        second,
        f"Task /job:worker/replica:0/task:{task} heartbeat timeout. This indicates that the remote task has failed.",
    )


END = "2026-01-02 03:04:08,000 INFO train: training finished\n"
STORIES: dict[str, tuple[dict[str, str], str, str | None, str | None]] = {
    # name: (files, verdict, node, derived signal on that node)
    "it vanished": (
        {"n0/a.log": begin(0) + lost(9, 2), "n1/a.log": begin(1) + lost(9, 2), "n2/a.log": begin(2)},
        "diagnosed",
        "n2",
        "derived.vanished",
    ),
    "it stalled": (
        {"n0/a.log": begin(0) + silent(40, 2), "n1/a.log": begin(1), "n2/a.log": begin(2)},
        "diagnosed",
        "n2",
        "derived.stalled",
    ),
    "it was late and came": (
        {"n0/a.log": begin(0) + silent(8, 2), "n1/a.log": begin(1), "n2/a.log": begin(2, 20)},
        "undiagnosed",
        None,
        None,
    ),
    "it was cut off": (
        {
            "n0/a.log": begin(0) + silent(29, 2),
            "n1/a.log": begin(1),
            "n2/a.log": begin(2) + say(45, "BaseCollectiveExecutor::StartAbort DEADLINE_EXCEEDED: Deadline Exceeded"),
        },
        "diagnosed",
        "n2",
        "derived.isolated",
    ),
    "it finished early": (
        {"n0/a.log": begin(0, 20) + lost(23, 2), "n1/a.log": begin(1, 20) + lost(23, 2), "n2/a.log": begin(2) + END},
        "diagnosed",
        "n2",
        "derived.finished_early",
    ),
    "one left for its peer, and is missed for that": (
        {"n0/a.log": begin(0) + lost(20, 1), "n1/a.log": begin(1) + lost(9, 2), "n2/a.log": begin(2)},
        "diagnosed",
        "n2",
        "derived.vanished",
    ),
    "two claim one task": (
        {f"n{number}/a.log": begin(index, 0) for number, index in enumerate((0, 1, 1))},
        "diagnosed",
        "n2",
        "derived.duplicate_task",
    ),
    "all ended well": (
        {f"n{index}/a.log": begin(index) + END for index in range(3)},
        "no-failure",
        None,
        None,
    ),
    "an error that training survived, and a good end": (
        {
            "n0/a.log": begin(0, 2)
            + say(
                4,
                "OP_REQUIRES failed at save_restore.cc:1 : RESOURCE_EXHAUSTED: OOM when allocating "
                "tensor with shape[9,9]",
                "W",
            )
            + begin(0)
            + END,
            "n1/a.log": begin(1) + END,
            "n2/a.log": begin(2) + END,
        },
        "no-failure",
        None,
        None,
    ),
    "words that no rule knows": (
        {
            "n0/a.log": begin(0),
            "n1/a.log": begin(1) + say(9, "the flux capacitor is out of plutonium"),
            "n2/a.log": begin(2),
        },
        "undiagnosed",
        None,
        None,
    ),
    "an old kill on another node does not answer for a vanished one": (
        {
            "n0/a.log": begin(0) + lost(9, 2),
            "n1/a.log": begin(1) + lost(9, 2),
            "n2/a.log": begin(2),
            "n1/dmesg.txt": KILLED.replace("03:04:09", "00:04:09") + "\n",
        },
        "diagnosed",
        "n2",
        "derived.vanished",
    ),
    "nor does one that it outlived": (
        {
            "n0/a.log": begin(0) + train_on(20) + lost(9, 2).replace("03:04", "03:25"),
            "n1/a.log": begin(1) + train_on(20) + lost(9, 2).replace("03:04", "03:25"),
            "n2/a.log": begin(2) + train_on(20),
            "n2/dmesg.txt": KILLED.replace("python3", "qgis") + "\n",
        },
        "diagnosed",
        "n2",
        "derived.vanished",
    ),
    "another program of its machine says that it is done": (
        {
            "n0/a.log": begin(0) + lost(9, 2),
            "n1/a.log": begin(1) + lost(9, 2),
            "n2/a.log": begin(2),
            "n2/syslog": "Jan  2 03:04:08 n2 cleaner: training finished\nJan  2 03:04:08 n2 cleaner: valmis\n",
        },
        "diagnosed",
        "n2",
        "derived.vanished",
    ),
    "a kill on the node itself does": (
        {
            "n0/a.log": begin(0) + lost(9, 2),
            "n1/a.log": begin(1) + lost(9, 2),
            "n2/a.log": begin(2),
            "n2/dmesg.txt": KILLED + "\n",
        },
        "diagnosed",
        "n2",
        None,
    ),
    "an exit status by signal": (
        {
            "n0/a.log": begin(0) + lost(9, 2),
            "n1/a.log": begin(1) + lost(9, 2),
            "n2/a.log": begin(2),
            "n2/exit_code": "137\n",
        },
        "diagnosed",
        "n2",
        None,
    ),
}


def analyze(files: Mapping[str, str], packs: Packs, plan: ReadPlan) -> Incident:
    intake = IngestResult()
    for path, text in files.items():
        read_small_text(path, text.encode(), plan, intake)
    return diagnose(intake, packs)


@pytest.mark.parametrize("name", STORIES)
def test_a_story_is_understood(name: str, packs: Packs, plan: ReadPlan) -> None:
    files, verdict, node, signal = STORIES[name]
    incident = analyze(files, packs, plan)
    first = incident.root_causes[0].finding if incident.root_causes else None
    assert (incident.verdict, first and first.node) == (verdict, node), first
    if signal:
        derived = {(event.signal, event.node) for event in incident.events if event.kind is Kind.DERIVED}
        assert (signal, node) in derived


@pytest.mark.parametrize("name", [name for name, story in STORIES.items() if story[1] == "diagnosed"])
def test_names_and_the_order_of_files_do_not_decide(name: str, packs: Packs, plan: ReadPlan) -> None:
    files, _, node, _ = STORIES[name]
    renamed = {path.replace("n", "gpu-", 1): text for path, text in reversed(files.items())}
    first = analyze(renamed, packs, plan).root_causes[0].finding
    assert node is not None
    assert first.node == node.replace("n", "gpu-", 1)


@pytest.mark.parametrize("index", ['"1"', '"one"', "-1", "1.5", "null", "99999999999999999999999", "{}", "[]", "true"])
def test_a_strange_task_index_in_two_configurations_breaks_nothing(index: str, packs: Packs, plan: ReadPlan) -> None:
    config = '{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": INDEX}}'.replace(
        "INDEX", index
    )
    files = {"n0/tf_config.json": config, "n1/tf_config.json": config, "n0/a.log": begin(0), "n1/a.log": begin(1)}
    assert analyze(files, packs, plan).nodes


@pytest.mark.parametrize("number", ["9" * 5000, "²", "-", "--5", "1e999"])
def test_strange_numbers_in_lines_break_nothing(number: str, packs: Packs, plan: ReadPlan) -> None:
    text = (
        begin(0) + f"2026-01-02 03:04:08,000 INFO train: step {number} loss 0.5 ({number} ms)\n"
        f"Process exited with exit code {number}\n/job:worker/replica:0/task:{number} is lost\n"
    )
    files = {
        "n0/a.log": text,
        "n1/a.log": begin(1) + lost(9, 0).replace("task:0", f"task:{number}"),
        "n0/exit_code": f"{number}\n",
    }
    from analyzer.report.json import to_json

    assert to_json(analyze(files, packs, plan))["nodes"]
