"""A scanner of bytes misses no line whose text is outside ASCII: bounds, classes, cases and word boundaries."""

from __future__ import annotations

import random
import re
import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
from builtin_rules import builtin_packs

from analyzer.scan.digits import split_by_digits
from analyzer.scan.parse_tree import REPEATS, parse_pattern, parts_of
from analyzer.scan.scanner import HyperscanScanner, LiteralScanner
from analyzer.scan.widen import widen
from analyzer.signals.compiled_patterns import compile_pattern

TRIES = 6  # texts of each pattern
MAX_COPIES = 40  # of what a repeat repeats
FOREIGN = "éßÉжЖя日本語エ全角　 \u2003…→━😀"


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (r"step.{0,20}loss", "step " + "損失の値は次の通りです。" + " loss"),
        (r"step[^,]{1,20}loss", "step" + "потеря обучения: " + "loss"),
        (r"worker \w{2,8} is lost", "worker größe is lost"),
        (r"\w{3}=1", "äöü=1"),
        (r"a.b", "a日b"),
        (r"a\Sb", "a😀b"),
        (r"a\sb", "a\u3000b"),
        (r"a\Wb", "a…b"),
        (r"\s{2}ok", "\u3000\u3000ok"),
        (r"ent[iî]rement", "entîrement"),
        (r"(?i)école finie", "ÉCOLE FINIE"),
        (r"(?i)[éè]chec", "ÈCHEC"),
        (r"(?i)обучение", "ОБУЧЕНИЕ"),
        (r"обучение\b завершено", "обучение завершено"),
        (r"\bошибка\b", "это ошибка, да"),
        (r"[а-яё]+ нет места", "ёлка нет места"),
        (r"\w+\b-x", "é-x"),
        (r"x\Béy", "xéy"),
        (r"[^é]x\d", "ёx1"),
        (r"(?:é{2}|a){3}b", "ééééééb"),
        (r"完了 \d+ step [1-9]", "完了 10 step 3"),
    ],
)
def test_a_line_outside_ascii_is_found(pattern: str, line: str) -> None:
    pytest.importorskip("hyperscan")
    assert compile_pattern(pattern).search(line)
    block = f"nothing\n{line}\nnothing\n".encode()
    for scanner in (HyperscanScanner([pattern], None), LiteralScanner([pattern])):
        assert scanner.scan(block), scanner
    if split := split_by_digits(widen(pattern).expression):
        assert re.search(split[0].encode(), line.encode())


def test_every_pattern_is_found_in_a_text_of_its_own() -> None:
    chance = random.Random(7)
    matched = 0
    for signal in builtin_packs().signals.values():
        for pattern in signal.match:
            widened = widen(pattern)
            search = re.compile(widened.expression.encode(), re.IGNORECASE if widened.caseless else 0).search
            for _ in range(TRIES):
                line = _write_match(parse_pattern(pattern), chance)
                if "\n" not in line and compile_pattern(pattern).search(line):
                    assert search(line.encode()), (pattern, line)
                    matched += not line.isascii()
    assert matched > 5000


def _write_match(items: Iterable[Any], chance: random.Random, copies: int = MAX_COPIES) -> str:
    """Return a text that the tree probably matches, with characters outside ASCII wherever it takes any."""
    return "".join(_write_node(op, arg, chance, copies) for op, arg in items)


def _write_node(op: Any, arg: Any, chance: random.Random, copies: int) -> str:
    if op is sre.LITERAL:
        return chr(arg)
    if op in REPEATS:
        low, high, inner = arg
        most = min(int(high), low + copies)
        times = chance.choice((low, most, chance.randint(low, most)))
        return "".join(_write_match(inner, chance, copies // 8) for _ in range(times))
    if op is sre.BRANCH:
        return _write_match(chance.choice(arg[1]), chance, copies)
    if op in (sre.ANY, sre.NOT_LITERAL, sre.IN):
        return _write_character(op, arg, chance)
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        return ""
    return "".join(_write_match(part, chance, copies) for part in parts_of(op, arg))


def _write_character(op: Any, arg: Any, chance: random.Random) -> str:
    return chance.choice(_characters_of(_class_text(op, arg)) or ("",))


@cache
def _characters_of(class_text: str) -> tuple[str, ...]:
    taken = compile_pattern(class_text).fullmatch
    return tuple(filter(taken, FOREIGN)) or tuple(filter(taken, map(chr, range(32, 127))))


def _class_text(op: Any, arg: Any) -> str:
    if op is not sre.IN:
        return "." if op is sre.ANY else f"[^{re.escape(chr(arg))}]"
    texts = []
    for part, value in arg:
        if part is sre.NEGATE:
            texts.append("^")
        elif part is sre.RANGE:
            texts.append(f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}")
        else:
            texts.append(re.escape(chr(value)) if part is sre.LITERAL else CATEGORY_TEXTS[value])
    return f"[{''.join(texts)}]"


CATEGORY_TEXTS = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}
