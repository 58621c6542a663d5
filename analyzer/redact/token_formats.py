"""Mask tokens that are recognized by their own format, wherever they stand: formats that their issuers publish.

There are two tables: the formats of detect-secrets (`detect_secrets.py`, generated) and those that it lacks.
detect-secrets is not a dependency, because the collector runs this code on machines that have Python 3.9 and nothing
else, and because it installs `requests` to check tokens online, which this program never does. gitleaks has more rules,
but it is a Go program that no Python registry carries, and half of its rules need the name of a setting next to the
token, which `secrets.py` finds without a list of services.

A row is (issuer, prefixes in lower case, pattern). A pattern is compiled when one of its prefixes is first seen. A
token begins where no letter or digit stands before it, or an escaped separator: `%2F`, `%252F`, `\\n`, `\\u0027`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from analyzer.redact import detect_secrets

MASK = "[secret]"
TokenForm = tuple[str, tuple[str, ...], str]
_BEGIN = (
    r"(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2})|(?<=%25[0-9A-Fa-f]{2})|(?<=\\[nrt])|(?<=\\x[0-9A-Fa-f]{2})"
    r"|(?<=\\u[0-9A-Fa-f]{4}))"
)
_END = r"(?![A-Za-z0-9_-])"
_GITLAB = ("agent", "cbt", "dt", "feeds", "ffct", "ft", "imt", "oas", "pat", "ptt", "rt", "rtr", "soat")

FORMS: tuple[TokenForm, ...] = (
    ("GitHub", ("gho_", "ghp_", "ghr_", "ghs_", "ghu_"), r"gh[oprsu]_[A-Za-z0-9]{30,}"),
    ("GitHub", ("github_pat_",), r"github_pat_\w{20,}"),
    ("GitLab", tuple(f"gl{kind}-" for kind in _GITLAB), r"gl[a-z]+-[\w.-]{20,}"),
    ("Bitbucket", ("atbb",), r"ATBB[A-Za-z0-9]{24,}"),
    ("Atlassian", ("atatt3",), r"ATATT3[\w=-]{50,}"),
    ("Hugging Face", ("hf_", "api_org_"), r"(?:hf|api_org)_[A-Za-z0-9]{20,}"),
    ("Weights & Biases", ("wandb_v",), r"wandb_v\d_\w{20,}"),
    ("Kaggle", ("kgat_",), r"KGAT_[A-Za-z0-9]{20,}"),
    ("NVIDIA", ("nvapi-",), r"nvapi-[\w-]{40,}"),
    ("Replicate", ("r8_",), r"r8_[A-Za-z0-9]{30,}"),
    ("Groq", ("gsk_",), r"gsk_[A-Za-z0-9]{30,}"),
    ("Perplexity", ("pplx-",), r"pplx-[A-Za-z0-9]{30,}"),
    ("Databricks", ("dapi", "dkea", "dose"), r"(?:dapi|dkea|dose)[0-9a-f]{32}(?:-\d)?"),
    ("OpenAI, Anthropic", ("sk-",), r"sk-(?=[A-Za-z_-]{0,100}\d)(?:[a-z]+\d*-)?[A-Za-z0-9_-]{24,}"),
    ("Slack", ("xox", "xapp-", "xwfp-"), r"(?:xox[a-z](?:\.xox[a-z])?|xapp|xwfp)-[\w-]{10,}"),
    ("Slack", ("hooks.slack",), r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w/+-]{20,}"),
    ("Telegram", ("bot",), r"bot\d{8,10}:[\w-]{35}"),
    ("Discord", ("discord",), r"discord(?:app)?\.com/api/webhooks/\d{10,}/[\w-]{40,}"),
    ("Microsoft Teams", ("webhook.office",), r"webhook\.office\.com/webhookb2/[\w@/-]{40,}"),
    ("Google", ("aiza",), r"AIza[\w-]{35}"),
    ("Google", ("ya29.",), r"ya29\.[\w.-]{20,}"),
    ("Google", ("gocspx-",), r"GOCSPX-[\w-]{20,}"),
    ("Google", ("1//0",), r"1//0[\w-]{30,}"),
    ("AWS", ("akia", "asia", "abia", "acca"), r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    ("AWS Bedrock", ("absk",), r"ABSK[A-Za-z0-9+/]{60,}={0,2}"),
    ("Alibaba Cloud", ("ltai",), rf"LTAI[A-Za-z0-9]{{12,24}}{_END}"),
    ("Tencent Cloud", ("akid",), rf"AKID[A-Za-z0-9]{{32}}{_END}"),
    ("DigitalOcean", ("doo_v1_", "dop_v1_", "dor_v1_"), r"do[opr]_v1_[0-9a-f]{40,}"),
    ("Cloudflare", ("v1.0-",), r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"),
    ("Fly.io", ("fo1_", "fm1r_", "fm2_"), r"(?:fo1|fm1r|fm2)_[\w+/=-]{40,}"),
    ("Heroku", ("hrku-",), r"HRKU-[\w-]{30,}"),
    ("Stripe", ("sk_live_", "sk_test_", "rk_live_", "rk_test_"), r"[rs]k_(?:live|test)_[A-Za-z0-9]{10,}"),
    ("Stripe", ("whsec_",), r"whsec_[A-Za-z0-9+/=]{20,}"),
    ("Square", ("sq0", "eaaa"), r"(?:sq0[a-z]{3}-[\w-]{22,}|EAAA[\w-]{50,})"),
    ("Shopify", ("shpat_", "shpca_", "shppa_", "shpss_", "shptka_"), r"shp[a-z]+_[0-9a-fA-F]{32}"),
    ("npm", ("npm_",), r"npm_[A-Za-z0-9]{30,}"),
    ("PyPI", ("pypi-ag",), r"pypi-Ag[\w-]{40,}"),
    ("RubyGems", ("rubygems_",), r"rubygems_[0-9a-f]{40,}"),
    ("Docker Hub", ("dckr_",), r"dckr_(?:pat|oat)_[\w-]{20,}"),
    ("JFrog", ("cmvmd",), r"cmVmd[A-Za-z0-9]{40,}"),
    ("HashiCorp Vault", ("hvs.", "hvb.", "hvr."), r"hv[bsr]\.[\w-]{20,}"),
    ("HashiCorp Vault", ("s.",), rf"s\.(?=[A-Za-z]{{0,23}}\d)[A-Za-z0-9]{{24}}{_END}"),
    ("Doppler", ("dp.",), r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]+\.)?[A-Za-z0-9]{40,}"),
    ("Pulumi", ("pul-",), r"pul-[0-9a-f]{40}"),
    ("1Password", ("ops_eyj",), r"ops_eyJ[\w+/=-]{100,}"),
    ("1Password", ("a3-",), r"A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5}){3,4}"),
    ("age", ("age-secret-key-1",), r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("Grafana", ("glc_", "glsa_"), r"gl(?:c|sa)_[\w+/=-]{30,}"),
    ("New Relic", ("nrak-", "nrjs-", "nrii-", "nrbr-"), r"NR[A-Z]{2}-[A-Za-z0-9_-]{19,}"),
    ("Sentry", ("sntrys_", "sntryu_"), r"sntry[su]_[\w+/=-]{40,}"),
    ("Dynatrace", ("dt0c", "dt0s"), r"dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("LaunchDarkly", ("sdk-", "api-"), r"(?:sdk|api)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"),
    ("Linear", ("lin_api_", "lin_oauth_"), r"lin_[a-z]+_[A-Za-z0-9]{30,}"),
    ("Notion", ("ntn_",), r"ntn_[A-Za-z0-9]{40,}"),
    ("Postman", ("pmak-",), r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("Figma", ("figd_",), r"figd_[\w-]{30,}"),
    ("PlanetScale", ("pscale_",), r"pscale_(?:tkn|pw|oauth)_[\w.=-]{30,}"),
    ("Supabase", ("sbp_", "sb_secret_"), r"(?:sbp|sb_secret)_[\w-]{20,}"),
    ("Netlify", ("nfp_",), r"nfp_[A-Za-z0-9]{36}"),
    ("CircleCI", ("ccipat_", "cciprj_"), r"CCI(?:PAT|PRJ)_[A-Za-z0-9]+_[0-9a-f]{40}"),
    ("Buildkite", ("bkua_",), r"bkua_[0-9a-f]{40}"),
    ("Tailscale", ("tskey-",), r"tskey-[a-z]+-[\w-]{16,}"),
    ("Mailgun", ("key-",), rf"key-[0-9a-f]{{32}}{_END}"),
    ("SendGrid", ("sg.",), r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    ("Facebook", ("eaa",), r"EAA[A-Za-z0-9]{80,}"),
    ("X (Twitter)", ("aaaaaaaaaaaaaaaaaaaa",), r"A{20}[A-Za-z0-9%]{60,}"),
    ("Dropbox", ("sl.",), r"sl\.(?:u\.)?(?=[A-Za-z_-]{0,40}\d)[\w-]{100,}"),
    ("JSON Web Token, RFC 7519", ("eyj",), r"eyJ[\w-]{8,}\.(?:eyJ)?[\w-]{4,}\.[\w.-]*"),
)
_HASHES = r"2[abxy]?|[1567]|y|gy|md5|apr1|sha1|argon2(?:id?|d)|scrypt|pbkdf2(?:-sha\d+)?|bcrypt(?:-sha256)?"
_HYPHEN = "-"  # stands in nearly every line; a form that it marks is one long word
# Formats with a mark inside, or that are no words: (issuer, marks in lower case, pattern).
INFIX_FORMS: tuple[TokenForm, ...] = (
    ("Azure", ("q~",), r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
    ("Terraform Cloud", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}"),
    ("crypt(3), PHC string format", ("$",), rf"\$(?:{_HASHES})\$[\w./+$=,*-]{{16,}}"),
    ("Django, Werkzeug", ("$",), r"(?:pbkdf2|scrypt|bcrypt|argon2)[\w:]{0,40}\$[\w./+$=,:-]{16,}"),
    ("RFC 2307", ("{",), r"\{(?i:s?sha\d*|s?md5|crypt|pbkdf2[\w-]*|argon2)\}[\w./+$=,-]{16,}"),
    ("MySQL", ("*",), rf"\*[0-9A-F]{{40}}{_END}"),
    ("BitLocker", (_HYPHEN,), r"\d{6}(?:-\d{6}){7}(?!\d)"),
    ("Windows", (":::",), r"[0-9a-fA-F]{32}:[0-9a-fA-F]{32}:::"),
)
MIN_TOKEN_CHARS = 16  # letters, digits, `_` and `-` that follow each other in every form of FORMS
_LETTER = ord("a")
_WORD_SHAPE = bytes(_LETTER if (code < 128 and chr(code).isalnum()) or chr(code) in "_-" else 32 for code in range(256))
_WORD = bytes([_LETTER]) * MIN_TOKEN_CHARS
_LONG_WORD = bytes([_LETTER]) * 27  # of forms without a beginning


def mask_tokens(text: str, lower: str) -> str:
    """Return the text with `[secret]` in the place of every token of a published format. `lower` is the text in lower
    case.
    """
    shape = text.encode("ascii", "replace").translate(_WORD_SHAPE)
    has_long_word = _LONG_WORD in shape
    for index, (_, (mark, *_), _) in enumerate(INFIX_FORMS):
        if mark in lower and (has_long_word or mark != _HYPHEN):
            text = _infix_pattern(index).sub(MASK, text)
    if not has_long_word and _WORD not in shape:  # as in most lines
        return text
    for index in {index: 0 for match in _any_prefix().finditer(lower) for index in _forms_by_prefix()[match[0]]}:
        text = _prefix_pattern(index).sub(MASK, text)
    return _pattern_without_prefix().sub(MASK, text) if has_long_word else text


@functools.lru_cache(None)
def prefix_forms() -> tuple[TokenForm, ...]:
    return (*FORMS, *detect_secrets.FORMS)


@functools.lru_cache(None)
def _prefix_pattern(index: int) -> re.Pattern[str]:
    return re.compile(rf"{_BEGIN}{prefix_forms()[index][2]}")


@functools.lru_cache(None)
def _infix_pattern(index: int) -> re.Pattern[str]:
    return re.compile(rf"{_BEGIN}{INFIX_FORMS[index][2]}")


@functools.lru_cache(None)
def _pattern_without_prefix() -> re.Pattern[str]:
    return re.compile(rf"{_BEGIN}(?:{'|'.join(pattern for _, starts, pattern in prefix_forms() if not starts)}){_END}")


@functools.lru_cache(None)
def _forms_by_prefix() -> dict[str, list[int]]:
    """Return prefix → rows to try where it stands, also those of the prefixes that it continues."""
    starts = {start for _, starts, _ in prefix_forms() for start in starts}
    return {
        start: [index for index, row in enumerate(prefix_forms()) if row[1] and start.startswith(row[1])]
        for start in starts
    }


@functools.lru_cache(None)
def _any_prefix() -> re.Pattern[str]:
    return re.compile(rf"{_BEGIN}{join_words(_forms_by_prefix())}")


def join_words(words: Iterable[str]) -> str:
    """Return a pattern that matches the longest of the words. It branches letter by letter: twice as fast as an
    alternation.
    """
    branches: dict[str, list[str]] = {}
    for word in words:
        branches.setdefault(word[:1], []).append(word[1:])
    ends = branches.pop("", None) is not None
    parts = [re.escape(letter) + join_words(tail) for letter, tail in sorted(branches.items())]
    if not parts:
        return ""
    return f"(?:{'|'.join(parts)}){'?' if ends else ''}" if len(parts) > 1 or ends else parts[0]
