"""A listing of pods that is deep or multiplies is read as a text, and the process lives on."""

from __future__ import annotations

import pytest

from analyzer.facts.containers import read_pods

HEAD = "apiVersion: v1\nkind: Pod\n"
ALIASES = "a: &a [x, x, x, x]\n" + "".join(
    f"b{n}: &b{n} [{', '.join([f'*b{n - 1}' if n else '*a'] * 9)}]\n" for n in range(9)
)


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "metadata: " + "[" * 200_000,  # overflowed the stack inside libyaml's composer
        HEAD + "metadata: " + "{a: " * 100_000,
        HEAD + "- " * 100_000 + "x",
        HEAD + ALIASES + "metadata: {name: *b8}",
        "[" * 900 + '\n"kind": 1' + "]" * 900,
        '{"items":' * 900 + '[{\n"kind": "Pod"}]' + "}" * 900,
    ],
    ids=["lists", "mappings", "blocks", "aliases", "json lists", "json items"],
)
def test_it_is_no_pod(text: str) -> None:
    assert read_pods(text) == []


def test_a_plain_one_is() -> None:
    assert [pod.name for pod in read_pods(HEAD + "metadata: {name: w-1}\nspec: {}\n")] == ["w-1"]
