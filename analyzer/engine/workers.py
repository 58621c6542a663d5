"""The workers of a Dask cluster: whether they can do the work, and whether they are still there."""

from __future__ import annotations

import importlib
import logging
import platform
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

from analyzer import __version__
from analyzer.errors import AnalyzerError

FIRST_WORKER_TIMEOUT_S = 15  # seconds for a first worker to be there
CHECK_INTERVAL_S = 1.0  # seconds between questions to the scheduler whether it has workers
NO_WORKERS_TIMEOUT_S = 300.0  # a nanny starts a new worker in seconds, a batch job in minutes
NO_WORKERS_TIMEOUT_KEY = "distributed.scheduler.no-workers-timeout"  # of Dask's configuration; None if it is not set
MAX_WORKERS_TRIED = 5  # for a part whose files a worker does not see
INSTALL_HINT = "install the same version of tf-postmortem in the environment of the workers"
_log = logging.getLogger("analyzer.engine")


@dataclass(slots=True)
class WorkerPresence:
    """Whether a cluster has workers; `timeout_s`: the seconds that it may be without any."""

    HINT: ClassVar[str] = (
        "check the workers' logs; the usual reason is lack of memory; "
        "DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT=1h waits longer"
    )
    client: Any
    timeout_s: float
    are_present: bool = True
    are_lost: bool = False
    _last_check: float = field(default_factory=time.monotonic)
    _absent_since: float = 0.0  # monotonic time of the first check that found none

    def check(self) -> None:
        """Ask the scheduler now and then; sets `are_present`, and `are_lost` if none came for `timeout_s`."""
        now = time.monotonic()
        if now - self._last_check < CHECK_INTERVAL_S:
            return
        self._last_check = now
        with suppress(OSError):  # the futures notice that a scheduler is lost
            present = bool(self.client.nthreads())
            if self.are_present and not present:
                self._absent_since = now
                _log.info("the Dask cluster has no workers; waiting up to %.0f s", self.timeout_s)
            self.are_present = present
        self.are_lost = not self.are_present and now - self._absent_since >= self.timeout_s

    def describe_loss(self, what: str) -> str:
        """Return a sentence for the loss of all workers before `what` was read."""
        return f"the Dask cluster lost all its workers before {what} was read, and none came in {self.timeout_s:,.0f} s"


@dataclass(slots=True)
class FileVisibility:
    """Which workers do not see the files of a part. They fail at once, so Dask would give them all further work."""

    client: Any
    _tried: dict[int, set[str]] = field(default_factory=dict)

    def choose_other_workers(self, part: int, worker: str) -> list[str]:
        """Return workers that may see what `worker` does not see; none if enough were tried."""
        tried = self._tried.setdefault(part, set())
        tried.add(worker)
        others: set[str] = set()
        with suppress(OSError):  # the futures notice that a scheduler is lost
            others = {*self.client.nthreads()} - tried
        return sorted(others.difference(*self._tried.values()) or others) if len(tried) < MAX_WORKERS_TRIED else []


def no_workers_timeout() -> float:
    """Return the seconds that a cluster may be without workers: Dask's setting, else our own."""
    dask = importlib.import_module("dask")
    setting = dask.config.get(NO_WORKERS_TIMEOUT_KEY, None)
    return NO_WORKERS_TIMEOUT_S if setting is None else float(dask.utils.parse_timedelta(setting))


def check_workers(client: Any) -> None:
    """Raise AnalyzerError if there is no worker, or a worker has another version of this program."""
    try:
        client.wait_for_workers(1, timeout=FIRST_WORKER_TIMEOUT_S)
        # A worker that cannot import this module answers with whatever it raises.
        replies = client.run(_describe_version, on_error="return")
    except TimeoutError:
        raise AnalyzerError("the Dask scheduler has no workers", "start some with `dask worker ADDRESS`") from None
    for worker, reply in sorted(replies.items()):
        if isinstance(reply, BaseException):
            raise AnalyzerError(f"the Dask worker {worker} cannot run this program: {reply}", INSTALL_HINT)
    different = {worker: reply for worker, reply in replies.items() if reply[0] != __version__}
    if different:
        worker, (version, python) = min(different.items())
        raise AnalyzerError(
            f"{len(different)} of {len(replies)} Dask workers do not have version {__version__}: "
            f"{worker} has {version} on Python {python}",
            INSTALL_HINT,
        )


def _describe_version() -> tuple[str, str]:
    return __version__, platform.python_version()
