"""Resource samples of every source: read in bounded memory, and what they show."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.bundle.peek import Peekable
from analyzer.model import Event, Series
from analyzer.reading.source_result import SourceResult
from analyzer.samples import is_sample_file, read_samples
from analyzer.samples.downsampling import MAX_POINTS, DownsampledSeries
from analyzer.samples.line_blocks import BLOCK_BYTES, read_line_blocks


def read(text: str) -> SourceResult:
    raw = text.encode()
    assert is_sample_file(raw[:4096])
    return read_samples("node-1/file", Peekable(io.BytesIO(raw)), None, raw[:4096])


def series_of(result: SourceResult, scope: str, metric: str, what: str | None = None) -> Series:
    (series,) = [s for s in result.series if (s.scope, s.metric) == (scope, metric) and what in (None, s.subject)]
    return series


def flight(values: list[float], limit: float = 1e9, step: float = 1.0) -> str:
    start = {"type": "start", "wall": 1000.0, "monotonic": 10.0, "flight": 1, "host": "n1", "pid": 7, "zone": 3600}
    rows = [
        {
            "type": "sample",
            "wall": 1000 + step * n,
            "monotonic": 10 + step * n,
            "processes": [{"pid": 7, "name": "python3", "rss": value, "cpu": n * step * 0.5, "fds": 9}],
            "cgroup": {"anon": value, "memory_max": limit},
            "gpus": [{"index": 0, "memory_used": value, "memory_total": limit, "sm": 40}],
        }
        for n, value in enumerate(values)
    ]
    lines = [json.dumps(record, separators=(",", ":")) for record in (start, *rows)]
    return "\n".join(lines) + "\n"


def growth(result: SourceResult, scope: str = "cgroup") -> list[Event]:
    return [event for event in result.events if event.signal == "derived.growth" and event.captures["scope"] == scope]


def test_a_flight_file_gives_series_identity_and_end() -> None:
    end = '{"type":"end","wall":1012,"monotonic":22,"code":137,"signal":9,"oom_kills":2}\n'
    result = read(flight([1e8] * 12) + end)
    memory, cpu = series_of(result, "process", "memory"), series_of(result, "process", "cpu")
    assert memory.subject == "python3 (pid 7)" and memory.limit is None and len(memory.points) == 12
    assert all(abs(point.mean - 0.5) < 1e-9 for point in cpu.points)
    assert series_of(result, "cgroup", "memory").limit == 1e9  # it is of all processes together
    assert series_of(result, "gpu", "busy").points[0].mean == 40
    captures = {event.signal: event.captures for event in result.events}
    assert captures["file.exit_code"]["signal"] == "9" and captures["file.exit_code"]["oom_kills"] == "2"
    assert captures["file.launch"]["host"] == "n1" and result.hosts == {"n1": 1}
    assert result.status == "read" and result.lines == 14 and result.zones == [(4600.0, 1000.0)]


def test_a_recorder_that_died_itself_is_noted() -> None:
    result = read(flight([1e8] * 3) + '{"type":"sample","wal')
    assert "did not see the program end" in " ".join(result.notes) and result.status == "partly-read"


def test_a_wall_clock_that_was_set_is_noted() -> None:
    late = '{"type":"sample","wall":5000,"monotonic":14,"processes":[]}\n'
    assert "set by +3996.0 s" in " ".join(read(flight([1e8] * 3) + late).notes)


@pytest.mark.parametrize(
    ("values", "rate"),
    [
        ([1e8 + 4e6 * n for n in range(120)], 4e6),  # a leak
        ([1e8] * 60 + [1e8 + 8e6 * n for n in range(60)], 8e6),  # one that begins late
        ([1e8 + 4e6 * n + (2e7 if n % 10 > 5 else 0) for n in range(120)], 4e6),  # a sawtooth that climbs
        ([min(6e8, 1e8 * n) for n in range(120)], None),  # a start-up
        ([5e8 + 1e6 * (n % 7) for n in range(120)], None),  # noise
        ([9e8 - 4e6 * n for n in range(120)], None),  # it shrinks
        ([1e8, 9e8], None),
    ],
)
def test_only_steady_growth_is_growth(values: list[float], rate: float | None) -> None:
    events = growth(read(flight(values)))
    if rate is None:
        assert events == []
    else:
        (event,) = events
        assert float(event.captures["rate"]) == pytest.approx(rate, rel=0.15)


def test_a_leak_says_when_it_would_have_ended() -> None:
    (event,) = growth(read(flight([1e8 + 5e6 * n for n in range(100)], limit=1e9)))
    assert event.captures["rate_text"] == "5.0 MB/s" and event.captures["lasting"] == "yes"
    # 595 MB at second 99; 405 MB are left, which last 81 seconds more
    assert float(event.captures["left"]) == pytest.approx(81, abs=1)
    assert event.captures["would_end"] == f"{datetime.fromtimestamp(1180, UTC):%Y-%m-%d %H:%M:%S} UTC"
    assert event.locus.line == 101


def test_levels_are_shares_of_limits() -> None:
    peaks = [e.captures for e in read(flight([5e8] * 3)).events if e.signal == "derived.peak"]
    limited = [peak for peak in peaks if "limit" in peak]
    assert {("50.0", "500000000", "500.0 MB")} == {(peak["share"], peak["free"], peak["free_text"]) for peak in limited}
    assert {"cgroup", "gpu"} == {peak["scope"] for peak in limited}
    assert {("process", "fds"), ("process", "memory")} == {
        (peak["scope"], peak["metric"]) for peak in peaks if "share" not in peak
    }


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=4000))
def test_thinning_is_bounded_and_keeps_extremes_and_the_mean(values: list[float]) -> None:
    thinned = DownsampledSeries()
    for number, value in enumerate(values):
        thinned.add(float(number), value, number)
    points = thinned.points
    assert len(points) <= MAX_POINTS and sum(point.count for point in points) == len(values)
    assert min(point.low for point in points) == min(values) and max(point.high for point in points) == max(values)
    mean = sum(point.mean * point.count for point in points) / len(values)
    assert mean == pytest.approx(sum(values) / len(values), rel=1e-6, abs=1e-3)


def test_of_an_endless_file_head_and_tail_are_read_and_numbers_stay_true() -> None:
    lines = [f"line {number} {'x' * 80}".encode() for number in range(1, 100_001)]
    raw = b"\n".join(lines) + b"\n"
    sampled = [block for _, block in read_line_blocks(io.BytesIO(raw), 64, head=2 * BLOCK_BYTES, tail=BLOCK_BYTES)]
    assert sum(len(block) == 1 for block in sampled) > 500
    seen: list[bytes] = []
    for number, block in read_line_blocks(io.BytesIO(raw), head=2 * BLOCK_BYTES, tail=BLOCK_BYTES):
        assert block == lines[number - 1 : number - 1 + len(block)]
        seen += block
    assert seen[0] == lines[0] and seen[-1] == lines[-1]
    assert 3 * BLOCK_BYTES < sum(map(len, seen)) < 5 * BLOCK_BYTES < len(raw)


# The shape of sysstat 12.6.
SAR = """\
Linux 6.1.0-18-amd64 (node7) \t{date} \t_x86_64_\t(8 CPU)

{a}        CPU     %user     %nice   %system   %iowait    %steal     %idle
{b}        all     57.00     40.50      2.50      3.00      0.00      0.00
{b}          0     57.00     40.50      2.50     99.00      0.00      0.00

{a}    kbmemfree   kbavail kbmemused  %memused kbbuffers  kbcached
{b}        20000     30000     80000     80.00     49636   3936800
{c}        10000     20000     90000     90.00     49636   3936800
Average:        15000     25000     85000     85.00     49636   3936800

{a}        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s
{b}         eth0      1.00      1.00      2.00      4.00
"""


@pytest.mark.parametrize(
    ("date", "times"),
    [
        ("2026-11-21", ("23:49:01", "23:59:01", "00:09:01")),
        ("11/21/26", ("23:49:01", "23:59:01", "00:09:01")),
        ("11/21/2026", ("11:49:01 PM", "11:59:01 PM", "12:09:01 AM")),
        ("21.11.2026", ("23:49:01", "23:59:01", "00:09:01")),
    ],
)
def test_text_of_sar(date: str, times: tuple[str, str, str]) -> None:
    result = read(SAR.format(date=date, a=times[0], b=times[1], c=times[2]))
    memory = series_of(result, "node", "memory")
    assert [point.mean for point in memory.points] == [80000 * 1024, 90000 * 1024] and memory.limit == 100000 * 1024
    midnight = datetime(2026, 11, 22, tzinfo=UTC).timestamp()
    assert [point.time - midnight for point in memory.points] == [-59, 541]
    assert series_of(result, "interface", "received", "eth0").points[0].mean == 2048
    assert series_of(result, "node", "iowait").points[0].high == 3.0  # of all CPUs, not of one
    assert result.hosts == {"node7": 1} and result.status == "read"


def test_a_date_that_may_be_read_in_two_ways_is_noted() -> None:
    text = SAR.format(date="02/03/26", a="10:00:00", b="10:10:00", c="10:20:00")
    assert any("month/day" in note for note in read(text).notes)


def test_sadf_and_pidstat() -> None:
    sadf = (
        "# hostname;interval;timestamp;kbmemfree;kbavail;kbmemused;%memused\n"
        "node7;600;2026-11-21 12:10:01 UTC;200;300;800;80.0\nnode7;600;2026-11-21 12:20:01 UTC;100;200;900;90.0\n"
    )
    memory = series_of(read(sadf), "node", "memory")
    assert memory.points[0].time == datetime(2026, 11, 21, 12, 10, 1, tzinfo=UTC).timestamp()
    assert memory.limit == 1000 * 1024 and memory.basis.value == "utc"
    pidstat = (
        "Linux 6.1.0 (node7) \t2026-11-21 \t_x86_64_\t(2 CPU)\n\n"
        "12:00:01      UID       PID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command\n"
        "12:00:02     1000      4242      1.00      0.00  900000  500000   6.25  python3\n"
        "12:00:03     1000      4242      1.00      0.00  900000  600000   6.25  python3\n"
    )
    assert series_of(read(pidstat), "process", "memory").subject == "python3 (pid 4242)"


def test_dmon_with_and_without_times() -> None:
    table = (
        "#Date       Time        gpu    pwr  gtemp  mtemp     sm    mem     fb   bar1\n"
        "#YYYYMMDD   HH:MM:SS    Idx      W      C      C      %      %     MB     MB\n"
        " 20261121   07:00:00      0     68     42      -     17      0   4321      2\n"
        " 20261121   07:00:01      0    300     60      -     99      0   8000      2\n"
    )
    result = read(table)
    assert series_of(result, "gpu", "memory", "gpu 0").points[-1].mean == 8000 * 2**20
    assert series_of(result, "gpu", "temperature").points[-1].mean == 60 and result.status == "read"
    bare = read("# gpu    pwr  gtemp\n# Idx      W      C\n    0     68     42\n")
    assert bare.series == [] and "no time" in str(bare.problem)


HEADS = [flight([1.0]).splitlines()[0], SAR.splitlines()[0].format(date="2026-11-21"), "#Date Time gpu fb sm pwr"]


@given(st.sampled_from(HEADS), st.lists(st.one_of(st.text(max_size=80), st.from_regex(r"\{.{0,60}\}"))))
def test_whatever_follows_nothing_raises(head: str, later_lines: list[str]) -> None:
    read(head + "\n" + "\n".join(later_lines))


JSON = st.recursive(st.none() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3))
KEYS = ["monotonic", "processes", "node", "cgroup", "gpus", "code", "signal", "host", "limits", "zone", "disk"]
ROW = st.tuples(
    st.dictionaries(st.sampled_from(KEYS), JSON),
    st.fixed_dictionaries({"type": st.sampled_from(["start", "sample", "signal", "end"]), "wall": JSON}),
).map(lambda pair: {**pair[0], **pair[1]})


@given(st.lists(ROW, max_size=8))
def test_records_of_any_types_raise_nothing(rows: list[dict[str, object]]) -> None:
    read(HEADS[0] + "\n" + "\n".join(map(json.dumps, rows)))


def test_a_line_without_end_takes_neither_memory_nor_time() -> None:
    """What is kept of a line is bounded, so each block costs the same; its number stays right."""
    blocks = [b"{\n" + b"x" * BLOCK_BYTES, *[b"x" * BLOCK_BYTES] * 40, b"\n{}\n"]
    line_blocks = [(number, list(map(len, lines))) for number, lines in read_line_blocks(io.BytesIO(b"".join(blocks)))]
    assert line_blocks[0][0] == 1 and line_blocks[0][1] == [1]
    assert [length for number, lengths in line_blocks[1:] for length in lengths if length <= 2 * BLOCK_BYTES + 3]
    assert sum(sum(lengths) for _, lengths in line_blocks) < 4 * BLOCK_BYTES


# As sysstat 12.6.1 wrote them: `pidstat -h -r`, `sadf -dU`, `sar -r` of ja_JP, `iostat -xt` of de_DE.
PIDSTAT_H = """Linux 6.1.0 (vm) \t11/22/26 \t_x86_64_\t(2 CPU)

# Time        UID       PID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command
05:02:22        0      2341      0.98      0.00  364944  214864   0.87  python

# Time        UID       PID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command
05:02:23        0      2341      0.98      0.00  364944  214900   0.87  python
"""
SADF_U = """# hostname;interval;timestamp;kbmemfree;kbavail;kbmemused;%memused
vm;1;1795323739;12102436;22866676;1301992;5.27
vm;1;1795323740;12186636;22950768;1217892;4.93
"""
JAPANESE = """Linux 6.1.0 (vm) \t2026年11月22日 \t_x86_64_\t(2 CPU)

05時02分18秒 kbmemfree   kbavail kbmemused  %memused
05時02分19秒  12102436  22866676   1301992      5.27
"""
IOSTAT_T = """Linux 6.1.0 (vm) \t22.11.2026 \t_x86_64_\t(2 CPU)

22.11.2026 05:02:26
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          47,43   30,62    8,64    0,37    0,07   12,87

Device            r/s     rkB/s  %util
sda              3,52    114,99   6,39
"""


@pytest.mark.parametrize(
    ("text", "scope", "metric", "first", "value"),
    [
        (PIDSTAT_H, "process", "memory", 1795323742.0, 214864 * 1024),
        (SADF_U, "node", "memory", 1795323739.0, 1301992 * 1024),
        (JAPANESE, "node", "memory", 1795323739.0, 1301992 * 1024),
        (IOSTAT_T, "disk", "busy", 1795323746.0, 6.39),
        (IOSTAT_T, "node", "iowait", 1795323746.0, 0.37),
    ],
)
def test_sysstat_s_other_tables_and_locales(text: str, scope: str, metric: str, first: float, value: float) -> None:
    point = series_of(read(text), scope, metric).points[0]
    assert (point.time, point.mean) == (first, pytest.approx(value))
