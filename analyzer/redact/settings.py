"""Mask settings whose name says that they are secret, in any notation: `DB_PASS=x`, `"token": "x"`, `--api-key x`,
`<password>x<`.

The name decides how much is masked. The value of a *password* is always masked, even if it is short, a number or a
path. A *key* or *token* is often something else (`group_key=1`, `tokens: 4096`, `private_key=/etc/ssl/key.pem`), so
numbers, paths, switches and short words stay.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from analyzer.redact.lazy_patterns import compile_on_use
from analyzer.redact.shell_words import find_word_end, is_adjacent
from analyzer.redact.token_formats import MASK

SECRET_HINTS = (
    "pass",
    "pwd",
    "_pw",
    "secret",
    "key",
    "token",
    "credential",
    "auth",
    "cookie",
    "sessionid",
    "connection",
    "dsn",
    "sas",
    "psk",
    "csrf",
    "xsrf",
    "saml",
    "bindpw",
    "rootpw",
    "kennwort",
    "contrase",
    "mdp",
    "senha",
    "wachtwoord",
    "senord",
    "hasł",
    "haslo",
    "heslo",
    "parola",
    "jelsz",
    "salasana",
    "adgangskode",
    "парол",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
)
_PASSWORD = compile_on_use(
    r"pass(?:word|wd|wort|phrase|code)s?\d{0,3}(?![a-z])|(?:^|[_.-])pass\d?$|pwds?\d?$|(?:^|[_.-])pw$|secrets?\d?$"
    r"|secret[_.-]?(?:key|value|access|id|string|b64|base64)|kennwort$|contrase(?:n|ñ|Ã±)a$|passe$|mdp$|senha$|wachtwoord$|l[öo]senord$|has[łl]o$|heslo$|parola$"
    r"|jelsz[óo]$|salasana$|adgangskode$|пароль$|密[码碼]$|パスワード$|비밀번호$|(?:bind|root|user)pw$"
    r"|(?:admin|bind|db|ftp|key|login|root|smtp|sql|ssh|storage|store|sudo|user)pass$",
    re.I,
)
_ABOUT_PASSWORD = compile_on_use(  # a setting about a password, which holds none
    r"[_.-](?:file|path|dir|policy|len|length|count|expiry|expires|age|ttl|type|field|name|hint|prompt|min|max)$", re.I
)
_KEY = compile_on_use(
    r"(?:api|access|account|app|auth|client|enc|encryption|host|licen[cs]e|login|master|private|s3|secret|security|service"
    r"|shared|signing|ssh|storage|subscription|primary|secondary|wandb|openai|hf)[_.-]?(?:access[_.-]?)?key"
    r"(?:[_.-]?(?:id|b64|base64|data|value|secret))?\d?$"
    r"|tokens?\d?(?:[_.-]?(?:b64|base64|value|secret|data|string))?$|credentials?$|connection[_-]?string$|dsn$"
    r"|(?:^|[_-])sas$|cookie$|sessionid$|phpsessid$|(?:^|[_.-])auth$|(?:^|_)psk$|authtok$|[cx]srf$|samlresponse$"
    r"|(?:^|\.)account\.key\.",  # of Hadoop: the account's host follows
    re.I,
)
_VARIABLE = compile_on_use(
    r"[A-Z0-9_]+_KEY|(?:[A-Z0-9]+_)*(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|API_?KEY|ACCESS_KEY|CREDENTIAL)_[A-Z0-9_]+"
)
_NOT_KEY = compile_on_use(
    r"tokens?_per|max_|num_|n_tokens|(?:sort|foreign|cache|dict|map|hash|public|group|instance)_?key$", re.I
)
_FOLDER_VARIABLES = frozenset({"pwd", "oldpwd"})
# A name, and the text between it and its value. Longer names are no names of settings.
_NAME = compile_on_use(
    r"(?<![\w.-])(?P<name>[\w.-]{2,120})(?![\w.-])(?P<gap>(?:[\"'\]]|\\{1,7}(?!u)|%(?:25){0,2}2[27]"
    r"|&(?:quot|apos|#3[49]|#x2[27]);|\\{1,3}u002[27]){0,3}[ \t]{0,3}"
    r"(?:=>|:=|==?|：|:(?::(?=[ ]))?|%(?:25){0,2}3[AaDd]|&(?:#58|#61|#x3[AaDd]|colon|equals);|\\{1,3}u003[AaDd])"
    r"[ \t]{0,3})(?!=)"
)
_OPTION = compile_on_use(
    r"(?:(?<![\w-])|(?<=\\0)|(?<=\\x00))--?(?P<name>[A-Za-z][\w-]{2,60})(?P<gap>[\"']{0,2},?\s{1,3}|\\{1,2}(?:0|x00|u0000)|\\{0,3}[\"'],(?=\\{0,3}[\"']))(?![\\\"']{0,4}[-\s])"
)
_ELEMENT = compile_on_use(r"<(?P<name>[\w:.-]{2,60})(?P<gap>>)(?=[^<\s])")
# A list of variables: `{"name": "DB_PASSWORD", "value": "x"}`.
_PAIR = compile_on_use(
    r"(?<![A-Za-z])(?:name|key)[\"'\\]{0,2}\s{0,3}[:=]\s{0,3}[\"'\\]{0,2}(?P<name>[\w.-]{2,80})[\"'\\]{0,2}\s{0,3}[,;]?"
    r"(?:\\{1,3}n)?\s{0,20}(?P<gap>[\"'\\]{0,2}value[\"'\\]{0,2}\s{0,3}[:=]\s{0,3})",
    re.I,
)
_TUPLE = compile_on_use(
    r"[(\[][\"'](?P<name>[\w.-]{2,80})(?P<gap>[\"'],\s{0,3})(?=(?:\"[^\"\r\n]{0,2000}\"|'[^'\r\n]{0,2000}')[)\]])"
)
_PAIR_REVERSED = compile_on_use(
    r"(?<![A-Za-z])value\\{0,3}[\"']\s{0,3}:\s{0,3}\\{0,3}[\"'](?P<value>[^\"'\\\r\n]{1,2000})\\{0,3}[\"']\s{0,3},\s{0,20}"
    r"\\{0,3}[\"'](?:name|key)\\{0,3}[\"']\s{0,3}:\s{0,3}\\{0,3}[\"'](?P<name>[\w.-]{2,80})\\{0,3}[\"']",
    re.I,
)
_CELL = compile_on_use(
    r"[|│]\s{0,40}(?P<name>[\w.-]{2,80})(?P<gap>\s{0,40}[|│]\s{0,40})(?=[^|│\s]{1,2000}\s{0,40}[|│])"
)
# A variable and its value in columns, and nothing else on the line.
_COLUMN = compile_on_use(r"(?<!\S)(?P<name>[A-Z][A-Z0-9_]{2,80})(?P<gap>[ \t]{2,60}|\t)(?=\S{1,2000}[ \t]{0,8}$)", re.M)
_PROPERTY = compile_on_use(r"<name>\s{0,3}(?P<name>[\w.-]{2,120})\s{0,3}(?P<gap></name>\s{0,20}<value>)")  # of Hadoop
# A line that ends before its value begins: `password:`, `password: |`, `--password`, `export DB_PASSWORD=\`.
_UNFINISHED = compile_on_use(
    r"(?:(?:\A|[\s\"'{,])(?P<name>[\w.-]{2,120})[\"']?[ \t]{0,3}[:=][ \t]{0,3}(?:[|>][+-]?|\\)?"
    r"|(?:\A\s{0,40}--?|(?<=\s)--)(?P<option>[A-Za-z][\w-]{2,60})(?:[ \t]{1,3}\\)?)[ \t]{0,8}\Z"
)
_DIGITS = str.maketrans("123456789", "000000000")
_MAX_UNFINISHED_END = 14  # characters, from the sign on
_VALUE_LINE = compile_on_use(
    r"\s*(?P<mark>[\"'])?(?P<value>(?(mark)[^\"'\r\n]+|[^\s\"',\\]+))(?(mark)(?P=mark))\s?[,\\]?\s*"
)
_MAX_VALUE_CHARS = 2000  # characters of a value that are looked at, however long it is
_REST_OF_WORD = compile_on_use(r"[^\s\"'`<]*")
_REST_OF_ESCAPED = compile_on_use(r"[^\"'\\\r\n]*")
_REST_OF_QUOTED = {mark: compile_on_use(rf"(?:[^{mark}\\\r\n]|\\.)*") for mark in "\"'`"}
_VALUES = (
    re.compile(rf"(?P<mark>\"{{3}}|'{{3}})(?P<value>[^\"'\r\n]{{1,{_MAX_VALUE_CHARS}}})"),
    re.compile(rf"\\{{1,7}}(?P<mark>[\"'])(?P<value>[^\"'\r\n]{{1,{_MAX_VALUE_CHARS}}})"),
    re.compile(rf"\"(?P<value>(?:[^\"\\\r\n]|\\.){{1,{_MAX_VALUE_CHARS}}})"),
    re.compile(rf"'(?P<value>(?:[^'\\\r\n]|\\.){{1,{_MAX_VALUE_CHARS}}})"),
    re.compile(rf"`(?P<value>[^`\r\n]{{1,{_MAX_VALUE_CHARS}}})"),
    re.compile(rf"(?P<value>(?:[^\s\"'`<]|<(?!/)|[\"'`](?=\w)){{1,{_MAX_VALUE_CHARS}}})"),
)
_QUOTED = _VALUES[2:4]
_QUOTED_PART = compile_on_use(r"[\"'](?=\w)")
_CLOSING = ",;)]}\\"  # behind a value without quotes
_PLACEHOLDER = compile_on_use(
    r"\[secret\]|[|>][+-]?|<[^<>]*>|\*+|x{3,}|true|false|yes|no|none|null|nil|empty|unset|required|prompt|\$\{?\w+\}?.{0,3}"
    r"|%\(?\w+\)?[sd]?",
    re.I,
)
_NOT_KEY_VALUE = compile_on_use(
    r"[-+]?[\d.,_]+|0x[0-9a-f]{1,8}|~?\.{0,2}/[\w.@+/ -]*|[A-Za-z]:\\.*|[\[({<].*|\w+\.\w{2,4}|file:.*", re.I
)
_MIN_KEY_CHARS = 6  # characters of a key, unless an environment variable says that it is one
_BASE64_KEY = compile_on_use(r"[A-Za-z0-9+/]{40,}={0,2}")
_ENCODED = compile_on_use(r"[A-Z0-9=]")  # "auth": "kerberos" says how, not by what


@functools.lru_cache(4096)  # the same few names stand in every line
def is_password_name(name: str) -> bool:
    """Return whether a setting of this name holds a password, and not something about one."""
    is_match = _PASSWORD.search(name) is not None or (_VARIABLE.fullmatch(name) is not None and "PASS" in name)
    return is_match and _ABOUT_PASSWORD.search(name) is None and name.lower() not in _FOLDER_VARIABLES


@functools.lru_cache(4096)
def is_key_name(name: str) -> bool:
    """Return whether a setting of this name holds a key or token."""
    is_match = _KEY.search(name) is not None or _VARIABLE.fullmatch(name) is not None
    return is_match and _NOT_KEY.search(name) is None and _ABOUT_PASSWORD.search(name) is None


def mask_setting_value(name: str, value: str) -> str:
    """Return the value of a setting, masked if its name and the value itself say that it is secret."""
    return MASK if _is_secret_value(name, value) else value


def mask_settings(text: str) -> str:
    """Return the text with the values of secret settings masked."""
    for pattern in (_PAIR, _TUPLE, _PROPERTY, _NAME, _OPTION, _ELEMENT, _CELL, _COLUMN):
        text = _mask_matches(pattern, text)
    return _PAIR_REVERSED.sub(_mask_reversed_pair, text)


def _mask_reversed_pair(match: re.Match[str]) -> str:
    if not _is_secret_value(match["name"], match["value"]):
        return match[0]
    begin, end = (offset - match.start() for offset in match.span("value"))
    return match[0][:begin] + MASK + match[0][end:]


def mask_values_on_next_lines(lines: Sequence[str]) -> list[str]:
    """Return consecutive lines, masked where one line holds the name of a setting and the next one its value."""
    masked = list(lines)
    for number in range(1, len(masked)):
        line = masked[number]
        if span := find_value_on_next_line(masked[number - 1], line):
            masked[number] = line[: span[0]] + MASK + line[span[1] :]
    return masked


def find_value_on_next_line(previous_line: str, line: str) -> tuple[int, int] | None:
    """Return where in `line` the value stands of a secret setting whose name ends the line before; None if none does.

    The same stamp and writer may stand before both.
    """
    if "value" in line.lower():
        at = _common_prefix(previous_line, line)
        for pattern in (_PAIR, _PROPERTY):
            joined = f"{previous_line}\n{line[at:]}"
            behind = len(previous_line) + 1
            for match in pattern.finditer(joined):
                begin, end = _find_value(joined, match.end())
                if behind <= begin < end and _is_secret_value(match["name"], joined[begin:end]):
                    return begin - behind + at, end - behind + at
        return None
    if (unfinished := _match_unfinished(previous_line)) is None:
        return None
    name = unfinished["name"] or unfinished["option"]
    if name.endswith("-stdin"):  # the value came before, through a pipe
        return None
    before = previous_line[: unfinished.start("name" if unfinished["name"] else "option")]
    starts = sorted({_common_prefix(before, line), 0}, reverse=True)
    values = (value for start in starts if (value := _VALUE_LINE.fullmatch(line, start)))
    return next(
        (
            value.span("value")
            for value in values
            if not value["value"].startswith("--") and _is_secret_value(name, value["value"])
        ),
        None,
    )


def _common_prefix(first: str, second: str) -> int:
    """Return how many characters two lines share but for their digits, up to the last blank of them."""
    pairs = zip(_without_digits(first), _without_digits(second), strict=False)
    shared = next((at for at, pair in enumerate(pairs) if len(set(pair)) > 1), min(len(first), len(second)))
    return second.rfind(" ", 0, shared) + 1


def _without_digits(text: str) -> str:
    return text.translate(_DIGITS)


def read_pairs(text: str) -> Iterator[str]:
    """Yield `NAME=value` for each variable that `text` writes as an object with a name and a value."""
    lower = text.lower()
    for match in _PAIR.finditer(text) if "name" in lower and "value" in lower else ():
        begin, end = _find_value(text, match.end())
        yield f"{match['name']}={text[begin:end]}"


def _match_unfinished(line: str) -> re.Match[str] | None:
    end = line[-_MAX_UNFINISHED_END:]
    if ":" not in end and "=" not in end and "--" not in line[-80:] and not line[:41].lstrip().startswith("-"):
        return None  # most lines
    return _UNFINISHED.search(line, max(0, len(line) - 200))


def _mask_matches(pattern: re.Pattern[str], text: str) -> str:
    parts: list[str] = []
    at = 0
    for match in pattern.finditer(text):
        name, start = match["name"], match.end()
        if (
            start < at
            or text.startswith(MASK, match.start("name") - 1)
            or not (is_password_name(name) or is_key_name(name) or name.lower() == "pwd")
        ):
            continue
        begin, end = _find_value(text, start)
        if begin < end and _is_secret_value(name, text[begin:end]):
            parts += [text[at:begin], MASK]
            at = _find_end_of_long_value(text, begin, end) if end - begin >= _MAX_VALUE_CHARS else end
    return "".join([*parts, text[at:]]) if parts else text


def _find_end_of_long_value(text: str, begin: int, end: int) -> int:
    """Return where a value ends that is longer than what is looked at: at its quote, or at the end of the word."""
    is_escaped = text[max(0, begin - 2)] == "\\"
    rest_of_value = _REST_OF_ESCAPED if is_escaped else _REST_OF_QUOTED.get(text[begin - 1], _REST_OF_WORD)
    return rest_of_value.match(text, end).end()  # type: ignore[union-attr]


def _find_value(text: str, start: int) -> tuple[int, int]:
    value_match = next((match for pattern in _VALUES if (match := pattern.match(text, start))), None)
    if value_match is None:
        return start, start
    begin, end = value_match.span("value")
    if value_match.re is _VALUES[-1] and _QUOTED_PART.search(text, begin, end):
        end = max(end, find_word_end(text, begin))
    elif value_match.re in _QUOTED and text[end : end + 1] == value_match[0][0] and is_adjacent(text, end + 1):
        return start, find_word_end(text, end + 1)
    closing = _CLOSING if value_match.re is _VALUES[-1] else "\\"
    while end > begin and text[end - 1] in closing and not text.endswith(MASK, begin, end):
        end -= 1
    return begin, end


def _is_secret_value(name: str, value: str) -> bool:
    value = value.strip()
    if not value or _PLACEHOLDER.fullmatch(value):
        return False
    if name.lower() == "pwd":  # of a connection, if it is no folder
        return value[0] not in "/~" and value[1:2] != ":"
    if is_password_name(name):
        return not (name.lower().endswith("pass") and name.islower() and value.isdecimal())  # `pass=5 fail=0`
    if name.lower().endswith("auth") and not _ENCODED.search(value):
        return False
    if not is_key_name(name) or (len(value) < _MIN_KEY_CHARS and not name.isupper()):
        return False
    return _NOT_KEY_VALUE.fullmatch(value) is None or _BASE64_KEY.fullmatch(value) is not None
