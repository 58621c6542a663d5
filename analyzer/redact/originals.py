"""Which strings of an incident name a machine, a person or a place or thing of theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.redact import checks, public
from analyzer.redact.finders import choose_finders
from analyzer.redact.forms import plain_views
from analyzer.redact.settings import read_pairs
from analyzer.redact.walk import walk

EXPANDED = 512  # names that one bracket range may stand for
# Captures that rules name so, and what they catch.
CAPTURED: Mapping[str, str] = {
    **dict.fromkeys(("host", "server", "peer", "machine", "batch_host", "node", "target"), "host"),
    **dict.fromkeys(("address", "ip", "inet"), "addr"),
    "user": "user",
    "uuid": "uuid",
    "pod_uid": "uuid",
    "guid": "guid",
    "namespace": "namespace",
    "pod": "pod",
    "bucket": "bucket",
    "instance": "instance",
}
# Sorts that may have no letter.
NUMBERS = frozenset(
    {"addr", "mac", "uuid", "card", "phone", "person", "account", "serial", "key", "fingerprint", "guid"}
)
_RANGE = re.compile(r"(.*?)\[([\d,-]+)\](.*)", re.S)
_MEMBERS = re.compile(r"(?:[^,\[]|\[[^\]\[]*\]|\[)+")  # of `gpu[1-3,7],login`: commas in brackets part nothing
_HOST = re.compile(r"(?=[^.]*[^\W\d])\w(?:[\w.-]*\w)?")
_POINTER = re.compile(r"(?:0x)?[0-9a-fA-F]{8,16}")
_STEM = re.compile(r"([a-z][\w-]{3,60}?)(\d{1,6})")
_DOTTED = re.compile(r"(?<![\w.-])[\w-]+(?:\.[\w-]+)+(?![\w-])")
_WORD = re.compile(r"(?<![\w.-])[A-Za-z][\w-]{3,66}(?![\w-])")
_AT = re.compile(r"(?<![\w.+/-])([A-Za-z_][\w.-]{0,62})@([A-Za-z0-9](?:[\w-]|\.(?=\w))*)")
_LONGEST_HOST = 253  # characters of a full name, RFC 1035
_SHORTEST_STEM = 6  # letters, unless a hyphen is among them


@dataclass(frozen=True, slots=True)
class Original:
    """`sort` is the word that its stable name begins with: node, host, addr, user, bucket …

    `sure`: it was found where only a name can stand. `everywhere` is False for an ordinary word, which is hidden only
    in such places.
    """

    sort: str
    text: str
    everywhere: bool = True
    sure: bool = False


def find_originals(incident: Mapping[str, object], words: Iterable[str], own: frozenset[str]) -> list[Original]:
    """Each once, machines first. `words` are the owner's; those in `own`, the report's own words, name nobody unless
    they stand where only a name can stand."""
    texts = list(dict.fromkeys(view for text in dict.fromkeys(walk(incident)) for view in plain_views(text)))
    pairs = [pair for text in texts for pair in read_pairs(text)]
    found: dict[str, Original] = {}
    for one in (*(Original("word", word) for word in words), *_known(incident), *_stated((*texts, *pairs))):
        _add(found, one, own)
    for one in _relatives(texts, list(found.values()), own):
        _add(found, one, own)
    return list(found.values())


def _add(found: dict[str, Original], one: Original, own: frozenset[str]) -> None:
    text = one.text.strip()
    key = text.lower()
    if one.sort == "word":
        if text:
            found.setdefault(key, Original("word", text))
        return
    if len(text) < 2 or (one.sort not in NUMBERS and not any(map(str.isalpha, text))):
        return  # a number, a time: nobody's name, but found in every report
    ordinary = key in own
    if key not in found and (one.sure or not ordinary):
        found[key] = Original(one.sort, text, everywhere=not ordinary)


def _known(incident: Mapping[str, object]) -> Iterator[Original]:
    """What the incident holds as a name."""
    nodes = incident.get("nodes")
    for node in nodes if isinstance(nodes, list) else ():
        if node["name"] not in node["tasks"]:  # a bundle that knows no machine by name
            yield from _machine("node", node["name"])
        for host in node["hosts"]:
            yield from _machine("host", host)
        for address in node["addresses"]:
            yield from _machine("addr", address.rpartition(":")[0] if address.count(":") == 1 else address)
    for sort, text in _captured(incident):
        if sort in ("host", "addr"):
            name = text.rpartition(":")[0] if re.fullmatch(r"[^:]+:\d+", text) else text
            if checks.is_address(name) or (
                _HOST.fullmatch(name) and not _POINTER.fullmatch(name) and _is_particular(name)
            ):
                yield from _machine(sort, name)
        elif re.fullmatch(r"[\w.@-]{2,128}", text) and not public.is_indexed(text):
            yield Original(sort, text)


def _captured(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inside in value.items():
            if key == "captures" and isinstance(inside, Mapping):
                yield from ((CAPTURED[name], text) for name, text in inside.items() if name in CAPTURED)
            else:
                yield from _captured(inside)
    elif isinstance(value, (list, tuple)):
        for inside in value:
            if isinstance(inside, (Mapping, list, tuple)):
                yield from _captured(inside)


def _is_particular(name: str) -> bool:
    return not public.is_indexed(name) and not public.is_everybodys_host(name) and public.names_a_host(name)


def _machine(sort: str, name: str) -> Iterator[Original]:
    """A name with its domain is a machine's twice: in full, and by its first part."""
    if checks.is_address(name):
        if checks.names_a_machine(name):
            yield Original("addr", name)
        return
    yield Original("host" if sort == "addr" else sort, name)
    short, dot, _ = name.partition(".")
    if dot and not short.isdigit():
        yield Original("host", short)


def _stated(texts: Iterable[str]) -> Iterator[Original]:
    for text in texts:
        for finder in choose_finders(text):
            for start, end in finder.find(text):
                yield from _named(finder.sort, text[start:end], finder.sure)


def _named(sort: str, name: str, sure: bool) -> Iterator[Original]:
    """The names in what a finder found: a range stands for its members too, a full name for the short one, a mail for
    its user."""
    rented = public.rented_part(name) if sort in ("host", "bucket") else None
    if rented is not None:
        yield from [Original(sort, rented)] if rented else []
        return
    if sort == "hosts":
        for host in _MEMBERS.findall(name):
            yield from _named("host", host, sure)
        return
    yield Original(sort, name, sure=sure)
    if sort == "host" and (members := expand(name)):
        yield from (Original("host", member) for member in members)
    elif sort == "host" and "." in name and _is_particular(short := name.partition(".")[0]):
        yield Original("host", short)
    elif sort == "mail" and len(user := name.partition("@")[0]) > 2 and user.lower() not in public.NOBODY:
        yield Original("user", user)


def expand(text: str) -> list[str]:
    """The names that a bracket range stands for, as Slurm writes it: `gpu-[08-10,12]`; none where it is no range."""
    match = _RANGE.fullmatch(text)
    if match is None or "[" in match[3]:
        return []
    names: list[str] = []
    for part in match[2].split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or not (last if dash else first).isdecimal():
            continue
        for number in range(int(first), min(int(last or first), int(first) + EXPANDED) + 1):
            names.append(f"{match[1]}{number:0{len(first)}d}{match[3]}")
    return names[:EXPANDED]


def _relatives(texts: Sequence[str], found: Sequence[Original], own: frozenset[str]) -> Iterator[Original]:
    """Other hosts of the domains that known hosts and mails are in, those that count on from a known one, and people
    who are named beside a known host."""
    hosts = {one.text.lower() for one in found if one.sort in ("node", "host") and "[" not in one.text}
    mails = {one.text.lower() for one in found if one.sort == "mail"}
    said = {*(host.partition(".")[2] for host in hosts), *(mail.partition("@")[2] for mail in mails)}
    domains = {domain for domain in said if _is_own_domain(domain)}
    counted = (_STEM.fullmatch(host.partition(".")[0]) for host in hosts)
    stems = {match[1] for match in counted if match and _is_stem(match[1], own)}
    for text in texts:
        for match in _DOTTED.finditer(text) if domains and "." in text else ():
            labels = match[0].lower().split(".") if len(match[0]) <= _LONGEST_HOST else []
            if any(".".join(labels[at:]) in domains for at in range(len(labels) - 1)):
                yield Original("host", match[0])
        for match in _WORD.finditer(text) if stems else ():
            if match[0].lower().rstrip("0123456789") in stems and match[0][-1].isdigit():
                yield Original("host", match[0])
        for match in _AT.finditer(text) if "@" in text else ():
            if match[2].lower() in hosts and match[1].lower() not in public.NOBODY and not public.is_indexed(match[1]):
                yield Original("user", match[1])


def _is_own_domain(domain: str) -> bool:
    return "." in domain and not public.is_everybodys_host(domain) and public.rented_part(domain) is None


def _is_stem(stem: str, own: frozenset[str]) -> bool:
    bare = stem.rstrip("-_").lower()
    return bare not in own and not public.is_indexed(f"{bare}0") and ("-" in bare or len(bare) >= _SHORTEST_STEM)
