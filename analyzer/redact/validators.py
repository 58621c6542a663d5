"""Check numbers that carry a check digit, and addresses of machines."""

from __future__ import annotations

import ipaddress
import re


def is_card_number(text: str) -> bool:
    """Return whether this is a payment card number: ISO/IEC 7812, sixteen digits, or fifteen of American Express."""
    digits = re.sub(r"[ -]", "", text)
    if len(digits) != (15 if digits[:2] in ("34", "37") else 16) or digits[0] not in "23456":
        return False
    total = 0
    for position, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + position % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0


def is_iban(text: str) -> bool:
    """Return whether this is an International Bank Account Number: ISO 13616."""
    text = text.replace(" ", "")
    number = "".join(str(int(char, 36)) for char in text[4:] + text[:4])
    return 15 <= len(text) <= 34 and int(number) % 97 == 1


def parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the IP address; None for anything else, and for one with a zone, which may be any text."""
    try:
        return None if "%" in text else ipaddress.ip_address(text)
    except ValueError:
        return None


def is_address(text: str) -> bool:
    return parse_address(text) is not None


def is_machine_address(text: str) -> bool:
    """Return whether this is the address of one machine: no loopback, no mask, no multicast."""
    address = parse_address(text)
    return address is not None and not (
        address.is_loopback or address.is_unspecified or address.is_multicast or text.startswith(("255.", "0."))
    )


def is_private_address(text: str) -> bool:
    """Return whether the IPv4 address is of a private network: RFC 1918, RFC 6598, link-local."""
    address = ipaddress.IPv4Address(text)
    return address.is_private or address in _SHARED


_SHARED = ipaddress.IPv4Network("100.64.0.0/10")
