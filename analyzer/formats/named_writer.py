"""The name of a node, pod or container before a line: stern, pdsh, clush, NHC. It counts only before another format.

    trainer-worker-0 tensorflow 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] oneDNN
    r1n7.example.org tensorflow 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] oneDNN
    node-17: [   12.345678] NVRM: Xid (PCI:0000:3b:00): 79, pid=77
    [node-17] 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] oneDNN
    [node-17] out: 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] oneDNN        (Fabric)
    worker | [   12.345678] NVRM: Xid (PCI:0000:3b:00): 79, pid=77

A tab may separate the two, as with GNU parallel's --tag. Many ordinary sentences begin like this.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import LETTERS_AND_DIGITS, Format, Tier
from analyzer.formats.severity import SEVERITY_BY_WORD
from analyzer.model import Line

# A pod's name has a separator or a number: two plain words are a sentence. It has a letter, unless it is an address.
_STERN = re.compile(
    r"((?=[a-z]{0,81}[-.\d])(?=[\d.-]{0,81}[a-z]|(?:\d{1,3}\.){3}\d{1,3} )"
    r"[a-z0-9]{1,81}+(?:[-.]{1,4}+[a-z0-9]{1,80}+)*+) (?:› )?([a-z0-9][a-z0-9-]{0,62}) (.*)",
    re.DOTALL,
).match
_HOST = re.compile(r"([A-Za-z0-9][\w.-]{0,120}): (.*)", re.DOTALL).match
# The key of a time, as in apt's history.log: `Start-Date: 2026-11-21  05:10:09`
_TIME_KEY = re.compile(
    r"(?:.*[-_])?(?:date|time|timestamp|started|ended|finished|created|begin|end|since|until)$", re.I
).match
# What pr_fmt() of the kernel writes before "INFO: ".
_KERNEL = {"rcu", "mce", "watchdog", "workqueue", "kmemleak", "lockdep"}
_BRACKET = re.compile(
    r"[\[(](?:\w{1,40}@)?([A-Za-z][\w.-]{0,120})(?::\d{1,5})?[\])] (?:(?:out|err):(?: |\Z))?(.*)", re.DOTALL
).match
_THREAD = re.compile(r"(?:Main|Dummy)?(?:Thread|Process)(?:-\d+)?$").match  # the names that Python's logging gives
_TAB = re.compile(r"([A-Za-z0-9][\w.@-]{0,120})\t(.*)", re.DOTALL).match
_BAR = re.compile(r"([A-Za-z0-9][\w.-]{0,120}) +\| (.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    if (match := _HOST(text)) and _may_write(match[1]):
        return Line(match[2], stream=match[1], host=match[1])
    if match := _STERN(text):
        return Line(match[3], stream=match[1])
    if (match := _BRACKET(text)) and match[1].lower() not in SEVERITY_BY_WORD and not _THREAD(match[1]):
        return Line(match[2], stream=match[1], host=match[1])
    match = _BAR(text) or _TAB(text)  # the container; its peers call it by this name, too
    return Line(match[2], stream=match[1], host=match[1]) if match else None


def _may_write(name: str) -> bool:
    return name.lower() not in SEVERITY_BY_WORD and name not in _KERNEL and not _TIME_KEY(name)


FORMAT = Format(
    "named_writer",
    None,
    parse,
    tier=Tier.GUESS,
    wrapper=True,
    prefixes_every_line=True,
    first_chars=LETTERS_AND_DIGITS + "[(",
    date_marks="",
    tentative=True,
    names_writer=True,
)
