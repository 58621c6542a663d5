"""Secrets taken out of what leaves the node: command lines, environments, URLs.

A name that says secret hides its value; a value that has the shape of a well-known token is hidden wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

MASK = "<redacted>"

_NAME = re.compile(
    r"(?:^|[_\-.])(?:tokens?|secrets?|passw(?:or)?d|passphrase|pwd?|pass|credentials?|creds?|auth(?:orization)?|cookies?"
    r"|session|bearer|sas|dsn|(?:api|access|private|secret|ssh|gpg|signing|encryption|account|license)[_\-.]?keys?|key)"
    r"(?:$|[_\-.](?:id|file|b64|base64|json|data|value)?\d*$)|apikey|password|passwd|secret|token$",
    re.I,
)
_PATH = re.compile(r"^(?:/[\w.@+-]+)+/?$")  # where a secret lies is no secret
_OPEN = frozenset({"pwd", "oldpwd"})
# Shapes: AWS and Google key ids, GitHub, GitLab, Slack, Hugging Face, OpenAI, JWT, PEM, and user:password@ in a URL.
_SHAPES = re.compile(
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{35}|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{40,}"
    r"|\bglpat-[\w-]{20,}|\bxox[abprs]-[\w-]{10,}|\bhf_[A-Za-z0-9]{30,}|\bsk-[\w-]{20,}|\bya29\.[\w-]{20,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.S,
)
_URL = re.compile(r"(?<=://)([^/\s:@]*):([^/\s@]+)@")
_SIGNED = re.compile(
    r"([?&](?:sig|signature|x-amz-signature|x-amz-credential|token|access_token|key|password)=)[^&\s'\"]+", re.I
)
_ASSIGNED = re.compile(
    r"""(?P<head>(?P<name>[A-Za-z][\w.-]{0,80})["']?\s{0,2}[=:]\s{0,2}["']?)(?P<value>[^\s"',;&}]{3,})"""
)
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}", re.I)


def is_secret(name: str) -> bool:
    """Whether a variable or option of this name holds a secret: `HF_TOKEN`, `--db-password`."""
    bare = name.lstrip("-").lower()
    return bare not in _OPEN and _NAME.search(bare) is not None


def mask_text(text: str) -> str:
    """Known shapes of tokens, credentials in URLs, `name=value` and `name: value` of secret names."""
    text = _SHAPES.sub(MASK, text)
    text = _URL.sub(r"\1:" + MASK + "@", text)
    text = _SIGNED.sub(r"\1" + MASK, text)
    text = _BEARER.sub(r"\1 " + MASK, text)
    return _ASSIGNED.sub(_mask_assigned, text)


def _mask_assigned(found: re.Match[str]) -> str:
    if found["value"].startswith(MASK[:9]) or _is_open(found["value"]) or not is_secret(found["name"]):
        return found[0]
    return found["head"] + MASK


def mask_variables(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: mask_value(name, value) for name, value in variables.items()}


def mask_value(name: str, value: str) -> str:
    return MASK if value and is_secret(name) and not _is_open(value) else mask_text(value)


def mask_command(words: Iterable[str]) -> list[str]:
    """A command line: the word behind `--password`, and `--token=value`."""
    masked: list[str] = []
    previous = ""
    for word in words:
        hidden = previous.startswith("-") and "=" not in previous and is_secret(previous) and not _is_open(word)
        masked.append(MASK if hidden and not word.startswith("--") else mask_text(word))
        previous = word
    return masked


def _is_open(value: str) -> bool:
    """Words that are no secret whatever the name says: paths, numbers, yes and no."""
    return bool(_PATH.match(value)) or value.lower() in _WORDS or (value.isdigit() and len(value) < 6)


_WORDS = frozenset({"", "true", "false", "yes", "no", "none", "null", "0", "1"})
