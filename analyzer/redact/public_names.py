"""Common names that identify no one (templates/redact/public.yaml), and which words look like
hosts.
"""

from __future__ import annotations

import re
from typing import Any

from analyzer.resources import templates_dir
from analyzer.untrusted.documents import read_yaml

_TABLES: Any = next(read_yaml((templates_dir() / "redact" / "public.yaml").read_text("utf-8")))
GENERIC_USERS, FOLDERS, NAMESPACES, OWNERS = (
    frozenset(_TABLES[key]) for key in ("nobody", "folders", "namespaces", "owners")
)
_DOMAINS, _PROVIDER_SUFFIXES = frozenset(_TABLES["domains"]), tuple(_TABLES["rented"])
_TOP_LEVEL_DOMAINS, _CERTAIN_TOP_LEVEL_DOMAINS, _NOT_COUNTRY_CODES = (
    frozenset(_TABLES[key]) for key in ("ends", "sure_ends", "no_countries")
)
_MODULES = frozenset(_TABLES["modules"])
_SERVICE_WORDS = re.compile(
    r"s3(?:[-.](?:fips|website|accesspoint|dualstack|control)?[\w-]*)?|dkr|ecr|blob|dfs|file|queue|table|core"
    r"|compute(?:-\d)?|elb|rds|ec2|efs|fsx|cache|es|eks|sts|iam|kms|logs|batch|api|vpce|oss|cos|obs|dualstack|website"
    r"|storage|registry|internal|docker"
    r"|[a-z]{2}(?:-[a-z]+)+-?\d*|oss-[\w-]+|nyc\d|ams\d|fra\d|sgp\d|www|hooks"
)
_INDEXED = re.compile(
    r"(?:worker|ps|chief|evaluator|master|launcher|node|host|task|rank|gpu|cpu|device|job|pod|replica|process|stage|eth|ib"
    r"|step|epoch|run|exp|trial|model|part|shard|slot|core|thread|server|client|container|machine|addr|user|bucket|mail|mac)[-_]?\d+|slot\d+_\d+",
    re.I,
)
_NO_HOST = re.compile(  # kinds of processors, versions, numbers, files
    r"(?:x86|amd64|aarch64|arm64|i[3-6]86|ppc64|s390x|riscv64)(?![a-z0-9]).*|sm_\d+|v?\d[\d.:_-]*|0x[0-9a-f]+"
    r"|.*\.(?:py|cc|h|log|ya?ml|json|so|sh|txt|gz|out|err|cfg|toml|ini|c|cpp|cu|proto|tfrecord|h5|pb|index|tmp)",
    re.I,
)


def is_public_service(name: str) -> bool:
    """Return whether a full host name belongs to a public service."""
    labels = name.lower().rstrip(".").split(".")
    return any(".".join(labels[at:]) in _DOMAINS for at in range(len(labels)))


def customer_part(name: str) -> str | None:
    """Return the customer's part of a host at a provider: `zeta` of `zeta.s3.eu-west-1.amazonaws.com`.

    None for other hosts, "" if the customer has no part in the name.
    """
    lower = name.lower()
    end = next((end for end in _PROVIDER_SUFFIXES if lower.endswith(f".{end}") or lower == end), None)
    if end is None:
        return None
    labels = name[: len(name) - len(end)].rstrip(".").split(".")
    while labels and _SERVICE_WORDS.fullmatch(labels[-1].lower()):
        labels.pop()
    return ".".join(labels)


def looks_like_host(name: str) -> bool:
    """Return whether a word, where a host is expected, looks like one. Many are words of a sentence."""
    if is_indexed_role(name) or _NO_HOST.fullmatch(name) or "_" in name or name.endswith("-"):
        return False
    return any(map(str.isdigit, name)) or "-" in name or name.count(".") > 1


def is_common_word(name: str) -> bool:
    """Return whether a word is a number, a role in any job, or the name of software that everybody runs."""
    lower = name.lower()
    return (
        name.isdigit()
        or is_indexed_role(name)
        or any(lower in words for words in (GENERIC_USERS, FOLDERS, NAMESPACES, OWNERS, _MODULES))
    )


def is_indexed_role(name: str) -> bool:
    """Return whether the name is a role in any job or machine: `worker-0`, `gpu3`."""
    return _INDEXED.fullmatch(name) is not None


def is_full_host_name(name: str) -> bool:
    """Return whether dotted words are the full name of a host, and not a module, file or version."""
    labels = name.split(".")
    end = labels[-1].lower()
    if len(labels) < 2 or not all(labels) or labels[0].lower() in _MODULES or name not in (name.lower(), name.upper()):
        return False
    if end in _CERTAIN_TOP_LEVEL_DOMAINS:
        return True
    country = len(end) == 2 and end.isalpha() and end not in _NOT_COUNTRY_CODES
    return len(labels) > 2 and (end in _TOP_LEVEL_DOMAINS or country) and any(map(str.isalpha, labels[-2]))
