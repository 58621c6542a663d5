"""Which events `timeline` shows. No command of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from analyzer.errors import UsageError
from analyzer.wording import join_names

if TYPE_CHECKING:
    import pandas as pd

SEVERITIES = ("debug", "info", "warning", "error", "fatal")


def select_severity(frame: pd.DataFrame, least: str) -> pd.DataFrame:
    """Return the events of this severity and worse. Raises UsageError for an unknown one."""
    least = least.lower()
    if least not in SEVERITIES:
        raise UsageError(f"--severity {least} is not known", f"choose {', '.join(SEVERITIES)}")
    return frame[frame["severity"].isin(SEVERITIES[SEVERITIES.index(least) :])]


def select_named(frame: pd.DataFrame, column: str, wanted: Sequence[str], existing: Sequence[str]) -> pd.DataFrame:
    """Return the events whose `column` is one of `wanted`. Raises UsageError for a name that is not in `existing`."""
    if strange := [name for name in wanted if name not in existing]:
        raise UsageError(
            f"--{column} {strange[0]}: the bundle has no such {column}",
            f"its {column}s are {join_names(list(existing), 12)}" if existing else f"it has no {column} at all",
        )
    return frame[frame[column].isin(wanted)]


def select_nodes(frame: pd.DataFrame, wanted: Sequence[str], existing: Sequence[str]) -> pd.DataFrame:
    """Return the events of these nodes or tasks. Raises UsageError for a name that is neither."""
    tasks = set(frame["task"].dropna())
    if strange := [name for name in wanted if name not in existing and name not in tasks]:
        raise UsageError(
            f"--node {strange[0]}: the bundle has no such node",
            f"its nodes are {join_names(list(existing), 12)}" if existing else "it has no node at all",
        )
    return frame[frame["node"].isin(wanted) | frame["task"].isin(wanted)]


def compile_grep(grep: str | None) -> Callable[[str], bool] | None:
    """Return a test of lines for the pattern of `--grep`; None without one. Raises UsageError if it is not valid."""
    import regex

    try:
        pattern = regex.compile(grep) if grep else None
    except regex.error as error:
        raise UsageError(
            f"--grep {grep!r} is not a valid regular expression: {error}", "put a backslash before ( ) [ ] * + ? . |"
        ) from None

    def matches(text: str) -> bool:
        try:
            return pattern is not None and pattern.search(text, timeout=1.0) is not None
        except TimeoutError:
            raise UsageError(f"--grep {grep!r} takes more than a second on one line", "make it simpler") from None

    return matches if pattern else None


def select_near(frame: pd.DataFrame, around: str, window: float) -> pd.DataFrame:
    """Return the events within `window` seconds of the time `around`. Events without a time are left out."""
    import pandas as pd

    times = frame["corrected"].dropna()
    day = times.iloc[0].strftime("%Y-%m-%dT") if len(times) and "-" not in around else ""
    span = pd.Timedelta(seconds=window)
    try:
        center = pd.Timestamp(day + around).as_unit("ns")
        center = center.tz_localize("UTC") if center.tzinfo is None else center.tz_convert("UTC")
        first, last = center - span, center + span
    except ValueError:  # also of a time before 1677 or after 2262
        raise UsageError(f"--around {around}: this is not a time", "give 2026-11-21T07:38:01Z or 07:38:01") from None
    return frame[frame["corrected"].between(first, last)]
