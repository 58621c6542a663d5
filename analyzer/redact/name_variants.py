"""List all forms in which a known name may be written: short or full, with other separators, escaped, in other
bases.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import quote, unquote

from analyzer.redact.validators import parse_address
from analyzer.untrusted.references import unescape_html

_ESCAPED = re.compile(r"%[0-9A-Fa-f]{2}|\\[\"/\\]|\\u[0-9a-fA-F]{4}|&#?\w{2,6};")
_TERMINAL_ESCAPE = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[()][A-Z0-9]|[=>78cDEHMNO])")  # ECMA-48
_NUMBER = re.compile(r"\d+")
_FOLDED_RANGE = re.compile(r"\[[^\[\]]{0,200}<n>[^\[\]]{0,200}\]|<n>$")  # `gpu[1-4]` of which `gpu1` is known
_MIN_TEMPLATE_LETTERS = 4  # letters that a template must keep of a name to tell it
_MIN_JOINED_CHARS = 5  # characters of a name that is still one with its hyphens changed or left out
_MIN_ADDRESS_NUMBER = 10**8  # smaller ones are found everywhere
_SEPARATORS = ("-", "_", ".")


def uncoloured_views(text: str) -> Iterator[str]:
    """Yield the text as a terminal shows it, and with a blank for each of its colours: `ze ESC[31m ann@…` is both the
    word `zeann` and a name `ann`, but no name `31mann`.
    """
    if "\x1b" not in text:
        yield text
        return
    yield _TERMINAL_ESCAPE.sub("", text)
    yield _TERMINAL_ESCAPE.sub(" ", text)


def unescaped_views(text: str) -> Iterator[str]:
    """Yield the text, and the text without one and two layers of escapes (RFC 3986, JSON, HTML) where that differs."""
    yield text
    for _ in range(2):
        if not _ESCAPED.search(text):
            return
        text, previous = _unescape(text), text
        if text == previous:
            return
        yield text


def _unescape(text: str) -> str:
    text = unquote(text, errors="replace") if "%" in text else text
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text) if "\\u" in text else text
    text = re.sub(r"\\([\"/\\])", r"\1", text) if "\\" in text else text
    return unescape_html(text)


def list_variants(name_kind: str, name: str) -> list[str]:
    """Return every variant of a name in lower case, the name itself first."""
    written = dict.fromkeys((name, *_VARIANTS_BY_KIND.get(name_kind, _separator_variants)(name)))
    all_forms = [*written, *(form for variant in written for form in _escaped_variants(variant))]
    return list(dict.fromkeys(variant.lower() for form in all_forms for variant in (form, *_template_variants(form))))


def _template_variants(name: str) -> Iterator[str]:
    """Yield the name as templates of lines show it, with `<n>` for numbers and `<*>` for a range in brackets, if
    enough letters are left to identify it.
    """
    shape = _NUMBER.sub("<n>", name)
    if shape == name or sum(map(str.isalpha, _NUMBER.sub("", name))) < _MIN_TEMPLATE_LETTERS:
        return
    yield shape
    if (folded := _FOLDED_RANGE.sub("<*>", shape)) != shape:
        yield folded


def _escaped_variants(name: str) -> Iterator[str]:
    raw = _encode(name)
    if (once := quote(raw, safe="")) != name:
        yield once
        yield quote(once, safe="")
    if (slashed := quote(raw)) != name:
        yield slashed
    if "/" in name:
        yield name.replace("/", "\\/")
    if not name.isascii():
        yield json.dumps(name)[1:-1]
        yield "".join(chr(byte) if byte < 128 else f"\\{byte:03o}" for byte in raw)
        yield "".join(chr(byte) if byte < 128 else f"\\x{byte:02x}" for byte in raw)


def _encode(name: str) -> bytes:
    """Return the bytes of a name; those of a file's name that are no UTF-8 are the original ones."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "replace")


def _separator_variants(name: str) -> Iterator[str]:
    """Yield `gpu-alpha17` as `gpu_alpha17`, `gpu.alpha17`, `gpualpha17`, and with its domain as
    `gpu-alpha17-zeta-example`.
    """
    if len(name) < _MIN_JOINED_CHARS or not re.search(r"[-_.\s/]", name):
        return
    for joint in _SEPARATORS:
        yield re.sub(r"[-_.\s/]+", joint, name)
    yield from (name.replace("-", joint) for joint in ("_", "."))
    if len(bare := re.sub(r"[-_\s]", "", name)) >= _MIN_JOINED_CHARS and "/" not in name:
        yield bare
    if " " in name:
        yield name.replace(" ", "+")


def _address_variants(name: str) -> Iterator[str]:
    address = parse_address(name)
    if address is None:
        hexadecimal = name.lower().removeprefix("0x")
        if re.fullmatch(r"[0-9a-f]{8}", hexadecimal):
            yield from (hexadecimal, f"0x{hexadecimal}")
        yield from _separator_variants(name)
        return
    if isinstance(address, ipaddress.IPv4Address):
        yield from _ipv4_variants(address)
        return
    yield from (address.compressed, address.exploded)
    for form in (name, address.compressed, address.exploded):
        yield from (form.replace(":", joint) for joint in ("-", "_"))
    yield address.exploded.replace(":", "")


def _ipv4_variants(address: ipaddress.IPv4Address) -> Iterator[str]:
    parts = str(address).split(".")
    yield from (joint.join(parts) for joint in (".", "-", "_"))
    yield ".".join(reversed(parts))  # in-addr.arpa
    yield ".".join(f"{int(part):03d}" for part in parts)
    for raw in (address.packed, address.packed[::-1]):  # the kernel writes /proc/net/tcp as the machine orders bytes
        yield from (raw.hex(), f"0x{raw.hex()}")
    high, low = divmod(int(address), 1 << 16)
    yield from (f"::ffff:{high:x}:{low:x}", f"0000:0000:0000:0000:0000:ffff:{high:04x}:{low:04x}")
    if int(address) >= _MIN_ADDRESS_NUMBER:
        yield str(int(address))


def _hardware_address_variants(name: str) -> Iterator[str]:
    digits = re.sub(r"[^0-9a-f]", "", name.lower())
    pairs = [digits[at : at + 2] for at in range(0, len(digits), 2)]
    yield from (joint.join(pairs) for joint in (":", "-", "_"))
    yield from (digits, f"0x{digits}")
    if len(digits) in (12, 16):
        yield from (joint.join(digits[at : at + 4] for at in range(0, len(digits), 4)) for joint in (".", ":"))
    if len(digits) == 12:  # EUI-64, the lower half of an IPv6 address
        eui = f"{int(digits[:2], 16) ^ 2:02x}{digits[2:6]}fffe{digits[6:]}"
        yield ":".join(f"{int(eui[at : at + 4], 16):x}" for at in range(0, 16, 4))


def _uuid_variants(name: str) -> Iterator[str]:
    bare = re.sub(r"^(?:gpu|mig|dla)-", "", name.lower())
    yield from (bare, bare.replace("-", ""), bare.replace("-", "_"))
    yield from (f"pod{bare}", f"pod{bare.replace('-', '_')}")  # control groups


def _digit_variants(name: str) -> Iterator[str]:
    digits = re.sub(r"\D", "", name)
    yield digits
    if len(digits) == 16:
        yield from (joint.join(digits[at : at + 4] for at in range(0, 16, 4)) for joint in (" ", "-"))


def _only_itself(name: str) -> Iterator[str]:
    yield name


def _mail_variants(name: str) -> Iterator[str]:
    user, _, domain = name.partition("@")
    yield from (f"{user}_at_{domain}", f"{user} at {domain}", f"{user}_{domain}", f"{user}-{domain}")


_VARIANTS_BY_KIND: Mapping[str, Callable[[str], Iterator[str]]] = {
    "addr": _address_variants,
    "mac": _hardware_address_variants,
    "guid": _hardware_address_variants,
    "uuid": _uuid_variants,
    "card": _digit_variants,
    "phone": _digit_variants,
    "fingerprint": _only_itself,
    "key": _only_itself,
    "mail": _mail_variants,
}
