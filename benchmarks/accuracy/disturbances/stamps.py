"""Texts that state the time otherwise than usual, or not at all."""

from __future__ import annotations

import dataclasses
import random

from accuracy.disturbances import Case, Disturbance
from accuracy.disturbances._runs import edit_texts
from accuracy.disturbances._stamps import rewrite, strip_stamps, write_twelve_hours
from accuracy.runs import ReceivedLine


def log_twelve_hours(case: Case, chance: random.Random) -> Case:
    """Python's logging was set up with `%m/%d/%Y %I:%M:%S %p` (https://docs.python.org/3/howto/logging.html)."""
    return edit_texts(case, _write_twelve_hours, [task.name for task in case.run.tasks])


def pipe_through_ts(case: Case, chance: random.Random) -> Case:
    """Each task ran as `2>&1 | ts '%b %d %I:%M:%S %p'` (https://manpages.debian.org/moreutils/ts.1.en.html)."""
    run, hosts = case.run, {task.name: task.host for task in case.run.tasks}

    def prefix(line: ReceivedLine) -> ReceivedLine:
        local = run.local(hosts[line.process], line.time_ns)
        return line._replace(stream="out", text=local.strftime("%b %d %I:%M:%S %p ").encode() + line.text)

    lines = tuple(prefix(line) if line.process in hosts else line for line in run.lines)
    return dataclasses.replace(case, run=run.replace(lines=lines))


def take_stamps_away(case: Case, chance: random.Random) -> Case:
    """No text states a time. Beyond what a logger can be told to leave out: what a bundle is like without times."""
    return edit_texts(case, lambda line: strip_stamps(line.text, line.time_ns), case.run.by_name)


def _write_twelve_hours(line: ReceivedLine) -> bytes:
    return rewrite(line.text, write_twelve_hours, line.time_ns)


def _logs_a_time(case: Case) -> bool:
    tasks = {task.name for task in case.run.tasks}
    return any(_write_twelve_hours(line) != line.text for line in case.run.lines if line.process in tasks)


def _has_no_times(case: Case) -> bool:
    return not case.collector.stamps


DISTURBANCES = (
    Disturbance("twelve-hour-logging", "stamps", log_twelve_hours, fits=_logs_a_time),
    Disturbance("twelve-hour-ts", "stamps", pipe_through_ts),
    Disturbance("no-times", "stamps", take_stamps_away, fits=_has_no_times),
)
