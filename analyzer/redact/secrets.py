"""Strings that open doors: they are masked in every output, asked or not.

The forms are those that the issuers publish (GitHub, GitLab, Hugging Face, Slack, Google, AWS, OpenAI, JWT of RFC 7519,
PEM of RFC 7468), credentials inside URLs (RFC 3986, userinfo), signed URLs, and values of settings whose name says it.
"""

from __future__ import annotations

import re
from typing import TypeVar

from analyzer.redact.walk import replace

T = TypeVar("T")
MASK = "[secret]"

_TOKENS = "|".join(
    (
        r"gh[pousr]_[A-Za-z0-9]{30,}",
        r"github_pat_\w{20,}",
        r"glpat-[\w-]{20,}",
        r"hf_[A-Za-z0-9]{20,}",
        r"xox[abeoprs]-[\w-]{10,}",
        r"AIza[\w-]{35}",
        r"ya29\.[\w.-]{20,}",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
        r"sk-(?:[a-z]+-)?[A-Za-z0-9_-]{24,}",
        r"eyJ[\w-]{8,}\.eyJ[\w-]{4,}\.[\w-]*",
    )
)
_TOKEN = re.compile(rf"(?<![\w-])(?:{_TOKENS})")
_PEM = re.compile(r"(-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]*?(?=-----END|$)")
_USERINFO = re.compile(r"(?<=://)([^\s:@/]{0,64}):([^\s@/]{1,200})(?=@)")
_SIGNED = re.compile(r"((?:X-Amz-(?:Signature|Credential|Security-Token)|X-Goog-Signature|[?&]sig)=)[^\s&\"']+", re.I)
_BEARER = re.compile(
    r"((?:Authorization[\"']?\s*[:=]\s*[\"']?)(?:Bearer|Basic|Token)\s+|\bBearer\s+)[\w.~+/=-]{8,}", re.I
)
_WORDS = (
    r"(?:pass(?:wd|word|phrase)|secret(?:[_-]?key)?|(?:api|access|private)[_-]?key|(?:auth[_-]?)?token|credentials?)"
)
# A setting `"token": "…"`, `password=…`, or an option `--db-password …`. Numbers, paths, and what stands in
# brackets are no secrets: "tokens per second: 1234", "unexpected token: <EOF>", "private_key=/etc/key.pem".
_VALUE = r"(?!\[secret\])(?![-+]?[\d.,]+(?![\w-]))([^\s\"',;&<>()\[\]{}/][^\s\"',;&]{5,})"
_SETTING = re.compile(rf"((?<![A-Za-z])[\w.-]{{0,60}}{_WORDS}[\"']?\s{{0,3}}[=:]\s{{0,3}}[\"']?){_VALUE}", re.I)
_OPTION = re.compile(rf"(--[\w-]{{0,60}}{_WORDS}\s){_VALUE}", re.I)
_ASSIGNED = re.compile(
    r"((?<![A-Za-z0-9])[A-Z0-9_]*(?:PASSWORD|PASSWD|SECRET|TOKEN(?!I|S)|API_?KEY|ACCESS_KEY|CREDENTIAL)[A-Z0-9_]*=)"
    r"(?!\[secret\]|/)([^\s\"']+)"
)
# Every form above holds one of these: most lines hold none, and to see that is ten times as fast as a pattern.
_HINTS = (
    *("passw", "passp", "secret", "key", "token", "credential", "bearer", "authorization", "signature", "sig="),
    *(
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_",
        "glpat-",
        "hf_",
        "xox",
        "aiza",
        "ya29",
        "asia",
        "abia",
        "acca",
        "akia",
        "sk-",
        "eyj",
        "@",
    ),
)


def mask_text(text: str) -> str:
    """The same text with `[secret]` in the place of every value that looks like one."""
    if not any(map(text.lower().__contains__, _HINTS)):
        return text
    text = _PEM.sub(rf"\1 {MASK} ", text)
    text = _USERINFO.sub(rf"\1:{MASK}", text)
    text = _SIGNED.sub(rf"\1{MASK}", text)
    text = _BEARER.sub(rf"\1{MASK}", text)
    text = _TOKEN.sub(MASK, text)
    text = _ASSIGNED.sub(rf"\1{MASK}", text)
    text = _OPTION.sub(rf"\1{MASK}", text)
    return _SETTING.sub(rf"\1{MASK}", text)


def mask_secrets(incident: T) -> T:
    """A JSON object with every string masked."""
    return replace(incident, mask_text)
