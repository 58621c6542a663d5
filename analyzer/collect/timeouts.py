"""Waiting that ends: a file on a dead NFS server or a tool that asks a lost GPU never gives an answer."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import Callable, TypeVar

Item = TypeVar("Item")
_END = object()


def iterate_with_timeout(items: Iterable[Item], timeout_s: float) -> Iterator[Item]:
    """The same items, made in a thread of their own; TimeoutError where one takes longer than `seconds`.

    The thread that hangs is left behind: nothing can end it before the kernel answers.
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
    """What `make` returns or raises; TimeoutError after `seconds`."""
    (item,) = iterate_with_timeout((function() for _ in range(1)), timeout_s)
    return item
