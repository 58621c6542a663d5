"""The template language of titles and summaries: `{capture}`, `{capture?}`, `[for {capture}]`; no calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

BUILTIN_FIELDS = frozenset({"node", "task", "count", "file", "line"})
STEP_FIELDS = frozenset({"leader_host", "leader_port"})  # of `remediation` alone
_FIELD = re.compile(r"\{(\w+)(\?)?\}")
_BRACKETED_CLAUSE = re.compile(r"\[([^\[\]]*\{\w+\??\}[^\[\]]*)\]")
_PARENTHESIS = re.compile(r"\(([^()]*\{\w+\?\}[^()]*)\)")
_LONE_FIELD_IN_PARENTHESIS = re.compile(r" ?\(\{(\w+)\}\)")
_AFTER_PREPOSITION = re.compile(
    r" (?:after|against|as|at|behind|between|by|during|for|from|in|inside|into|of|on|onto|over|than|through|to|under"
    r"|with) \{\w+\?\}(?: ?\{\w+\?\})*"
)
_LABELLED_SENTENCE = re.compile(r"(?<=\.) [A-Z]\w*:(?: ?\{\w+\?\})+\.?(?= |$)")
_AFTER_COLON = re.compile(r":(?: ?\{\w+\?\})+(?=\.(?: |$)|$)")
_LOWERCASE_START = re.compile(r"[a-z]+(?:[ ,]|:(?!:))")


def fill_template(template: str, values: Mapping[str, str]) -> str:
    """Return the template with its fields filled.

    An unknown name becomes "an unknown peer" or the like, or goes if it stands alone in a parenthesis; an unknown
    optional one becomes nothing, and a preposition before it or a sentence like "Process: {comm?}." goes with it. A
    clause in brackets is left out if any of its names is unknown. A comma-separated part of a parenthesis, and what
    follows a colon, is left out if all its fields are optional and unknown.
    """
    text = _BRACKETED_CLAUSE.sub(
        lambda match: match[1] if all(values.get(name) for name, _ in template_fields(match[1])) else "", template
    )
    text = _PARENTHESIS.sub(lambda match: _fill_parenthesis(match[1], values), text)
    text = _LONE_FIELD_IN_PARENTHESIS.sub(lambda match: match[0] if values.get(match[1]) else "", text)
    for pattern in (_LABELLED_SENTENCE, _AFTER_COLON, _AFTER_PREPOSITION):
        text = pattern.sub(lambda match: "" if _is_empty_part(match[0], values) else match[0], text)
    text = _FIELD.sub(lambda match: "" if match[2] and not values.get(match[1]) else match[0], text)
    text = re.sub(r"(?<!\s)\s++(\)|[,.;:](?=\s|$))", r"\1", re.sub(r"\(\s*\)", "", text)).replace("  ", " ").strip()
    return re.sub(
        r"(?<=\w)\.\.(?= |$)",
        ".",
        _FIELD.sub(lambda match: values.get(match[1]) or f"an unknown {match[1].replace('_', ' ')}", text),
    )


def fill_sentence(template: str, values: Mapping[str, str], node: str | None) -> str:
    """Return a title or summary, filled, with a capital letter unless it begins with a name.

    Without a node, the template's mentions of the node are left out. A task without a name is "a process", and a node
    that is named like its task is named once.
    """
    task = values.get("task", "")
    if node and task in ("", node):
        template = _TASK_ON_NODE.sub("{node}" if task else "a process on {node}", template)
        template = _TASK_BESIDE_NODE.sub("{node}", template)
    if not node:
        template = _ABOUT_NODE.sub("", template)
        template = re.sub(r"^\{node\}", "The job", template)
    if _LOWERCASE_START.match(template):
        template = template[0].upper() + template[1:]
    return fill_template(template, {**values, "node": node or "the job"}).rstrip(" :")


def end_sentence(text: str) -> str:
    """Return the text with a full stop, unless it ends with another mark already."""
    return text if not text or text[-1] in ".!?…" else f"{text}."


def _fill_parenthesis(inside: str, values: Mapping[str, str]) -> str:
    first, *later_parts = re.split(r"([,;] )", inside)
    kept_text = "" if _is_empty_part(first, values) else first
    for mark, part in zip(later_parts[::2], later_parts[1::2], strict=True):
        if not _is_empty_part(part, values):
            kept_text += f"{mark if kept_text else ''}{part}"
    return f"({kept_text})" if kept_text else ""


def _is_empty_part(part: str, values: Mapping[str, str]) -> bool:
    """Return whether the part has fields, and all of them are optional and unknown."""
    part_fields = list(template_fields(part))
    return bool(part_fields) and all(optional and not values.get(name) for name, optional in part_fields)


_TASK_ON_NODE = re.compile(r"\{task\??\} on \{node\}")
_TASK_BESIDE_NODE = re.compile(r"\{node\} \(\{task\?\}\)|\{task\?\} \(\{node\}\)")
_ABOUT_NODE = re.compile(r"\[(?:[^\[\]{]|\{(?!node\}))*+\{node\}[^\[\]]*+\]|^\{node\}: | on \{node\}(?!')")
_OTHER_BRACES = re.compile(
    r"\{[^{}_.\[(!:]*+[_.\[(!:][^{}]*+\}|\{\}|\{[A-Za-z_]\w*+\??+(?!\})|(?<![\w{])[A-Za-z_]\w*\??\}"
)


def find_unknown_braces(template: str) -> str | None:
    """Return the first text that looks like a field and is none: `{x.y}` and `{}` of Python, `{name` and `name}`."""
    return next((match[0] for match in _OTHER_BRACES.finditer(template) if not _FIELD.fullmatch(match[0])), None)


def template_fields(template: str) -> Iterator[tuple[str, bool]]:
    """Yield (name, is optional) for each field."""
    for match in _FIELD.finditer(template):
        yield match[1], bool(match[2])


def required_fields(template: str) -> Iterator[str]:
    """Yield the names without which the text says "an unknown …": not optional, in no bracket, not alone in a
    parenthesis.
    """
    text = _LONE_FIELD_IN_PARENTHESIS.sub("", _BRACKETED_CLAUSE.sub("", template))
    return (name for name, optional in template_fields(text) if not optional)
