"""Who reads on a Dask cluster: whether they can, and whether they are still there."""

from __future__ import annotations

import importlib
import platform
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

from analyzer import __version__
from analyzer.errors import AnalyzerError

FIRST_WORKER_TIMEOUT_S = 15  # seconds until a first worker is there
CHECK_INTERVAL_S = 1.0  # seconds without a part that ended until the scheduler is asked whether it has workers
NO_WORKERS_TIMEOUT_S = (
    300.0  # seconds that a cluster may be without workers: a nanny starts one in seconds, a batch job in minutes
)
NO_WORKERS_TIMEOUT_KEY = "distributed.scheduler.no-workers-timeout"  # Dask's own word for it; None where nobody set it
MAX_WORKERS_TRIED = 5  # workers, for files that one of them does not see
INSTALL_HINT = "install tf-postmortem in the environment of the workers as it is here"


@dataclass(slots=True)
class WorkerPresence:
    """Whether a cluster still has any; `longest`: the seconds that it may be without."""

    HINT: ClassVar[str] = (
        "look into the workers' logs, often it was memory; "
        "DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT=1h waits longer"
    )
    client: Any
    timeout_s: float
    are_present: bool = True
    are_lost: bool = False
    _last_check: float = field(default_factory=time.monotonic)
    _absent_since: float = 0.0  # the first moment of those in which none was there

    def check(self) -> None:
        """Asks the scheduler now and then; sets `there`, and `lost` where none came for too long."""
        now = time.monotonic()
        if now - self._last_check < CHECK_INTERVAL_S:
            return
        self._last_check = now
        with suppress(OSError):  # a scheduler that is lost is noticed by the futures
            there = bool(self.client.nthreads())
            if self.are_present and not there:
                self._absent_since = now
            self.are_present = there
        self.are_lost = not self.are_present and now - self._absent_since >= self.timeout_s

    def describe_loss(self, what: str) -> str:
        return f"the Dask cluster lost all its workers before {what} was read, and none came in {self.timeout_s:,.0f} s"


@dataclass(slots=True)
class FileVisibility:
    """Which workers did not see files: they are done at once, and would be given all that others have no time for."""

    client: Any
    _tried: dict[int, set[str]] = field(default_factory=dict)

    def choose_other_workers(self, part: int, worker: str) -> list[str]:
        """Those who may see what `worker` did not; none where enough were asked."""
        asked = self._tried.setdefault(part, set())
        asked.add(worker)
        there: set[str] = set()
        with suppress(OSError):  # a scheduler that is lost is noticed by the futures
            there = {*self.client.nthreads()} - asked
        return sorted(there.difference(*self._tried.values()) or there) if len(asked) < MAX_WORKERS_TRIED else []


def no_workers_timeout() -> float:
    """Seconds, from Dask's configuration where it says so."""
    dask = importlib.import_module("dask")
    said = dask.config.get(NO_WORKERS_TIMEOUT_KEY, None)
    return NO_WORKERS_TIMEOUT_S if said is None else float(dask.utils.parse_timedelta(said))


def check_workers(client: Any) -> None:
    """Raises AnalyzerError where there is none, or one has another version of this program."""
    try:
        client.wait_for_workers(1, timeout=FIRST_WORKER_TIMEOUT_S)
        found = client.run(
            _describe_version, on_error="return"
        )  # a worker that cannot import this raises what it likes
    except TimeoutError:
        raise AnalyzerError("the Dask scheduler has no workers", "start some with `dask worker ADDRESS`") from None
    for worker, said in sorted(found.items()):
        if isinstance(said, BaseException):
            raise AnalyzerError(f"the Dask worker {worker} cannot run this program: {said}", INSTALL_HINT)
    other = {worker: said for worker, said in found.items() if said[0] != __version__}
    if other:
        worker, (version, python) = min(other.items())
        raise AnalyzerError(
            f"{len(other)} of {len(found)} Dask workers have another version than {__version__}: "
            f"{worker} has {version} on Python {python}",
            INSTALL_HINT,
        )


def _describe_version() -> tuple[str, str]:
    return __version__, platform.python_version()
