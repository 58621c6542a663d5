"""All keys of the rule language, in one table. The loader and the JSON Schema both use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.model import Kind, Role, Severity

Schema = Mapping[str, object]

FEEDS = frozenset(
    {
        "progress",
        "sync",
        "identity",
        "ignored",
        "version",
        "finished",
        "succeeded",
        "failed",
        "exit",
        "accuses",
        "connected",
        "reached",
        "started",
        "loads",
        "serves",
        "traceback",
        "fatal",
        "member",
        "error",
        "clock",
        "zone",
        "job",
        "placement",
        "ran_on",
        "raised_on",
        "stack",
        "not_finite",
        "step_parts",
    }
)
SCOPES = ("same_node", "other_node", "any_node", "accused_node")
MAX_BLOCK_LINES = 2000

TEXT: Schema = {"type": ["string", "number", "boolean"]}
TEXTS: Schema = {"anyOf": [TEXT, {"type": "array", "items": TEXT}]}
FLAG: Schema = {"type": "boolean"}
WHOLE_NUMBER: Schema = {"type": "integer", "minimum": 0}
POSITIVE_NUMBER: Schema = {"type": "integer", "minimum": 1}
DURATION: Schema = {"type": ["string", "number"], "pattern": r"^\s*\d+(\.\d+)?\s*(ms|s|m|h|d)?\s*$"}
CONDITION: Schema = {"$ref": "#/$defs/condition"}
CONDITION_LIST: Schema = {"type": "array", "items": CONDITION, "minItems": 1}
CONFIDENCE_SHIFTS: Schema = {"type": "object", "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1}}


@dataclass(frozen=True, slots=True)
class LanguageKey:
    """One key of a mapping: its name, the schema of its value, and its description in one sentence."""

    name: str
    schema: Schema
    description: str
    required: bool = False


def enum_schema(words: Sequence[str]) -> Schema:
    """Return the schema of one of these words."""
    return {"enum": sorted(words)}


def enum_list_schema(words: Sequence[str]) -> Schema:
    """Return the schema of one of these words, or of a list of them."""
    return {"anyOf": [enum_schema(words), {"type": "array", "items": enum_schema(words)}]}


def names_of(keys: Sequence[LanguageKey]) -> frozenset[str]:
    return frozenset(key.name for key in keys)


PACK = (
    LanguageKey("pack", TEXT, "The pack's name.", required=True),
    LanguageKey("version", TEXT, "The pack's version."),
    LanguageKey("description", TEXT, "What the pack is for."),
    LanguageKey("license", TEXT, "The license of the pack."),
    LanguageKey("requires", TEXT, "The version of tf-postmortem that it needs."),
    LanguageKey("disable", TEXTS, "Ids or globs of rules of earlier packs that are disabled."),
    LanguageKey(
        "patterns",
        {"type": "object", "additionalProperties": TEXT},
        "Fragments of patterns by name; %{name} in a pattern of the pack inserts one.",
    ),
    LanguageKey(
        "signals",
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/signal"}},
        "Lines that become typed events, by name.",
    ),
    LanguageKey(
        "rules", {"type": "array", "items": {"$ref": "#/$defs/rule"}}, "Conditions over events that become findings."
    ),
)

BLOCK = (
    LanguageKey(
        "lines",
        {"type": "integer", "minimum": 1, "maximum": MAX_BLOCK_LINES},
        "The maximum number of lines; default 40.",
    ),
    LanguageKey("until", TEXT, "The block ends after the line that matches this pattern."),
    LanguageKey("prefixed", FLAG, "Include lines that have a prefix of their own (kernel reports)."),
)

LOOKUP = (
    LanguageKey("table", TEXT, "A table in tables/, by the name of its file.", required=True),
    LanguageKey("key", TEXT, "The capture whose value selects the row.", required=True),
)

PATTERN_KEYS = ("match", "contains", "fields")  # each says alone which lines a signal finds

SIGNAL = (
    LanguageKey(
        "match",
        {
            "anyOf": [
                TEXTS,
                {"type": "object", "properties": {"any": TEXTS}, "required": ["any"], "additionalProperties": False},
            ]
        },
        "One pattern, a list, or {any: [...]}; one of them must be found in the line. Named groups are captures.",
    ),
    LanguageKey("not_match", TEXTS, "Patterns that must not be found in the line or its block."),
    LanguageKey("contains", TEXTS, "Literal texts that must all occur in the line or its block."),
    LanguageKey(
        "fields",
        {"$ref": "#/$defs/tests"},
        "Tests on fields of the record (JSON, logfmt, key=value), and on level, logger, host, pid of the prefix.",
    ),
    LanguageKey(
        "source",
        enum_list_schema([*(kind.value for kind in Kind), "any"]),
        "Which kinds of source are searched; default any.",
    ),
    LanguageKey(
        "severity",
        TEXT,
        "info, warning, error or fatal; default: the severity of the line's prefix. In a rule, this may be a template.",
    ),
    LanguageKey("block", {"$ref": "#/$defs/block"}, "Continuation lines that belong to the event."),
    LanguageKey("also", TEXTS, "Patterns searched in the line and its block for more captures."),
    LanguageKey(
        "set",
        {"type": "object", "additionalProperties": TEXT},
        'Captures with fixed values, or made from other captures: {what: "{comm}"}.',
    ),
    LanguageKey(
        "bits",
        {"type": "object", "additionalProperties": {"type": "string", "pattern": r"^\w+\[\d+(:\d+)?\]$"}},
        'Captures that are bits of a hexadecimal one, as numbers: {subcode: "word[25:20]"}.',
    ),
    LanguageKey(
        "lookup",
        {"anyOf": [{"$ref": "#/$defs/lookup"}, {"type": "array", "items": {"$ref": "#/$defs/lookup"}}]},
        "Adds a row of a table as captures; if several tables have a column, the first one wins.",
    ),
    LanguageKey("feeds", enum_list_schema(sorted(FEEDS)), "What the analyzer may learn from the event."),
    LanguageKey("noise", FLAG, "A line known to be harmless."),
    LanguageKey("description", TEXT, "What the line means, for people."),
    LanguageKey("override", FLAG, "Replaces an earlier one of the same name."),
)

# How specific the lines of a rule are; docs/rules.md says what each word means.
CONFIDENCE_LEVELS: Mapping[str, float] = {
    "proof": 0.92,
    "strong": 0.8,
    "likely": 0.65,
    "possible": 0.45,
    "weak": 0.25,
    "faint": 0.08,
}
CONFIDENCE_VALUE: Schema = {
    "anyOf": [{"enum": list(CONFIDENCE_LEVELS)}, {"type": "number", "minimum": 0, "maximum": 1}]
}

CONFIDENCE = (
    LanguageKey(
        "base",
        CONFIDENCE_VALUE,
        "The confidence when nothing else is known.",
        required=True,
    ),
    LanguageKey("raise", CONFIDENCE_SHIFTS, "Signals or rules, and how much their presence on the node adds."),
    LanguageKey("lower", CONFIDENCE_SHIFTS, "Signals or rules, and how much their presence on the node subtracts."),
)

REPLAY = (
    LanguageKey("fault", TEXT, "The fault that shows the same failure, of templates/replay/faults.yaml."),
    LanguageKey("role", TEXT, "The job that the fault hits: worker, ps, chief."),
)

STATUSES = ("experimental", "stable", "deprecated")
BLAMES = ("user", "cluster", "either")

# What a rule that extends another adds to its lists, instead of replacing them.
APPEND = (
    LanguageKey("match", TEXTS, "More patterns, one of which must match."),
    LanguageKey("not_match", TEXTS, "More patterns that must not match."),
    LanguageKey(
        "where",
        {"$ref": "#/$defs/tests"},
        "More tests on the captures of the lines with which the condition begins.",
    ),
    LanguageKey("silences", TEXTS, "More rules that are dropped if they rest on the same lines."),
    LanguageKey("explains", TEXTS, "More ids, globs or cause ids of the consequences."),
    LanguageKey("explained_by", TEXTS, "More ids, globs or cause ids of the rules that explain this one."),
    LanguageKey("remediation", TEXTS, "More things to do; templates."),
    LanguageKey("references", TEXTS, "More places to read."),
    LanguageKey("tests", {"type": "array", "items": {"type": "object"}}, "More tests; those of the rule apply too."),
)

RULE_ONLY = (
    LanguageKey("id", TEXT, "The rule's name, unique over all packs.", required=True),
    LanguageKey("extends", TEXT, "An earlier rule whose keys apply here too, except id, tests and those written here."),
    LanguageKey("append", {"$ref": "#/$defs/append"}, "What is added to the lists of the rule that this one extends."),
    LanguageKey("status", enum_schema(STATUSES), "experimental, stable or deprecated; default stable."),
    LanguageKey("aliases", TEXTS, "Former ids of the rule; what names them means this rule."),
    LanguageKey("cause", TEXT, "A cause id of causes.yaml or <pack>.<id>; may be a template."),
    LanguageKey(
        "blame", enum_schema(BLAMES), "Who must act first: user, cluster or either; default: as the cause says."
    ),
    LanguageKey("quiet", {"type": "boolean"}, "A job with this fault may end well; default: as the cause says."),
    LanguageKey("role", enum_schema([role.value for role in Role]), "cause, symptom or context; default symptom."),
    LanguageKey(
        "confidence",
        {"anyOf": [CONFIDENCE_VALUE, {"$ref": "#/$defs/confidence"}]},
        "How specific the text is: proof, strong, likely, possible, weak, faint, or a number from 0 to 1; default 0.7.",
    ),
    LanguageKey("when", CONDITION, "The condition; default: the rule's own match."),
    LanguageKey(
        "by",
        {
            "anyOf": [
                TEXT,
                {"type": "array", "items": {"anyOf": [TEXT, {"type": "object", "additionalProperties": TEXTS}]}},
            ]
        },
        "One finding for each value of these captures; {pid: [pid, tid]} if signals use different names for it.",
    ),
    LanguageKey(
        "explains",
        {
            "anyOf": [
                TEXTS,
                {
                    "type": "array",
                    "items": {
                        "anyOf": [TEXT, {"type": "object", "additionalProperties": {"type": ["string", "number"]}}]
                    },
                },
            ]
        },
        "Ids, globs or cause ids of the consequences; {glob: 3m} limits the time between both.",
    ),
    LanguageKey("explained_by", TEXTS, "Ids, globs or cause ids of the rules that explain this one."),
    LanguageKey("silences", TEXTS, "More general rules that are dropped if they rest on the same lines."),
    LanguageKey("title", TEXT, "One line; a template."),
    LanguageKey("summary", TEXT, "A sentence or two; a template."),
    LanguageKey("why", TEXTS, "Reasons to believe the finding, for the report; templates."),
    LanguageKey("remediation", TEXTS, "What to do; templates."),
    LanguageKey("references", TEXTS, "Where to read more."),
    LanguageKey("replay", {"$ref": "#/$defs/replay"}, "How a replay shows the same failure."),
    LanguageKey(
        "tests",
        {"type": "array", "items": {"type": "object"}},
        "Small bundles on which the rule fires or stays silent.",
    ),
)

RULE = (*RULE_ONLY, *SIGNAL)

# A test on a capture that has several parts; all of them must hold.
RANGE = (
    LanguageKey("gt", TEXT, "Greater than this number, size or version."),
    LanguageKey("ge", TEXT, "Greater than this, or equal to it."),
    LanguageKey("lt", TEXT, "Less than this."),
    LanguageKey("le", TEXT, "Less than this, or equal to it."),
    LanguageKey("ne", TEXTS, "Different from this value, or from each of these values."),
)
EXCEPTION_SIDES = ("before", "after", "between")
TIMELESS = frozenset({"not", "absent"})  # they hold because nothing happened, so no window lies around them

WHERE: Schema = {
    "type": "object",
    "additionalProperties": {
        "anyOf": [TEXT, {"type": "array", "items": TEXT, "minItems": 1}, {"$ref": "#/$defs/range"}]
    },
}


def _exception_schema(side: str, keys: Schema) -> Schema:
    properties = {side: CONDITION, **keys}
    return {"type": "object", "properties": properties, "required": [side], "additionalProperties": False}


_UNLESS: Schema = {
    "anyOf": [
        CONDITION,
        _exception_schema("before", {"within": DURATION}),
        _exception_schema("after", {"within": DURATION}),
        _exception_schema("between", {}),
    ]
}
_WINDOW_RANGE: Schema = {
    "type": "object",
    "properties": {"ge": DURATION, "le": DURATION},
    "additionalProperties": False,
    "minProperties": 1,
}

# Keys of a step of a sequence besides its condition's own.
STEP = (LanguageKey("optional", FLAG, "The step may be missing."),)
_EXCEPT = LanguageKey(
    "unless", _UNLESS, "Does not hold if this holds too: anywhere, or {before: ...}, {after: ...} or {between: ...} it."
)
_WITHIN = LanguageKey("within", DURATION, "All events lie in a window of this length: 30s, 2m, 1h.")
# Beside `unless`, `within` is the window of the exception.
EXCEPTION_WINDOW = LanguageKey("within", DURATION, "Beside unless: the exception counts only this near.")

# Head of a condition → the head itself, then the keys that belong to it.
CONDITIONS: Mapping[str, tuple[LanguageKey, ...]] = {
    "signal": (
        LanguageKey("signal", TEXT, "The node has an event of this signal."),
        LanguageKey("where", WHERE, "Tests on its captures."),
        LanguageKey("at", enum_schema(SCOPES), "On which node; default same_node."),
        _EXCEPT,
    ),
    "all": (LanguageKey("all", CONDITION_LIST, "All conditions hold."), _WITHIN, _EXCEPT),
    "any": (LanguageKey("any", CONDITION_LIST, "At least one condition holds."), _EXCEPT),
    "not": (LanguageKey("not", CONDITION, "The condition does not hold."), _EXCEPT),
    "count": (
        LanguageKey("count", CONDITION, "There are this many events."),
        LanguageKey("at_least", WHOLE_NUMBER, "Default 1."),
        LanguageKey("at_most", WHOLE_NUMBER, "No limit by default."),
        _WITHIN,
        _EXCEPT,
    ),
    "distinct": (
        LanguageKey("distinct", TEXT, "There are this many different values of the capture."),
        LanguageKey("of", CONDITION, "The events whose captures are counted.", required=True),
        LanguageKey("at_least", POSITIVE_NUMBER, "Default 2."),
        _WITHIN,
        _EXCEPT,
    ),
    "sequence": (
        LanguageKey(
            "sequence",
            {"type": "array", "items": {"$ref": "#/$defs/step"}, "minItems": 2},
            "The conditions hold in this order, in corrected time and on different lines.",
        ),
        LanguageKey("known", FLAG, "Only if times, clocks and zones prove this order."),
        LanguageKey(
            "within",
            {"anyOf": [DURATION, _WINDOW_RANGE]},
            "A duration, or {ge: 5s, le: 60s}: so long after the first step comes the last one.",
        ),
        LanguageKey("from", POSITIVE_NUMBER, "The number of the step at which the window opens; default 1."),
        _EXCEPT,
    ),
    "absent": (
        LanguageKey("absent", CONDITION, "The node has sources that could contain the signal, and none does."),
        _EXCEPT,
    ),
    "first": (
        LanguageKey("first", CONDITION, "This node has it first, by more than the clocks' error."),
        _EXCEPT,
    ),
    "share": (
        LanguageKey("share", CONDITION, "This many nodes have it."),
        LanguageKey("exactly", POSITIVE_NUMBER, "Exactly this many nodes."),
        LanguageKey(
            "at_least",
            {"type": ["string", "number"], "pattern": r"^\s*\d+(\.\d+)?\s*%?\s*$"},
            "At least this share, such as 90%.",
        ),
        _EXCEPT,
    ),
    "odd": (
        LanguageKey("odd", TEXT, "The node's value of this capture differs from the one of twice as many nodes."),
        LanguageKey("of", CONDITION, "The signal whose captures are compared.", required=True),
        _EXCEPT,
    ),
}

SEVERITIES = {severity.label: severity for severity in Severity}
