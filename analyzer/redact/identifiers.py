"""Find the strings of an incident that name a machine, a person, or one of their places or things."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.redact import public_names, validators
from analyzer.redact.finders import choose_finders, is_private_name
from analyzer.redact.name_variants import uncoloured_views, unescaped_views
from analyzer.redact.settings import read_pairs
from analyzer.redact.walk import bundle_strings

MAX_RANGE_NAMES = 512  # names that one bracket range may stand for
MAX_NAMES_OF_RANGES = 20_000  # of all: 40 KB of text hold ranges of a million names; others are found where they stand
# Captures that rules name so, and what they catch.
KIND_BY_CAPTURE: Mapping[str, str] = {
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
KINDS_WITHOUT_LETTERS = frozenset(
    {"addr", "mac", "uuid", "card", "phone", "person", "account", "serial", "key", "fingerprint", "guid"}
)
_RANGE = re.compile(r"(.*?)\[([\d,-]+)\](.*)", re.S)
_MEMBERS = re.compile(r"(?:[^,\[]|\[[^\]\[]*\]|\[)+")  # of `gpu[1-3,7],login`: commas in brackets part nothing
_PORT = re.compile(r":\d{1,5}\Z")
_HOST = re.compile(r"(?=[^.]*[^\W\d])\w(?:[\w.-]*\w)?")
_ENTITY = re.compile(r"&#?\w{2,6}")  # the beginning of an escape of HTML, where a name in brackets was expected
_POINTER = re.compile(r"(?:0x)?[0-9a-fA-F]{8,16}")
_STEM = re.compile(r"([a-z][\w-]{3,60}?)(\d{1,6})")
_DOTTED = re.compile(r"(?<![\w-])(?<!\w\.)[\w-]+(?:\.[\w-]+)+(?![\w-])")
_WORD = re.compile(r"(?<![\w-])(?<!\w\.)[A-Za-z][\w-]{3,66}(?![\w-])")
_AT = re.compile(r"(?<![\w+/-])(?<!\w\.)([A-Za-z_][\w.-]{0,62})@([A-Za-z0-9](?:[\w-]|\.(?=\w))*)")
_MAX_HOST_CHARS = 253  # characters of a full name, RFC 1035
_MIN_NUMBER_CHARS = 6  # characters of a name without letters, such as an account: shorter ones stand in every time
_MIN_STEM_CHARS = 6  # letters, unless a hyphen is among them


@dataclass(frozen=True, slots=True)
class Identifier:
    """A name to hide. `name_kind` is the word that its stable name begins with: node, host, addr, user, bucket …

    `is_certain`: it was found where only a name can stand. `everywhere` is False for an ordinary word, which is hidden
    only in such places.
    """

    name_kind: str
    text: str
    everywhere: bool = True
    is_certain: bool = False


def find_identifiers(
    incident: Mapping[str, object], words: Iterable[str], program_words: frozenset[str]
) -> list[Identifier]:
    """Return each identifier once, machines first.

    `words` are those that the owner lists. `program_words` are the report's own words: one of them is an identifier
    only if it stands where only a name can stand.
    """
    texts = list(
        dict.fromkeys(
            view
            for text in dict.fromkeys(bundle_strings(incident))
            for unescaped in unescaped_views(text)
            for view in uncoloured_views(unescaped)
        )
    )
    pairs = [pair for text in texts for pair in read_pairs(text)]
    identifiers: dict[str, Identifier] = {}
    for identifier in (
        *(Identifier("word", word) for word in words),
        *_incident_names(incident),
        *_names_in_texts((*texts, *pairs)),
    ):
        _add_identifier(identifiers, identifier, program_words)
    for identifier in _related_names(texts, list(identifiers.values()), program_words):
        _add_identifier(identifiers, identifier, program_words)
    return list(identifiers.values())


def _add_identifier(identifiers: dict[str, Identifier], identifier: Identifier, program_words: frozenset[str]) -> None:
    text = identifier.text.strip()
    if identifier.name_kind != "word":
        text = text.strip("{} \t")  # of a template's placeholder; Jira's markup begins a monospaced text so
    key = text.lower()
    if identifier.name_kind == "word":
        if text:
            identifiers.setdefault(key, Identifier("word", text))
        return
    is_possible = str.isalnum if identifier.name_kind in KINDS_WITHOUT_LETTERS else str.isalpha
    if len(text) < 2 or not any(map(is_possible, text)):
        return  # a number, a time or `..`: not a name, but found in every report
    if _ENTITY.fullmatch(text):
        return
    is_ordinary = (
        key in program_words
        or key.strip("-_.") in program_words  # `node-` heads a range: node-[1-3]
        or (len(key) < _MIN_NUMBER_CHARS and not any(map(str.isalpha, key)))
    )
    if key not in identifiers and (identifier.is_certain or not is_ordinary):
        identifiers[key] = Identifier(identifier.name_kind, text, everywhere=not is_ordinary)


def _incident_names(incident: Mapping[str, object]) -> Iterator[Identifier]:
    """Yield the names that the incident states in fields of their own."""
    nodes = incident.get("nodes")
    for node in nodes if isinstance(nodes, list) else ():
        if node["name"] not in node["tasks"]:  # a bundle that knows no machine by name
            yield from _machine_names("node", node["name"])
        for host in node["hosts"]:
            yield from _machine_names("host", host)
        for address in node["addresses"]:
            yield from _machine_names("addr", address.rpartition(":")[0] if address.count(":") == 1 else address)
    for sort, text in _captured_names(incident):
        if sort in ("host", "addr"):
            name = text.rpartition(":")[0] if re.fullmatch(r"[^:]+:\d+", text) else text
            if validators.is_address(name) or (
                _HOST.fullmatch(name) and not _POINTER.fullmatch(name) and _is_specific_host(name)
            ):
                yield from _machine_names(sort, name)
        elif re.fullmatch(r"[\w.@-]{2,128}", text) and not public_names.is_indexed_role(text):
            yield Identifier(sort, text)


def _captured_names(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inside in value.items():
            if key == "captures" and isinstance(inside, Mapping):
                yield from ((KIND_BY_CAPTURE[name], text) for name, text in inside.items() if name in KIND_BY_CAPTURE)
            else:
                yield from _captured_names(inside)
    elif isinstance(value, (list, tuple)):
        for inside in value:
            if isinstance(inside, (Mapping, list, tuple)):
                yield from _captured_names(inside)


def _is_specific_host(name: str) -> bool:
    return (
        not public_names.is_indexed_role(name)
        and not public_names.is_public_service(name)
        and public_names.looks_like_host(name)
    )


def _machine_names(sort: str, name: str) -> Iterator[Identifier]:
    """Yield a machine's name, and the first part of a full name: both are names of the machine."""
    if validators.is_address(name):
        if validators.is_machine_address(name):
            yield Identifier("addr", name)
        return
    yield Identifier("host" if sort == "addr" else sort, name)
    short, dot, _ = name.partition(".")
    if dot and not short.isdigit():
        yield Identifier("host", short)


def _names_in_texts(texts: Iterable[str]) -> Iterator[Identifier]:
    ranges: dict[str, None] = {}
    for text in texts:
        for finder in choose_finders(text):
            for start, end in finder.find_names(text):
                for identifier in _expand_name(finder.name_kind, text[start:end], finder.is_certain):
                    yield identifier
                    if identifier.name_kind == "host" and "[" in identifier.text:
                        ranges[identifier.text] = None
    members = (member for name in ranges for member in expand_range(name))
    yield from (Identifier("host", member) for member in itertools.islice(members, MAX_NAMES_OF_RANGES))


def _expand_name(sort: str, name: str, sure: bool) -> Iterator[Identifier]:
    """Yield the names in what a finder found: also the members of a range, the short name of a full one, the user of a
    mail address.
    """
    rented = public_names.customer_part(name) if sort in ("host", "bucket") else None
    if rented is not None:
        yield from [Identifier(sort, rented)] if rented else []
        return
    if sort in ("hosts", "servers"):
        for member in _MEMBERS.findall(name):
            host = _PORT.sub("", member)
            if sort == "servers" and public_names.is_common_word(host):  # worker-0:2222,worker-1:2222
                continue
            if is_private_name(host):
                yield from _expand_name("host", host, sure)
            elif validators.is_machine_address(host):
                yield Identifier("addr", host)
        return
    yield Identifier(sort, name, is_certain=sure)
    if sort == "host" and "[" not in name and "." in name and _is_specific_host(short := name.partition(".")[0]):
        yield Identifier("host", short)
    elif sort == "mail" and len(user := name.partition("@")[0]) > 2 and user.lower() not in public_names.GENERIC_USERS:
        yield Identifier("user", user)


def expand_range(text: str) -> list[str]:
    """Return the names that a bracket range stands for, as Slurm writes it: `gpu-[08-10,12]`. Empty if it is not a
    range.
    """
    match = _RANGE.fullmatch(text)
    if match is None or "[" in match[3]:
        return []
    names: list[str] = []
    for part in match[2].split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or not (last if dash else first).isdecimal():
            continue
        for number in range(int(first), min(int(last or first), int(first) + MAX_RANGE_NAMES) + 1):
            names.append(f"{match[1]}{number:0{len(first)}d}{match[3]}")
    return names[:MAX_RANGE_NAMES]


def _related_names(
    texts: Sequence[str], identifiers: Sequence[Identifier], program_words: frozenset[str]
) -> Iterator[Identifier]:
    """Yield other hosts in the domains of known hosts and mail addresses, hosts that continue the numbering of a known
    one, and people named together with a known host (`user@host`).
    """
    hosts = {
        identifier.text.lower()
        for identifier in identifiers
        if identifier.name_kind in ("node", "host") and "[" not in identifier.text
    }
    mails = {identifier.text.lower() for identifier in identifiers if identifier.name_kind == "mail"}
    candidate_domains = {*(host.partition(".")[2] for host in hosts), *(mail.partition("@")[2] for mail in mails)}
    domains = {domain for domain in candidate_domains if _is_own_domain(domain)}
    counted = (_STEM.fullmatch(host.partition(".")[0]) for host in hosts)
    ranges = (identifier.text.lower().partition("[")[0] for identifier in identifiers if "[" in identifier.text)
    candidate_stems = {*(match[1] for match in counted if match), *ranges}
    stems = {stem for stem in candidate_stems if _is_stem(stem, program_words)}
    for text in texts:
        for match in _DOTTED.finditer(text) if domains and "." in text else ():
            labels = match[0].lower().split(".") if len(match[0]) <= _MAX_HOST_CHARS else []
            if any(".".join(labels[at:]) in domains for at in range(len(labels) - 1)):
                yield Identifier("host", match[0])
        for match in _WORD.finditer(text) if stems else ():
            if match[0].lower().rstrip("0123456789") in stems and match[0][-1].isdigit():
                yield Identifier("host", match[0])
        for match in _AT.finditer(text) if "@" in text else ():
            if (
                match[2].lower() in hosts
                and match[1].lower() not in public_names.GENERIC_USERS
                and not public_names.is_indexed_role(match[1])
            ):
                yield Identifier("user", match[1])


def _is_own_domain(domain: str) -> bool:
    return "." in domain and not public_names.is_public_service(domain) and public_names.customer_part(domain) is None


def _is_stem(stem: str, program_words: frozenset[str]) -> bool:
    bare = stem.rstrip("-_").lower()
    return (
        bare not in program_words
        and not public_names.is_indexed_role(f"{bare}0")
        and ("-" in bare or len(bare) >= _MIN_STEM_CHARS)
    )
