"""Dates in the usual orders and languages become ISO 8601; what may be read in two ways does not."""

from __future__ import annotations

import pytest

from analyzer.formats.dates import find_style, to_iso

DATES = [
    ("24.11.2026 10:33:12,345", "2026-11-24T10:33:12.345"),
    ("24/11/2026 10:33:12", "2026-11-24T10:33:12"),
    ("11/24/2026 10:33:12 PM", "2026-11-24T22:33:12"),
    ("3/5/2026 12:02:03 a.m.", "2026-03-05T00:02:03"),
    ("24-Nov-2026 10:33:12.345", "2026-11-24T10:33:12.345"),
    ("24/Nov/2026:10:33:12 +0100", "2026-11-24T10:33:12+0100"),
    ("Tue, 24 Nov 2026 10:33:12 GMT", "2026-11-24T10:33:12+00:00"),
    ("Nov 24, 2026 @ 10:33:12.345", "2026-11-24T10:33:12.345"),
    ("Di 24. Nov 10:33:12 CET 2026", "2026-11-24T10:33:12+01:00"),
    ("mar. 24 nov. 2026 10:33:12", "2026-11-24T10:33:12"),
    ("24 août 2026 10:33:12", "2026-08-24T10:33:12"),
    ("5 juil. 2026 10:33:12", "2026-07-05T10:33:12"),
    ("24. März 2026 10:33", "2026-03-24T10:33:00"),
    ("2026-11-24 10:33:12 PM", "2026-11-24T22:33:12"),
    ("2026.11.24 10:33:12 CST", "2026-11-24T10:33:12"),
    ("20261124-103312", "2026-11-24T10:33:12"),
    ("20261124T103312Z", "2026-11-24T10:33:12+00:00"),
    ("2026年11月24日 10:33:12", "2026-11-24T10:33:12"),
    ("2026年11月24日 午後3:04:05", "2026-11-24T15:04:05"),
    ("10:33:12 24.11.2026", "2026-11-24T10:33:12"),
    ("24 Nov 10:33:12", "Nov 24 10:33:12"),
    ("24.11. 10:33:12", "Nov 24 10:33:12"),
    ("nov. 24 10:33:12", "Nov 24 10:33:12"),
    ("kvě 24 10:33:12", "May 24 10:33:12"),
    ("11月 24 10:33:12", "Nov 24 10:33:12"),
    ("11/11/2026 10:33:12", "2026-11-11T10:33:12"),
    ("11月24日 10:33:12", "Nov 24 10:33:12"),
    ("Nov-24 10:33:12", "Nov 24 10:33:12"),
    ("24/11 10:33:12", "Nov 24 10:33:12"),
    ("11-24 10:33:12.345", "Nov 24 10:33:12.345"),
    ("04-05T10:33:12", "Apr  5 10:33:12"),
    ("04/05 10:33:12 PM", "Apr  5 22:33:12"),
    ("1124 10:33:12", "Nov 24 10:33:12"),
    ("24.11.26 10:33:12", "2026-11-24T10:33:12"),
    ("04.05.26 10:33:12", "2026-05-04T10:33:12"),
    ("04/13/26 10:33:12", "2026-04-13T10:33:12"),
    ("13/04/26 10:33:12", "2026-04-13T10:33:12"),
    ("26/11/14 10:33:12", "2026-11-14T10:33:12"),
    ("11/24/26, 10:33:12 PM", "2026-11-24T22:33:12"),
    ("261124-103312", "2026-11-24T10:33:12"),
]


@pytest.mark.parametrize(("text", "iso"), DATES)
def test_a_date_becomes_iso(text: str, iso: str) -> None:
    assert to_iso(text) == iso


@pytest.mark.parametrize(
    "text",
    [
        "",
        "04/05/2026 10:33:12",  # April or May
        "04/05/26 10:33:12",
        "24/11/26 10:33:12",  # the 24th or the 26th
        "04/05 10:33:12",
        "261324-103312",
        "3/4 12.50 s",
        "2026-13-24 10:33:12",
        "31.02.2026 10:33:12",
        "24.11.2026 13:33:12 PM",
        "24.11.2026 10:61:12",
        "24 Foo 2026 10:33:12",
        "version 2.15.0",
        "10.0.3.17 10:33:12",
        "24.11.2026 10:33:12 and more",
    ],
)
def test_what_is_no_date_or_two_is_none(text: str) -> None:
    assert to_iso(text) == ""


def test_other_lines_tell_which_number_is_the_month() -> None:
    style = find_style(["04/05/2026 10:33:12", "04/13/2026 10:33:12"])
    assert style is not None
    assert style.match_iso("04/05/2026 10:33:12 x") == (19, "2026-04-05T10:33:12")


def test_the_number_that_rises_at_midnight_is_the_day() -> None:
    style = find_style(["04/05 23:59:58", "04/05 23:59:59", "05/05 00:00:01"])
    assert style is not None
    assert style.match_iso("06/05 00:00:01 x") == (14, "May  6 00:00:01")


@pytest.mark.parametrize(
    ("date", "year", "iso"),
    [
        ("24/11/26 10:33:12", 26, "2026-11-24T10:33:12"),
        ("26/11/27 10:33:12", 26, "2026-11-27T10:33:12"),
        ("26/11/27 10:33:12", 27, "2027-11-26T10:33:12"),
    ],
)
def test_other_lines_tell_which_number_is_the_year(date: str, year: int, iso: str) -> None:
    style = find_style([date, date], years=frozenset({year}))
    assert style is not None
    assert style.match_iso(f"{date} x") == (17, iso)


def test_of_an_open_date_only_the_time_of_day_is_read() -> None:
    style = find_style(["04/05 23:59:58", "04/05 23:59:59.5"])
    assert style is not None
    assert style.match_iso("04/05 23:59:59.5 x") is None
    assert style.match_clock("04/05 23:59:59.5 x") == (16, "23:59:59.5")


def test_a_level_behind_a_date_is_no_zone() -> None:
    style = find_style(["24.11.2026 10:33:12 INFO x"])
    assert style is not None
    assert style.match_iso("24.11.2026 10:33:12 INFO x") == (19, "2026-11-24T10:33:12")
