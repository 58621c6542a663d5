"""The scanner never misses a line that a pattern matches, whatever the engine and wherever the line stands."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analyzer.scan import text_frequency
from analyzer.scan.gates import choose_gates, load_gates
from analyzer.scan.scanner import HyperscanScanner, LiteralScanner, unpack_hit
from analyzer.scan.widen import widen

PATTERNS = [
    r"Killed process (?P<pid>\d+) \((?P<comm>[^)]*)\)",
    r"(?i)nvrm: xid \((?:PCI:)?(?P<pci>[0-9a-f:.]+)\): (?P<xid>\d+)",
    r"^E\d{4} .*StartAbort (?P<code>[A-Z_]+): (?P<reason>.*)$",
    r"foo(?=bar)\s+\S+",
    r"(?:connect|recv)(?:ed|msg)?:? (?:refused|reset)",
    r"loss\s*[:=]\s*(?:nan|inf)\b",
    r"(?<!un)expected [^\n\d]{1,20} end",
    r"a(?:b|c)*d+",
    r"\b(?P<step>\d+)/\d+ .* - (?:\w{1,20}_)?loss",
    r"(?i)\bI\b.{0,60}?[: ](?:all )?done\s*$",
    r"^\s*(?:foo )?(?P<host>[a-z]+)\s+OOM\s",
]
LINES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "[1.0] Killed process 42 (python3) total-vm:9kB",
                "NVRM: Xid (PCI:0000:05:00): 79, pid=1",
                "E0000 ring StartAbort UNAVAILABLE: gone",
                "foobar  baz",
                "connected: refused",
                "recvmsg reset",
                "loss = nan",
                "unexpected x end expected yy end",
                "xabcbdd",
                "Killed process",
                "loss: nano",
                "12/30 [==] - val_loss: 1",
                "x I foo: all done",
                "foo node OOM 7",
            ]
        ),
        st.text(alphabet="abcdefost Kil(1) =:\té\x00", max_size=30),
    ),
    max_size=20,
)


def naive(text: str) -> set[tuple[int, int]]:
    """(line number, pattern) pairs by searching each line with each pattern."""
    return {
        (n, p)
        for n, line in enumerate(text.split("\n"))
        for p, pattern in enumerate(PATTERNS)
        if re.search(pattern, line)
    }


def located(scanner: object, block: bytes) -> set[tuple[int, int]]:
    return {(block.count(b"\n", 0, end - 1), p) for end, p in map(unpack_hit, scanner.scan(block))}  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def engines() -> list[object]:
    scanners: list[object] = [LiteralScanner(PATTERNS)]
    pytest.importorskip("hyperscan")
    scanners.append(HyperscanScanner(PATTERNS, None))
    return scanners


@given(LINES)
@example(["Killed process 1 (a)"] * 3)
@settings(max_examples=150)
def test_no_matching_line_is_missed(engines: list[object], lines: list[str]) -> None:
    text = "\n".join(lines)
    for engine in engines:
        assert naive(text) <= located(engine, text.encode())


def test_a_cached_database_finds_the_same_and_a_damaged_one_is_rebuilt(tmp_path) -> None:  # type: ignore[no-untyped-def]
    pytest.importorskip("hyperscan")
    block = b"x\nKilled process 7 (a)\n"
    first = HyperscanScanner(PATTERNS, tmp_path).scan(block)
    again = HyperscanScanner(PATTERNS, tmp_path).scan(block)
    for cached in tmp_path.glob("*.hs"):
        cached.write_bytes(b"not a database")
    rebuilt = HyperscanScanner(PATTERNS, tmp_path).scan(block)
    assert first == again == rebuilt != []


def test_what_the_engine_refuses_is_looked_for_in_every_line() -> None:
    """`.{0,0}` is an invalid repeat to it: a pack of a colleague's must not end the analysis."""
    pytest.importorskip("hyperscan")
    patterns = [*PATTERNS, r"lost.{0,0} worker:\d"]
    block = b"Killed process 7 (a)\nnothing\nlost worker:1\n"
    text = block.decode()
    hits = HyperscanScanner(patterns, None).scan(block)
    matches = {(text.count("\n", 0, end - 1), patterns[number]) for end, number in map(unpack_hit, hits)}
    assert {(0, PATTERNS[0]), (2, patterns[-1])} <= matches


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        (r"Killed process (\d+)", {"killed process "}),
        (r"(?:alpha|beta)\d", {"alpha", "beta"}),
        (r"(?:alpha|\d)x", {"x"}),
        (r"\d+", set()),
    ],
)
def test_required_literals(pattern: str, literals: set[str]) -> None:
    assert widen(pattern).literals == literals


def test_a_pattern_that_explodes_costs_bounded_time_and_misses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a literal to look for it runs over the block itself; given up, it stands for every line."""
    monkeypatch.setattr("analyzer.scan.scanner.PATTERN_TIMEOUT_S", 0.05)
    scanner = LiteralScanner([r"b(?:a|aa)+[!?]", "needle"])
    block = b"one needle\nb" + b"a" * 4999 + b"\nlast\n"
    for _ in range(3):
        hits = scanner.scan(block)
        assert {(end, 0) for end in (10, 5011, 5016)} | {(10, 1)} == set(map(unpack_hit, hits))


def test_gates_that_prove_common_are_changed_and_nothing_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rare as a text may be elsewhere, here it stands in every line."""
    pytest.importorskip("hyperscan")
    monkeypatch.setattr("analyzer.scan.scanner.RELEARN_GATE_HITS", 100)
    monkeypatch.setattr("analyzer.scan.scanner.SAMPLE_BYTES", 1024)
    patterns = [rf"quuxwort zyzzyva {word} \d+" for word in ("qwfpgj", "xcvbkm", "zyzzyva")]
    patterns.append(r"quuxwort zyzzyva .*8$")
    scanner = HyperscanScanner(patterns, None)
    before = set(scanner._gates.texts)
    ordinary = b"quuxwort zyzzyva and nothing else\n" * 200
    for end in (b"", b"quuxwort zyzzyva xcvbkm 7\n", b"QUUXWORT zyzzyva zyzzyva 9"):
        block = ordinary + end + b"quuxwort zyzzyva zyzzyva 8\n"
        assert located(scanner, block) == {
            (number, index)
            for number, line in enumerate(block.decode().split("\n"))
            for index, pattern in enumerate(patterns)
            if re.search(pattern, line)
        }
    assert before.isdisjoint(scanner._gates.texts)
    assert all(text not in ordinary.decode() for text in scanner._gates.texts)
    assert scanner._gates.direct == (3,)  # which has no other text


@pytest.mark.parametrize("worn", [0, 1 << 30])
def test_gates_that_were_learnt_are_those_of_the_next_run(
    worn: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless too many patterns are without one by then."""
    pytest.importorskip("hyperscan")
    monkeypatch.setattr("analyzer.scan.scanner.RELEARN_GATE_HITS", 100)
    patterns = [r"quuxwort zyzzyva \d+", r"quuxwort .*8$"]
    first = HyperscanScanner(patterns, tmp_path)
    before = (first._gates.texts, first._gates.direct)
    monkeypatch.setattr("analyzer.scan.gates.MAX_DEGRADATION", worn)
    first.scan(b"a quuxwort and nothing else\n" * 200)
    learnt = (first._gates.texts, first._gates.direct)
    assert learnt != before
    assert learnt[1] == (1,)  # which has no other text
    again = HyperscanScanner(patterns, tmp_path)
    assert (again._gates.texts, again._gates.direct) == (learnt if worn else before)
    block = b"quuxwort zyzzyva 7\nquuxwort 18\nQUUXWORT\n"
    assert located(again, block) == located(first, block) == {(0, 0), (1, 1)}


def test_gates_that_logs_of_many_kinds_wore_out_begin_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind alone costs no more than one pattern its gate, so what the last one taught is kept for the next run."""
    pytest.importorskip("hyperscan")
    monkeypatch.setattr("analyzer.scan.scanner.RELEARN_GATE_HITS", 100)
    words = ("quuxwort", "zyzzyva", "xcvbkmq")
    patterns = [rf"{word} \d+" for word in words]
    for word in words:
        last = HyperscanScanner(patterns, tmp_path)
        last.scan(f"a {word} and nothing else\n".encode() * 200)
    assert last._gates.direct == (2,)  # without a new beginning all three
    again = HyperscanScanner(patterns, tmp_path)
    assert (again._gates.texts, again._gates.direct) == (last._gates.texts, last._gates.direct)
    assert located(again, b"quuxwort 1\nzyzzyva 2\nxcvbkmq 3\n") == {(0, 0), (1, 1), (2, 2)}


def test_gates_stay_where_no_file_can_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other gates need a table of frequencies. A process with few file descriptors reads on with the gates it has."""
    pytest.importorskip("hyperscan")
    monkeypatch.setattr("analyzer.scan.scanner.RELEARN_GATE_HITS", 100)
    scanner = HyperscanScanner([r"quuxwort zyzzyva \d+", r"quuxwort .*8$"], None)
    before = scanner._gates.texts
    text_frequency._load_common_grams.cache_clear()
    monkeypatch.setattr("analyzer.scan.text_frequency._FILE", tmp_path / "missing")
    block = b"a quuxwort and nothing else\n" * 200 + b"quuxwort zyzzyva 7\n"
    assert {(200, 0)} <= located(scanner, block)
    assert scanner._gates.texts == before


def test_gates_are_rare_texts_one_of_which_stands_in_every_match() -> None:
    gates = choose_gates(PATTERNS)
    assert 0 < len(gates.direct) < len(PATTERNS)
    for index in set(range(len(PATTERNS))) - set(gates.direct):
        assert any(
            all(any(text in literal for text in gates.texts) for literal in literals)
            for literals in widen(PATTERNS[index]).required
        )
    again = load_gates(PATTERNS, gates.dump())
    assert (again.texts, again.direct, again.initially_gated) == (gates.texts, gates.direct, gates.initially_gated)
    assert set(gates.direct).isdisjoint(gates.initially_gated)


@pytest.mark.parametrize(
    ("pattern", "gone", "stays"),
    [
        (r"abcd\d+ .{0,99}? - (?:val_)?loss: \d", "val_", "loss: "),
        (r"ab\d+ .* - loss: \d", "", " - loss: "),  # nothing between that may be missing
        (r"abcd\d+ .*GPU.{0,99}out of", "GPU", "out of"),
        (r"\d+ .{0,99} - (?:val_)?loss", "", " - "),  # a gap of a certain length takes nothing
    ],
)
def test_what_may_be_missing_behind_a_gap_is_not_looked_for(pattern: str, gone: str, stays: str) -> None:
    expression = widen(pattern).expression
    assert stays in expression
    assert not gone or gone not in expression
    for line in ("abcd1 x - val_loss: 2", "ab1 x - loss: 2", "abcd1 GPU 0: out of", "1 x - val_loss"):
        assert not re.search(pattern, line) or re.search(expression, line)


@pytest.mark.parametrize("pattern", [r"ERROR\s+\w+:", r"ERROR\W+worker", r"ERROR[\s|]worker", r"ERROR[^x]worker"])
def test_no_hit_crosses_a_line_end(pattern: str) -> None:
    pytest.importorskip("hyperscan")
    text = b"it is an ERROR\nworker: x"
    for scanner in (HyperscanScanner([pattern], None), LiteralScanner([pattern])):
        assert all(b"\n" not in text[: unpack_hit(hit)[0]] for hit in scanner.scan(text))
