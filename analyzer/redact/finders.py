"""Find names of machines, people, places and things in text, by the rows of templates/redact/finders.yaml."""

from __future__ import annotations

import functools
import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from analyzer.redact import public_names, validators
from analyzer.resources import templates_dir
from analyzer.untrusted.documents import read_yaml


@dataclass(frozen=True, slots=True)
class NameFinder:
    """One row of the table. `is_certain`: only a name can stand in this place, so even an ordinary word is hidden
    there.

    `hints` are texts in lower case; the pattern is tried only if one of them occurs. The last group of the pattern is
    the name.
    """

    name_kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    is_certain: bool
    accepts: Callable[[re.Match[str]], bool]

    def find_names(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of the names in `text`, in order."""
        for match in self.pattern.finditer(text):
            if match.lastindex and self.accepts(match):
                yield match.span(match.lastindex)


@functools.cache
def load_finders() -> tuple[NameFinder, ...]:
    """Return all rows of the table, compiled."""
    tables: Any = next(read_yaml((templates_dir() / "redact" / "finders.yaml").read_text("utf-8")))
    words: Mapping[str, str] = tables["words"]
    return tuple(
        NameFinder(
            name_kind=row["sort"],
            hints=tuple(row["hints"]),
            pattern=re.compile(_expand_words(row["pattern"], words)),
            is_certain=not row.get("likely", False),
            accepts=_ACCEPTS[row.get("accepts", "anything")],
        )
        for row in tables["finders"]
    )


@functools.cache
def _finders_by_hint() -> tuple[tuple[str, tuple[int, ...]], ...]:
    numbers_by_hint: dict[str, list[int]] = {}
    for number, finder in enumerate(load_finders()):
        for hint in finder.hints:
            numbers_by_hint.setdefault(hint, []).append(number)
    return tuple((hint, tuple(numbers)) for hint, numbers in numbers_by_hint.items())


def choose_finders(text: str) -> list[NameFinder]:
    """Return the finders that have a hint in the text, in the order of the table."""
    lower, finders = text.lower(), load_finders()
    wanted = {number for hint, numbers in _finders_by_hint() if hint in lower for number in numbers}
    return [finders[number] for number in sorted(wanted)]


def _expand_words(pattern: str, words: Mapping[str, str]) -> str:
    """Return the pattern with words in the place of their names. Blanks in it only make it legible."""
    return "(?x)" + re.sub(r"<([A-Z]+)>", lambda word: f"(?:{words[word[1]]})", pattern)


def _captured_name(match: re.Match[str]) -> str:
    return str(match[match.lastindex or 0])


def _is_private_joined(name: str) -> bool:
    dotted = re.sub("[_-]", ".", name)
    return validators.is_address(dotted) and validators.is_private_address(dotted)


def _is_private_hex(name: str) -> bool:
    return validators.is_private_address(str(ipaddress.IPv4Address(int(name, 16))))


def _is_hex_of_machine(name: str) -> bool:
    return any(
        validators.is_machine_address(str(ipaddress.IPv4Address(bytes.fromhex(name)[::step]))) for step in (1, -1)
    ) and (name not in ("00000000", "0100007F"))


_VERSION_BEFORE = re.compile(
    r"(?i:version|release|build|cudnn|tensorrt|driver|firmware|cuda|\bv|\br|==|nccl|tensorflow|onnx\w{0,20})[\s:=]{0,3}v?\Z"
)


def _is_address4(match: re.Match[str]) -> bool:
    name = _captured_name(match)
    if not validators.is_machine_address(name):
        return False
    before = match.string[max(0, match.start() - 24) : match.start()]
    return not _VERSION_BEFORE.search(before) or validators.is_private_address(name)


def _is_private_part(match: re.Match[str]) -> bool:
    name = _captured_name(match)
    return validators.is_machine_address(name) and validators.is_private_address(name)


def _is_private_glued(match: re.Match[str]) -> bool:
    """Return whether the word is letters and a private address, as in `peer10.42.7.25`, and names no version."""
    word = _captured_name(match)
    letters = re.match("[A-Za-z]*", word)[0]  # type: ignore[index]
    address = word[len(letters) :]
    return (
        validators.is_machine_address(address)
        and validators.is_private_address(address)
        and not _VERSION_BEFORE.search(letters)
    )


def _is_mail(match: re.Match[str]) -> bool:
    user, _, domain = _captured_name(match).partition("@")
    return user.lower() != "git" and domain.rpartition(".")[2].lower() not in ("service", "timer", "socket", "mount")


def _is_full_name(match: re.Match[str]) -> bool:
    name = _captured_name(match)
    return public_names.is_full_host_name(name) and not public_names.is_public_service(name)


def _is_range(name: str) -> bool:
    """Return whether the name is a range of hosts: `gpu[1-3]`, `gpu-a[1,3]`. `shape[1,3]` is an index."""
    if "-" not in name:
        return False
    stem = name.partition("[")[0].lower().rstrip("-_0123456789")
    return stem not in public_names.GENERIC_USERS | public_names.FOLDERS and not public_names.is_indexed_role(
        f"{stem}0"
    )


def _is_person(name: str) -> bool:
    return name.lower() not in public_names.GENERIC_USERS and name.lower() not in public_names.FOLDERS


_ACCEPTS: Mapping[str, Callable[[re.Match[str]], bool]] = {
    "anything": lambda match: True,
    "is_person": lambda match: _is_person(_captured_name(match)),
    "is_no_folder": lambda match: (
        _is_person(_captured_name(match))
        and "." not in _captured_name(match)[1:]
        and not public_names.is_indexed_role(_captured_name(match))
    ),
    "is_phone": lambda match: 7 <= sum(map(str.isdigit, _captured_name(match))) <= 15,
    "is_card": lambda match: validators.is_card_number(match[1]),
    "is_iban": lambda match: validators.is_iban(_captured_name(match)),
    "is_local_host": lambda match: is_private_name(_captured_name(match)),
    "is_full_name": _is_full_name,
    "is_likely_host": lambda match: (
        public_names.looks_like_host(_captured_name(match)) and is_private_name(_captured_name(match))
    ),
    "is_some_host": lambda match: is_private_name(_captured_name(match)) and not _captured_name(match).isdigit(),
    "is_own_host": lambda match: (
        is_private_name(_captured_name(match)) and not public_names.is_common_word(_captured_name(match))
    ),
    "is_range": lambda match: _is_range(_captured_name(match)),
    "is_address4": _is_address4,
    "is_private_part": _is_private_part,
    "is_private_glued": _is_private_glued,
    "is_private_joined": lambda match: _is_private_joined(match[1]),
    "is_address6": lambda match: (
        validators.is_machine_address(_captured_name(match)) and _is_no_scope(_captured_name(match))
    ),
    "is_private_hex": lambda match: _is_private_hex(_captured_name(match)),
    "is_hex_of_machine": lambda match: _is_hex_of_machine(_captured_name(match)),
    "is_no_number": lambda match: any(map(str.isalpha, _captured_name(match))),
    "has_digit": lambda match: any(map(str.isdigit, _captured_name(match))),
    "is_mail": _is_mail,
    "is_no_public_owner": lambda match: _captured_name(match).partition("/")[0].lower() not in public_names.OWNERS,
    "is_namespace": lambda match: _captured_name(match) not in public_names.NAMESPACES,
    "is_object": lambda match: (
        not public_names.is_indexed_role(_captured_name(match)) and _captured_name(match) not in public_names.NAMESPACES
    ),
    "is_label": lambda match: (
        _captured_name(match).lower() not in ("normal", "default", "root", "(null)", "n/a", "none", "null")
    ),
}


def _is_no_scope(name: str) -> bool:
    """Return False for a scope of C++, such as `a::b`."""
    return any(map(str.isdigit, name)) or name.count(":") > 3


def is_private_name(name: str) -> bool:
    """Return whether a host's name is that of a certain machine: no address, nobody's own name, no public service."""
    every_machines = name.lower().startswith(("localhost", "ip6-", "ipv4", "ipv6", "kubernetes.default"))
    return not every_machines and not public_names.is_public_service(name) and not validators.is_address(name)
