"""Times that a line does not state in full are completed from other facts of the bundle, and never invented."""

import io

import pytest

from analyzer.incident import Incident
from analyzer.paths import cache_dir
from analyzer.pipeline import IngestResult, diagnose, read_small_text
from analyzer.reading import build_plan, read_source
from analyzer.rules.packs.cache import load_packs

KILL = "[  812.500000] Out of memory: Killed process 4242 (python3) total-vm:9000kB, anon-rss:8000kB\n"
BOOTED = 1_795_220_000.0


@pytest.fixture(scope="module")
def analyze():  # type: ignore[no-untyped-def]
    packs = load_packs((), cache_dir())
    plan = build_plan(packs, cache_dir())

    def run(files: dict[str, str], mtime: float | None = None) -> Incident:
        intake = IngestResult()
        for path, text in files.items():
            if path.endswith(("stat", "uptime", "boot.txt")):
                read_small_text(path, text.encode(), plan, intake, mtime)
            else:
                intake.results.append(read_source(path, io.BytesIO(text.encode()), plan, mtime))
        return diagnose(intake, packs)

    return run


def killed(incident: Incident) -> float | None:
    return next(f.time for f in incident.findings if f.captures.get("pid") == "4242")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("n1/proc/stat", f"cpu  1 2 3\nbtime {BOOTED:.0f}\nprocesses 7\n"),
        ("n1/proc/uptime", "5000.00 9000.00\n"),
        ("n1/boot.txt", "2026-11-21 00:13:20\n"),
    ],
)
def test_uptime_becomes_wall_clock_time_if_a_file_states_the_boot_time(analyze, file: str, text: str) -> None:  # type: ignore[no-untyped-def]
    incident = analyze({"n1/dmesg.txt": KILL, file: text, "n2/dmesg.txt": "[ 1.0] x\n"}, mtime=BOOTED + 5000)
    assert killed(incident) == pytest.approx(BOOTED + 812.5)


def test_uptime_has_no_time_without_a_boot_time(analyze) -> None:  # type: ignore[no-untyped-def]
    assert killed(analyze({"n1/dmesg.txt": KILL})) is None


def test_one_line_with_both_clocks_dates_a_bare_dmesg_of_the_same_node(analyze) -> None:  # type: ignore[no-untyped-def]
    journal = "2026-11-21T00:26:40.000000+00:00 n1 kernel: [  800.000000] usb 1-1: new device\n"
    incident = analyze({"n1/dmesg.txt": KILL, "n1/journal.txt": journal})
    assert killed(incident) == pytest.approx(BOOTED + 812.5)


def test_the_year_comes_from_the_neighbours_and_rolls_over_at_new_year(analyze) -> None:  # type: ignore[no-untyped-def]
    worker = "2027-01-01 00:00:05,000 INFO train: step 1 loss 0.5\n"
    syslog = "Dec 31 23:59:59 n1 kernel: Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB\n"
    incident = analyze({"n1/worker.log": worker, "n1/messages": syslog})
    assert killed(incident) == pytest.approx(1_798_761_599.0)  # 2026-12-31 23:59:59 UTC


def test_the_epoch_beside_local_time_gives_the_zone(analyze) -> None:  # type: ignore[no-untyped-def]
    log = (
        "I0000 00:00:1795300938.600109   41907 server.cc:1] Started server with target: grpc://n1:2222\n"
        "2026-11-21 17:42:18,700 INFO train: step 1 loss 0.5\n"
        "I0000 00:00:1795300939.600109   41907 server.cc:1] x\n"
        "2026-11-21 17:42:19,700 INFO train: step 2 loss 0.5\n"
        "2026-11-21 17:42:30,000 ERROR train: OSError: [Errno 24] Too many open files: '/data/x'\n"
    )
    incident = analyze({"n1/worker.log": log, "n2/worker.log": "x\n"})
    finding = next(f for f in incident.findings if "open files" in f.evidence[0].text)
    assert finding.time == pytest.approx(1795300950.0)


def test_a_rotated_log_goes_on_where_its_older_part_ended(analyze) -> None:  # type: ignore[no-untyped-def]
    older = "2026-11-21 02:00:00,000 INFO train: step 1 loss 0.5\n"
    newer = "OSError: [Errno 24] Too many open files: '/data/x'\n2026-11-21 02:00:09,000 INFO train: bye\n"
    incident = analyze({"n1/worker.log": newer, "n1/worker.log.1": older})
    finding = next(f for f in incident.findings if "open files" in f.evidence[0].text)
    assert finding.evidence[0].inferred
    assert finding.time == pytest.approx(1795226400.0)


def test_a_shipper_in_another_zone_keeps_its_own(analyze) -> None:  # type: ignore[no-untyped-def]
    """The program's own times are an hour ahead of the syslog prefix, and a line of its own in UTC tells both apart."""
    lines = [
        "I0000 00:00:1772452800.500000   77 grpc_server_lib.cc:467] Started server with target: grpc://n1:2222",
        "2026-03-02 13:00:01,500 INFO train: step 1 loss 0.5",
        "Out of memory: Killed process 4242 (python3) total-vm:9000kB, anon-rss:8000kB",
        "2026-03-02 13:00:09,500 INFO train: step 2 loss 0.5",
    ]
    seconds = (0, 1, 7, 9)
    text = "".join(
        f"Mar  2 12:00:0{second} n1 train[77]: {line}\n" for second, line in zip(seconds, lines, strict=True)
    )
    incident = analyze({"n1/train.log": text})
    times = {event.locus.line: event.time for event in incident.events if event.kind.value != "derived"}
    assert times[1] == 1_772_452_800.5
    assert times[2] == 1_772_452_801.5
    assert all(0 <= time - 1_772_452_800 <= 10 for time in times.values() if time is not None)
