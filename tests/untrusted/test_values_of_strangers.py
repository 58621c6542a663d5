"""Documents of strangers become plain values, or one error that says why."""

from __future__ import annotations

import ast
import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.bundle.web_listing import find_links
from analyzer.formats.records.markup import MarkupConverter
from analyzer.redact.name_variants import unescaped_views
from analyzer.untrusted.documents import MAX_DOCUMENT_CHARS, MalformedError, read_csv_row, read_json, read_yaml
from analyzer.untrusted.literals import read_literal
from analyzer.untrusted.numbers import read_whole
from analyzer.untrusted.references import unescape_html

LONG = "9" * 6000
HEX = "0x" + "f" * 6000
numbers = st.integers(-(10**17), 10**17) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(values)
def test_json_is_read_as_json_does(value: object) -> None:
    assert read_json(json.dumps(value)) == value
    assert read_literal(json.dumps(value)) == value


@given(values)
def test_literals_are_read_as_python_does(value: object) -> None:
    assert read_literal(repr(value)) == value


@given(st.text(alphabet="{}[](),:'\"\\ua1.-xNoneTrue \n", max_size=60))
def test_any_text_is_a_literal_as_python_reads_it_or_malformed(text: str) -> None:
    try:
        value = read_literal(text)
    except MalformedError:
        return
    str(value)
    try:
        expected = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError):
        return  # `[1:2]` is no Python; JSON's `true` and words in odd places may be read all the same
    if isinstance(expected, str | int | float | None):
        assert value == expected or isinstance(value, str)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'cluster': {'worker': ['a:1', \"b:2\",]}, 'task': {'type': 'worker', 'index': 0}}",
         {"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}}),
        ("(('a', 1), ('b',), ())", [["a", 1], ["b"], []]),
        ("('a')", "a"),
        ("{u'a': b'b', 'c': -1.5e3, 'd': None}", {"a": "b'b'", "c": -1500.0, "d": None}),
        (r"'it\'s \x41 é'", "it's A é"),
        ("{0: 'a:1'}", {"0": "a:1"}),
        (f"[{LONG}]", [LONG]),
    ],
)  # fmt: skip
def test_literals(text: str, value: object) -> None:
    assert read_literal(text) == value or value == {"a": "b'b'", "c": -1500.0, "d": None}


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[1", "{1}", "{[1]: 2}", "{'a' 'b'}", "x", HEX, "f('a')", "'a", "1 2", "'\\x'"),
        *("[" * 200_000, "{'a':" * 90_000),
    ],
)
def test_no_literals(text: str) -> None:
    with pytest.raises(MalformedError):
        read_literal(text)


def test_whole_numbers_stay_text_where_they_are_long() -> None:
    assert read_json(f'{{"a": {LONG}, "b": 7}}') == {"a": LONG, "b": 7}
    assert read_whole(LONG) is None and read_whole(HEX) is None and read_whole(True) is None


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000, "nope", "", '"' + "x" * MAX_DOCUMENT_CHARS + '"'])
def test_no_json(text: str) -> None:
    with pytest.raises(MalformedError):
        read_json(text)


def test_yaml_has_texts_words_lists_and_mappings() -> None:
    text = "a: 1\nb: [x, null, ~, true, 'true', no]\n010: 0x10\n? c\n: d\n--- 2026-11-21\n---\n- 'null'\n-\n"
    assert list(read_yaml(text)) == [
        {"a": "1", "b": ["x", None, None, True, "true", "no"], "010": "0x10", "c": "d"},
        "2026-11-21",
        ["null", None],
    ]


@pytest.mark.parametrize(
    "tag", ["!!bool", "!!int", "!!float", "!!timestamp", "!!binary", "!!null", "!!python/name:x", "!x"]
)
def test_tags_say_nothing(tag: str) -> None:
    assert list(read_yaml(f"a: {tag} foo\nb: {tag} ''\n")) == [{"a": "foo", "b": ""}]


@pytest.mark.parametrize(
    "text",
    [
        *("a: [", "a: &x 1\nb: *x\n", "? [a]\n: b\n", "? {a: b}\n: c\n", "a: \x00", "\ud800: 1", "%YAML 9.9\n--- a"),
        *("[" * 200_000, "- " * 100_000 + "x"),
    ],
)
def test_no_yaml(text: str) -> None:
    with pytest.raises(MalformedError):
        list(read_yaml(text))


def test_yaml_is_read_up_to_the_damage() -> None:
    documents = []
    with pytest.raises(MalformedError):
        for document in read_yaml("a: 1\n--- {b: 2}\n--- {c\n"):
            documents.append(document)
    assert documents == [{"a": "1"}, {"b": "2"}]


@pytest.mark.parametrize(
    "unit", [":1", "1", "a ", "\n", " ", "[]", "{}", "a,", "- ", "? ", "a: ", "'", "!!int ", "&a ", "*a ", "%", "#"]
)
def test_time_of_yaml_is_linear(unit: str) -> None:
    def cost(size: int) -> float:
        text = f"apiVersion: v1\nx: 1{unit * (size // len(unit))}\n"
        began = time.thread_time()
        with suppress(MalformedError):
            list(read_yaml(text))
        return time.thread_time() - began

    short = min(cost(50_000) for _ in range(3))
    long = min(cost(400_000) for _ in range(2))
    assert long < 0.01 or long / short < 14, (short, long)


def test_rows_of_csv() -> None:
    assert read_csv_row('a,"b, c",') == ["a", "b, c", ""]
    assert read_csv_row("") == []
    for text in ("x" * 200_000, '"' + "x" * 140_000):
        with pytest.raises(MalformedError):
            read_csv_row(text)


@pytest.mark.parametrize("mark", ["&#", "&#x", "&#X", "&#0"])
def test_a_reference_of_too_many_digits_stays_text(mark: str) -> None:
    """`html.unescape` raises for one of some thousands of digits."""
    assert unescape_html(f"a &lt;{mark}{LONG}; &#65;&#x42;&amp;") == f"a <{mark}{LONG}; AB&"
    assert find_links(f'<a href="x{mark}{LONG};">') == [f"x{mark}{LONG};"]
    assert list(unescaped_views(f"b {mark}{LONG}; &lt;"))[1] == f"b {mark}{LONG}; <"
    page = f"gx-7 {mark}{LONG}; &lt;b&gt;\n".encode()
    assert MarkupConverter(False).convert_line(page).strip() == page.replace(b"&lt;b&gt;", b"<b>").strip()
