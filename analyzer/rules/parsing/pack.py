"""Convert one pack's YAML into typed signals and rules. Problems are collected; none stops the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analyzer.model import Role
from analyzer.rules.conditions import Condition, HasSignal, signals_of
from analyzer.rules.parsing.condition import parse_duration, parse_rule_condition, signal_mentions
from analyzer.rules.parsing.condition_errors import ConditionError
from analyzer.rules.parsing.extension import APPENDED_TESTS, add_anchor_tests, extend
from analyzer.rules.parsing.fields import FieldReader, as_strings, as_texts, suggest_name
from analyzer.rules.parsing.keys import (
    APPEND,
    BLAMES,
    CONFIDENCE,
    CONFIDENCE_LEVELS,
    PACK,
    PATTERN_KEYS,
    REPLAY,
    RULE,
    SEVERITIES,
    SIGNAL,
    STATUSES,
    names_of,
)
from analyzer.rules.parsing.pattern_fragments import expand_patterns
from analyzer.rules.parsing.requirements import unmet_requirement
from analyzer.rules.parsing.signal import read_signal
from analyzer.rules.parsing.where import parse_where
from analyzer.rules.parsing.yaml_values import PackProblem, YamlMapping
from analyzer.rules.types import Pack, Rule
from analyzer.signals.types import Signal, SourcePosition

_LINE_KEYS = names_of(SIGNAL) - {"severity", "description", "override"}  # they say which lines a signal finds
APPEND_ADVICE = "write it as {not_match: PATTERN, silences: [RULE]}"
DEFAULT_CONFIDENCE = 0.7  # of a rule without `confidence`


class PackReader(FieldReader):
    """Reads one pack. `bases` holds the rules that were read before, by id; later rules may extend them."""

    def __init__(
        self, file: str, problems: list[PackProblem], trusted: bool = False, bases: dict[str, YamlMapping] | None = None
    ) -> None:
        super().__init__(file, problems, trusted)
        self.bases = {} if bases is None else bases
        self._broken_rules: list[Rule] = []
        self._broken_signals: set[str] = set()

    def read_pack(self, raw: object) -> Pack | None:
        """Return the pack, or None, with a problem, if the document is not a pack."""
        if not isinstance(raw, YamlMapping) or not raw.keys() & names_of(PACK):
            advice = "a rule pack is a mapping with the keys pack, version, signals and rules"
            self.add_problem(SourcePosition(), "this is not a rule pack", advice)
            return None
        if not raw.get("pack"):
            self.check_keys(raw, names_of(PACK), "pack")
            self.add_problem(raw.position, "the pack has no name", "begin it with `pack: NAME`")
            return None
        self.check_keys(raw, names_of(PACK), "pack")
        name = str(raw["pack"])
        if reason := unmet_requirement(raw.get("requires")):
            advice = "install that version, or change `requires`; the pack is not loaded"
            self.add_problem(raw.position_of("requires"), f"the pack {name} {reason}", advice)
            return None
        expand_patterns(raw, self)
        signals = list(self._read_signals(raw))
        rules: list[Rule] = []
        for index, item in enumerate(self.list(raw, "rules")):
            if isinstance(item, YamlMapping):
                rule, own_signal = self._read_rule(item, name)
                if own_signal:
                    signals.append(own_signal)
                if rule:
                    rules.append(rule)
            else:
                self.add_problem(
                    raw.position_of("rules", index), "this rule is not a mapping", "begin each rule with `- id: NAME`"
                )
        return Pack(
            name=name,
            version=str(raw.get("version", "0")),
            file=self.file,
            signals=tuple(signals),
            rules=tuple(rules),
            disable=as_strings(raw.get("disable")),
            broken_rules=tuple(self._broken_rules),
            broken_signals=frozenset(self._broken_signals),
            positions=raw.all_positions(),
        )

    def _read_signals(self, pack: YamlMapping) -> Iterable[Signal]:
        raw = pack.get("signals")
        if raw is None:
            return
        if not isinstance(raw, YamlMapping):
            self.add_problem(
                pack.position_of("signals"), "signals is not a mapping", "write each signal as `name: {match: PATTERN}`"
            )
            return
        for name, body in raw.items():
            if not isinstance(body, YamlMapping):
                advice = "write it as {match: PATTERN}"
                self.add_problem(raw.position_of(name), f"the signal {name} is not a mapping", advice)
                continue
            self.check_keys(body, names_of(SIGNAL), f"signal {name}")
            if signal := read_signal(name, body, self):
                yield signal
            else:
                self._broken_signals.add(name)

    def _read_rule(self, body: YamlMapping, pack: str) -> tuple[Rule | None, Signal | None]:
        rule_id = str(body.get("id") or "")
        if not rule_id:
            self.add_problem(
                body.position, "a rule needs an id", "begin it with `- id: NAME`; the name says what happened"
            )
            return None, None
        self.check_keys(body, names_of(RULE), f"rule {rule_id}")
        merged = self._merge_with_base(body, rule_id)
        if merged is None:
            return None, None
        for name in (rule_id, *as_strings(body.get("aliases"))):
            self.bases.setdefault(name, merged)
        if body.get("override"):
            self.bases[rule_id] = merged
        has_pattern = not merged.keys().isdisjoint(PATTERN_KEYS)
        own_signal = read_signal(rule_id, merged, self) if has_pattern else None
        condition = self._read_condition(merged, rule_id, own_signal)
        rule = self._build_rule(merged, rule_id, pack, condition or HasSignal(rule_id))
        if has_pattern and own_signal is None:
            self._broken_signals.add(rule_id)
        if condition is None:
            self._broken_rules.append(rule)
            return None, own_signal
        self._check_signal_keys(merged, rule, own_signal)
        return rule, own_signal

    def _check_signal_keys(self, body: YamlMapping, rule: Rule, own_signal: Signal | None) -> None:
        """Report keys that describe lines and have no effect, because the condition does not ask for these lines."""
        keys = sorted(_LINE_KEYS & set(body), key=lambda key: (key not in PATTERN_KEYS, key))
        if own_signal is None and keys and body.keys().isdisjoint(PATTERN_KEYS):
            text = f"rule {rule.id}: {keys[0]} has no effect, because the rule has no match of its own"
            self.add_problem(body.key_position(keys[0]), text, "write it at the signal that `when` names")
        elif own_signal and not own_signal.feeds and rule.id not in signals_of(rule.when):
            text = f"rule {rule.id}: {keys[0]} has no effect, because `when` does not name {rule.id}"
            advice = f"name {rule.id} in `when`, or remove {keys[0]}"
            self.add_problem(body.key_position(keys[0]), text, advice)

    def _merge_with_base(self, body: YamlMapping, rule_id: str) -> YamlMapping | None:
        """Return the rule with the keys of the rule that it extends, where it has none of its own."""
        if "extends" not in body:
            if "append" in body:
                text = f"rule {rule_id}: append has no effect, because the rule extends none"
                self.add_problem(body.key_position("append"), text, "name the rule with `extends`")
            return body
        base = self.bases.get(str(body["extends"]))
        if base is None:
            text = f"rule {rule_id} extends {body['extends']!r}, which is not an earlier rule"
            self.add_problem(body.position_of("extends"), text, suggest_name(str(body["extends"]), self.bases))
            return None
        if isinstance(addition := body.get("append"), YamlMapping):
            self.check_keys(addition, names_of(APPEND), f"rule {rule_id}: append")
        elif "append" in body:
            self.add_problem(body.position_of("append"), f"rule {rule_id}: append is not a mapping", APPEND_ADVICE)
        return extend(base, body)

    def _read_condition(self, body: YamlMapping, rule_id: str, own_signal: Signal | None) -> Condition | None:
        raw = body.get("when", rule_id if own_signal else None)
        if raw is None and not body.keys().isdisjoint(PATTERN_KEYS):
            return None  # the problem with its pattern is reported already
        if raw is None:
            advice = "write with match what to search for, or with when which signals it needs"
            self.add_problem(body.position, f"rule {rule_id} has neither match nor when", advice)
            return None
        try:
            condition = parse_rule_condition(raw)
            for tests in self.list(body, APPENDED_TESTS):
                condition = add_anchor_tests(condition, parse_where(tests))
            return condition
        except ConditionError as error:
            for part in error.all_errors():
                self.add_problem(part.position or body.position_of("when"), f"rule {rule_id}: {part}", part.advice)
            return None

    def _read_severity(self, body: YamlMapping) -> str:
        """Return the severity. If the rule has its own pattern, the signal's reader checks it."""
        if body.keys().isdisjoint(PATTERN_KEYS) and "{" not in str(body.get("severity")):
            self.read_word(body, "severity", SEVERITIES)
        return str(body.get("severity", "error"))

    def _build_rule(self, body: YamlMapping, rule_id: str, pack: str, condition: Condition) -> Rule:
        base_confidence, shifts = self._read_confidence(body, rule_id)
        by, aliases = self._read_by(body, rule_id)
        explains = dict(self._read_explains(body, rule_id))
        cause = body.get("cause")
        return Rule(
            id=rule_id,
            pack=pack,
            when=condition,
            role=self.read_word(body, "role", {role.value: role for role in Role}) or Role.SYMPTOM,
            severity=self._read_severity(body),
            cause=None if cause is None else str(cause),
            confidence=base_confidence,
            by=by,
            explains=tuple(explains),
            silences=as_strings(body.get("silences")),
            title=str(body.get("title", rule_id)),
            summary=str(body.get("summary", body.get("title", rule_id))),
            remediation=as_strings(body.get("remediation")),
            references=as_strings(body.get("references")),
            tests=tuple(test for test in self.list(body, "tests") if isinstance(test, Mapping)),
            file=self.file,
            line=body.position.line,
            aliases=aliases,
            explained_by=as_strings(body.get("explained_by")),
            explains_within_s={edge: seconds for edge, seconds in explains.items() if seconds is not None},
            confidence_shifts=shifts,
            why=as_strings(body.get("why")),
            replay=self._read_replay(body, rule_id),
            override=bool(body.get("override", False)),
            extends=str(body["extends"]) if "extends" in body else None,
            status=self.read_word(body, "status", {word: word for word in STATUSES}) or STATUSES[1],
            former_ids=as_strings(body.get("aliases")),
            blame=self.read_word(body, "blame", {word: word for word in BLAMES}),
            quiet=bool(body.get("quiet", False)),
            positions={**body.all_positions(), **self._signal_positions(body)},
        )

    def _signal_positions(self, body: YamlMapping) -> dict[str, SourcePosition]:
        """Return where the condition names each signal, by `when NAME`."""
        return {
            f"when {name}": position for name, position in signal_mentions(body.get("when"), body.position_of("when"))
        }

    def _read_explains(self, body: YamlMapping, rule_id: str) -> Iterable[tuple[str, float | None]]:
        """Yield each edge, with its time limit in seconds if it is written as {edge: 3m}."""
        raw = body.get("explains")
        for index, item in enumerate(raw if isinstance(raw, list) else [] if raw is None else [raw]):
            if not isinstance(item, Mapping):
                yield str(item), None
                continue
            for edge, duration in item.items():
                try:
                    yield str(edge), parse_duration(duration)
                except ConditionError as error:
                    self.add_problem(body.position_of("explains", index), f"rule {rule_id}: {error}", error.advice)

    def _read_confidence(self, body: YamlMapping, rule_id: str) -> tuple[float, tuple[tuple[str, float], ...]]:
        """Return the base confidence, and what each signal or rule adds to it (negative: takes from it)."""
        raw = body.get("confidence", DEFAULT_CONFIDENCE)
        shifts: list[tuple[str, float]] = []
        if isinstance(raw, YamlMapping):
            self.check_keys(raw, names_of(CONFIDENCE), f"rule {rule_id}: confidence")
            for key, sign in (("raise", 1.0), ("lower", -1.0)):
                shifts_by_name = raw.get(key, {})
                if not isinstance(shifts_by_name, Mapping) or not all(
                    _is_share(value) for value in shifts_by_name.values()
                ):
                    advice = "write it as {NAME: 0.1}: the name of a signal or rule, and a number from 0 to 1"
                    self.add_problem(
                        raw.position_of(key), f"rule {rule_id}: {key} is not a mapping of names to numbers", advice
                    )
                    continue
                shifts += [(str(name), sign * value) for name, value in shifts_by_name.items()]
            raw = raw.get("base")
        if isinstance(raw, str) and raw in CONFIDENCE_LEVELS:
            return CONFIDENCE_LEVELS[raw], tuple(shifts)
        if not isinstance(raw, int | float) or not _is_share(raw):
            advice = f"write {', '.join(CONFIDENCE_LEVELS)}, or {{base: likely, raise: {{NAME: 0.1}}}}"
            self.add_problem(
                body.position_of("confidence"), f"rule {rule_id}: confidence {raw!r} is not a known level", advice
            )
            return DEFAULT_CONFIDENCE, ()
        return float(raw), tuple(shifts)

    def _read_by(self, body: YamlMapping, rule_id: str) -> tuple[tuple[str, ...], Mapping[str, tuple[str, ...]]]:
        """Return the names of captures, and for each alias the captures that it stands for."""
        raw = body.get("by")
        names: list[str] = []
        aliases: dict[str, tuple[str, ...]] = {}
        for item in raw if isinstance(raw, list) else [] if raw is None else [raw]:
            if isinstance(item, Mapping):
                aliases |= {str(name): as_strings(capture_names) for name, capture_names in item.items()}
                names += map(str, item)
            elif isinstance(item, list) or item is None:
                advice = "write a list of captures such as [pid] or [{pid: [pid, tid]}]"
                self.add_problem(
                    body.position_of("by"), f"rule {rule_id}: by {item!r} is not the name of a capture", advice
                )
            else:
                names.append(str(item))
        return tuple(names), aliases

    def _read_replay(self, body: YamlMapping, rule_id: str) -> Mapping[str, str]:
        raw = body.get("replay")
        if raw is None:
            return {}
        if not isinstance(raw, YamlMapping):
            advice = "write it as {fault: killed, role: worker}"
            self.add_problem(body.position_of("replay"), f"rule {rule_id}: replay is not a mapping", advice)
            return {}
        self.check_keys(raw, names_of(REPLAY), f"rule {rule_id}: replay")
        return as_texts(raw)


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
