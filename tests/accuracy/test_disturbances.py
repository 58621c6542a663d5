"""Disturbances do what they say, the same for the same seed; the truth can be told while one proof of it is left."""

from __future__ import annotations

import dataclasses
import gzip
import io
import json
import random
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from accuracy.collectors import Collector, Files, GroupLine, load_collectors
from accuracy.disturbances import KINDS, Case, Disturbance, load_disturbances
from accuracy.disturbances._files import is_log, is_text
from accuracy.disturbances._runs import find_span
from accuracy.disturbances._stamps import restamp, rewrite, rezone, strip_stamps, write_twelve_hours
from accuracy.disturbances.herrings import Herring, add_herrings, can_have, load_herrings
from accuracy.disturbances.losses import LAST_LINES
from accuracy.disturbances.names import name_txt
from accuracy.disturbances.zones import CHANGES
from accuracy.identities import Identities
from accuracy.run_files import check_run
from accuracy.runs import Carried, Process, Proof, ReceivedLine, Run, Truth
from accuracy.tellable import EVERYTHING, find_tellable

from tests.accuracy.tiny import SECOND, START, tiny_run

ALL = load_disturbances()
EVERYWHERE: frozenset[Carried] = frozenset(("lines", "exit", "kernel", "launcher", "core", "environment"))
NEAR = START + SECOND


def _render(run: Run, identities: Identities, chance: random.Random) -> Files:
    files = {
        f"{process.host}/{process.name.partition('@')[0]}.log": b"".join(
            line.text + b"\n" for line in run.lines_of(process.name)
        )
        for process in run.processes
    }
    for process in run.tasks:
        files[f"{process.host}/{process.name}.json"] = json.dumps({"exit": process.shell_status}).encode()
    return files


def _read_back(files: Files) -> Iterator[GroupLine]:
    return iter(())


PLAIN = Collector("plain", _render, _read_back, EVERYWHERE, stamps=False)


def _long_run() -> Run:
    """Like the tiny one, with tasks that log each of 300 steps, and a third worker on a host of its own."""
    run = tiny_run()
    third = Process("worker-2", "task", "gpu-c", 113, "worker:2", 1, START, START + 6 * SECOND, 1)
    steps = [
        ReceivedLine(START + SECOND + step * 9_000_000 + rank, f"worker-{rank}", "err", text)
        for step in range(300)
        for rank in range(3)
        for text in (b"2025-10-09 08:53:2%d,%03d INFO train: step %d" % (1 + step // 112, step % 112 * 9, step),)
    ]
    lines = sorted((*run.lines, *steps), key=lambda line: line.time_ns)
    hosts = (*run.hosts, dataclasses.replace(run.hosts[1], name="gpu-c", address="10.77.0.13"))
    return run.replace(hosts=hosts, processes=(*run.processes, third), lines=tuple(lines))


def _healthy_run() -> Run:
    run = _long_run()
    processes = tuple(
        dataclasses.replace(process, status=0, signal=None) if process.role != "kernel" else process
        for process in run.processes
    )
    return run.replace(truth=Truth("none"), fault="none", processes=processes)


CASE = Case(tiny_run(), PLAIN)
RUNS = {"tiny": tiny_run(), "long": _long_run(), "healthy": _healthy_run()}


def _change(disturbance: Disturbance, run: Run, seed: int = 1) -> Case:
    case = Case(run, PLAIN)
    return disturbance.change(case, random.Random(seed)) if disturbance.change else case


def _spoil(disturbance: Disturbance, run: Run, seed: int = 1) -> Files:
    assert disturbance.spoil
    files = _render(run, Identities(run), random.Random(0))
    return disturbance.spoil(files, Case(run, PLAIN), random.Random(seed))


def _fitting(*kinds: str) -> list[tuple[str, str]]:
    return [
        (name, run)
        for name, disturbance in ALL.items()
        for run in RUNS
        if (not kinds or disturbance.kind in kinds) and disturbance.fits(Case(RUNS[run], PLAIN))
    ]


def test_each_disturbance_is_of_a_kind_and_fits_some_run() -> None:
    assert {disturbance.kind for disturbance in ALL.values()} == set(KINDS)
    assert {name for name, _ in _fitting()} == set(ALL)
    assert all((disturbance.change is None) != (disturbance.spoil is None) for disturbance in ALL.values())


@pytest.mark.parametrize(("name", "run"), _fitting())
def test_the_same_seed_does_the_same(name: str, run: str) -> None:
    disturbance = ALL[name]
    if disturbance.spoil:
        assert dict(_spoil(disturbance, RUNS[run])) == dict(_spoil(disturbance, RUNS[run]))
    else:
        assert _change(disturbance, RUNS[run]) == _change(disturbance, RUNS[run])
        assert _change(disturbance, RUNS[run]) != Case(RUNS[run], PLAIN)


@pytest.mark.parametrize(("name", "run"), _fitting("clocks", "zones", "stamps"))
def test_clocks_and_texts_take_and_add_no_line(name: str, run: str) -> None:
    for seed in range(2):
        changed = _change(ALL[name], RUNS[run], seed).run
        assert [line.process for line in changed.lines] == [line.process for line in RUNS[run].lines]
        assert changed.truth == RUNS[run].truth
        assert find_tellable(_change(ALL[name], RUNS[run], seed)) == EVERYTHING


@pytest.mark.parametrize(("name", "run"), _fitting("herrings", "neighbours", "attempts"))
def test_what_is_added_leaves_a_whole_run(name: str, run: str) -> None:
    causes = frozenset((RUNS[run].truth.cause,))
    for seed in range(3):
        case = _change(ALL[name], RUNS[run], seed)
        check_run(case.run, Path(), causes)
        assert find_tellable(case) == EVERYTHING
        own_lines = [(line.stream, line.text) for line in RUNS[run].lines]
        left = iter([(line.stream, line.text) for line in case.run.lines])
        assert all(line in left for line in own_lines)


@pytest.mark.parametrize(("name", "run"), _fitting("losses"))
def test_what_is_lost_is_not_there(name: str, run: str) -> None:
    case = _change(ALL[name], RUNS[run])
    assert 0 < len(case.run.lines) < len(RUNS[run].lines)
    left = iter(RUNS[run].lines)
    assert all(line in left for line in case.run.lines)
    assert not {line.process for line in case.run.lines} & case.missing
    assert not {process.name for process in case.hand_in().processes} & case.missing


def _list_texts(files: Files) -> Iterator[tuple[str, bytes]]:
    """Of all archives too."""
    for path, content in files.items():
        if path.endswith(".tar.gz"):
            with tarfile.open(fileobj=io.BytesIO(content)) as archive:
                members = {member.name: archive.extractfile(member) for member in archive}
                yield from ((name, member.read()) for name, member in members.items() if member)
        elif path.endswith(".gz"):
            yield path.removesuffix(".gz"), gzip.decompress(content)
        else:
            yield path, content


@pytest.mark.parametrize(
    ("name", "run"),
    [pair for pair in _fitting("copies", "contents", "names", "beside", "packing") if "cut" not in pair[0]],
)
def test_spoilt_files_still_have_every_line(name: str, run: str) -> None:
    for seed in range(4):
        files = _spoil(ALL[name], RUNS[run], seed)
        case = Case(RUNS[run], PLAIN)
        assert find_tellable(case, files) == EVERYTHING
        files = {path: text for path, text in files.items() if path not in ("data/train.csv", "wget-log")}
        had = Counter(line.text for line in RUNS[run].lines)
        counts = Counter(line.rstrip(b"\r") for _, text in _list_texts(files) for line in text.split(b"\n"))
        assert all(counts[text.rstrip(b"\r")] >= count for text, count in had.items())


def test_names_that_are_no_utf8_reach_the_disk(tmp_path: Path) -> None:
    files = _spoil(ALL["foreign-names"], RUNS["long"])
    with pytest.raises(UnicodeEncodeError):
        "".join(files).encode()
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)


def test_rotated_logs_have_their_newest_lines_without_a_number() -> None:
    files, run = _spoil(ALL["rotated"], RUNS["long"]), RUNS["long"]
    parts = [
        gzip.decompress(files["gpu-b/worker-1.log.2.gz"]),
        files["gpu-b/worker-1.log.1"],
        files["gpu-b/worker-1.log"],
    ]
    assert b"".join(parts) == _render(run, Identities(run), random.Random())["gpu-b/worker-1.log"]


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"[1,0]<stdout>:step 1\n", True),
        (b'{"log":"step 1\\n"}\n{"log":"step 2\\n"}\n', True),
        (b"<34>1 2025-10-09T08:53:21Z gpu-a\n", True),
        (b'[{"log": 1},\n', False),
        (b'{\n  "log": 1\n', False),
        (b"<?xml version='1.0'?>\n", False),
        (b"__CURSOR=s=1\nMESSAGE=a\n", False),
    ],
)
def test_logs_are_parted_and_documents_are_not(content: bytes, parts: bool) -> None:
    assert is_log("a.log", content) is parts
    assert not is_log("a.csv", content)


def test_only_known_suffixes_are_replaced() -> None:
    names = {
        path for seed in range(9) for path in name_txt({"gpu-a.net": b"a", "a.log": b"a"}, CASE, random.Random(seed))
    }
    assert names == {"gpu-a.net.txt", "a.txt", "a.log.txt"}


def test_binary_files_and_archives_are_no_texts() -> None:
    assert is_text("a.log", b"step 1\n")
    assert not is_text("a.log.gz", b"x")
    assert not is_text("a", b"\0\1")
    assert not is_text("a", b"")


# Stamps

HOURS = 3 * 3600 * SECOND + 1_500_000
MOVED = {
    b"2025-10-09 08:53:21.123456: I tensorflow/core": b"2025-10-09 11:53:21.124956: I tensorflow/core",
    b"E1009 08:53:21.123456  123 f.cc:1] x": b"E1009 11:53:21.124956  123 f.cc:1] x",
    b"W0000 00:00:1760000001.123456    123 f.cc:1] x": b"W0000 00:00:1760010801.124956    123 f.cc:1] x",
    b"2025-10-09 08:53:21,123 INFO x": b"2025-10-09 11:53:21,125 INFO x",
    b"[2025-10-09 08:53:21,123][root][INFO] x": b"[2025-10-09 11:53:21,125][root][INFO] x",
    b"[08:53:21] x": b"[11:53:21] x",
    b"08:53:21.12 x": b"11:53:21.12 x",
    b"Oct  9 08:53:21 gpu-a x": b"Oct  9 11:53:21 gpu-a x",
    b"Thu Oct  9 08:53:21 2025 x": b"Thu Oct  9 11:53:21 2025 x",
    b"Thu Oct  9 08:53:21 UTC 2025": b"Thu Oct  9 11:53:21 UTC 2025",
    b"2025-10-09T08:53:21Z x": b"2025-10-09T11:53:21Z x",
    b"2025-10-09T08:53:21.123456789+00:00 x": b"2025-10-09T11:53:21.124956789+00:00 x",
    b"2025/10/09 08:53:21 x": b"2025/10/09 11:53:21 x",
    b'{"ts": 1760000001.123, "msg": "a"}': b'{"ts": 1760010801.125, "msg": "a"}',
    b'{"time":"2025-10-09T08:53:21.123Z"}': b'{"time":"2025-10-09T11:53:21.125Z"}',
    b'{"timestamp": 1760000001123}': b'{"timestamp": 1760010801125}',
    b"ts=1760000001.5 x": b"ts=1760010801.5 x",
    b"audit(1760000001.123:42): x": b"audit(1760010801.125:42): x",
    b"10/09/2025 08:53:21 AM x": b"10/09/2025 11:53:21 AM x",
    b"[09/Oct/2025:08:53:21 +0000] x": b"[09/Oct/2025:11:53:21 +0000] x",
    b"Thu, 09 Oct 2025 08:53:21 GMT": b"Thu, 09 Oct 2025 11:53:21 GMT",
    b"two: 08:53:21, 2025-10-09 08:53:21 and [08:53:22]": b"two: 08:53:21, 2025-10-09 11:53:21 and [11:53:22]",
}
NO_STAMPS = (
    b"ETA: 00:12:33 - loss: 2.5",
    b"10% [00:05<00:03, 1.2it/s]",
    b"W0000 is no stamp",
    b"built 2023-01-01 00:00:00 from source",
    b"step 1760000001 loss 2.5",
    b"10.77.0.11:2222 08:53:21:33",
    b"2025-13-41 08:53:21",
    b"logs/20251009-085321",
)


@pytest.mark.parametrize("text", MOVED)
def test_a_stamp_moves_and_moves_back(text: bytes) -> None:
    assert restamp(text, HOURS, NEAR) == MOVED[text]
    for delta in (HOURS, -HOURS, 1, 123_456_789_012, -7_199_999_999_999, 20 * 3600 * SECOND):
        shifted = restamp(text, delta, NEAR)
        assert len(shifted) == len(text)
        assert restamp(shifted, -delta, NEAR + delta) == text


@pytest.mark.parametrize("text", NO_STAMPS)
def test_what_is_no_stamp_stays(text: bytes) -> None:
    assert restamp(text, HOURS, NEAR) == text
    assert strip_stamps(text, NEAR) == text


def test_stamps_go_over_the_end_of_a_year() -> None:
    assert restamp(b"E1231 23:59:59.900000 1 f.cc:1] x", SECOND) == b"E0101 00:00:00.900000 1 f.cc:1] x"
    assert restamp(b"Thu Oct  9 23:59:59 2025", SECOND) == b"Fri Oct 10 00:00:00 2025"
    assert restamp(b"10/09/2025 11:59:59 PM", SECOND) == b"10/10/2025 12:00:00 AM"
    assert restamp(b"Feb 28 23:59:59 a", SECOND, 1_772_323_000 * SECOND) == b"Mar  1 00:00:00 a"


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        (b"2025-10-09 08:53:21.123456: I x", b"2025-10-09 14:23:21.123456: I x"),
        (b"E1009 23:53:21.123456 1 f.cc:1] x", b"E1010 05:23:21.123456 1 f.cc:1] x"),
        (b"[08:53:21] x", b"[14:23:21] x"),
        (b"2025-10-09T08:53:21Z x", b"2025-10-09T08:53:21Z x"),
        (b"2025-10-09T08:53:21+00:00 x", b"2025-10-09T14:23:21+05:30 x"),
        (b"2025-10-09T10:53:21+02:00 x", b"2025-10-09T10:53:21+02:00 x"),
        (b"09/Oct/2025:08:53:21 +0000", b"09/Oct/2025:14:23:21 +0530"),
        (b"W0000 00:00:1760000001.123456 1 f.cc:1]", b"W0000 00:00:1760000001.123456 1 f.cc:1]"),
        (b'{"ts": 1760000001.123}', b'{"ts": 1760000001.123}'),
    ],
)
def test_local_time_is_written_for_another_zone(text: bytes, moved: bytes) -> None:
    utc, kolkata = ZoneInfo("UTC"), ZoneInfo("Asia/Kolkata")
    assert rezone(text, utc, kolkata, NEAR) == moved
    assert rezone(moved, kolkata, utc, NEAR) == text


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        (b"2025-10-09 08:53:21.123456: I tensorflow/core", b"I tensorflow/core"),
        (b"E1009 08:53:21.123456  123 f.cc:1] x", b"E 123 f.cc:1] x"),
        (b"[2025-10-09 08:53:21,123] x", b"x"),
        (b"2025-10-09 08:53:21,123 - root - x", b"root - x"),
        (b'{"msg": "a", "time": "2025-10-09T08:53:21Z"}', b'{"msg": "a"}'),
        (b'{"ts": 1760000001.123, "msg": "a"}', b'{"msg": "a"}'),
        (b"audit(1760000001.123:42): x", b"audit(1760000001.123:42): x"),
    ],
)
def test_stamps_are_taken_away(text: bytes, bare: bytes) -> None:
    assert strip_stamps(text, NEAR) == bare


def test_twelve_hours() -> None:
    late = b"2025-10-09 20:53:21,123 INFO x"
    assert rewrite(late, write_twelve_hours) == b"10/09/2025 08:53:21 PM INFO x"
    assert rewrite(b"[00:53:21] x", write_twelve_hours) == b"[12:53:21 AM] x"
    native = b"2025-10-09 08:53:21.123456: I tensorflow/core"
    assert rewrite(native, write_twelve_hours) == native


def test_a_text_goes_with_the_clock_of_its_host() -> None:
    was, case = RUNS["tiny"].lines[1], _change(ALL["clocks-off"], RUNS["tiny"], 3)
    line = case.run.lines[1]
    assert line.text == restamp(was.text, line.time_ns - was.time_ns)
    assert line.text != was.text
    assert abs(line.time_ns - was.time_ns) <= 3600 * SECOND


def test_daylight_saving_changes_in_mid_run() -> None:
    for seed in range(6):
        run = _change(ALL["daylight-saving"], RUNS["long"], seed).run
        start, end = find_span(run)
        assert run.local("gpu-a", start).utcoffset() != run.local("gpu-a", end).utcoffset()
    for zone, moment in CHANGES:
        offsets = {moment.astimezone(ZoneInfo(zone)).utcoffset()}
        second = moment.timestamp() - 1
        assert type(moment).fromtimestamp(second, ZoneInfo(zone)).utcoffset() not in offsets


def test_a_host_of_another_zone_states_its_local_time() -> None:
    run = _change(ALL["zone-of-all"], RUNS["long"]).run
    for old, line in zip(RUNS["long"].lines, run.lines, strict=True):
        assert line.time_ns == old.time_ns
        if b" INFO train" in line.text:
            assert line.text.startswith(run.local("gpu-a", old.time_ns).strftime("%Y-%m-%d %H:").encode())


def test_no_times_is_for_formats_without_times() -> None:
    assert not ALL["no-times"].fits(Case(RUNS["long"], dataclasses.replace(PLAIN, stamps=True)))
    texts = [line.text for line in _change(ALL["no-times"], RUNS["long"]).run.lines]
    assert not any(b"08:53" in text for text in texts)


# Attempts and losses


def test_an_earlier_attempt_was_interrupted_before_anything_failed() -> None:
    case = _change(ALL["two-attempts"], RUNS["tiny"])
    run = case.run
    first, second = run.by_name["worker-1"], run.by_name["worker-1.2"]
    assert (first.attempt, first.signal, second.attempt, second.signal) == (1, 15, 2, 9)
    assert first.ended_ns and first.ended_ns < second.started_ns
    assert first.pid != second.pid
    assert run.truth.ended_first == "worker-1.2"
    assert run.truth.proofs[0].process == "worker-1.2"
    assert all(b"Error" not in line.text for line in run.lines_of("worker-0"))
    assert run.lines_of("worker-0")[0].text.startswith(b"2025-10-09 08:")
    assert max(line.time_ns for line in run.lines_of("worker-0")) <= first.ended_ns


def test_a_run_that_fails_at_once_has_no_earlier_attempt() -> None:
    run = tiny_run()
    processes = tuple(
        dataclasses.replace(process, ended_ns=START + 9) if process.task else process for process in run.processes
    )
    assert not ALL["two-attempts"].fits(Case(run.replace(processes=processes), PLAIN))


def test_a_format_that_states_one_end_would_state_that_of_the_earlier_attempt() -> None:
    one_end = dataclasses.replace(PLAIN, ends=lambda run, process: process.name == "worker-1")
    assert not ALL["two-attempts"].fits(Case(tiny_run(), one_end))
    assert find_tellable(Case(tiny_run(), one_end)) == EVERYTHING


def test_the_culprits_node_takes_its_kernel_with_it() -> None:
    case = _change(ALL["culprit-missing"], RUNS["long"])
    assert case.missing == {"worker-1", "kernel@gpu-b"}
    assert find_tellable(case) == EVERYTHING  # the launcher says it
    silent = dataclasses.replace(case, collector=dataclasses.replace(PLAIN, carries=frozenset({"lines", "exit"})))
    assert find_tellable(silent) == frozenset()


def test_a_node_that_is_missing_is_not_the_culprits() -> None:
    for seed in range(5):
        assert "worker-1" not in _change(ALL["node-missing"], RUNS["long"], seed).missing


def test_of_survivors_the_tails_are_left() -> None:
    case = _change(ALL["survivors-tails"], RUNS["long"])
    assert {line.process for line in case.run.lines} == {"worker-0", "worker-2"}
    assert find_tellable(case) == frozenset()


def test_of_each_process_the_last_lines_are_left() -> None:
    case = _change(ALL["last-200-lines"], RUNS["long"])
    assert max(Counter(line.process for line in case.run.lines).values()) == LAST_LINES
    assert not ALL["last-200-lines"].fits(Case(RUNS["tiny"], PLAIN))


# Herrings

ENTRIES = {herring.name: herring for file in ("herrings.yaml", "others.yaml") for herring in load_herrings(file)}


def test_the_library_is_large() -> None:
    assert len(load_herrings()) >= 40
    assert len(ENTRIES) == len(load_herrings()) + len(load_herrings("others.yaml"))


@pytest.mark.parametrize("herring", ENTRIES.values(), ids=list(ENTRIES))
def test_each_herring_is_filled_and_hits_nobody(herring: Herring) -> None:
    assert herring.source.startswith("https://")
    assert herring.where in ("innocent", "culprit", "any", "all")
    run = _long_run().replace(
        tensorflow=herring.tensorflow[0] if herring.tensorflow else "2.16.2",
        python=herring.python[0] if herring.python else "3.11",
    )
    case = Case(run, PLAIN)
    assert can_have(case, herring)
    for seed in range(10):
        changed = add_herrings(case, random.Random(seed), [herring]).run
        check_run(changed, Path(), frozenset((run.truth.cause,)))
        added = Counter(changed.lines) - Counter(run.lines)
        assert len(changed.lines) == len(run.lines) + added.total()
        assert added.total() % len(herring.lines) == 0 < added.total()
        for line in added:
            _check_added(run, changed, herring, line)
        assert [line for line in changed.lines if line not in added] == list(run.lines)


def _check_added(run: Run, changed: Run, herring: Herring, line: ReceivedLine) -> None:
    process, start = changed.by_name[line.process], find_span(run)[0]
    assert not set(line.text.decode().split("{")) & {"pid}", "host}"}
    assert process.role == ("task" if herring.by == "task" else process.role)
    if herring.by == "task":
        assert process.started_ns < line.time_ns < (process.ended_ns or 0)
        return
    for task in run.tasks:
        assert not any(
            word in line.text for word in (b"pid=%d," % task.pid, b"[%d]" % task.pid, b"process %d " % task.pid)
        )
        assert process.pid != task.pid
    assert (line.time_ns < start) == (herring.when == "boot" or herring.when.endswith("before"))
    assert line.time_ns > Identities(changed).booted_ns(process.host)
    if herring.where == "innocent":
        assert process.host != "gpu-b"
    if herring.where == "culprit":
        assert process.host == "gpu-b"


def test_herrings_stand_where_the_collector_has_a_place_for_them() -> None:
    tasks_only = dataclasses.replace(
        PLAIN, carries=frozenset({"lines"}), keeps=lambda run, process: process.role == "task"
    )
    case = Case(RUNS["long"], tasks_only)
    assert not ALL["herrings-storage"].fits(case)
    assert not ALL["another-job"].fits(case)
    assert ALL["herrings-training"].fits(case)


def test_placeholders_that_stand_for_nothing_are_refused() -> None:
    unknown = dataclasses.replace(ENTRIES["port-scan"], lines=(("kernel", "{nobody} knows"),))
    with pytest.raises(KeyError, match="nobody"):
        add_herrings(Case(RUNS["tiny"], PLAIN), random.Random(1), [unknown])


# What can be told


def _with_proofs(*proofs: Proof) -> Case:
    run = tiny_run()
    return Case(run.replace(truth=dataclasses.replace(run.truth, proofs=proofs)), PLAIN)


EXIT = Proof("exit", "worker-1", ("cause", "node"))
LAUNCHER_PROOF = Proof("launcher", "launcher", ("cause",), "left with -9")
QUOTED = Proof("lines", "worker-0", ("node",), '"quoted", \\ back')


def test_each_proof_tells_its_own() -> None:
    assert find_tellable(_with_proofs(LAUNCHER_PROOF)) == {"cause"}
    assert find_tellable(_with_proofs(LAUNCHER_PROOF, QUOTED)) == EVERYTHING
    assert find_tellable(_with_proofs(Proof("core", "worker-1", ("node",)))) == {"node"}


def test_a_collector_that_has_no_place_for_a_proof_loses_it() -> None:
    case = _with_proofs(LAUNCHER_PROOF, EXIT)
    for carries, tells in (({"lines", "launcher"}, {"cause"}), ({"exit"}, EVERYTHING), ({"lines"}, set())):
        collector = dataclasses.replace(PLAIN, carries=frozenset(carries))
        assert find_tellable(dataclasses.replace(case, collector=collector)) == tells
    no_launcher = dataclasses.replace(PLAIN, keeps=lambda run, process: process.role == "task")
    assert find_tellable(dataclasses.replace(_with_proofs(LAUNCHER_PROOF), collector=no_launcher)) == frozenset()


def test_a_proof_goes_with_its_process_and_its_line() -> None:
    case = _with_proofs(LAUNCHER_PROOF, QUOTED)
    assert find_tellable(dataclasses.replace(case, missing=frozenset({"launcher"}))) == {"node"}
    lines = tuple(line for line in case.run.lines if b"quoted" not in line.text)
    assert find_tellable(dataclasses.replace(case, run=case.run.replace(lines=lines))) == {"cause"}


@pytest.mark.parametrize("name", ["clocks-off", "zone-of-all", "daylight-saving", "no-times"])
def test_a_stamp_in_a_proof_does_not_count(name: str) -> None:
    case = _with_proofs(
        Proof("lines", "worker-1", ("cause",), "2025-10-09 08:53:21.123456: I tensorflow/core/platform")
    )
    changed = _change(ALL[name], case.run)
    assert find_tellable(changed) == {"cause"}
    assert find_tellable(changed, _render(changed.run, Identities(changed.run), random.Random(0))) == {"cause"}
    assert find_tellable(case, {"a": b"2025-10-09 08:53:21.123456: I tensorflow/other"}) == frozenset()


@pytest.mark.parametrize("write", [lambda text: text, json.dumps, lambda text: json.dumps({"log": json.dumps(text)})])
def test_a_proof_is_found_in_files_as_formats_write_it(write: object) -> None:
    case = _with_proofs(QUOTED)
    text = write(tiny_run().lines[3].text.decode()).encode()  # type: ignore[operator]
    assert find_tellable(case, {"a": text}) == {"node"}
    assert find_tellable(case, {"a.gz": gzip.compress(text)}) == {"node"}
    assert find_tellable(case, {"a.txt": text.decode().encode("utf-16")}) == {"node"}
    assert find_tellable(case, {"a": b"another"}) == frozenset()


def test_an_archive_that_was_cut_tells_what_is_before_the_cut() -> None:
    case = _with_proofs(EXIT)
    files = _render(case.run, Identities(case.run), random.Random(0))
    for order, tells in ((sorted(files, key=lambda path: "worker-1.json" in path), False), (sorted(files), True)):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for path in (*(["gpu-b/worker-1.json"] if tells else []), *order):
                member = tarfile.TarInfo(f"logs/{path}")
                member.size = len(files[path])
                archive.addfile(member, io.BytesIO(files[path]))
        content = gzip.compress(packed.getvalue())
        cut = {"logs.tar.gz": content[: len(content) * 6 // 10]}
        assert (find_tellable(case, cut) == EVERYTHING) == tells
        assert find_tellable(case, {"logs.tar.gz": content}) == EVERYTHING


def test_a_cut_archive_loses_some_proofs_sometimes() -> None:
    tellable_sets = {
        find_tellable(Case(tiny_run(), PLAIN), _spoil(ALL["cut-archive"], tiny_run(), seed)) for seed in range(40)
    }
    assert EVERYTHING in tellable_sets
    assert len(tellable_sets) > 1


def test_a_healthy_run_can_be_told_while_one_end_is_left() -> None:
    case = Case(RUNS["healthy"], PLAIN)
    assert find_tellable(case) == EVERYTHING
    silent = dataclasses.replace(case, collector=dataclasses.replace(PLAIN, carries=frozenset({"lines"})))
    files = _render(case.run, Identities(case.run), random.Random(0))
    assert find_tellable(silent, files) == EVERYTHING
    assert find_tellable(silent, {path: text[: len(text) // 2] for path, text in files.items()}) == frozenset()
    tasks = frozenset(task.name for task in case.run.tasks)
    assert find_tellable(dataclasses.replace(case, missing=tasks)) == frozenset()


def test_lines_without_a_name_do_not_tell_the_culprit_where_tasks_are_mixed() -> None:
    run = tiny_run()
    silent = Proof("lines", "worker-1", ("cause", "node"), "step 3 loss 2.2")
    named = Proof("lines", "worker-0", ("cause", "node"), "task:1 is gone")
    words = ReceivedLine(run.lines[-1].time_ns, "worker-0", "err", b"the peer task:1 is gone")
    run = run.replace(truth=dataclasses.replace(run.truth, proofs=(silent,)), lines=(*run.lines, words))
    apart, mixed = (load_collectors()[name] for name in ("plain-flat-files", "plain-merged"))
    assert find_tellable(Case(run, apart)) == {"cause", "node"}
    assert find_tellable(Case(run, mixed)) == {"cause"}
    run = run.replace(truth=dataclasses.replace(run.truth, proofs=(named,)))
    assert find_tellable(Case(run, mixed)) == {"cause", "node"}
