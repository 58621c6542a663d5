"""What chrony, ntpd, timesyncd and timedatectl say is read with the right sign, and used where nothing better is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import pytest

from analyzer.incident import Incident
from analyzer.model import Clock
from analyzer.timeline.ntp_reports import NtpReport, check_against_reports, read_duration

Analyze = Callable[[Mapping[str, str]], Incident]

CHRONY = """Reference ID    : 0A000001 (time-a)
Stratum         : 3
System time     : {} seconds {} of NTP time
Last offset     : -0.000000512 seconds
Root delay      : 0.000241462 seconds
Root dispersion : 0.250000000 seconds
Leap status     : Normal
"""
OFFSETS = {
    CHRONY.format("41.500000000", "fast"): 41.5,
    CHRONY.format("41.500000000", "slow"): -41.5,
    """MS Name/IP address         Stratum Poll Reach LastRx Last sample
===============================================================================
^+ time-b.example                2  10   377   308  -4660us[-5078us] +/-  101ms
^* time-a.example                2   9   377   212    -11us[  -12s] +/-   72ms
""": -12.0,
    """     remote           refid      st t when poll reach   delay   offset  jitter
==============================================================================
+10.0.0.2        .GPS.            1 u   12   64  377    0.311   -0.020   0.012
*10.0.0.1        192.0.2.4        2 u   31   64  377    0.412 1234.500   0.031
""": -1.2345,
    """       Server: 10.0.0.1 (time-a)
         Leap: normal
       Offset: +1min 2.345000s
        Delay: 27.031ms
       Jitter: 1.345ms
""": -62.345,
    "synchronised to NTP server (10.0.0.1) at stratum 3\n   time correct to within 25 ms\n": 0.0,
    "server 10.0.0.1, stratum 2, offset -7.250000, delay 0.02571\n": 7.25,
    "ptp4l[5374.1]: master offset    1500000000 s2 freq   +3341 path delay      1023\n": 1.5,
}


def log(lead: float, steps: int, word: str) -> str:
    """Steps that all nodes pass together, two seconds each, by a clock that is `lead` seconds ahead."""
    times = [datetime.fromtimestamp(1_772_500_000 + 2 * step + lead, UTC) for step in range(steps + 1)]
    lines = [f"{time:%Y-%m-%d %H:%M:%S},{time.microsecond // 1000:03} INFO train: step" for time in times]
    return "".join(f"{line} {step} loss 0.5\n" for step, line in enumerate(lines[:-1])) + f"{lines[-1]}s: {word}\n"


@pytest.mark.parametrize("text", OFFSETS)
def test_a_node_without_shared_instants_takes_its_daemons_word(text: str, analyze: Analyze) -> None:
    good = CHRONY.format("0.000001", "fast")
    files = {f"n{n}/worker.log": log(0.0, 20, "bye") for n in (1, 2)} | {f"n{n}/chrony.txt": good for n in (1, 2)}
    incident = analyze({**files, "n3/worker.log": log(OFFSETS[text], 0, "here I am"), "n3/time.txt": text})
    clock = next(node.clock for node in incident.nodes if node.name == "n3")
    assert clock.offset == pytest.approx(OFFSETS[text], abs=1e-3)
    assert clock.error is not None
    assert clock.error < 1
    assert "at collection" in clock.method


def test_a_node_with_shared_instants_is_checked_against_its_daemon(analyze: Analyze) -> None:
    reports = {1: ("0.000001", "fast"), 2: ("0.000002", "slow"), 3: ("30.000", "fast"), 4: ("0.000", "fast")}
    leads = {1: 0.0, 2: 0.0, 3: 30.0, 4: 347.0}
    files = {f"n{n}/worker.log": log(leads[n], 20, "bye") for n in leads}
    incident = analyze({**files, **{f"n{n}/chrony.txt": CHRONY.format(*reports[n]) for n in reports}})
    clocks = {node.name: node.clock for node in incident.nodes}
    assert [round(clocks[f"n{n}"].offset) for n in leads] == [0, 0, 30, 347]
    assert all("agrees" in clocks[f"n{n}"].method for n in (1, 2, 3))
    assert "says +0.000 s, so the clock was set after these lines" in clocks["n4"].method


def test_daemons_of_most_nodes_make_the_reference() -> None:
    clocks = {"a": Clock(0.0, 0.01, "x"), "b": Clock(0.0, 0.01, "x"), "c": Clock(-40.0, 0.01, "x")}
    of = {"a": 40.0, "b": 40.0, "c": 0.0}
    moved = check_against_reports(clocks, {node: NtpReport(ahead, 0.1, "chrony") for node, ahead in of.items()})
    assert {node: clock.offset for node, clock in moved.items()} == of
    alone = check_against_reports(clocks, {"c": NtpReport(0.0, 0.1, "chrony")})
    assert alone["c"].offset == -40.0


def test_a_stated_zone_holds_where_no_log_proves_one(analyze: Analyze) -> None:
    zone = "Time zone: Asia/Kolkata (IST, +0530)\nSystem clock synchronized: yes\n"
    files = {"n1/worker.log": log(0.0, 20, "bye"), "n2/worker.log": log(19800.0, 20, "bye"), "n2/timedatectl.txt": zone}
    clocks = {node.name: node.clock for node in analyze(files).nodes}
    assert abs(clocks["n2"].offset - clocks["n1"].offset) < 0.01
    del files["n2/timedatectl.txt"]
    assert any("zone error of" in node.clock.method for node in analyze(files).nodes)


def test_a_wall_clock_that_leaps_against_the_uptime_was_set(analyze: Analyze) -> None:
    lines = [(60, "12:01:00"), (61, "12:01:01"), (70, "12:06:57"), (80, "12:07:07")]
    text = "".join(f"Mar  3 {wall} n1 kernel: [{up:8.6f}] usb 1-1: new device\n" for up, wall in lines)
    notes = analyze({"n1/kern.log": text, "n2/worker.log": log(0.0, 3, "bye")}).notes
    assert any("set forward by 347 s at uptime 70 s" in note for note in notes)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("+12us", 12e-6), ("-3.4 ms", -3.4e-3), ("0.000012 seconds", 12e-6), ("+1min 2.5s", 62.5), ("-1h 1min", -3660)],
)
def test_spans(text: str, seconds: float) -> None:
    assert read_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "soon", "{offset_ms} ms", "3 parsecs"])
def test_no_spans(text: str) -> None:
    assert read_duration(text) is None
