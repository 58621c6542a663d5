"""Numbers that no machine can have are refused in one line: for limits, processes, times, lines and sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import call

from analyzer.bundle import DEFAULT_LIMITS, LIMIT_RANGES, BundleLimits
from analyzer.cli._limits import read_limits
from analyzer.errors import UsageError

DIGITS = "9" * 5000


@pytest.mark.parametrize("name", LIMIT_RANGES)
@pytest.mark.parametrize(
    "number",
    ["-1", "nan", "inf", "1e400", "", "x", "0x10", "٣", "1_000", "1.5", "9" * 20, "9" * 25, DIGITS, "5E", "9999999T"],
)
def test_no_limit_is_absurd(name: str, number: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_limits([f"{name}={number}"])
    assert len(refused.value.message) < 400


@pytest.mark.parametrize(
    "text",
    [
        "members=0",
        "expanded=0",
        "ratio=0",
        "ratio=1G",
        "members=5K",
        "depth=33",
        "name_length=0",
        "window=0",
        "window=1023",
        "window=1000T",
        "nested_memory=1000T",
        "bogus=1",
        "window",
        "",
        "=5",
    ],
)
def test_a_limit_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        read_limits([text])


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("members=5", "members", 5),
        ("holes=0", "holes", 0),
        ("depth=0", "depth", 0),
        ("window=1024", "window", 1024),
        ("window=64K", "window", 64 << 10),
        ("expanded=2T", "expanded", 2 << 40),
        ("expanded=2TiB", "expanded", 2 << 40),
        ("nested_spool=3GB", "nested_spool", 3 << 30),
        ("ratio=9223372036854775807", "ratio", (1 << 63) - 1),
    ],
)
def test_a_limit_is_taken(text: str, name: str, value: int) -> None:
    assert getattr(read_limits([text]), name) == value


def test_each_limit_has_a_range_that_its_default_is_in() -> None:
    assert set(LIMIT_RANGES) == set(BundleLimits.__slots__)
    for name, allowed in LIMIT_RANGES.items():
        assert allowed.minimum <= getattr(DEFAULT_LIMITS, name) <= allowed.maximum


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("absurd")
    (folder / "w.log").write_text("2026-03-01 10:00:00.000001: E tensorflow/core/a.cc:1] boom\n")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "analyze w.log --limit window=99999999999999999999",
        f"analyze w.log --limit window={DIGITS}",
        "analyze w.log --jobs 0",
        "analyze w.log --jobs -1",
        "analyze w.log --jobs 1000000000",
        f"analyze w.log --jobs {DIGITS}",
        "timeline w.log --around 10:00:00 --window nan",
        "timeline w.log --around 10:00:00 --window inf",
        "timeline w.log --around 10:00:00 --window 1e300",
        "timeline w.log --around 0001-01-01T00:00:00Z",
        "timeline w.log --around 1678-01-01T00:00:00Z --window 1000000000",
        "rules new --from-line w.log:99999999999999999999",
        f"rules new --from-line w.log:{DIGITS}",
        f"rules new --from-template w.log:{DIGITS}",
        "collect --out c.tar.gz --seconds nan",
        "collect --out c.tar.gz --seconds -1",
        f"collect --out c.tar.gz --max-size {DIGITS}",
        f"collect --out c.tar.gz --since {DIGITS}h",
        f"record --interval {DIGITS} -- true",
    ],
    ids=lambda command: command[:60],
)
def test_a_command_refuses_it(command: str, folder: Path) -> None:
    result = call(*command.split(), cwd=folder)
    errors = result.stderr.decode()
    assert result.returncode == 2, errors
    assert "Traceback" not in errors
    assert [path.name for path in folder.iterdir()] == ["w.log"]


def test_a_time_that_is_far_away_has_no_events(folder: Path) -> None:
    for around in ("1700-01-01T00:00:00Z", "2261-01-01T00:00:00Z"):
        result = call("timeline", "w.log", "--around", around, cwd=folder)
        assert (result.returncode, result.stdout) == (0, b""), result.stderr
