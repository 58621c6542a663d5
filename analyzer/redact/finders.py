"""Where names of machines, people, places and things stand in text: the rows of templates/redact/finders.yaml."""

from __future__ import annotations

import functools
import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from analyzer.redact import checks, public
from analyzer.resources import templates_dir
from analyzer.untrusted.documents import read_yaml


@dataclass(frozen=True, slots=True)
class Finder:
    """`sure`: the place says that it is a name, so even an ordinary word is hidden there."""

    sort: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    sure: bool
    accepts: Callable[[re.Match[str]], bool]

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Where names stand in `text`, in order."""
        for match in self.pattern.finditer(text):
            if match.lastindex and self.accepts(match):
                yield match.span(match.lastindex)


@functools.cache
def load_finders() -> tuple[Finder, ...]:
    said: Any = next(read_yaml((templates_dir() / "redact" / "finders.yaml").read_text("utf-8")))
    words: Mapping[str, str] = said["words"]
    return tuple(
        Finder(
            row["sort"],
            tuple(row["hints"]),
            re.compile(_write_out(row["pattern"], words)),
            not row.get("likely", False),
            _ACCEPTS[row.get("accepts", "anything")],
        )
        for row in said["finders"]
    )


@functools.cache
def _by_hint() -> tuple[tuple[str, tuple[int, ...]], ...]:
    found: dict[str, list[int]] = {}
    for number, finder in enumerate(load_finders()):
        for hint in finder.hints:
            found.setdefault(hint, []).append(number)
    return tuple((hint, tuple(numbers)) for hint, numbers in found.items())


def choose_finders(text: str) -> list[Finder]:
    """Those of which a hint stands in the text, in their order."""
    lower, finders = text.lower(), load_finders()
    wanted = {number for hint, numbers in _by_hint() if hint in lower for number in numbers}
    return [finders[number] for number in sorted(wanted)]


def _write_out(pattern: str, words: Mapping[str, str]) -> str:
    """With words in the place of their names; blanks only make it legible."""
    return "(?x)" + re.sub(r"<([A-Z]+)>", lambda word: f"(?:{words[word[1]]})", pattern)


def _name(match: re.Match[str]) -> str:
    return str(match[match.lastindex or 0])


def _is_private_joined(name: str) -> bool:
    dotted = re.sub("[_-]", ".", name)
    return checks.is_address(dotted) and checks.is_private(dotted)


def _is_private_hex(name: str) -> bool:
    return checks.is_private(str(ipaddress.IPv4Address(int(name, 16))))


def _is_hex_of_machine(name: str) -> bool:
    return any(
        checks.names_a_machine(str(ipaddress.IPv4Address(bytes.fromhex(name)[::step]))) for step in (1, -1)
    ) and (name not in ("00000000", "0100007F"))


_VERSION_BEFORE = re.compile(
    r"(?i:version|release|build|cudnn|tensorrt|driver|firmware|\bv|==|nccl|tensorflow|onnx\w{0,20})[\s:=]{0,3}v?\Z"
)


def _is_address4(match: re.Match[str]) -> bool:
    name = _name(match)
    if not checks.names_a_machine(name):
        return False
    before = match.string[max(0, match.start() - 24) : match.start()]
    return not _VERSION_BEFORE.search(before) or checks.is_private(name)


def _is_mail(match: re.Match[str]) -> bool:
    user, _, domain = _name(match).partition("@")
    return user.lower() != "git" and domain.rpartition(".")[2].lower() not in ("service", "timer", "socket", "mount")


def _is_full_name(match: re.Match[str]) -> bool:
    name = _name(match)
    return public.is_full_name(name) and not public.is_everybodys_host(name)


def _is_range(name: str) -> bool:
    """`gpu[1-3]`, `gpu-a[1,3]`; `shape[1,3]` is an index."""
    if "-" not in name:
        return False
    stem = name.partition("[")[0].lower().rstrip("-_0123456789")
    return stem not in public.NOBODY | public.FOLDERS and not public.is_indexed(f"{stem}0")


def _is_person(name: str) -> bool:
    return name.lower() not in public.NOBODY and name.lower() not in public.FOLDERS


_ACCEPTS: Mapping[str, Callable[[re.Match[str]], bool]] = {
    "anything": lambda match: True,
    "is_person": lambda match: _is_person(_name(match)),
    "is_no_folder": lambda match: (
        _is_person(_name(match)) and "." not in _name(match)[1:] and not public.is_indexed(_name(match))
    ),
    "is_phone": lambda match: 7 <= sum(map(str.isdigit, _name(match))) <= 15,
    "is_card": lambda match: checks.is_card(match[1]),
    "is_iban": lambda match: checks.is_iban(_name(match)),
    "is_local_host": lambda match: _is_private_name(_name(match)),
    "is_full_name": _is_full_name,
    "is_likely_host": lambda match: public.names_a_host(_name(match)) and _is_private_name(_name(match)),
    "is_some_host": lambda match: _is_private_name(_name(match)) and not _name(match).isdigit(),
    "is_own_host": lambda match: _is_private_name(_name(match)) and not public.is_common(_name(match)),
    "is_range": lambda match: _is_range(_name(match)),
    "is_address4": _is_address4,
    "is_private_joined": lambda match: _is_private_joined(match[1]),
    "is_address6": lambda match: checks.names_a_machine(_name(match)) and _is_no_scope(_name(match)),
    "is_private_hex": lambda match: _is_private_hex(_name(match)),
    "is_hex_of_machine": lambda match: _is_hex_of_machine(_name(match)),
    "is_no_number": lambda match: any(map(str.isalpha, _name(match))),
    "has_digit": lambda match: any(map(str.isdigit, _name(match))),
    "is_mail": _is_mail,
    "is_no_public_owner": lambda match: _name(match).partition("/")[0].lower() not in public.OWNERS,
    "is_namespace": lambda match: _name(match) not in public.NAMESPACES,
    "is_object": lambda match: not public.is_indexed(_name(match)) and _name(match) not in public.NAMESPACES,
    "is_label": lambda match: (
        _name(match).lower() not in ("normal", "default", "root", "(null)", "n/a", "none", "null")
    ),
}


def _is_no_scope(name: str) -> bool:
    """`a::b` is C++."""
    return any(map(str.isdigit, name)) or name.count(":") > 3


def _is_private_name(name: str) -> bool:
    every_machines = name.lower().startswith(("localhost", "ip6-", "ipv4", "ipv6", "kubernetes.default"))
    return not every_machines and not public.is_everybodys_host(name) and not checks.is_address(name)
