"""Waiting that ends: a file on a dead NFS server or a tool that asks a lost GPU never gives an answer."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import Callable, TypeVar

Item = TypeVar("Item")
_END = object()


def with_patience(items: Iterable[Item], seconds: float) -> Iterator[Item]:
    """The same items, made in a thread of their own; TimeoutError where one takes longer than `seconds`.

    The thread that hangs is left behind: nothing can end it before the kernel answers.
    """
    ready: queue.Queue[object] = queue.Queue(maxsize=4)
    given_up = threading.Event()

    def work() -> None:
        end: object = _END
        try:
            for item in items:
                while not given_up.is_set():
                    try:
                        ready.put(item, timeout=0.5)
                        break
                    except queue.Full:
                        continue
                if given_up.is_set():
                    return
        except Exception as error:  # noqa: BLE001  (raised again where the items are wanted)
            end = error
        ready.put(end)

    threading.Thread(target=work, daemon=True).start()
    try:
        while True:
            try:
                item = ready.get(timeout=seconds)
            except queue.Empty:
                raise TimeoutError(f"gave no answer for {seconds:.0f} s") from None
            if item is _END:
                return
            if isinstance(item, Exception):
                raise item
            yield item  # type: ignore[misc]
    finally:
        given_up.set()


def wait_for(make: Callable[[], Item], seconds: float) -> Item:
    """What `make` returns or raises; TimeoutError after `seconds`."""
    (item,) = with_patience((make() for _ in range(1)), seconds)
    return item
