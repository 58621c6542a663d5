"""Reading parts on a Dask cluster whose workers see the same files."""

from __future__ import annotations

import asyncio
import importlib
import itertools
import logging
import socket
import threading
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from analyzer.bundle import STOPPED_REASON, BundleLimits, InputFile
from analyzer.engine.event_budget import new_event_budget
from analyzer.engine.ingest import IngestResult, read_input_files
from analyzer.engine.monitor import ProgressMonitor
from analyzer.engine.parts import InputItem, Part, unread_source
from analyzer.engine.workers import FileVisibility, WorkerPresence, check_workers, no_workers_timeout
from analyzer.errors import AnalyzerError, UsageError
from analyzer.model import SourceStatus
from analyzer.paths import cache_dir
from analyzer.reading import ReadPlan, build_plan
from analyzer.rules.types import Packs

POLL_INTERVAL_S = 0.1  # seconds between two checks which parts are done
FETCH_TIMEOUT_S = 2.0  # seconds for a reply, before its worker is looked at; doubled each time
CONNECT_TIMEOUT_S = 15  # seconds for a scheduler to answer
DASK_LOGGERS = ("distributed", "distributed.client")  # Dask gives each its own level
_log = logging.getLogger("analyzer.engine")


@dataclass(frozen=True, slots=True)
class ClusterConfig:
    """What workers need to read any part. `key` identifies this analysis, so that a worker caches one plan for it."""

    key: str
    packs: Packs
    limits: BundleLimits
    sysroots: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """What a worker read of a part. `result` is None if another worker should read it.

    `unseen_items`: indexes of the part's files that this worker does not see.
    """

    result: IngestResult | None
    unseen_items: tuple[int, ...]
    worker: str
    host: str


def read_parts_on_cluster(
    parts: Sequence[Part],
    packs: Packs,
    limits: BundleLimits,
    sysroots: Sequence[Path],
    scheduler: str | None,
    monitor: ProgressMonitor,
) -> IngestResult:
    """Read `parts` with exactly the result that one process would have. A part whose worker is lost goes to another.

    Pickles go both ways, so the scheduler, its workers and the network are trusted as code is. For a `tls://` address
    the certificates come from Dask's configuration, and one that does not fit is refused before anything is sent.

    `scheduler`: its address; None takes the one of Dask's own configuration. Raises AnalyzerError if the scheduler does
    not answer, its workers cannot do the work, or all workers were lost before anything was read; UsageError without
    an address.
    """
    distributed = _import_dask()
    config = ClusterConfig(uuid.uuid4().hex, packs, limits, tuple(root.absolute() for root in sysroots))
    results: dict[int, IngestResult] = {}
    with _silenced_dask_logs(), _connect(distributed, scheduler) as client:
        check_workers(client)
        _log.info("%d parts are read on the Dask cluster of %s", len(parts), client.scheduler.address)
        # A task and not scattered data: Dask computes a task again if the worker that holds its result is lost.
        sent_config = client.submit(_return_config, config, key=f"tf-postmortem-order-{config.key}")

        def submit(index: int, **options: Any) -> Any:
            key = f"tf-postmortem-{config.key}-{index}-{uuid.uuid4().hex}"
            return client.submit(_read_on_worker, _with_absolute_paths(parts[index]), sent_config, key=key, **options)

        largest_first = sorted(range(len(parts)), key=lambda index: -parts[index].size)
        futures = {submit(index): index for index in largest_first}
        workers, visibility = WorkerPresence(client, no_workers_timeout()), FileVisibility(client)
        running = distributed.as_completed(futures, loop=client.loop)
        for future in _completed_futures(running, monitor, workers):
            index = futures[future]
            reply = fetch_reply(future)
            if reply is None:
                running.add(future)
                continue
            if isinstance(reply, str):
                results[index] = _mark_lost(parts[index], reply)
            elif reply.result is None:
                others = visibility.choose_other_workers(index, reply.worker)
                options: dict[str, Any] = (
                    {"workers": others, "allow_other_workers": True} if others else {"accept_unseen": True}
                )
                _log.info("the Dask worker on %s does not see all files of %s", reply.host, parts[index].names[0])
                retry = submit(index, **options)
                futures[retry] = index
                running.add(retry)
                continue
            else:
                results[index] = _with_unseen_files(parts[index], reply)
            monitor.advance(parts[index].names[-1], parts[index].size)
        client.cancel([future for future, index in futures.items() if index not in results])
    if workers.are_lost and not results:
        raise AnalyzerError(workers.describe_loss("anything"), workers.HINT)
    unread_status: tuple[SourceStatus, str] = (
        ("failed", workers.describe_loss("it")) if workers.are_lost else ("skipped", STOPPED_REASON)
    )
    merged = IngestResult(event_budget=new_event_budget(packs.signals.values()))
    for index, part in enumerate(parts):
        merged.merge(results[index] if index in results else _mark_unread(part, *unread_status))
    return merged


def fetch_reply(future: Any) -> WorkerReply | str | None:
    """Return the worker's reply, why there is none, or None if its worker was lost and it is computed again."""
    try:
        for timeout_s in (FETCH_TIMEOUT_S * 2**doubling for doubling in itertools.count()):
            if future.status == "error":
                failure = type(future.exception()).__name__
                return f"no Dask worker could read it completely ({failure}), perhaps for lack of memory"
            if future.status in ("pending", "lost"):
                return None
            with suppress(TimeoutError, asyncio.TimeoutError):  # a large reply takes its time
                reply: WorkerReply = future.result(timeout_s)
                return reply
    except (OSError, asyncio.CancelledError, CancelledError):  # the scheduler dies while it passes on the reply
        pass
    return "the connection to the Dask scheduler was lost before it was read"


def _completed_futures(completed: Any, monitor: ProgressMonitor, workers: WorkerPresence) -> Iterator[Any]:
    """Yield futures as they complete, until all did, the user stops, or the workers are away for too long."""
    pause = threading.Event()
    while not completed.is_empty() and not monitor.should_stop() and not workers.are_lost:
        ended = completed.next_batch(block=False)
        yield from ended
        if not ended:
            pause.wait(POLL_INTERVAL_S)
            workers.check()
            if not workers.are_present:
                monitor.advance("waiting for Dask workers", 0)


@contextmanager
def _silenced_dask_logs() -> Iterator[None]:
    """Silence Dask: it logs a traceback for a broken connection, whose effect the report states in a sentence."""
    loggers = {logger: logger.level for logger in map(logging.getLogger, DASK_LOGGERS)}
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        yield
    finally:
        for logger, level in loggers.items():
            logger.setLevel(level)


def _import_dask() -> Any:
    """Return the module `distributed`, an extra that only this engine needs."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise AnalyzerError("--engine dask needs Dask", "pip install 'tf-postmortem[dask]'") from None


def _connect(distributed: Any, scheduler: str | None) -> Any:
    address = scheduler or importlib.import_module("dask").config.get("scheduler-address", None)
    if not address:
        raise UsageError(
            "--engine dask needs a scheduler", "give --scheduler tcp://HOST:8786, or set it in Dask's configuration"
        )
    try:  # ask first, because a client that fails to start takes half a minute to close
        asyncio.run(_check_scheduler_answers(distributed, address))
        return distributed.Client(address, timeout=CONNECT_TIMEOUT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError, RuntimeError) as error:  # TypeError: TLS without its files
        hint = "start one with `dask scheduler`, or check the address"
        if address.startswith("tls:"):
            hint += ' and the certificates of Dask\'s configuration: docs/scale.md, "Whom you trust"'
        raise AnalyzerError(f"no Dask scheduler answers at {address}: {error}", hint) from error


async def _check_scheduler_answers(distributed: Any, address: str) -> None:
    """Raise Dask's own error if no Dask scheduler answers at `address`."""
    options = distributed.Security().get_connection_args("client")
    connecting = distributed.core.connect(address, timeout=CONNECT_TIMEOUT_S, **options)
    try:  # the timeout of `connect` does not apply once something listens
        connection = await asyncio.wait_for(connecting, CONNECT_TIMEOUT_S + 1)
    except TimeoutError:
        raise OSError(f"a program listens there but did not answer for {CONNECT_TIMEOUT_S} s") from None
    connection.abort()


def _return_config(config: ClusterConfig) -> ClusterConfig:
    return config


def _with_absolute_paths(part: Part) -> Part:
    return Part(tuple(map(_make_absolute, part.items)), part.size)


def _make_absolute(item: InputItem) -> InputItem:
    if isinstance(item, InputFile) and isinstance(item.path, Path):
        return replace(item, path=item.path.absolute())
    return item


_plan_cache = threading.local()  # a worker may have threads, and an automaton serves one thread at a time


def _cached_plan(config: ClusterConfig) -> ReadPlan:
    if getattr(_plan_cache, "key", None) != config.key:
        _plan_cache.plan, _plan_cache.key = build_plan(config.packs, cache_dir()), config.key
    plan: ReadPlan = _plan_cache.plan
    return plan


def _read_on_worker(part: Part, config: ClusterConfig, accept_unseen: bool = False) -> WorkerReply:
    """Read a part; runs on a worker. `accept_unseen`: read what is visible, as no other worker will be asked."""
    worker, host = importlib.import_module("distributed").get_worker().address, socket.gethostname()
    unseen = tuple(index for index, item in enumerate(part.items) if not _can_see(item))
    if unseen and not accept_unseen:
        return WorkerReply(None, unseen, worker, host)
    seen = (item for index, item in enumerate(part.items) if index not in unseen)
    return WorkerReply(
        read_input_files(seen, _cached_plan(config), config.limits, config.sysroots), unseen, worker, host
    )


def _can_see(item: InputItem) -> bool:
    return not isinstance(item, InputFile) or not isinstance(item.path, Path) or item.path.exists()


def _with_unseen_files(part: Part, reply: WorkerReply) -> IngestResult:
    """Return the worker's result and a loss for each file that it does not see, with the size that the client sees."""
    ingested = reply.result or IngestResult()
    reason = f"the Dask worker on {reply.host} cannot see this file: it needs the same file system"
    ingested.other_sources += [unread_source(part.items[index], reason) for index in reply.unseen_items]
    return ingested


def _mark_unread(part: Part, status: SourceStatus, reason: str) -> IngestResult:
    return IngestResult(other_sources=[replace(unread_source(item, reason), status=status) for item in part.items])


def _mark_lost(part: Part, reason: str) -> IngestResult:
    return IngestResult(other_sources=[unread_source(item, reason) for item in part.items])
