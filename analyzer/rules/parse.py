"""One pack's YAML into typed signals and rules; every problem is collected, none stops the others."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

import regex

from analyzer.model import Kind, Role, Severity
from analyzer.rules.parse_condition import ParseError, parse_condition
from analyzer.rules.places import Place, Problem
from analyzer.rules.types import Block, Lookup, Pack, Rule, Signal
from analyzer.scan.widen import widen

FEEDS = frozenset({"progress", "sync", "identity", "version", "finished", "exit", "accuses", "connected", "started",
                   "traceback", "fatal", "member"})
SIGNAL_KEYS = frozenset({"match", "not_match", "source", "severity", "block", "also", "set", "lookup", "feeds", "noise",
                         "description"})
RULE_KEYS = frozenset({"id", "cause", "role", "severity", "confidence", "when", "by", "explains", "silences", "title",
                       "summary", "remediation", "references", "tests"})
PACK_KEYS = frozenset({"pack", "version", "description", "signals", "rules", "license", "requires"})
T = TypeVar("T")
SEVERITIES = {severity.word: severity for severity in Severity}


class Reader:
    """Reads one pack; `problems` grows with what is wrong. The patterns of a trusted pack were checked before it was shipped."""

    def __init__(self, file: str, problems: list[Problem], trusted: bool = False) -> None:
        self.file = file
        self.problems = problems
        self.trusted = trusted

    def complain(self, line: int, text: str) -> None:
        self.problems.append(Problem(self.file, line, 1, text))

    def read_pack(self, raw: object) -> Pack | None:
        if not isinstance(raw, Place) or "pack" not in raw:
            self.complain(1, "a rule pack is a mapping with the keys pack, version, signals and rules")
            return None
        self._check_keys(raw, PACK_KEYS, "pack")
        name = str(raw["pack"])
        signals = list(self._read_signals(raw.get("signals")))
        rules: list[Rule] = []
        for item in self._list(raw, "rules"):
            if isinstance(item, Place):
                rule, own = self._read_rule(item, name)
                if own:
                    signals.append(own)
                if rule:
                    rules.append(rule)
            else:
                self.complain(raw.at("rules"), "each rule is a mapping")
        return Pack(name, str(raw.get("version", "0")), self.file, tuple(signals), tuple(rules))

    def _read_signals(self, raw: object) -> Iterable[Signal]:
        if raw is None:
            return
        if not isinstance(raw, Place):
            self.complain(1, "signals is a mapping of a name to a signal")
            return
        for name, body in raw.items():
            if not isinstance(body, Place):
                self.complain(raw.at(name), f"the signal {name} is not a mapping")
                continue
            self._check_keys(body, SIGNAL_KEYS, f"signal {name}")
            if signal := self._read_signal(name, body):
                yield signal

    def _read_signal(self, name: str, body: Place) -> Signal | None:
        match = self._patterns(body, "match", name)
        if not match:
            self.complain(body.line, f"{name} has no pattern under match")
            return None
        return Signal(
            name=name,
            match=match,
            kinds=self._kinds(body),
            not_match=self._patterns(body, "not_match", name),
            severity=self._word(body, "severity", SEVERITIES) if name_is_plain(body.get("severity")) else None,
            block=self._block(body, name),
            also=self._patterns(body, "also", name),
            set=_texts(body.get("set")),
            lookup=self._lookup(body, name),
            feeds=frozenset(self._words(body, "feeds", FEEDS)),
            noise=bool(body.get("noise", False)),
        )

    def _read_rule(self, body: Place, pack: str) -> tuple[Rule | None, Signal | None]:
        rule_id = str(body.get("id", ""))
        if not rule_id:
            self.complain(body.line, "a rule needs an id")
            return None, None
        self._check_keys(body, RULE_KEYS | SIGNAL_KEYS, f"rule {rule_id}")
        own = self._read_signal(rule_id, body) if "match" in body else None
        raw_when = body.get("when", rule_id if own else None)
        if raw_when is None:
            self.complain(body.line, f"rule {rule_id} has neither match nor when")
            return None, own
        try:
            when = parse_condition(raw_when)
        except ParseError as error:
            self.complain(body.at("when"), f"rule {rule_id}: {error}")
            return None, own
        confidence = body.get("confidence", 0.7)
        if not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
            self.complain(body.at("confidence"), f"rule {rule_id}: confidence is a number from 0 to 1")
            confidence = 0.7
        cause = body.get("cause")
        rule = Rule(
            id=rule_id,
            pack=pack,
            when=when,
            role=self._word(body, "role", {role.value: role for role in Role}) or Role.SYMPTOM,
            severity=str(body.get("severity", "error")),
            cause=None if cause is None else str(cause),
            confidence=float(confidence),
            by=_strings(body.get("by")),
            explains=_strings(body.get("explains")),
            silences=_strings(body.get("silences")),
            title=str(body.get("title", rule_id)),
            summary=str(body.get("summary", body.get("title", rule_id))),
            remediation=_strings(body.get("remediation")),
            references=_strings(body.get("references")),
            tests=tuple(test for test in self._list(body, "tests") if isinstance(test, Mapping)),
            file=self.file,
            line=body.line,
        )
        return rule, own

    def _check_keys(self, body: Place, known: frozenset[str], what: str) -> None:
        for key in body:
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                self.complain(body.at(key), f"{what}: unknown key {key!r}" + (f"; did you mean {near[0]!r}?" if near else ""))

    def _patterns(self, body: Place, key: str, name: str) -> tuple[str, ...]:
        if self.trusted:
            return _strings(body.get(key))
        good = []
        for pattern in _strings(body.get(key)):
            try:
                compiled = regex.compile(pattern)
            except regex.error as error:
                self.complain(body.at(key), f"{name}: the pattern {pattern!r} is not valid: {error}")
                continue
            if key == "match" and (fault := _beyond_scanner(pattern)):
                self.complain(body.at(key), f"{name}: the scanner cannot take {pattern!r}: {fault}")
                continue
            if key == "match" and compiled.match(""):
                self.complain(body.at(key), f"{name}: the pattern {pattern!r} matches an empty line")
                continue
            good.append(pattern)
        return tuple(good)

    def _kinds(self, body: Place) -> frozenset[Kind]:
        kinds = {kind.value: kind for kind in Kind}
        names = self._words(body, "source", frozenset(kinds) | {"any"})
        return frozenset(kinds[name] for name in names if name != "any")

    def _block(self, body: Place, name: str) -> Block | None:
        raw = body.get("block")
        if raw is None:
            return None
        if not isinstance(raw, Place):
            self.complain(body.at("block"), f"{name}: block is a mapping such as {{lines: 20}}")
            return None
        lines = raw.get("lines", 40)
        until = raw.get("until")
        return Block(lines if isinstance(lines, int) else 40, None if until is None else str(until), bool(raw.get("prefixed")))

    def _lookup(self, body: Place, name: str) -> Lookup | None:
        raw = body.get("lookup")
        if raw is None:
            return None
        if not isinstance(raw, Place) or not {"table", "key"} <= set(raw):
            self.complain(body.at("lookup"), f"{name}: lookup is a mapping {{table: NAME, key: CAPTURE}}")
            return None
        return Lookup(str(raw["table"]), str(raw["key"]))

    def _word(self, body: Place, key: str, known: Mapping[str, T]) -> T | None:
        raw = body.get(key)
        if raw is None:
            return None
        if str(raw) not in known:
            self.complain(body.at(key), f"{key}: {raw!r} is none of {', '.join(known)}")
            return None
        return known[str(raw)]

    def _words(self, body: Place, key: str, known: frozenset[str]) -> tuple[str, ...]:
        good = []
        for word in _strings(body.get(key)):
            if word in known:
                good.append(word)
            else:
                self.complain(body.at(key), f"{key}: {word!r} is none of {', '.join(sorted(known))}")
        return tuple(good)

    def _list(self, body: Place, key: str) -> list[object]:
        raw = body.get(key)
        if raw is None:
            return []
        if not isinstance(raw, list):
            self.complain(body.at(key), f"{key} is a list")
            return []
        return raw


def _beyond_scanner(pattern: str) -> str | None:
    """`regex` knows more syntax than the scanner's widening, which reads Python's own `re`."""
    try:
        widen(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return str(error)
    return None


def name_is_plain(severity: object) -> bool:
    """A severity may be a template over captures (`{severity}`); then it is the rule's, not the signal's."""
    return severity is not None and "{" not in str(severity)


def _strings(raw: object) -> tuple[str, ...]:
    if raw is None:
        return ()
    return tuple(map(str, raw)) if isinstance(raw, list) else (str(raw),)


def _texts(raw: object) -> Mapping[str, str]:
    return {key: str(value) for key, value in raw.items()} if isinstance(raw, Mapping) else {}
