"""Import of CRE rules, the format of preq (github.com/prequel-dev/cre; prequel-compiler `pkg/parser/parse.go`).

A rule is a `set` (all terms within a window, in any order) or a `sequence` (terms in this order); `negate` lists terms
that must not occur. A term is a text (`value`), a `regex`, the name of one of the file's `terms`, or a set or sequence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from analyzer.rules.importing.imported_rules import (
    ImportedRule,
    NotCarriedOverError,
    make_id,
    plain_text,
    translate_pattern,
)
from analyzer.signals.compiled_patterns import MAX_PATTERN_CHARS
from analyzer.untrusted.numbers import read_whole

_SEVERITIES = {"0": "fatal", "1": "error", "2": "warning", "3": "warning", "4": "info"}  # preq: 0 is critical
_UNKNOWN_TERMS = ("jq", "promql", "script", "extract", "field")
_NEGATE_OPTIONS = ("window", "slide", "anchor", "absolute")
_BULLET = re.compile(r"^[ \t]*(?:[-*]|\d+\.)[ \t]+", re.MULTILINE)
FORMAT = "https://github.com/prequel-dev/cre"  # the reference of a rule that has none
CONFIDENCE = "possible"  # CRE rules state none
MAX_NESTING = 8  # sets and sequences inside each other
MAX_TERMS = 1000  # of a rule; terms that name each other multiply


def is_cre(document: object) -> bool:
    """Return whether the document holds CRE rules."""
    rules = document.get("rules") if isinstance(document, Mapping) else None
    return isinstance(rules, list) and any(isinstance(rule, Mapping) and "cre" in rule for rule in rules)


def import_cre(document: Mapping[str, object], pack: str) -> Iterator[ImportedRule]:
    """Yield the rules of a file."""
    rules, terms = document["rules"], document.get("terms")
    for number, raw in enumerate(rules if isinstance(rules, list) else (), 1):
        if not isinstance(raw, Mapping):
            yield ImportedRule(f"rule {number}", problem="it is not a mapping")
            continue
        about = _mapping(raw.get("cre"))
        rule = ImportedRule(str(about.get("id") or _mapping(raw.get("metadata")).get("id") or f"rule {number}"))
        try:
            condition = _Conditions(rule, _mapping(terms)).convert(_mapping(raw.get("rule")))
        except NotCarriedOverError as error:
            rule.problem = str(error)
            yield rule
            continue
        rule.body = {**_describe(rule, about, pack), **_place_condition(rule, condition)}
        yield rule


def _mapping(raw: object) -> Mapping[str, object]:
    return raw if isinstance(raw, Mapping) else {}


def _describe(rule: ImportedRule, about: Mapping[str, object], pack: str) -> dict[str, object]:
    """Return the keys of the rule that say what it means."""
    identifier = make_id(rule.source_id)
    mitigation = [plain_text(step) for step in _BULLET.split(str(about.get("mitigation") or ""))]
    references = about.get("references")
    summary = " ".join(filter(None, (plain_text(about.get("description")), plain_text(about.get("impact")))))
    return {
        "id": identifier,
        "status": "experimental",
        "cause": f"{pack}.{identifier}",
        "role": "cause",
        "severity": _SEVERITIES.get(str(about.get("severity", "1")), "error"),
        "confidence": CONFIDENCE,
        "title": plain_text(about.get("title")) or identifier,
        **({"summary": summary} if summary else {}),
        "remediation": [step for step in mitigation if step] or [f"See {rule.source_id}."],
        "references": [str(item) for item in references] if isinstance(references, list) and references else [FORMAT],
    }


def _place_condition(rule: ImportedRule, condition: object) -> dict[str, object]:
    """Return the condition as `when`, or as the rule's own pattern if it is a single signal."""
    if isinstance(condition, str) and isinstance(signal := rule.signals.pop(condition), dict):
        return signal
    return {"when": condition}


class _Conditions:
    """Converts the sets and sequences of one rule. Each text and regex becomes a signal of its own."""

    def __init__(self, rule: ImportedRule, terms: Mapping[str, object]) -> None:
        self._rule = rule
        self._terms = terms
        self._names: dict[tuple[str, str], str] = {}
        self._term_count = 0

    def convert(self, raw: Mapping[str, object], depth: int = 0) -> object:
        if depth > MAX_NESTING:
            raise NotCarriedOverError("its sets and sequences are nested too deeply")
        if isinstance(part := raw.get("set"), Mapping):
            return self._convert_set(part, depth)
        if isinstance(part := raw.get("sequence"), Mapping):
            return self._convert_sequence(part, depth)
        raise NotCarriedOverError("it has neither a set nor a sequence")

    def _convert_set(self, raw: Mapping[str, object], depth: int) -> object:
        self._note_context(raw)
        window = str(raw["window"]) if raw.get("window") else None
        parts = [self._convert_term(term, window, depth) for term in _items(raw.get("match"))]
        if not parts:
            raise NotCarriedOverError("its set has no match")
        within = {"within": window} if window else {}
        condition = parts[0] if len(parts) == 1 else {"all": parts, **within}
        if exception := self._convert_negations(raw, depth):
            head = {"signal": condition} if isinstance(condition, str) else condition
            return {**_mapping(head), "unless": exception, **within}
        return condition

    def _convert_sequence(self, raw: Mapping[str, object], depth: int) -> object:
        self._note_context(raw)
        parts = [self._convert_term(term, None, depth) for term in _items(raw.get("order"))]
        condition: dict[str, object] = {"sequence": parts}
        if raw.get("window"):
            condition["within"] = str(raw["window"])
        if exception := self._convert_negations(raw, depth):
            condition["unless"] = {"between": exception}
        return condition

    def _convert_negations(self, raw: Mapping[str, object], depth: int) -> object:
        """Return the condition that one of the negated terms fulfils; None if there are none."""
        terms = _items(raw.get("negate"))
        for term in terms:
            if options := [name for name in _NEGATE_OPTIONS if name in _mapping(term)]:
                self._rule.notes.append(f"{', '.join(options)} of a negated term: it is asked in the rule's own window")
        parts = [self._convert_term(term, None, depth) for term in terms]
        return None if not parts else parts[0] if len(parts) == 1 else {"any": parts}

    def _convert_term(self, raw: object, window: str | None, depth: int) -> object:
        self._term_count += 1
        if self._term_count > MAX_TERMS:
            raise NotCarriedOverError(f"it has more than {MAX_TERMS:,} terms")
        if isinstance(raw, str) and raw in self._terms:
            raw = self._terms[raw]
        term = raw if isinstance(raw, Mapping) else {"value": raw}
        if unknown := [name for name in _UNKNOWN_TERMS if name in term]:
            raise NotCarriedOverError(f"`{unknown[0]}` does not search the text of a line")
        if "set" in term or "sequence" in term:
            return self.convert(term, depth + 1)
        name = self._name_signal(term)
        count = read_whole(term.get("count")) or 1
        if count < 2:
            return name
        return {"count": name, "at_least": count, **({"within": window} if window else {})}

    def _name_signal(self, term: Mapping[str, object]) -> str:
        """Return the name of the signal of a text or regex, which is added if it is new."""
        if term.get("regex"):
            key, text = "match", translate_pattern(str(term["regex"]))
        elif term.get("value"):
            key, text = "contains", str(term["value"])
            if len(text) > MAX_PATTERN_CHARS:
                raise NotCarriedOverError(
                    f"a text of {len(text):,} characters; at most {MAX_PATTERN_CHARS:,} are searched for"
                )
        else:
            raise NotCarriedOverError("a term has neither a value nor a regex")
        if (key, text) not in self._names:
            name = f"{make_id(self._rule.source_id).replace('-', '_')}_{len(self._names) + 1}"
            self._names[key, text] = name
            self._rule.signals[name] = {key: text}
        return self._names[key, text]

    def _note_context(self, raw: Mapping[str, object]) -> None:
        if source := _mapping(raw.get("event")).get("source"):
            self._rule.notes.append(f"the source {source}: its patterns are searched in all files")
        if correlations := [str(item) for item in _items(raw.get("correlations")) if item != "hostname"]:
            self._rule.notes.append(f"the correlations {', '.join(correlations)}: events are joined by node")


def _items(raw: object) -> Sequence[object]:
    return raw if isinstance(raw, list) else [] if raw is None else [raw]
