"""Wait with a timeout: a file on a dead NFS server, or a tool that queries a lost GPU, may never answer."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import Callable, TypeVar

Item = TypeVar("Item")
_END = object()


def iterate_with_timeout(items: Iterable[Item], timeout_s: float) -> Iterator[Item]:
    """Yield the items, which a thread of its own makes. Raises TimeoutError if one takes longer than `timeout_s`
    seconds.

    The hanging thread is left behind: nothing can end it before the kernel answers.
    """
    ready: queue.Queue[object] = queue.Queue(maxsize=4)
    abandoned = threading.Event()

    def work() -> None:
        end: object = _END
        try:
            for item in items:
                while not abandoned.is_set():
                    try:
                        ready.put(item, timeout=0.5)
                        break
                    except queue.Full:
                        continue
                if abandoned.is_set():
                    return
        except Exception as error:  # noqa: BLE001  (raised again where the items are wanted)
            end = error
        ready.put(end)

    threading.Thread(target=work, daemon=True).start()
    try:
        while True:
            try:
                item = ready.get(timeout=timeout_s)
            except queue.Empty:
                raise TimeoutError(f"gave no answer for {timeout_s:.0f} s") from None
            if item is _END:
                return
            if isinstance(item, Exception):
                raise item
            yield item  # type: ignore[misc]
    finally:
        abandoned.set()


def call_with_timeout(function: Callable[[], Item], timeout_s: float) -> Item:
    """Return what `function` returns, or raise what it raises. Raises TimeoutError after `timeout_s` seconds."""
    (item,) = iterate_with_timeout((function() for _ in range(1)), timeout_s)
    return item
