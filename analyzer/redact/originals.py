"""Which strings of an incident name a machine, a person or a place of theirs."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from analyzer.redact.walk import walk


@dataclass(frozen=True, slots=True)
class Original:
    """`sort` is the word that its stable name begins with: node, host, addr, mac, user, mail, bucket, word."""

    sort: str
    text: str


_ADDRESS = re.compile(r"(?<!ersion )(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)")
_ADDRESS6 = re.compile(r"(?<![\w:.])(?=[0-9a-fA-F:]*[0-9a-fA-F])(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}(?![\w:])")
_MAC = re.compile(r"(?<![\w:-])[0-9a-fA-F]{2}(?:([:-])[0-9a-fA-F]{2})(?:\1[0-9a-fA-F]{2}){4}(?![\w:-])")
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*\.[A-Za-z]{2,24}(?![\w-])")
_BUCKET = re.compile(
    r"\b(?:s3[an]?|gs|gcs|oss|cos|abfss?|wasbs?|az|hdfs|viewfs)://(?:[^\s:@/]+(?::[^\s@/]*)?@)?([\w.-]+)"
)
_HOME = re.compile(
    r"(?<![\w.])/(?:home|Users|export/home|homes?/[a-z]|scratch/users|users?)/([A-Za-z_][\w.-]*[\w-]|[A-Za-z_])"
)
_USER = re.compile(
    r"\b(?:USER|LOGNAME|USERNAME|SUDO_USER|SLURM_JOB_USER)=[\"']?([A-Za-z_][\w.-]*)|\bUserId=([A-Za-z_][\w.-]*)\(|"
    r"\b(?:session opened for user|for user|by user) ([A-Za-z_][\w-]*)"
)
# Cloud hosts carry their address in the name (AWS: ip-10-0-1-12); names below these ends exist in one house alone.
_HOST = re.compile(
    r"(?<![\w.-])(ip-(?:\d{1,3}-){3}\d{1,3}(?:\.(?:ec2|[\w-]+\.compute)\.(?:internal|amazonaws\.com))?|[A-Za-z0-9][\w-]*(?:\.[\w-]+)*"
    r"\.(?:local|internal|lan|corp|intra|intranet|home\.arpa|localdomain))(?![\w-])",
    re.I,
)
NOBODY = frozenset(
    """
    root nobody daemon bin sys adm www-data systemd ubuntu ec2-user admin user users
    """.split()  # noqa: SIM905
)


def find_originals(incident: Mapping[str, object], words: Iterable[str], own: frozenset[str]) -> list[Original]:
    """Each once, machines first. `words` are the owner's; what is in `own`, the report's own words, names nobody."""
    texts = list(walk(incident))
    found: dict[str, Original] = {}
    for one in (*(Original("word", word) for word in words), *_machines(incident), *_stated(texts)):
        text = one.text.strip()
        if one.sort == "word" or (len(text) > 1 and not text.isdigit() and text.lower() not in own):
            found.setdefault(text.lower(), Original(one.sort, text))
    domains = {one.text.partition(".")[2].lower() for one in found.values() if one.sort in ("node", "host")}
    for one in _neighbours(texts, {domain for domain in domains if "." in domain}):
        found.setdefault(one.text.lower(), one)
    return list(found.values())


def _machines(incident: Mapping[str, object]) -> Iterator[Original]:
    nodes = incident.get("nodes")
    for node in nodes if isinstance(nodes, list) else ():
        if node["name"] not in node["tasks"]:  # a bundle that knows no machine by name
            yield from _machine("node", node["name"])
        for host in node["hosts"]:
            yield from _machine("host", host)
        for address in node["addresses"]:
            yield from _machine("addr", address.rpartition(":")[0] if address.count(":") == 1 else address)


def _machine(sort: str, name: str) -> Iterator[Original]:
    """A name with its domain is a machine's twice: in full, and by its first part."""
    if _is_address(name):
        if not _names_nobody(name):
            yield Original("addr", name)
        return
    yield Original("host" if sort == "addr" else sort, name)
    short, dot, _ = name.partition(".")
    if dot and not short.isdigit():
        yield Original("host", short)


def _stated(texts: Iterable[str]) -> Iterator[Original]:
    for text in texts:
        if "." in text or ":" in text or "-" in text:
            for match in _ADDRESS.finditer(text):
                if _is_address(match[0]) and not _names_nobody(match[0]):
                    yield Original("addr", match[0])
            for match in _MAC.finditer(text):
                yield Original("mac", match[0])
            for match in _ADDRESS6.finditer(text):
                if _is_address(match[0]) and not _names_nobody(match[0]):
                    yield Original("addr", match[0])
            for match in _HOST.finditer(text):
                yield Original("host", match[1])
        if "@" in text:
            for match in _MAIL.finditer(text):
                yield Original("mail", match[0])
        if "://" in text:
            for match in _BUCKET.finditer(text):
                yield Original("bucket", match[1])
        for match in (*_HOME.finditer(text), *_USER.finditer(text)):
            name = next(group for group in match.groups() if group)
            if name.lower() not in NOBODY:
                yield Original("user", name)


def _neighbours(texts: Iterable[str], domains: set[str]) -> Iterator[Original]:
    """Other hosts of the domains that the job's own hosts are in, and the domains themselves."""
    if not domains:
        return
    ends = "|".join(re.escape(domain) for domain in sorted(domains, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w.-])(?:[\w-]+\.)*(?:{ends})(?![\w-])", re.I)
    for text in texts:
        for match in pattern.finditer(text):
            yield Original("host", match[0])


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _names_nobody(text: str) -> bool:
    address = ipaddress.ip_address(text)
    return address.is_loopback or address.is_unspecified or address.is_multicast or text.startswith("255.")
