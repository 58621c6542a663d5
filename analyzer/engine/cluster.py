"""Parts on a Dask cluster whose workers see the same files."""

from __future__ import annotations

import asyncio
import importlib
import socket
import threading
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from analyzer.bundle import STOPPED, Limits, Place
from analyzer.engine.members import Intake, read_places
from analyzer.engine.parts import Item, Part, lose
from analyzer.engine.room import make_room
from analyzer.engine.watch import Watch
from analyzer.engine.workers import Workers, check_workers, longest_without
from analyzer.errors import AnalyzerError, UsageError
from analyzer.model import SourceStatus
from analyzer.paths import cache_dir
from analyzer.reading import Plan, build_plan
from analyzer.rules.types import Packs

LOOK = 0.1  # seconds between two looks at what has ended
PATIENCE = 15  # seconds until a scheduler has answered
ASK = 1.0  # seconds without a part that ended until the scheduler is asked whether it has workers
LONELY = (
    300.0  # seconds that a cluster may be without workers: a nanny starts one anew in seconds, a batch job in minutes
)
LONELY_KEY = "distributed.scheduler.no-workers-timeout"  # Dask's own word for it, which is None where nobody set it


@dataclass(frozen=True, slots=True)
class Order:
    """What every part is read with; `key` tells the orders of one worker process apart."""

    key: str
    packs: Packs
    limits: Limits
    sysroots: tuple[Path, ...]


def read_parts(
    parts: Sequence[Part],
    packs: Packs,
    limits: Limits,
    sysroots: Sequence[Path],
    scheduler: str | None,
    watch: Watch,
) -> Intake:
    """As one process would read them, to the bit. A part whose worker is lost is given to another.

    `scheduler`: its address; None takes the one of Dask's own configuration. Raises AnalyzerError where it does not
    answer, its workers cannot do the work, or all of them were lost before anything was read.
    """
    distributed = _dask()
    order = Order(uuid.uuid4().hex, packs, limits, tuple(root.absolute() for root in sysroots))
    done: dict[int, Intake] = {}
    with _connect(distributed, scheduler) as client:
        check_workers(client)
        # A task rather than scattered data: it is made again where the worker that held it is lost.
        sent = client.submit(_hand_on, order, key=f"tf-postmortem-order-{order.key}")
        futures = {
            client.submit(_read, _seen_from_anywhere(part), sent, key=f"tf-postmortem-{order.key}-{index}"): index
            for index, part in sorted(enumerate(parts), key=lambda one: -one[1].size)
        }
        workers = Workers(client, longest_without())
        for future in _as_they_end(distributed.as_completed(futures, loop=client.loop), watch, workers):
            index = futures[future]
            if future.cancelled():  # by nobody here: the connection to the scheduler broke
                done[index] = _lost(parts[index], "the Dask scheduler was lost before it was read")
                continue
            failure = future.exception()
            done[index] = future.result() if failure is None else _lost(parts[index], _tell(failure))
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
        raise AnalyzerError(
            f"no Dask scheduler answers at {address}: {error}", "start one with `dask scheduler`, or check the address"
        ) from error


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


def _read(part: Part, order: Order) -> Intake:
    """Runs on a worker."""
    unseen = [
        item
        for item in part.items
        if isinstance(item, Place) and isinstance(item.path, Path) and not item.path.exists()
    ]
    intake = read_places(
        (item for item in part.items if item not in unseen), _plan(order), order.limits, order.sysroots
    )
    reason = f"the Dask worker on {socket.gethostname()} does not see this file: it needs the same file system"
    intake.others += [lose(place, reason) for place in unseen]
    return intake


def _unread(part: Part, status: SourceStatus, reason: str) -> Intake:
    return Intake(others=[replace(lose(item, reason), status=status) for item in part.items])


def _tell(failure: BaseException) -> str:
    return f"no Dask worker could read it to the end ({type(failure).__name__}), perhaps for memory"


def _lost(part: Part, reason: str) -> Intake:
    return Intake(others=[lose(item, reason) for item in part.items])
