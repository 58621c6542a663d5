"""Clock readings and how they become UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.formats.stamps import read_clock, read_ctime, read_epoch, read_iso, read_syslog
from analyzer.formats.time_resolution import TimeContext, infer_zone, resolve_stamp
from analyzer.model import Basis, Stamp

MOMENTS = st.datetimes(datetime(1991, 1, 1), datetime(2199, 1, 1))
ZONES = st.integers(-48, 56).map(lambda quarters: quarters * 900.0)


def seconds(moment: datetime) -> float:
    return moment.replace(tzinfo=UTC).timestamp()


def when(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp()  # type: ignore[arg-type,misc]


@given(
    MOMENTS,
    st.sampled_from("T "),
    st.sampled_from(".,"),
    st.integers(1, 9),
    st.sampled_from(["", "Z", "+00:00", "+0000", " +0000", " UTC"]),
)
def test_iso_in_all_forms(moment: datetime, letter: str, dot: str, digits: int, zone: str) -> None:
    fraction = f"{moment.microsecond:06}000"[:digits]
    stamp = read_iso(f"{moment:%Y-%m-%d}{letter}{moment:%H:%M:%S}{dot}{fraction}{zone}")
    assert stamp is not None
    assert stamp.basis is (Basis.UTC if zone else Basis.LOCAL)
    assert stamp.value == pytest.approx(seconds(moment), abs=max(10.0**-digits, 1e-5))


@given(MOMENTS, ZONES)
def test_iso_offsets(moment: datetime, zone: float) -> None:
    sign, (hours, minutes) = "+" if zone >= 0 else "-", divmod(abs(zone) // 60, 60)
    stamp = read_iso(f"{moment:%Y-%m-%dT%H:%M:%S}{sign}{hours:02.0f}:{minutes:02.0f}")
    assert stamp == Stamp(seconds(moment.replace(microsecond=0)) - zone, Basis.UTC)


@given(MOMENTS)
def test_ctime_and_syslog(moment: datetime) -> None:
    truncated = moment.replace(microsecond=0)
    assert read_ctime(f"{moment:%a %b} {moment.day:2} {moment:%H:%M:%S} {moment.year}") == Stamp(
        seconds(truncated), Basis.LOCAL
    )
    yearless = read_syslog(f"{moment:%b} {moment.day:2} {moment:%H:%M:%S}")
    assert yearless is not None
    assert resolve_stamp(yearless, TimeContext(year=moment.year)) == seconds(truncated)
    assert resolve_stamp(yearless, TimeContext(near_time=seconds(truncated) + 86400 * 30)) == seconds(truncated)


@given(MOMENTS, st.sampled_from([1, 1000, 1_000_000]))
def test_epoch_in_any_unit(moment: datetime, unit: int) -> None:
    stamp = read_epoch(str(int(seconds(moment) * unit)))
    assert stamp is not None
    assert stamp.value == pytest.approx(seconds(moment), abs=1.0)


@pytest.mark.parametrize(
    "text", ["2026-13-01 00:00:00", "2026-02-29 00:00:00", "2026-01-01 24:00:01", "1970-01-01 00:00:00", "", "x"]
)
def test_no_such_date(text: str) -> None:
    assert read_iso(text) is None


@pytest.mark.parametrize("text", ["nan", "inf", "-1", "0", "1", "1e999", "x", "", "12345"])
def test_no_such_epoch(text: str) -> None:
    assert read_epoch(text) is None


@pytest.mark.parametrize("text", ["24:00:00", "10:60:00", "10:00:60", "aa:00:00", "10:00:nan", ""])
def test_no_such_clock(text: str) -> None:
    assert read_clock(text) is None


@given(st.text(max_size=40))
def test_readers_never_raise(text: str) -> None:
    for read in (read_iso, read_ctime, read_syslog, read_epoch):
        stamp = read(text)
        assert stamp is None or stamp.value >= 0


def yearless(*parts: int) -> Stamp:
    return Stamp(when(1972, *parts), Basis.YEARLESS)


@pytest.mark.parametrize(
    ("stamp", "context", "expected"),
    [
        (Stamp(5.0, Basis.UTC), TimeContext(zone=3600.0), 5.0),
        (Stamp(when(2026, 5, 1, 12), Basis.LOCAL), TimeContext(zone=3600.0), when(2026, 5, 1, 11)),
        (Stamp(when(2026, 5, 1, 12), Basis.LOCAL), TimeContext(), when(2026, 5, 1, 12)),
        (Stamp(10.5, Basis.UPTIME), TimeContext(boot_time=1000.0), 1010.5),
        (Stamp(10.5, Basis.UPTIME), TimeContext(near_time=1000.0), None),
        (yearless(5, 1), TimeContext(), None),
        (yearless(5, 1), TimeContext(year=2026), when(2026, 5, 1)),
        (yearless(12, 31, 23), TimeContext(near_time=when(2027, 1, 1, 3)), when(2026, 12, 31, 23)),
        (yearless(12, 31, 23), TimeContext(year=2027, near_time=when(2027, 1, 1, 3)), when(2026, 12, 31, 23)),
        (yearless(1, 1, 1), TimeContext(near_time=when(2026, 12, 31, 23)), when(2027, 1, 1, 1)),
        (
            yearless(1, 1, 1),
            TimeContext(near_time=when(2026, 11, 1), latest_time=when(2026, 11, 1)),
            when(2026, 1, 1, 1),
        ),
        (
            yearless(1, 1, 1),
            TimeContext(near_time=when(2026, 11, 1), latest_time=when(1980, 1, 1)),
            when(2027, 1, 1, 1),
        ),
        (yearless(1, 1, 1), TimeContext(zone=7200.0, near_time=when(2026, 12, 31, 23)), when(2026, 12, 31, 23)),
        (yearless(2, 29), TimeContext(year=2027), None),
        (yearless(2, 29), TimeContext(year=2028), when(2028, 2, 29)),
        (Stamp(3600.0, Basis.DAYTIME), TimeContext(), None),
        (Stamp(3600.0, Basis.DAYTIME), TimeContext(near_time=when(2026, 5, 1, 23)), when(2026, 5, 2, 1)),
        (Stamp(82800.0, Basis.DAYTIME), TimeContext(near_time=when(2026, 5, 2, 1)), when(2026, 5, 1, 23)),
        (Stamp(3600.0, Basis.DAYTIME), TimeContext(zone=7200.0, near_time=when(2026, 5, 1, 22)), when(2026, 5, 1, 23)),
    ],
)
def test_resolve(stamp: Stamp, context: TimeContext, expected: float | None) -> None:
    assert resolve_stamp(stamp, context) == expected


@given(
    ZONES.filter(lambda zone: -43200 <= zone <= 50400),
    st.lists(st.tuples(st.floats(1e9, 2e9), st.floats(-100, 100)), min_size=1),
)
def test_infer_zone_finds_it(zone: float, lines: list[tuple[float, float]]) -> None:
    assert infer_zone((utc + zone + apart, utc) for utc, apart in lines) == zone


def test_infer_zone_wants_agreement() -> None:
    assert infer_zone([]) is None
    assert infer_zone([(1e9 + 3600, 1e9), (1e9, 1e9)]) is None
    assert infer_zone([(1e9 + 420, 1e9)] * 5) is None  # a clock that is seven minutes off is no zone
    assert infer_zone([(1e9 + 30 * 86400, 1e9)] * 5) is None  # nor are lines a month apart neighbours


@given(MOMENTS, ZONES)
def test_a_stamp_without_a_year_is_of_the_year_of_its_neighbours(moment: datetime, zone: float) -> None:
    local = moment + timedelta(seconds=zone)
    stamp = read_syslog(f"{local:%b %d %H:%M:%S}")
    assert stamp is not None
    assert resolve_stamp(stamp, TimeContext(zone=zone, near_time=seconds(moment))) == pytest.approx(
        seconds(moment), abs=1
    )
