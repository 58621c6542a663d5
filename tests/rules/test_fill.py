"""Titles and summaries read as sentences, whatever a rule caught and whatever it did not."""

from __future__ import annotations

import pytest

from analyzer.rules.evaluation.templates import end_sentence, fill_sentence, fill_template

TEMPLATE = "{node}: no space left[ for {path}] ({device?}, {free?} free): {reason?}"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, "n1: no space left"),
        ({"path": "/data"}, "n1: no space left for /data"),
        ({"free": "3 MiB"}, "n1: no space left (3 MiB free)"),
        ({"device": "sda", "free": "0"}, "n1: no space left (sda, 0 free)"),
        ({"reason": "ENOSPC"}, "n1: no space left: ENOSPC"),
        ({"path": "a[0] {node} f() .x"}, "n1: no space left for a[0] {node} f() .x"),
    ],
)
def test_what_is_not_known_leaves_no_hole(values: dict[str, str], expected: str) -> None:
    assert fill_template(TEMPLATE, {"node": "n1", **values}) == expected


@pytest.mark.parametrize(
    ("template", "values", "sentence"),
    [
        ("failed in {function?} on {host?}: look there", {}, "failed: look there"),
        ("failed in {function?} on {host?}", {"host": "n1"}, "failed on n1"),
        ("lost {host?}{address?} to {a?}{b?}", {"b": "x"}, "lost to x"),
        ("It failed. Process: {comm?} {pid?}. Look there.", {}, "It failed. Look there."),
        ("It failed. Process: {comm?} {pid?}.", {"pid": "7"}, "It failed. Process: 7."),
    ],
)
def test_what_belongs_to_a_missing_name_goes_with_it(template: str, values: dict[str, str], sentence: str) -> None:
    assert fill_template(template, values) == sentence


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{node}: too many open files", "Too many open files"),
        ("a check failed on {node}: {check?}", "A check failed"),
        ("{node} was cut off", "The job was cut off"),
        ("cuDNN does not start on {node}", "cuDNN does not start"),
        ("Look at the log[ of {node}].", "Look at the log."),
        ("{node}'s cluster is odd", "The job's cluster is odd"),
    ],
)
def test_without_a_node_no_place_is_named(template: str, expected: str) -> None:
    assert fill_sentence(template, {}, None) == expected


def test_a_name_keeps_its_small_letter() -> None:
    assert fill_sentence("{node} was cut off", {}, "beta") == "beta was cut off"


def test_a_missing_name_alone_in_a_parenthesis_goes_with_it() -> None:
    assert fill_template("{a} ({b}) is slow", {"a": "x"}) == "x is slow"


def test_a_missing_name_that_is_not_optional_shows() -> None:
    assert fill_template("{a} and {b}", {"a": "x"}) == "x and an unknown b"


@pytest.mark.parametrize(("sentence", "ended"), [("no end", "no end."), ("an end.", "an end."), ("", "")])
def test_a_sentence_ends(sentence: str, ended: str) -> None:
    assert end_sentence(sentence) == ended
