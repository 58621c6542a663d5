"""Log formats of the program, as (format, time format); TensorFlow's own lines keep their format."""

from __future__ import annotations

import logging

LOGS = {
    "plain": ("%(asctime)s %(levelname)s %(message)s", None),
    "named": ("%(asctime)s [%(levelname)s] %(name)s: %(message)s", None),
    "dashes": ("%(asctime)s - %(name)s - %(levelname)s - %(message)s", None),
    "place": ("[%(asctime)s] {%(filename)s:%(lineno)d} %(levelname)s - %(message)s", None),
    "basic": ("%(levelname)s:%(name)s:%(message)s", None),
    "iso": ("%(asctime)s %(levelname)-8s %(message)s", "%Y-%m-%dT%H:%M:%S%z"),
    "absl": (
        "%(levelname).1s%(asctime)s.%(msecs)03d000 %(thread)d %(filename)s:%(lineno)d] %(message)s",
        "%m%d %H:%M:%S",
    ),
    "json": (
        '{"ts": %(created).3f, "level": "%(levelname)s", "pid": %(process)d, "msg": "%(message)s"}',
        None,
    ),
}


def begin_log(name: str) -> None:
    form, date_form = LOGS[name]
    logging.basicConfig(level=logging.INFO, format=form, datefmt=date_form)
