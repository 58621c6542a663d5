"""Mask secrets in command lines and environments: the name of an option or a variable says more than its value.

Values of other names go through the masks that every output goes through.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from analyzer.redact.secrets import MASK, mask_text

_SECRET_NAME = re.compile(
    r"(?:^|[_\-.])(?:tokens?|secrets?|pass(?:w(?:or)?d|phrase)?|pwd|credentials?|creds?|auth(?:orization)?|cookies?"
    r"|bearer|sas|dsn|(?:api|access|private|secret|ssh|signing|encryption|account|license)[_\-.]?keys?|key)"
    r"(?:[_\-.](?:id|b64|base64|json|data|value))?\d*$|apikey|password|passwd|secret|token$",
    re.I,
)
_NOT_SECRET_NAMES = frozenset({"pwd", "oldpwd"})
_NOT_SECRET_VALUE = re.compile(
    r"(?:/[\w.@+-]+)+/?|true|false|yes|no|none|null|\d{1,5}|", re.I
)  # paths, switches, counts


def is_secret_name(name: str) -> bool:
    """Return whether a variable or option of this name holds a secret: `HF_TOKEN`, `--db-password`."""
    bare = name.lstrip("-").lower()
    return bare not in _NOT_SECRET_NAMES and _SECRET_NAME.search(bare) is not None


def mask_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with the values of secret ones masked."""
    return {name: mask_value(name, value) for name, value in variables.items()}


def mask_value(name: str, value: str) -> str:
    """Return the value, masked if the name says that it is secret or if it has the form of a secret."""
    return MASK if is_secret_name(name) and not _NOT_SECRET_VALUE.fullmatch(value) else mask_text(value)


def mask_command(words: Iterable[str]) -> list[str]:
    """Return the words with the secrets of `--password x`, `--token=x`, `HF_TOKEN=x` and every known form masked."""
    masked: list[str] = []
    previous_word = ""
    for word in words:
        name, is_pair, value = word.partition("=")
        if is_pair and name:
            masked.append(f"{name}={mask_value(name, value)}")
        elif previous_word.startswith("-") and "=" not in previous_word and not word.startswith("-"):
            masked.append(mask_value(previous_word, word))
        else:
            masked.append(mask_text(word))
        previous_word = word
    return masked
