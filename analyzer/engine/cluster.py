"""Parts on a Dask cluster whose workers see the same files."""

from __future__ import annotations

import asyncio
import importlib
import logging
import socket
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from analyzer.bundle import STOPPED, Limits, Place
from analyzer.engine.members import Intake, read_places
from analyzer.engine.parts import Item, Part, lose
from analyzer.engine.room import make_room
from analyzer.engine.watch import Watch
from analyzer.engine.workers import Sight, Workers, check_workers, longest_without
from analyzer.errors import AnalyzerError, UsageError
from analyzer.model import SourceStatus
from analyzer.paths import cache_dir
from analyzer.reading import Plan, build_plan
from analyzer.rules.types import Packs

LOOK = 0.1  # seconds between two looks at what has ended
PATIENCE = 15  # seconds until a scheduler has answered
LOGGERS = ("distributed", "distributed.client")  # Dask gives each its own level


@dataclass(frozen=True, slots=True)
class Order:
    """What every part is read with; `key` tells the orders of one worker process apart."""

    key: str
    packs: Packs
    limits: Limits
    sysroots: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a worker read of a part, None where another shall; `unseen`: which of its files are not there for it."""

    intake: Intake | None
    unseen: tuple[int, ...]
    worker: str
    host: str


def read_parts(
    parts: Sequence[Part],
    packs: Packs,
    limits: Limits,
    sysroots: Sequence[Path],
    scheduler: str | None,
    watch: Watch,
) -> Intake:
    """As one process would read them, to the bit. A part whose worker is lost is given to another.

    Pickles go both ways: the scheduler, its workers and the network are trusted as code is. For a `tls://` address the
    certificates are those of Dask's configuration, and one that does not fit is refused before anything is sent.
    `scheduler`: its address; None takes the one of Dask's own configuration. Raises AnalyzerError where it does not
    answer, its workers cannot do the work, or all of them were lost before anything was read.
    """
    distributed = _dask()
    order = Order(uuid.uuid4().hex, packs, limits, tuple(root.absolute() for root in sysroots))
    done: dict[int, Intake] = {}
    with _unheard(), _connect(distributed, scheduler) as client:
        check_workers(client)
        # A task rather than scattered data: it is made again where the worker that held it is lost.
        sent = client.submit(_hand_on, order, key=f"tf-postmortem-order-{order.key}")

        def submit(index: int, **how: Any) -> Any:
            key = f"tf-postmortem-{order.key}-{index}-{uuid.uuid4().hex}"
            return client.submit(_read, _seen_from_anywhere(parts[index]), sent, key=key, **how)

        largest_first = sorted(range(len(parts)), key=lambda index: -parts[index].size)
        futures = {submit(index): index for index in largest_first}
        workers, sight = Workers(client, longest_without()), Sight(client)
        running = distributed.as_completed(futures, loop=client.loop)
        for future in _as_they_end(running, watch, workers):
            index = futures[future]
            if future.cancelled():  # by nobody here: the connection to the scheduler broke
                done[index] = _lost(parts[index], "the Dask scheduler was lost before it was read")
                continue
            if failure := future.exception():
                done[index] = _lost(parts[index], _tell(failure))
            elif (answer := future.result()).intake is None:
                asked = sight.ask_another(index, answer.worker)
                how: dict[str, Any] = {"workers": asked, "allow_other_workers": True} if asked else {"anyhow": True}
                again = submit(index, **how)
                futures[again] = index
                running.add(again)
                continue
            else:
                done[index] = _with_unseen(parts[index], answer)
            watch.advance(parts[index].names[-1], parts[index].size)
        client.cancel([future for future, index in futures.items() if index not in done])
    if workers.lost and not done:
        raise AnalyzerError(workers.complain("anything"), workers.HINT)
    rest: tuple[SourceStatus, str] = ("failed", workers.complain("it")) if workers.lost else ("skipped", STOPPED)
    merged = Intake(room=make_room(packs.signals.values()))
    for index, part in enumerate(parts):
        merged.add(done[index] if index in done else _unread(part, *rest))
    return merged


def _as_they_end(completed: Any, watch: Watch, workers: Workers) -> Iterator[Any]:
    """The futures that ended, until all did, the reading is stopped, or there was no worker for too long."""
    pause = threading.Event()
    while not completed.is_empty() and not watch.stopped() and not workers.lost:
        ended = completed.next_batch(block=False)
        yield from ended
        if not ended:
            pause.wait(LOOK)
            workers.look()
            if not workers.there:
                watch.advance("waiting for Dask workers", 0)


@contextmanager
def _unheard() -> Iterator[None]:
    """Of a connection that broke Dask logs a traceback; what it cost is said here in a sentence."""
    loggers = {logger: logger.level for logger in map(logging.getLogger, LOGGERS)}
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        yield
    finally:
        for logger, level in loggers.items():
            logger.setLevel(level)


def _dask() -> Any:
    """The module `distributed`, an extra that only this engine needs."""
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
    try:  # a client that fails at its start is half a minute in closing
        asyncio.run(_knock(distributed, address))
        return distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError, RuntimeError) as error:  # TypeError: TLS without its files
        hint = "start one with `dask scheduler`, or check the address"
        if address.startswith("tls:"):
            hint += ' and the certificates of Dask\'s configuration: docs/scale.md, "Whom you trust"'
        raise AnalyzerError(f"no Dask scheduler answers at {address}: {error}", hint) from error


async def _knock(distributed: Any, address: str) -> None:
    """Raises what Dask raises where nobody answers there as a scheduler does."""
    options = distributed.Security().get_connection_args("client")
    knock = distributed.core.connect(address, timeout=PATIENCE, **options)
    try:  # its own patience ends where somebody listens
        connection = await asyncio.wait_for(knock, PATIENCE + 1)
    except TimeoutError:
        raise OSError(f"whoever listens there said nothing for {PATIENCE} s") from None
    connection.abort()


def _hand_on(order: Order) -> Order:
    return order


def _seen_from_anywhere(part: Part) -> Part:
    return Part(tuple(map(_absolute, part.items)), part.size)


def _absolute(item: Item) -> Item:
    if isinstance(item, Place) and isinstance(item.path, Path):
        return replace(item, path=item.path.absolute())
    return item


_kept = threading.local()  # a worker may have threads, and an automaton serves one at a time


def _plan(order: Order) -> Plan:
    if getattr(_kept, "key", None) != order.key:
        _kept.plan, _kept.key = build_plan(order.packs, cache_dir()), order.key
    plan: Plan = _kept.plan
    return plan


def _read(part: Part, order: Order, anyhow: bool = False) -> Answer:
    """Runs on a worker. `anyhow`: also where it does not see all files; no other will be asked."""
    worker, host = importlib.import_module("distributed").get_worker().address, socket.gethostname()
    unseen = tuple(place for place, item in enumerate(part.items) if not _sees(item))
    if unseen and not anyhow:
        return Answer(None, unseen, worker, host)
    seen = (item for place, item in enumerate(part.items) if place not in unseen)
    return Answer(read_places(seen, _plan(order), order.limits, order.sysroots), unseen, worker, host)


def _sees(item: Item) -> bool:
    return not isinstance(item, Place) or not isinstance(item.path, Path) or item.path.exists()


def _with_unseen(part: Part, answer: Answer) -> Intake:
    """Sizes are those that the client sees."""
    intake = answer.intake or Intake()
    reason = f"the Dask worker on {answer.host} does not see this file: it needs the same file system"
    intake.others += [lose(part.items[place], reason) for place in answer.unseen]
    return intake


def _unread(part: Part, status: SourceStatus, reason: str) -> Intake:
    return Intake(others=[replace(lose(item, reason), status=status) for item in part.items])


def _tell(failure: BaseException) -> str:
    return f"no Dask worker could read it to the end ({type(failure).__name__}), perhaps for memory"


def _lost(part: Part, reason: str) -> Intake:
    return Intake(others=[lose(item, reason) for item in part.items])
