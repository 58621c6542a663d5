"""Mask secrets. They are masked in every output, also without `--redact`.

There are five sorts: tokens in a format that their issuer publishes (`token_formats.py`); private keys
(`key_blocks.py`, and here by the shape of their lines); credentials in URLs (RFC 3986, userinfo) and signed URLs; HTTP
headers and options of commands; values of settings whose name says that they are secret (`settings.py`).
"""

from __future__ import annotations

import re
from typing import NamedTuple, TypeVar

from analyzer.redact.key_blocks import is_noise, mask_key_blocks, mask_key_lines
from analyzer.redact.lazy_patterns import compile_on_use
from analyzer.redact.settings import SECRET_HINTS, mask_setting_value, mask_settings, mask_values_on_next_lines
from analyzer.redact.shell_words import find_value
from analyzer.redact.token_formats import MASK, join_words, mask_tokens
from analyzer.redact.walk import replace_strings

__all__ = ["MASK", "mask_secrets", "mask_text"]

T = TypeVar("T")
_NOT_MASKED = r"(?!\[secret\])"
_QUOTE = r"[\"'\\]{0,3}"

# Characters as they stand inside URLs, JSON, HTML and strings of strings, perhaps escaped twice: RFC 3986, RFC 8259.
_COLON = r"(?::|%(?:25){0,2}3[aA]|\\{1,3}u003[aA]|&(?:#58|#x3[aA]|colon);)"
_SLASHES = r"(?://|(?:\\{1,3}/){2}|(?:%(?:25){0,2}2[fF]){2}|(?:\\{1,3}u002[fF]){2}|(?:&(?:#47|#x2[fF]|sol);){2})"
_AT = r"(?:@|%(?:25){0,2}40|\\{1,3}u0040|&(?:#64|#x40|commat);)"
_EQUALS = r"(?:=|%(?:25){0,2}3[dD]|\\{1,3}u003[dD]|&(?:#61|#x3[dD]|equals);)"
_BLANK = r"(?:\s|\+|%(?:25){0,2}20|\\{1,3}u0020){1,3}"

_ASSIGNMENT = rf"{_QUOTE}\s{{0,3}}(?:{_COLON}|=)(?:{_BLANK})?{_QUOTE}"
_SCHEME = rf"(?:Basic|Bearer|Token|ApiKey|Negotiate|NTLM){_BLANK}"
_TOKEN_WORD = r"(?:token|secret|passw(?:or)?d|credential|(?:api|access|licen[cs]e)[ _-]?key|bearer)s?"
_RANDOM_TOKEN = (
    r"[0-9a-f]{32,128}|(?=(?:[A-Za-z]{0,40}\d){3})(?=[a-z\d]{0,40}[A-Z])[A-Za-z0-9]{20,128}"
    r"|(?=[a-z]{0,6}\d)[a-z0-9]{6}\.(?=[a-z]{0,16}\d)[a-z0-9]{16}"  # of kubeadm
)

# (hints in lower case, patterns): the first group of a match stays, the rest is masked.
_PATTERNS: tuple[tuple[tuple[str, ...], tuple[re.Pattern[str], ...]], ...] = tuple(
    (hints, tuple(map(compile_on_use, patterns)))
    for hints, patterns in (
        (
            ("://",),
            (  # a password with a slash or an @, while `host:8080/path@2` has none; a token in the place of a name
                rf"(://[^\s:@/\"'<>]{{0,64}}:){_NOT_MASKED}(?!\d{{1,5}}/)[^\s@\"'<>]{{1,200}}(?:@[^\s@/\"'<>]{{1,100}})*(?=@)",
                rf"((?:https?|nats|rediss?|amqps?)://){_NOT_MASKED}[^\s:@/\"'<>]{{16,200}}(?=@)",
            ),
        ),
        (  # the same with escaped separators
            (
                "%3a",
                "%253a",
                "%25253a",
                "\\/",
                "u002f",
                "u003a",
                "&#",
                "&colon;",
                "&sol;",
                "&commat;",
                "%40",
                "%2540",
                "%252540",
                "u0040",
            ),
            (
                rf"({_COLON}{_SLASHES}(?:(?!{_COLON}|{_AT}|{_SLASHES})[^\s\"'<>]){{0,64}}{_COLON}){_NOT_MASKED}"
                rf"(?!\d{{1,5}}(?:%(?:25){{0,2}}2[fF]|\\{{1,3}}(?:/|u002[fF])|&#|/))[^\s\"'<>]{{1,200}}?(?={_AT})",
            ),
        ),
        (
            ("sig", "x-amz-", "x-goog-"),
            (
                rf"(?i:(X-Amz-(?:Signature|Credential|Security-Token){_EQUALS}|X-Goog-(?:Signature|Credential){_EQUALS}"
                rf"|(?:[?&;]|%(?:25){{0,2}}(?:3f|26))sig(?:nature)?{_EQUALS})){_NOT_MASKED}[^\s&\"']+",
            ),
        ),
        (("code=",), (rf"([?&;]code=){_NOT_MASKED}(?=[^\s&\"'\d]{{0,60}}\d)[^\s&\"']{{16,}}",)),  # OAuth, RFC 6749
        (("/t/",), (rf"(/t/){_NOT_MASKED}[\w-]{{20,}}(?=/)",)),  # conda
        (("jdbc:oracle",), (rf"(jdbc:oracle:\w{{1,10}}:[\w.$#-]{{1,64}}/){_NOT_MASKED}[^\s@\"']{{1,200}}(?=@)",)),
        (
            ("kty",),
            (rf"([\"'](?:d|p|q|dp|dq|qi|k)\\{{0,2}}[\"']\s{{0,3}}:\s{{0,3}}\\{{0,2}}[\"']){_NOT_MASKED}[\w-]{{20,}}",),
        ),  # RFC 7517
        (  # kaggle.json
            ("username",),
            (
                r"([\"']username\\{0,2}[\"']\s{0,3}:\s{0,3}[^\s,]{1,100},\s{0,10}\\{0,2}[\"']key\\{0,2}[\"']\s{0,3}:\s{0,3}"
                rf"\\{{0,2}}[\"']){_NOT_MASKED}[^\"'\\\s]+",
            ),
        ),
        (
            ("authorization", "bearer", "basic"),
            (
                rf"(?i:((?<![A-Z])Authorization{_ASSIGNMENT}{_SCHEME})){_NOT_MASKED}[^\s\"'\\,;]+",
                rf"(?i:((?<![A-Z])Authorization{_QUOTE}\s{{0,3}}[:=]\s{{0,3}})){_NOT_MASKED}(?!(?i:{_SCHEME}))[^\s\"'\\][^\r\n]*",
                rf"(?i:((?<![A-Z])Authorization{_QUOTE}\s{{0,3}}[:=]\s{{0,3}}\\{{0,2}}[\"'])){_NOT_MASKED}(?!(?i:{_SCHEME}))[^\"'\r\n]+",
                rf"(?i:((?:\b|(?<=%20)|(?<=u0020))(?:Bearer|Basic){_BLANK})){_NOT_MASKED}(?=[A-Za-z_.~+/-]{{0,400}}[\d=])[\w.~+/-]{{8,}}={{0,2}}",
            ),
        ),
        (
            ("cookie",),
            (rf"(?i:((?<![A-Z])(?:Set-)?Cookie2?{_ASSIGNMENT})){_NOT_MASKED}(?=[\w.-]{{1,80}}=)[^\"'\\\r\n]+",),
        ),
        (
            ("login",),
            (
                rf"(\b(?:wandb|huggingface-cli|hf|comet)\s+(?:auth\s+)?login\b[ \"',]{{1,4}}){_NOT_MASKED}[\w-]{{20,}}",
                rf"(\blogin\s{{1,3}}\S{{1,100}}\s{{1,3}}password\s{{1,3}}){_NOT_MASKED}\S+",  # .netrc
            ),
        ),
        (
            ("echo ", "printf "),
            (
                rf"(\b(?:echo|printf)\s{{1,3}}(?:-\w{{1,3}}\s{{1,3}})?[\"']?(?:[\w.-]{{1,64}}:)?)"
                rf"{_NOT_MASKED}(?![\w.-]{{1,64}}:\[secret\])[^\s\"'|]{{1,200}}"
                r"(?=[\"']?\s{0,3}\|\s{0,3}(?:sudo\b[^|\r\n]{0,40}?\s-\w{0,5}S|(?:sudo\s{1,3})?(?:chpasswd|passwd|kinit|cryptsetup)\b"
                r"|[\w./]{1,40}\s[^|\r\n]{0,100}?--password-stdin))",
            ),
        ),
        (
            ("login(",),
            (
                rf"(\blogin\((?:[^)\r\n]{{0,100}}\b)?(?:key|token|password)\s{{0,2}}=\s{{0,2}}[\"']){_NOT_MASKED}[^\"'\r\n]+",
            ),
        ),
        (("incomingwebhook/",), (rf"(/IncomingWebhook/){_NOT_MASKED}\w{{20,64}}(?:/[\w-]{{20,60}})?",)),  # Teams
        (  # commands that take the name and the value of a setting as two words
            ("secret", "auth", "bindpw", "rootpw", "requirepass", "account.key"),
            (
                r"(?i:(\b(?:\w{0,20}secret_(?:access_)?key|(?:[\w-]{1,30}\.){1,8}secret\.key|(?:add-)?authtoken|requirepass|masterauth|(?:bind|root)pw"
                r"|fs\.azure\.account\.key\.[\w.-]{1,100})[ \t]{1,3}"
                r"[\"']?))"
                rf"{_NOT_MASKED}(?=[^\s\"']{{0,100}}[\d/+])[^\s\"']{{8,}}",
            ),
        ),
        (
            ("identified ",),
            (
                rf"(?i:(\bIDENTIFIED\s+(?:WITH\s+\S{{1,60}}\s+)?(?:BY|AS)\s+(?:PASSWORD\s+)?[\"']))"
                rf"{_NOT_MASKED}[^\"'\r\n]+",
            ),
        ),
        (
            ("password '", 'password "', "set password", "password for"),
            (
                rf"(?i:(\bPASSWORD\s{{1,3}}[\"'])){_NOT_MASKED}[^\"'\r\n]+",
                rf"(?i:(\bSET\s+PASSWORD\s[^=\r\n]{{0,100}}=\s{{0,3}}(?:PASSWORD\()?[\"'])){_NOT_MASKED}[^\"'\r\n]+",
            ),
        ),
        (
            (":5432:", ":6432:", ":*:"),
            (rf"(:(?:5432|6432|\*):[^\s:]{{1,64}}:[^\s:]{{1,64}}:){_NOT_MASKED}\S+",),
        ),  # .pgpass
        (
            (
                "pass",
                "token",
                "secret",
                "credential",
                "bearer",
                "api key",
                "api_key",
                "api-key",
                "apikey",
                "ss key",
                "se key",
                "phrase for",
                "al key",
                "ry key",
            ),
            (  # "the password is X", where X is no word of a sentence; noise beside a word: "using token 0123…"
                r"(?i:(\bpass(?:word|phrase|code|wd)\s+(?:is|was|=|set to|changed to|->)\s{0,3}[\"'`]?))"
                rf"{_NOT_MASKED}(?=[^\s\"'`]{{0,80}}[\d!@#$%^&*+=])[^\s\"'`]+",
                r"(?i:(\bpass(?:word|phrase|code)\s+for\s[^\r\n:]{1,100}:\s{1,3}))"
                rf"{_NOT_MASKED}(?=[^\s\"'`]{{0,80}}[\d!@#$%^&*+=])[^\s\"'`]+",
                rf"(\b(?i:{_TOKEN_WORD})\b[^\r\n\[]{{0,40}}?(?<![\w/+=.@-])){_NOT_MASKED}(?:{_RANDOM_TOKEN})(?![\w/]|\.\w)",
                r"(\b(?i:(?:unseal|recovery)[ ]key)(?:[ ]\d{1,2})?[\"'\s:=]{1,5})"
                rf"{_NOT_MASKED}[A-Za-z0-9+/]{{32,}}={{0,2}}",
            ),
        ),
        (
            ("alias set", "host add", "sqlplus", "expdp", "impdp", "net use"),
            (  # arguments without an option
                rf"(\bmc\s{{1,3}}(?:alias\s{{1,3}}set|config\s{{1,3}}host\s{{1,3}}add)(?:\s{{1,3}}[^\s-]\S{{0,200}}){{3}}\s{{1,3}}){_NOT_MASKED}\S+",
                rf"(\b(?:sqlplus|expdp|impdp)\s[^|/\r\n]{{0,80}}/){_NOT_MASKED}[^\s@\"'/]{{1,200}}(?=@)",
                r"(?i:(\bnet\s{1,3}use\s{1,3}(?:\w:\s{1,3}|\*\s{1,3})?\\\\\S{1,200}\s{1,3}))" rf"{_NOT_MASKED}(?!/)\S+",
            ),
        ),
        (
            ("licen", "serial", "product key", "activation"),
            (
                rf"(\b(?i:licen[cs]e|serial|product key|activation)[^\r\n\[]{{0,40}}?(?<![\w-])){_NOT_MASKED}"
                r"(?=[A-Z-]{0,40}\d)[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,}(?![\w-])",
            ),
        ),
    )
)
_HINT = compile_on_use(join_words(hint for hints, _ in _PATTERNS for hint in hints))
_SECRET_HINT = compile_on_use(join_words(SECRET_HINTS))
_ANY_HINT = compile_on_use(join_words({*SECRET_HINTS, *(hint for hints, _ in _PATTERNS for hint in hints)}))


class _Command(NamedTuple):
    """An option of a command whose argument holds a password. Command and option may also be words of a list.

    Each text with the command holds one of `hints`.
    """

    hints: tuple[str, ...]
    command: re.Pattern[str]
    option: re.Pattern[str]
    separate: bool  # whether the argument may be the next word
    user: re.Pattern[str] | None  # the part of the argument before the password


_COMMANDS = tuple(
    _Command(
        hints=tuple(hints.split()),
        command=compile_on_use(rf"\b(?:{command})\b"),
        option=compile_on_use(rf"(?<=[\s\"',])(?:{option})"),
        separate=separate,
        user=compile_on_use(user) if user else None,
    )
    for hints, command, option, separate, user in (
        ("mysql mariadb", r"(?:mysql|mariadb)\w*", r"-p(?!\w+[=:])", False, None),
        (
            "sshpass login mongo 7z zip",
            r"sshpass|(?:docker|podman|nerdctl|az|oc)\s{1,3}login|mongo\w*|7z|zip|unzip",
            r"-[pP]",
            True,
            None,
        ),
        ("curl wget http", r"curl|wget|https?", r"-u|-U|--user|--proxy-user", True, r"[^:\r\n]{1,100}:"),
        ("redis-cli", r"redis-cli", r"-a", True, None),
        ("7z rar", r"7z|7za|7zr|rar|unrar", r"-p", False, None),
        ("ipmi racadm mosquitto_", r"ipmi\w+|racadm|mosquitto_\w+", r"-[pP]", True, None),
        ("snmp", r"snmp\w+", r"-[cAX]", True, None),
        ("lftp", r"lftp", r"-u", True, r"[^,\r\n]{1,100},"),
        ("htpasswd", r"htpasswd", r"-\w{0,5}b\w{0,5}\s{1,3}[^\s]{1,200}\s{1,3}[^\s]{1,100}\s{1,3}", False, None),
        ("consul", r"consul", r"-encrypt", True, None),
        ("ldap", r"ldap\w+", r"-w", True, None),
        ("sqlcmd isql bcp", r"sqlcmd|isql|bcp", r"-P", True, None),
        ("smbclient cifs rpcclient", r"smbclient|cifs|rpcclient", r"-U", True, r"[^%\r\n]{1,100}%"),
        ("openssl", r"openssl", r"-pass(?:in|out)?", True, r"[\"'\\]{0,4}pass:"),
        ("openssl", r"openssl\s{1,3}enc", r"-[kK]", True, None),
    )
)
_COMMAND_END = compile_on_use(r"[|\r\n]|\Z")
_MASKED = compile_on_use(rf"(?:\\{{0,3}}[\"'])?{re.escape(MASK)}(?:\s|\Z|\\{{0,3}}[\"'](?!\w))")
# Lines of keys that stand alone, and long noise of any origin.
_NOISE = compile_on_use(r"(?<![\w+/=.$-])[A-Za-z0-9+/]{48,}={0,2}(?![\w+/=.$-])")
_BASE64 = bytes(97 if chr(code) in "+/" or (code < 128 and chr(code).isalnum()) else 32 for code in range(256))
_LONG_RUN = b"a" * 48
_MAX_ROUNDS = 4  # a mask in the place of a quote can make another value whole


def mask_text(text: str) -> str:
    """Return the text with `[secret]` in the place of each value that looks like one. A second call changes nothing."""
    for _ in range(_MAX_ROUNDS):
        masked = _mask_once(text)
        if masked == text:
            break
        text = masked
    return text


def _mask_once(text: str) -> str:
    lower = text.lower()
    if "private key" in lower:
        text = mask_key_blocks(text, MASK)
    if _LONG_RUN in text.encode("ascii", "replace").translate(_BASE64):
        text = _NOISE.sub(lambda match: MASK if is_noise(match[0]) else match[0], text)
    text = mask_tokens(text, lower)
    has_hint = _ANY_HINT.search(lower) is not None  # as few lines have
    if has_hint and _HINT.search(lower):
        for hints, patterns in _PATTERNS:
            if _contains_any(lower, hints):
                for pattern in patterns:
                    text = pattern.sub(rf"\1{MASK}", text)
    if _contains_any(lower, (" -", '"-', "'-", ",-", "\t-")):
        for row in _COMMANDS:
            if _contains_any(text, row.hints):
                text = _mask_arguments(row, text)
    if not has_hint or not _SECRET_HINT.search(lower):
        return text
    text = mask_settings(text)
    return "\n".join(mask_values_on_next_lines(text.split("\n"))) if "\n" in text else text


def _mask_arguments(row: _Command, text: str) -> str:
    """Return the text with `[secret]` in the place of each password that an option of the command takes."""
    parts: list[str] = []
    copied_to = at = 0
    while command := row.command.search(text, at):
        at = command.end()
        stop = _find_command_end(text, at)
        while option := row.option.search(text, at, stop):
            start, end = _find_password(row, text, option)
            at = max(option.end(), end)
            if start < end:
                parts += [text[copied_to:start], MASK]
                copied_to = end
            if at > stop:  # behind a quoted `|`
                stop = _find_command_end(text, at)
        at = max(at, stop)
    return "".join([*parts, text[copied_to:]]) if parts else text


def _find_command_end(text: str, at: int) -> int:
    return _COMMAND_END.search(text, at).start()  # type: ignore[union-attr]


def _find_password(row: _Command, text: str, option: re.Match[str]) -> tuple[int, int]:
    """Return (start, end) of what is masked: the whole argument, or the part behind the user's name. Equal if nothing
    is.
    """
    behind, start, end = find_value(text, option, row.separate)
    if not text[start:end].strip("\"'\\") or text[start] == "-":
        return start, start
    if row.user is None:
        return (start, start) if _MASKED.match(text, start) else (behind, end)
    user = row.user.match(text, start, end)
    if user is None or _MASKED.match(text, user.end()):
        return start, start
    mark = text[start]
    closed = mark in "\"'" and text[end - 1] == mark and user.end() < end - 1 and mark not in text[start + 1 : end - 1]
    return user.end(), end - closed


def _contains_any(text: str, hints: tuple[str, ...]) -> bool:
    for hint in hints:  # noqa: SIM110  (a generator takes three times as long)
        if hint in text:
            return True
    return False


def mask_secrets(incident: T) -> T:
    """Return the JSON object with every string masked."""
    return replace_strings(
        incident, mask_text, mask_setting_value, lambda lines: mask_values_on_next_lines(mask_key_lines(lines))
    )
