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

PATIENCE = 15  # seconds until a first worker is there
ASK = 1.0  # seconds without a part that ended until the scheduler is asked whether it has workers
LONELY = 300.0  # seconds that a cluster may be without workers: a nanny starts one in seconds, a batch job in minutes
LONELY_KEY = "distributed.scheduler.no-workers-timeout"  # Dask's own word for it; None where nobody set it
MOST_ASKED = 5  # workers, for files that one of them does not see
INSTALL = "install tf-postmortem in the environment of the workers as it is here"


@dataclass(slots=True)
class Workers:
    """Whether a cluster still has any; `longest`: the seconds that it may be without."""

    HINT: ClassVar[str] = (
        "look into the workers' logs, often it was memory; "
        "DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT=1h waits longer"
    )
    client: Any
    longest: float
    there: bool = True
    lost: bool = False
    _asked: float = field(default_factory=time.monotonic)
    _since: float = 0.0  # the first moment of those in which none was there

    def look(self) -> None:
        """Asks the scheduler now and then; sets `there`, and `lost` where none came for too long."""
        now = time.monotonic()
        if now - self._asked < ASK:
            return
        self._asked = now
        with suppress(OSError):  # a scheduler that is lost is noticed by the futures
            there = bool(self.client.nthreads())
            if self.there and not there:
                self._since = now
            self.there = there
        self.lost = not self.there and now - self._since >= self.longest

    def complain(self, what: str) -> str:
        return f"the Dask cluster lost all its workers before {what} was read, and none came in {self.longest:,.0f} s"


@dataclass(slots=True)
class Sight:
    """Which workers did not see files: they are done at once, and would be given all that others have no time for."""

    client: Any
    _in_vain: dict[int, set[str]] = field(default_factory=dict)

    def ask_another(self, part: int, worker: str) -> list[str]:
        """Those who may see what `worker` did not; none where enough were asked."""
        asked = self._in_vain.setdefault(part, set())
        asked.add(worker)
        there: set[str] = set()
        with suppress(OSError):  # a scheduler that is lost is noticed by the futures
            there = {*self.client.nthreads()} - asked
        return sorted(there.difference(*self._in_vain.values()) or there) if len(asked) < MOST_ASKED else []


def longest_without() -> float:
    """Seconds, from Dask's configuration where it says so."""
    dask = importlib.import_module("dask")
    said = dask.config.get(LONELY_KEY, None)
    return LONELY if said is None else float(dask.utils.parse_timedelta(said))


def check_workers(client: Any) -> None:
    """Raises AnalyzerError where there is none, or one has another version of this program."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
        found = client.run(_describe, on_error="return")  # a worker that cannot import this raises what it likes
    except TimeoutError:
        raise AnalyzerError("the Dask scheduler has no workers", "start some with `dask worker ADDRESS`") from None
    for worker, said in sorted(found.items()):
        if isinstance(said, BaseException):
            raise AnalyzerError(f"the Dask worker {worker} cannot run this program: {said}", INSTALL)
    other = {worker: said for worker, said in found.items() if said[0] != __version__}
    if other:
        worker, (version, python) = min(other.items())
        raise AnalyzerError(
            f"{len(other)} of {len(found)} Dask workers have another version than {__version__}: "
            f"{worker} has {version} on Python {python}",
            INSTALL,
        )


def _describe() -> tuple[str, str]:
    return __version__, platform.python_version()
