"""One pack's YAML into typed signals and rules; every problem is collected, none stops the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analyzer.model import Role
from analyzer.rules.conditions import Condition
from analyzer.rules.fields import Fields, nearest, strings, texts
from analyzer.rules.fragments import expand_patterns
from analyzer.rules.keys import CONFIDENCE, PACK, REPLAY, RULE, SEVERITIES, SIGNAL, names_of
from analyzer.rules.parse_condition import ParseError, mentions, parse_condition, parse_duration
from analyzer.rules.parse_signal import read_signal
from analyzer.rules.places import At, Place, Problem
from analyzer.rules.types import Pack, Rule, Signal

NOT_INHERITED = frozenset({"id", "tests", "override", "extends"})
CONFIDENT = 0.7  # where a rule does not say


class Reader(Fields):
    """Reads one pack. `bases` holds the rules that were read before, which later ones may extend."""

    def __init__(
        self, file: str, problems: list[Problem], trusted: bool = False, bases: dict[str, Place] | None = None
    ) -> None:
        super().__init__(file, problems, trusted)
        self.bases = {} if bases is None else bases

    def read_pack(self, raw: object) -> Pack | None:
        if not isinstance(raw, Place) or not raw.keys() & names_of(PACK):
            advice = "a rule pack is a mapping with the keys pack, version, signals and rules"
            self.complain(At(), "this is no rule pack", advice)
            return None
        if not raw.get("pack"):
            self.check_keys(raw, names_of(PACK), "pack")
            self.complain(raw.where, "the pack has no name", "begin it with `pack: NAME`")
            return None
        self.check_keys(raw, names_of(PACK), "pack")
        expand_patterns(raw, self)
        name = str(raw["pack"])
        signals = list(self._read_signals(raw))
        rules: list[Rule] = []
        for number, item in enumerate(self.list(raw, "rules")):
            if isinstance(item, Place):
                rule, own = self._read_rule(item, name)
                if own:
                    signals.append(own)
                if rule:
                    rules.append(rule)
            else:
                self.complain(raw.at("rules", number), "this rule is no mapping", "a rule begins with `- id: NAME`")
        return Pack(
            name=name,
            version=str(raw.get("version", "0")),
            file=self.file,
            signals=tuple(signals),
            rules=tuple(rules),
            disable=strings(raw.get("disable")),
            spots=raw.spots(),
        )

    def _read_signals(self, pack: Place) -> Iterable[Signal]:
        raw = pack.get("signals")
        if raw is None:
            return
        if not isinstance(raw, Place):
            self.complain(pack.at("signals"), "signals is no mapping", "write each as `name: {match: PATTERN}`")
            return
        for name, body in raw.items():
            if not isinstance(body, Place):
                advice = "write it as {match: PATTERN}"
                self.complain(raw.at(name), f"the signal {name} is no mapping", advice)
                continue
            self.check_keys(body, names_of(SIGNAL), f"signal {name}")
            if signal := read_signal(name, body, self):
                yield signal

    def _read_rule(self, body: Place, pack: str) -> tuple[Rule | None, Signal | None]:
        rule_id = str(body.get("id") or "")
        if not rule_id:
            self.complain(
                body.where, "a rule needs an id", "begin it with `- id: NAME`, a name that says what happened"
            )
            return None, None
        self.check_keys(body, names_of(RULE), f"rule {rule_id}")
        merged = self._inherit(body, rule_id)
        if merged is None:
            return None, None
        self.bases.setdefault(rule_id, merged)
        if body.get("override"):
            self.bases[rule_id] = merged
        own = read_signal(rule_id, merged, self) if "match" in merged or "contains" in merged else None
        when = self._when(merged, rule_id, own)
        return (None, own) if when is None else (self._make(merged, rule_id, pack, when), own)

    def _inherit(self, body: Place, rule_id: str) -> Place | None:
        """The body with the keys of the rule that it extends, where it has none of its own."""
        if "extends" not in body:
            return body
        base = self.bases.get(str(body["extends"]))
        if base is None:
            text = f"rule {rule_id} extends {body['extends']!r}, which is no earlier rule"
            self.complain(body.at("extends"), text, nearest(str(body["extends"]), self.bases))
            return None
        merged, inherited = Place(body.where), body.at("extends")
        for key, value in base.items():
            if key not in NOT_INHERITED:
                merged.put(key, value, inherited, inherited)
        for key, value in body.items():
            merged.put(key, value, body.key_at(key), body.at(key))
        looks = {"match", "contains"} & set(body)
        if "when" in body and not looks:  # another condition: the base's own line is not what it rests on
            merged.pop("match", None)
            merged.pop("contains", None)
        elif looks and "when" not in body:
            merged.pop("when", None)
        return merged

    def _when(self, body: Place, rule_id: str, own: Signal | None) -> Condition | None:
        raw = body.get("when", rule_id if own else None)
        if raw is None and {"match", "contains"} & set(body):
            return None  # what is wrong with its pattern was told
        if raw is None:
            advice = "say with match what to look for, or with when which signals it needs"
            self.complain(body.where, f"rule {rule_id} has neither match nor when", advice)
            return None
        try:
            return parse_condition(raw)
        except ParseError as error:
            self.complain(error.at or body.at("when"), f"rule {rule_id}: {error}", error.advice)
            return None

    def _severity(self, body: Place) -> str:
        """Of a rule with a pattern of its own it is the signal's too, and checked there."""
        if not {"match", "contains"} & set(body) and "{" not in str(body.get("severity")):
            self.word(body, "severity", SEVERITIES)
        return str(body.get("severity", "error"))

    def _make(self, body: Place, rule_id: str, pack: str, when: Condition) -> Rule:
        base, shifts = self._confidence(body, rule_id)
        by, aliases = self._by(body, rule_id)
        explains = dict(self._explains(body, rule_id))
        cause = body.get("cause")
        return Rule(
            id=rule_id,
            pack=pack,
            when=when,
            role=self.word(body, "role", {role.value: role for role in Role}) or Role.SYMPTOM,
            severity=self._severity(body),
            cause=None if cause is None else str(cause),
            confidence=base,
            by=by,
            explains=tuple(explains),
            silences=strings(body.get("silences")),
            title=str(body.get("title", rule_id)),
            summary=str(body.get("summary", body.get("title", rule_id))),
            remediation=strings(body.get("remediation")),
            references=strings(body.get("references")),
            tests=tuple(test for test in self.list(body, "tests") if isinstance(test, Mapping)),
            file=self.file,
            line=body.where.line,
            aliases=aliases,
            explained_by=strings(body.get("explained_by")),
            reach={edge: seconds for edge, seconds in explains.items() if seconds is not None},
            shifts=shifts,
            why=strings(body.get("why")),
            replay=self._replay(body, rule_id),
            override=bool(body.get("override", False)),
            extends=str(body["extends"]) if "extends" in body else None,
            spots={**body.spots(), **self._mentions(body)},
        )

    def _mentions(self, body: Place) -> dict[str, At]:
        """Where the condition names each signal, by `when NAME`."""
        return {f"when {name}": at for name, at in mentions(body.get("when"), body.at("when"))}

    def _explains(self, body: Place, rule_id: str) -> Iterable[tuple[str, float | None]]:
        """Each edge, with the seconds within which it holds where it is written {edge: 3m}."""
        raw = body.get("explains")
        for number, item in enumerate(raw if isinstance(raw, list) else [] if raw is None else [raw]):
            if not isinstance(item, Mapping):
                yield str(item), None
                continue
            for edge, span in item.items():
                try:
                    yield str(edge), parse_duration(span)
                except ParseError as error:
                    self.complain(body.at("explains", number), f"rule {rule_id}: {error}", error.advice)

    def _confidence(self, body: Place, rule_id: str) -> tuple[float, tuple[tuple[str, float], ...]]:
        """The base, and what each signal or rule adds to it or takes from it."""
        raw = body.get("confidence", CONFIDENT)
        shifts: list[tuple[str, float]] = []
        if isinstance(raw, Place):
            self.check_keys(raw, names_of(CONFIDENCE), f"rule {rule_id}: confidence")
            for key, sign in (("raise", 1.0), ("lower", -1.0)):
                part = raw.get(key, {})
                if not isinstance(part, Mapping) or not all(_is_share(value) for value in part.values()):
                    advice = "write it as {NAME: 0.1}: a signal or rule, and a number from 0 to 1"
                    self.complain(raw.at(key), f"rule {rule_id}: {key} moves by no number", advice)
                    continue
                shifts += [(str(name), sign * value) for name, value in part.items()]
            raw = raw.get("base")
        if not isinstance(raw, int | float) or not _is_share(raw):
            advice = "it is a number from 0 to 1, or {base: 0.7, raise: {NAME: 0.1}, lower: {NAME: 0.2}}"
            self.complain(body.at("confidence"), f"rule {rule_id}: confidence {raw!r} is no share", advice)
            return CONFIDENT, ()
        return float(raw), tuple(shifts)

    def _by(self, body: Place, rule_id: str) -> tuple[tuple[str, ...], Mapping[str, tuple[str, ...]]]:
        """Names of captures, and for those that signals name differently what they are called there."""
        raw = body.get("by")
        names: list[str] = []
        aliases: dict[str, tuple[str, ...]] = {}
        for item in raw if isinstance(raw, list) else [] if raw is None else [raw]:
            if isinstance(item, Mapping):
                aliases |= {str(name): strings(others) for name, others in item.items()}
                names += map(str, item)
            elif isinstance(item, list) or item is None:
                advice = "it is a list of captures such as [pid] or [{pid: [pid, tid]}]"
                self.complain(body.at("by"), f"rule {rule_id}: by {item!r} names no capture", advice)
            else:
                names.append(str(item))
        return tuple(names), aliases

    def _replay(self, body: Place, rule_id: str) -> Mapping[str, str]:
        raw = body.get("replay")
        if raw is None:
            return {}
        if not isinstance(raw, Place):
            advice = "write it as {fault: killed, role: worker}"
            self.complain(body.at("replay"), f"rule {rule_id}: replay is no mapping", advice)
            return {}
        self.check_keys(raw, names_of(REPLAY), f"rule {rule_id}: replay")
        return texts(raw)


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
